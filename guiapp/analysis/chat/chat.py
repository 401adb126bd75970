"""A conversation in tokens: the prompt that a template writes, and the origin of each token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.as_text import content_as_text, is_control
from guiapp.analysis.chat.messages import ChatSettings, Conversation
from guiapp.analysis.chat.templates import ChatTemplate, Rendering, chosen_template, render, special_texts
from guiapp.analysis.chat.traced import CHANGED, CONTENT, TEMPLATE, CharacterOrigin
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.token_html import titled, tokens_html
from guiapp.core.vocabulary.attributes import Attribute

ADDED = "added"
AT_ONCE = 1 << 13
NO_MESSAGE = -1
ASSISTANT = "assistant"
TOOLS, SEVERAL = "tools", "messages"  # roles of what no single message holds


@dataclass(frozen=True)
class Budget:
    """The number of tokens by origin.

    n_tokens    of the whole prompt
    n_template  written by the template; n_added: added by the tokenizer
    by_role     content of the messages of each role, and of `tools`
    by_message  content of each message
    """

    n_tokens: int
    n_template: int
    n_added: int
    by_role: Mapping[str, int]
    by_message: tuple[int, ...]


class Chat:
    """A conversation in tokens; immutable.

    conversation, template, rendering   the messages, the template that rendered them, and its text
    settings    of rendering and encoding
    parsed      the tokens of the whole text, control tokens parsed
    encoding    `parsed` or `as_text`, as the settings request
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        conversation: Conversation,
        template: ChatTemplate,
        rendering: Rendering,
        settings: ChatSettings,
    ) -> None:
        self.tokenizer, self.conversation = tokenizer, conversation
        self.template, self.rendering, self.settings = template, rendering, settings
        self.parsed = tokenizer.encode(rendering.text, settings.add_special, True)
        self.encoding = self.as_text if settings.as_text else self.parsed

    def __repr__(self) -> str:
        n_messages = counted(len(self.conversation.messages), "message")
        return f"<Chat: {n_messages}, {counted(len(self.encoding), 'token')}>"

    def _repr_html_(self) -> str:
        """For notebooks: a block for each turn."""
        data, ids, spans = self.encoding.text_bytes, self.token_ids, self.encoding.spans
        parts = []
        for turn in self.turns:
            rows = slice(turn.start, turn.end)
            start, end = (spans[turn.start, 0], spans[turn.end - 1, 1])
            block = tokens_html(data[start:end], ids[rows], spans[rows] - start)
            n_tokens = counted(turn.end - turn.start, "token")
            parts.append(titled(f"{turn.role or 'template'}: {n_tokens}", block))
        return "".join(parts)

    @property
    def text(self) -> str:
        return self.rendering.text

    @property
    def is_traced(self) -> bool:
        """Whether the origin of the text is known; if not, all of it counts as CHANGED without a message."""
        return bool(self.rendering.lines)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        return self.encoding.token_ids

    @cached_property
    def origins(self) -> TokenOrigins:
        """The origin of each token."""
        return self._origins_in(self.encoding)

    @cached_property
    def as_text(self) -> Encoding:
        """The same prompt in tokens, but content stays text even if it looks like a control token.

        The same as `parsed` if it is unknown what is content: see `is_traced`.
        """
        if not self.is_traced:
            return self.parsed
        kinds = np.array([run.origin.kind != TEMPLATE for run in self.rendering.runs], bool)
        is_content = np.repeat(kinds, np.diff(self.runs.bounds))[self.character_of_byte[:-1]]
        return content_as_text(self.tokenizer, self.parsed.text_bytes, is_content, self.settings.add_special)

    @cached_property
    def as_text_origins(self) -> TokenOrigins:
        """The origin of each token of `as_text`."""
        return self._origins_in(self.as_text)

    @cached_property
    def budget(self) -> Budget:
        kinds, by_role, by_message = Counter[str](), Counter[str](), Counter[int | None]()
        for origin, count in self.origins.counts():
            kinds[origin.kind] += count
            if origin.is_content:
                by_role[origin.role] += count
                by_message[origin.message] += count
        messages = range(len(self.conversation.messages))
        return Budget(
            len(self.encoding),
            kinds[TEMPLATE],
            kinds[ADDED],
            dict(by_role),
            tuple(by_message[message] for message in messages),
        )

    @cached_property
    def is_generated(self) -> NDArray[np.bool_]:
        """bool[n]: the tokens that the assistant writes, by the `generation` blocks of the template.

        Equal to the assistant tokens mask of `transformers`.
        """
        generated = np.zeros(len(self.encoding), bool)
        for start, end in self.rendering.generated:
            generated[slice(*self.tokens_at(start, end))] = True
        return generated

    @cached_property
    def became_control(self) -> NDArray[np.bool_]:
        """bool[n]: the content tokens that are control; unknown tokens only if the text is their name."""
        vocabulary, spans = self.tokenizer.vocabulary, self.encoding.spans
        attributes = np.where(self.origins.is_content, vocabulary.effective_attributes[self.token_ids], 0)
        became: NDArray[np.bool_] = attributes & Attribute.CONTROL > 0
        for index in np.flatnonzero(attributes & Attribute.UNKNOWN).tolist():
            name = vocabulary.raw_text(int(self.token_ids[index]))
            start, end = spans[index].tolist()
            became[index] = self.encoding.text_bytes[start:end].strip() == name
        return became

    @cached_property
    def turns(self) -> list[Turn]:
        """The turns, which tile the prompt."""
        return turns_of(self)

    def tokens_at(self, start: int, end: int) -> tuple[int, int]:
        """The token range [first, end) that overlaps these characters of the text; (0, 0) if none does."""
        first, last = np.searchsorted(self.character_of_byte, (start, end))
        starts, ends = self._bounds
        found = int(np.searchsorted(ends, first, "right")), int(np.searchsorted(starts, last))
        return found if found[0] < found[1] else (0, 0)

    @cached_property
    def _bounds(self) -> NDArray[np.int64]:
        """int64[2, n]: the starts and ends of the tokens; neither row ever decreases."""
        return np.ascontiguousarray(self.encoding.spans.T)

    def origin_at(self, character: int) -> TokenOrigin:
        """The origin of one character of the text, even if its token also has characters of other origins."""
        row = int(self.runs.rows_at(np.array(character)))
        return self.runs.within(character, character + 1, row)

    @cached_property
    def runs(self) -> RunOrigins:
        return RunOrigins(self.rendering, self._role)

    @cached_property
    def character_of_byte(self) -> NDArray[np.int64]:
        """int64[n + 1]: the character of each byte of the text; last, the number of characters."""
        is_first = np.frombuffer(self.parsed.text_bytes, np.uint8) & 0xC0 != 0x80
        return np.append(np.cumsum(is_first) - 1, len(self.rendering.text))

    def _origins_in(self, encoding: Encoding) -> TokenOrigins:
        affixes = self.tokenizer.special_affixes() if self.settings.add_special else ([], [])
        n_before, n_after = map(len, affixes)
        starts, ends = encoding.spans[n_before : len(encoding) - n_after].T
        characters = self.character_of_byte
        firsts = characters[starts]
        lasts = np.where(ends > starts, characters[ends - 1] + 1, firsts)
        return TokenOrigins(self.runs, firsts, lasts, (n_before, n_after))

    def _role(self, origin: CharacterOrigin) -> str:
        if origin.message is not None:
            return self.conversation.role(origin.message)
        if origin.kind == TEMPLATE:
            return ""
        return TOOLS if origin.field.startswith(TOOLS) else SEVERAL


def chat_of(
    tokenizer: Tokenizer,
    conversation: Conversation,
    settings: ChatSettings,
    checkpoint: Callable[[], None] = lambda: None,
) -> Chat:
    """Render messages by the chosen template and encode them: see `chosen_template` and `render`."""
    vocabulary = tokenizer.vocabulary
    chosen = chosen_template(vocabulary, conversation.tools is not None, settings.template)
    given = {**special_texts(vocabulary), **settings.variables}
    rendering = render(chosen.text, conversation, settings.add_generation_prompt, given, checkpoint)
    return Chat(tokenizer, conversation, chosen, rendering, settings)


# The tokens of a prompt by turn: header, content and end of each message


class Turn(NamedTuple):
    """The tokens [start, end) of one turn; the turns of a prompt tile it.

    message    of the turn, from 0; None for the start of the prompt and for turns that the template adds
    role       of the message; `assistant` for the generation prompt, `tools` for a turn of tools only, or ""
    is_prompt  whether this is the generation prompt
    """

    start: int
    end: int
    message: int | None = None
    role: str = ""
    is_prompt: bool = False


def turns_of(chat: Chat) -> list[Turn]:
    """The turns of a prompt in order, without empty ones."""
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
    """The tokens from the first to the last that surely belong to a message: its content, if it has any."""

    start: int
    end: int
    message: int
    has_content: bool


class _Prompt:
    """Divides the tokens: messages are in [first, end), the generation prompt is in [end, last)."""

    def __init__(self, chat: Chat) -> None:
        self._chat, self._origins, self.n = chat, chat.origins, len(chat.encoding)
        vocabulary = chat.tokenizer.vocabulary
        self._is_end = np.isin(chat.token_ids, list(vocabulary.eog)).tolist()
        self._is_control = is_control(vocabulary)[chat.token_ids].tolist()
        before, after = chat.tokenizer.special_affixes() if chat.settings.add_special else ([], [])
        self.first, self.last = len(before), self.n - len(after)
        index = self.first
        while index < self.last and (self._is_bos(index) or self._is_blank(index)):
            index += 1
            self.first = index if self._is_bos(index - 1) else self.first
        self.end = max(self.first, min(self.last, self._prompt_start()))
        self._messages, is_content = self._origins.messages, self._origins.is_content
        contents = np.unique(self._messages[is_content])
        owns = (self._messages != NO_MESSAGE) & (is_content | ~np.isin(self._messages, contents))
        indexes = self.first + np.flatnonzero(owns[self.first : self.end])
        owners = self._messages[indexes]
        firsts = np.flatnonzero(np.diff(owners, prepend=NO_MESSAGE))
        lasts = np.append(firsts[1:], len(indexes))[: len(firsts)] - 1
        columns = indexes[firsts], indexes[lasts] + 1, owners[firsts], np.isin(owners[firsts], contents)
        self.owned = [_Owned(*row) for row in zip(*(each.tolist() for each in columns), strict=True)]

    def borders(self) -> list[int]:
        """The starts of the turns of all messages but the first."""
        return [self._border(before, after) for before, after in pairwise(self.owned)]

    def _border(self, before: _Owned, after: _Owned) -> int:
        tags = self._messages[before.end : after.start].tolist()
        tagged = [index for index, tag in enumerate(tags, before.end + 1) if tag == before.message]
        start = tagged[-1] if tagged else before.end
        ours = (index for index in range(start, after.start) if tags[index - before.end] == after.message)
        end = next(ours, after.start)
        if (ended := self._after_end(start, end)) is not None:
            return ended
        if end < after.start:
            return end
        return next((index for index in range(start, end) if self._is_control[index]), start)

    def divided(self, start: int, end: int, owned: _Owned | None) -> list[Turn]:
        """A turn, preceded and followed by the turns that the template ends on its own."""
        if owned is None:
            return [self._own(start, end)]
        before = owned.start if owned.has_content else owned.end
        ends = [index for index in range(start, before) if self._is_end[index]]
        ends = ends if owned.has_content else ends[:-1]  # without content, the last end is the message's own
        header = self._after_end(ends[-1], before) if ends else start
        after = self._after_end(owned.end, end)
        header, after = header or start, after or end
        turn = Turn(header, after, owned.message, self._chat.conversation.role(owned.message))
        return [self._own(start, header), turn, self._own(after, end)]

    def _own(self, start: int, end: int) -> Turn:
        firsts = np.unique(self._origins.rows[start:end], return_index=True)[1]
        origins = (self._origins[start + at] for at in firsts.tolist())
        roles = {origin.role for origin in origins if origin.is_content}
        return Turn(start, end, None, roles.pop() if len(roles) == 1 else "")

    def _after_end(self, start: int, end: int) -> int | None:
        """The index after the first end of turn and the blanks that follow it; None if there is no end."""
        for index in range(start, end):
            if self._is_end[index]:
                after = range(index + 1, end)
                return next((each for each in after if not self._is_blank(each)), end)
        return None

    def _is_bos(self, index: int) -> bool:
        return bool(self._chat.token_ids[index] == self._chat.tokenizer.vocabulary.special_ids.bos)

    def _is_blank(self, index: int) -> bool:
        start, end = self._chat.encoding.spans[index].tolist()
        text = self._chat.encoding.text_bytes[start:end]
        return not self._origins[index].is_content and (not text or text.isspace())

    def _prompt_start(self) -> int:
        """The first token that is entirely generation prompt."""
        character = self._chat.rendering.prompt_start
        if character is None:
            return self.last
        byte = np.searchsorted(self._chat.character_of_byte, character)
        starts = self._chat.encoding.spans[self.first : self.last, 0]
        return self.first + int(np.searchsorted(starts, byte))


# The origins of the tokens of a prompt, in columns: an object for each token would fill the memory


class TokenOrigin(NamedTuple):
    """The origin of a token; if it has several, the origin of the first content in it.

    kind     TEMPLATE, CONTENT or CHANGED as in CharacterOrigin; ADDED: BOS or EOS added by the tokenizer
    message  from 0, as in CharacterOrigin
    role     of that message; `tools` for the text of a tool, "" for neither
    field    of the message
    line     of the template
    start, end  for CONTENT, the characters in the text of the field
    is_mixed    whether the token also has characters of other origins
    also        other messages that have content in the token
    """

    kind: str
    message: int | None = None
    role: str = ""
    field: str = ""
    line: int = 0
    start: int = 0
    end: int = 0
    is_mixed: bool = False
    also: tuple[int, ...] = ()

    @property
    def is_content(self) -> bool:
        return self.kind in (CONTENT, CHANGED)


class RunOrigins:
    """The origins of the runs of a text.

    bounds   int64[n + 1]: the characters where runs begin, and the end of the text
    of_runs  the origin of tokens in each run, without offsets; last, the origin of tokens that are ADDED
    """

    def __init__(self, rendering: Rendering, role_of: Callable[[CharacterOrigin], str]) -> None:
        self._runs = rendering.runs
        self.bounds = np.array([*(run.start for run in rendering.runs), len(rendering.text)], np.int64)
        self.of_runs = [
            TokenOrigin(origin.kind, origin.message, role_of(origin), origin.field, origin.line)
            for _, origin, _ in rendering.runs
        ]
        self.of_runs.append(TokenOrigin(ADDED))

    def rows_at(self, characters: NDArray[np.int64]) -> NDArray[np.int64]:
        """The run of each character."""
        return np.searchsorted(self.bounds[:-1], characters, "right") - 1

    def within(self, start: int, end: int, row: int) -> TokenOrigin:
        """The origin of a token with these characters of the text, all in one run."""
        whole = self.of_runs[row]
        if whole.kind != CONTENT:
            return whole
        shift = self._runs[row].offset - self._runs[row].start
        return TokenOrigin(*whole[:5], start + shift, end + shift)

    def first_content(self, row: int, end_row: int) -> int:
        """The first run in [row, end_row) that is content; `row` if none is."""
        return next((at for at in range(row, end_row) if self.of_runs[at].is_content), row)

    def across(self, start: int, end: int, row: int, end_row: int) -> TokenOrigin:
        """The origin of a token with characters in several runs: the first content among them."""
        origins, first = self.of_runs[row:end_row], self.first_content(row, end_row)
        run_start, run_end = self.bounds[first : first + 2].tolist()
        result = self.within(max(start, run_start), min(end, run_end), first)
        messages = dict.fromkeys(each.message for each in origins if each.is_content)
        also = tuple(each for each in messages if each is not None and each != result.message)
        is_mixed = any(each[:4] != result[:4] for each in origins)
        return result._replace(is_mixed=is_mixed, also=also)


class TokenOrigins(Sequence[TokenOrigin]):
    """The origin of each token, in order."""

    def __init__(
        self,
        runs: RunOrigins,
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        n_affixes: tuple[int, int],
    ) -> None:
        """For tokens with these characters; `n_affixes`: how many tokens are added before and after them."""
        self._runs = runs
        rows = runs.rows_at(starts)
        end_rows = np.maximum(np.searchsorted(runs.bounds[:-1], ends, "left"), rows + 1)
        columns = np.stack([starts, ends, rows, end_rows]).astype(np.int32)
        added = len(runs.of_runs) - 1
        before, after = (np.tile([[0], [0], [added], [added + 1]], n).astype(np.int32) for n in n_affixes)
        self._columns = np.concatenate([before, columns, after], axis=1)

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> TokenOrigin: ...
    @overload
    def __getitem__(self, index: slice) -> list[TokenOrigin]: ...
    def __getitem__(self, index: int | slice) -> TokenOrigin | list[TokenOrigin]:
        result = self._columns[:, index].tolist()
        return list(map(self._origin, *result)) if isinstance(index, slice) else self._origin(*result)

    def __iter__(self) -> Iterator[TokenOrigin]:
        for start in range(0, len(self), AT_ONCE):
            yield from self[start : start + AT_ONCE]

    def _origin(self, start: int, end: int, row: int, end_row: int) -> TokenOrigin:
        if end_row == row + 1:
            return self._runs.within(start, end, row)
        return self._runs.across(start, end, row, end_row)

    @cached_property
    def rows(self) -> NDArray[np.int32]:
        """int32[n]: the run that each token counts to; the number of runs for tokens that are ADDED."""
        rows, end_rows = self._columns[2:]
        main: NDArray[np.int32] = rows.copy()
        for index in np.flatnonzero(end_rows > rows + 1).tolist():
            main[index] = self._runs.first_content(int(rows[index]), int(end_rows[index]))
        return main

    @cached_property
    def is_content(self) -> NDArray[np.bool_]:
        """bool[n]: whether each token is content."""
        are_content = np.array([each.is_content for each in self._runs.of_runs], np.bool_)
        result: NDArray[np.bool_] = are_content[self.rows]
        return result

    @cached_property
    def messages(self) -> NDArray[np.int64]:
        """int64[n]: the message of each token, NO_MESSAGE for None."""
        run_messages = [NO_MESSAGE if each.message is None else each.message for each in self._runs.of_runs]
        return np.array(run_messages, np.int64)[self.rows]

    def counts(self) -> list[tuple[TokenOrigin, int]]:
        """The number of tokens of each run that has some, in order; the origins are without offsets."""
        rows, firsts, counts = np.unique(self.rows, return_index=True, return_counts=True)
        order = np.argsort(firsts)
        return [(self._runs.of_runs[rows[at]], int(counts[at])) for at in order.tolist()]
