"""The tokens of a prompt by turn, as people see them: header, content and end of each message.

Content tells whose turn it is.  What the template writes between two messages is shared out by the message
that its loop was at; else the first end of turn is the border, or a control token, which begins a header.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from guiapp.analysis.chat.as_text import is_control
from guiapp.analysis.chat.token_origins import NO_MESSAGE

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat

ASSISTANT = "assistant"


class Turn(NamedTuple):
    """Tokens `start` to `end` of a prompt; the turns of a prompt tile it.

    message    from 0, whose turn it is; None for what begins the prompt, and for turns of the template's own
    role       of the message; `assistant` of the generation prompt, `tools` where only they are told, or ""
    is_prompt  whether it is the generation prompt
    """

    start: int
    end: int
    message: int | None = None
    role: str = ""
    is_prompt: bool = False


def turns_of(chat: Chat) -> list[Turn]:
    """In order, without empty ones."""
    prompt = _Prompt(chat)
    turns = [Turn(0, prompt.first)]
    borders = [prompt.first, *prompt.borders(), prompt.end]
    owned: list[_Owned | None] = [*prompt.owned] or [None]
    for (start, end), each in zip(pairwise(borders), owned, strict=True):
        turns += prompt.divided(start, end, each)
    turns.append(Turn(prompt.end, prompt.last, None, ASSISTANT, True))
    turns.append(Turn(prompt.last, prompt.n))
    return [turn for turn in turns if turn.end > turn.start]


class _Owned(NamedTuple):
    """Tokens from the first to the last that surely are of a message: its content, if it has any."""

    start: int
    end: int
    message: int
    has_content: bool


class _Prompt:
    """What is asked of tokens; messages are from `first` to `end`, then the generation prompt to `last`."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self._origins, self.n = chat, chat.origins, len(chat.encoding)
        vocabulary = chat.tokenizer.vocabulary
        self._is_end = np.isin(chat.token_ids, list(vocabulary.eog)).tolist()
        self._is_control = is_control(vocabulary)[chat.token_ids].tolist()
        before, after = chat.tokenizer.special_affixes() if chat.settings.add_special else ([], [])
        self.first, self.last = len(before), self.n - len(after)
        place = self.first
        while place < self.last and (self._is_bos(place) or self._is_blank(place)):
            place += 1
            self.first = place if self._is_bos(place - 1) else self.first
        self.end = max(self.first, min(self.last, self._prompt_start()))
        self._messages, is_content = self._origins.messages, self._origins.is_content
        contents = np.unique(self._messages[is_content])
        owns = (self._messages != NO_MESSAGE) & (is_content | ~np.isin(self._messages, contents))
        places = self.first + np.flatnonzero(owns[self.first : self.end])
        owners = self._messages[places]
        firsts = np.flatnonzero(np.diff(owners, prepend=NO_MESSAGE))
        lasts = np.append(firsts[1:], len(places))[: len(firsts)] - 1
        self.owned = [
            _Owned(start, last + 1, message, bool(np.isin(message, contents)))
            for start, last, message in zip(
                places[firsts].tolist(), places[lasts].tolist(), owners[firsts].tolist(), strict=True
            )
        ]

    def borders(self) -> list[int]:
        """Where the turn of each message but the first begins."""
        return [self._border(before, after) for before, after in pairwise(self.owned)]

    def _border(self, before: _Owned, after: _Owned) -> int:
        tags = self._messages[before.end : after.start].tolist()
        tagged = [place for place, tag in enumerate(tags, before.end + 1) if tag == before.message]
        start = tagged[-1] if tagged else before.end
        ours = (place for place in range(start, after.start) if tags[place - before.end] == after.message)
        end = next(ours, after.start)
        if (ended := self._after_end(start, end)) is not None:
            return ended
        if end < after.start:
            return end
        return next((place for place in range(start, end) if self._is_control[place]), start)

    def divided(self, start: int, end: int, owned: _Owned | None) -> list[Turn]:
        """A turn, and before and behind it what the template ends as turns of its own."""
        if owned is None:
            return [self._own(start, end)]
        before = owned.start if owned.has_content else owned.end
        ends = [place for place in range(start, before) if self._is_end[place]]
        ends = ends if owned.has_content else ends[:-1]  # without content, the last one ends its own turn
        header = self._after_end(ends[-1], before) if ends else start
        behind = self._after_end(owned.end, end)
        header, behind = header or start, behind or end
        turn = Turn(header, behind, owned.message, self._chat.conversation.role(owned.message))
        return [self._own(start, header), turn, self._own(behind, end)]

    def _own(self, start: int, end: int) -> Turn:
        firsts = np.unique(self._origins.rows[start:end], return_index=True)[1]
        origins = (self._origins[start + at] for at in firsts.tolist())
        roles = {origin.role for origin in origins if origin.is_content}
        return Turn(start, end, None, roles.pop() if len(roles) == 1 else "")

    def _after_end(self, start: int, end: int) -> int | None:
        """Behind the first end of turn, and blanks that follow it; None where there is none."""
        for place in range(start, end):
            if self._is_end[place]:
                behind = range(place + 1, end)
                return next((each for each in behind if not self._is_blank(each)), end)
        return None

    def _is_bos(self, place: int) -> bool:
        return bool(self._chat.token_ids[place] == self._chat.tokenizer.vocabulary.special_ids.bos)

    def _is_blank(self, place: int) -> bool:
        start, end = self._chat.encoding.spans[place].tolist()
        text = self._chat.encoding.text_bytes[start:end]
        return not self._origins[place].is_content and (not text or text.isspace())

    def _prompt_start(self) -> int:
        """The first token of which no character was there without a generation prompt."""
        character = self._chat.rendering.prompt_start
        if character is None:
            return self.last
        byte = np.searchsorted(self._chat.character_of_byte, character)
        starts = self._chat.encoding.spans[self.first : self.last, 0]
        return self.first + int(np.searchsorted(starts, byte))
