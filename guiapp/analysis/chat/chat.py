"""A conversation in tokens: what a template makes of messages, and where each token is from."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.as_text import content_as_text
from guiapp.analysis.chat.messages import Conversation
from guiapp.analysis.chat.rendering import Rendering, render
from guiapp.analysis.chat.settings import ChatSettings
from guiapp.analysis.chat.templates import ChatTemplate, chosen_template, special_texts
from guiapp.analysis.chat.token_origins import ADDED, RunOrigins, TokenOrigin, TokenOrigins
from guiapp.analysis.chat.traced import TEMPLATE, CharacterOrigin
from guiapp.analysis.chat.turns import Turn, turns_of
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute

TOOLS = "tools"
ANYWHERE = -2  # among places in a template


@dataclass(frozen=True)
class Budget:
    """How many tokens are from where.

    n_tokens    of the whole
    n_template  of the template, n_added by the tokenizer
    by_role     of the content of messages of each role, and of `tools`
    by_message  of the content of each message
    """

    n_tokens: int
    n_template: int
    n_added: int
    by_role: Mapping[str, int]
    by_message: tuple[int, ...]


class Chat:
    """A conversation in tokens; immutable.

    conversation, template, rendering   what was rendered, by what, and the text of it
    settings    how
    parsed      the whole text in tokens, control tokens parsed
    encoding    the tokens that the settings ask for: `parsed` or `as_text`
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

    @property
    def text(self) -> str:
        return self.rendering.text

    @property
    def is_traced(self) -> bool:
        """Whether it is known where the text is from; else all of it counts as changed content of nobody."""
        return bool(self.rendering.lines)

    @property
    def token_ids(self) -> NDArray[np.int32]:
        return self.encoding.token_ids

    @cached_property
    def origins(self) -> TokenOrigins:
        """Of each token."""
        return self._origins_in(self.encoding)

    @cached_property
    def as_text(self) -> Encoding:
        """The same prompt in tokens, but content stays text even where it looks like a control token.

        As far as it is known what is content: see `is_traced`.
        """
        if not self.is_traced:
            return self.parsed
        kinds = np.array([run.origin.kind != TEMPLATE for run in self.rendering.runs], bool)
        is_content = np.repeat(kinds, np.diff(self.runs.bounds))[self.character_of_byte[:-1]]
        return content_as_text(self.tokenizer, self.parsed.text_bytes, is_content, self.settings.add_special)

    @cached_property
    def as_text_origins(self) -> TokenOrigins:
        """Of each token of `as_text`."""
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
        """bool[n]: the tokens that the assistant writes, as `generation` blocks of the template say.

        The same as `transformers` returns as assistant tokens mask.
        """
        generated = np.zeros(len(self.encoding), bool)
        for start, end in self.rendering.generated:
            generated[slice(*self.tokens_at(start, end))] = True
        return generated

    @cached_property
    def became_control(self) -> NDArray[np.bool_]:
        """bool[n]: the tokens of content that are control tokens, but for what a model has no tokens for."""
        vocabulary, spans = self.tokenizer.vocabulary, self.encoding.spans
        effective_attributes = np.where(
            self.origins.is_content, vocabulary.effective_attributes[self.token_ids], 0
        )
        became: NDArray[np.bool_] = effective_attributes & Attribute.CONTROL > 0
        for index in np.flatnonzero(effective_attributes & Attribute.UNKNOWN).tolist():
            name = vocabulary.raw_text(int(self.token_ids[index]))
            start, end = spans[index].tolist()
            became[index] = self.encoding.text_bytes[start:end].strip() == name
        return became

    @cached_property
    def turns(self) -> list[Turn]:
        """Tokens by turn; they tile the prompt."""
        return turns_of(self)

    def tokens_at(self, start: int, end: int) -> tuple[int, int]:
        """Those that have some of these characters of the text, first and behind the last; else (0, 0)."""
        first, last = np.searchsorted(self.character_of_byte, (start, end))
        starts, ends = self._bounds
        found = int(np.searchsorted(ends, first, "right")), int(np.searchsorted(starts, last))
        return found if found[0] < found[1] else (0, 0)

    @cached_property
    def _bounds(self) -> NDArray[np.int64]:
        """int64[2, n]: where tokens start, and where they end; both never fall."""
        return np.ascontiguousarray(self.encoding.spans.T)

    def origin_at(self, character: int) -> TokenOrigin:
        """Of one character of the text, even if a token has others beside it."""
        row = int(self.runs.rows_at(np.array(character)))
        return self.runs.within(character, character + 1, row)

    @cached_property
    def runs(self) -> RunOrigins:
        return RunOrigins(self.rendering, self._role)

    @cached_property
    def roles_at(self) -> Mapping[int, set[str]]:
        """The roles of the messages that come by at each place of the template, and ANYWHERE."""
        found = defaultdict[int, set[str]](set)
        for _, origin, _ in self.rendering.runs:
            if origin.message is not None:
                for place in (origin.place, ANYWHERE):
                    found[place].add(self.conversation.role(origin.message))
        return found

    @cached_property
    def character_of_byte(self) -> NDArray[np.int64]:
        """int64[n + 1]: of each byte of the text, and for its end the number of characters."""
        is_first = np.frombuffer(self.parsed.text_bytes, np.uint8) & 0xC0 != 0x80
        return np.append(np.cumsum(is_first) - 1, len(self.rendering.text))

    def _origins_in(self, encoding: Encoding) -> TokenOrigins:
        n_before, n_after = (
            map(len, self.tokenizer.special_affixes()) if self.settings.add_special else (0, 0)
        )
        starts, ends = encoding.spans[n_before : len(encoding) - n_after].T
        characters = self.character_of_byte
        firsts = characters[starts]
        lasts = np.where(ends > starts, characters[ends - 1] + 1, firsts)
        return TokenOrigins(self.runs, firsts, lasts, (n_before, n_after))

    def _role(self, origin: CharacterOrigin) -> str:
        if origin.message is not None:
            return self.conversation.role(origin.message)
        return TOOLS if origin.kind != TEMPLATE else ""


def chat_of(
    tokenizer: Tokenizer,
    conversation: Conversation,
    settings: ChatSettings,
    checkpoint: Callable[[], None] = lambda: None,
) -> Chat:
    """Messages through a template of the model, or one that is given: see `chosen_template` and `render`."""
    vocabulary = tokenizer.vocabulary
    chosen = chosen_template(vocabulary, conversation.tools is not None, settings.template)
    given = {**special_texts(vocabulary), **settings.variables}
    rendering = render(chosen.text, conversation, settings.add_generation_prompt, given, checkpoint)
    return Chat(tokenizer, conversation, chosen, rendering, settings)
