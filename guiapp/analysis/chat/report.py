"""One prompt in tokens, or two prompts compared, as JSON records and as lines: the output of `chat`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from functools import cache, cached_property, partial
from itertools import chain, groupby, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.chat.chat import ADDED, AT_ONCE, Chat, TokenOrigin, Turn, chat_of
from guiapp.analysis.chat.fixes import Fix
from guiapp.analysis.chat.hints import Hint
from guiapp.analysis.chat.messages import ChatSettings
from guiapp.analysis.chat.templates import templates_of
from guiapp.analysis.chat.traced import CONTENT, TEMPLATE
from guiapp.analysis.compare.id_changes import IdChanges, id_changes
from guiapp.analysis.doctor.findings import WARNING
from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted, quoted

SIGNS = Spelling.SIGNS
AROUND, LONGEST_LINE = 60, 200  # characters of a line of the template


def chat_record(chat: Chat, hints: Sequence[Hint]) -> dict[str, Any]:
    """The record of `chat --json`; missing values are null, messages count from 0.

    Tokens come from iterators, for `json_parts`: all at once may fill the memory.
    """
    budget = chat.budget
    return {
        "text": chat.text,
        "token_ids": _numbers(chat.token_ids),
        "tokens": _tokens(chat, chat.encoding, chat.origins),
        "generated": np.flatnonzero(chat.is_generated).tolist(),
        "turns": [turn_record(turn) for turn in chat.turns],
        "as_text": {
            "token_ids": _numbers(chat.as_text.token_ids),
            "tokens": _tokens(chat, chat.as_text, chat.as_text_origins),
        }
        if differs(chat)
        else None,
        "hints": list(map(asdict, hints)),
        "budget": {
            "tokens": budget.n_tokens,
            "template": budget.n_template,
            "added": budget.n_added,
            "roles": budget.by_role,
            "messages": budget.by_message,
        },
        "template": {
            "name": chat.template.name,
            "source": chat.template.source,
            "lines": list(chat.rendering.lines),
            "elapsed_ns": chat.rendering.elapsed_ns,
        },
    }


def turn_record(turn: Turn) -> dict[str, Any]:
    return {
        "tokens": [turn.start, turn.end],
        "message": turn.message,
        "role": turn.role or None,
        "is_prompt": turn.is_prompt,
    }


def differs(chat: Chat) -> bool:
    """Whether the tokens change if content is encoded as text; False if the settings already request that."""
    return not np.array_equal(chat.as_text.token_ids, chat.token_ids)


def _numbers(ids: NDArray[np.int32]) -> Iterator[int]:
    for first in range(0, len(ids), AT_ONCE):
        yield from ids[first : first + AT_ONCE].tolist()


def _tokens(chat: Chat, encoding: Encoding, origins: Sequence[TokenOrigin]) -> Iterator[dict[str, Any]]:
    text_of = cache(partial(SIGNS.token, chat.tokenizer.vocabulary))
    for first in range(0, len(encoding), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        ids, spans = encoding.token_ids[some].tolist(), encoding.spans[some].tolist()
        for token_id, span, origin in zip(ids, spans, origins[some], strict=True):
            yield {
                "id": token_id,
                "text": text_of(token_id),
                "span": span,
                "origin": origin.kind,
                "message": origin.message,
                "role": origin.role or None,
                "field": origin.field or None,
                "field_span": [origin.start, origin.end] if origin.end else None,
                "line": origin.line or None,
                "mixed": origin.is_mixed,
                "also": origin.also,
            }


def chat_lines(chat: Chat, hints: Sequence[Hint]) -> Iterator[str]:
    """Lines to read: the budget, the tokens by origin, and the hints."""
    budget = chat.budget
    roles = [f"{count:,} {quoted(role)}" for role, count in budget.by_role.items()]
    parts = [f"{budget.n_template:,} template", *roles]
    parts += [f"{budget.n_added:,} added"] if budget.n_added else []
    yield f"{counted(budget.n_tokens, 'token')}: {', '.join(parts)}"
    yield f"template {quoted(chat.template.name)}, from {quoted(chat.template.source)}"
    yield ""
    yield from _token_lines(chat, chat.encoding, chat.origins)
    if differs(chat):
        yield f"\nContent encoded as text, {counted(len(chat.as_text), 'token')}:"
        yield from _token_lines(chat, chat.as_text, chat.as_text_origins)
    for hint in hints:
        yield f"\n{hint.severity}: {hint.what}"
        if hint.fix is not None and (way := _way(chat, hint.fix)):
            yield f"  {way}"


def _way(chat: Chat, fix: Fix) -> str:
    """How to apply a fix without its button; "" if the hint makes it plain."""
    if fix.template is not None:
        whole, start, end = chat.template.source_text, fix.template.start, fix.template.end
        before = whole[max(whole.rfind("\n", 0, start) + 1, start - AROUND) : start]
        after, _, _ = whole[end : end + AROUND].partition("\n")
        number = whole.count("\n", 0, start) + 1
        line = quoted(before + fix.template.text + after, LONGEST_LINE)
        return f"to fix, change line {number} of the template to: {line}"
    options = {"--no-special": fix.add_special is False, "--as-text": fix.as_text is True}
    return fix.remedy or next((f"to fix, add {name}" for name, is_it in options.items() if is_it), "")


def _token_lines(chat: Chat, encoding: Encoding, origins: Sequence[TokenOrigin]) -> Iterator[str]:
    """A line for each run of tokens with the same label."""
    vocabulary = chat.tokenizer.vocabulary
    tokens = zip(encoding.token_ids.tolist(), origins, strict=True)
    for label, group in groupby(tokens, lambda token: _label(token[1])):
        yield f"{label:22}  {' '.join(SIGNS.token(vocabulary, token_id) for token_id, _ in group)}"


def _label(origin: TokenOrigin) -> str:
    if origin.message is None or not origin.is_content:
        return f"{origin.kind} {origin.line}" if origin.line else origin.kind
    label = f"{origin.message + 1} {quoted(origin.role, 12)}"
    return label if origin.field == "content" else f"{label}, {quoted(origin.field)}"


# One conversation as two prompts: by two templates or models, or with generation prompt and without


class TurnPair(NamedTuple):
    """The same turn in both prompts; None for a prompt that lacks it."""

    first: Turn | None
    second: Turn | None


class CountPair(NamedTuple):
    """The number of tokens of a role, of `template` or of `added`, in both prompts."""

    name: str
    first: int
    second: int


@dataclass(frozen=True, eq=False)
class ChatComparison:
    """Two prompts of the same messages side by side.

    turns   in order, the turns of the same message in one pair
    counts  of tokens: of the template, of each role, added
    """

    first: Chat
    second: Chat

    @cached_property
    def turns(self) -> list[TurnPair]:
        turns = self.first.turns, self.second.turns
        keys = _keys(turns[0]), _keys(turns[1])
        pairs = list[TurnPair]()
        for tag, *bounds in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
            ours, theirs = turns[0][bounds[0] : bounds[1]], turns[1][bounds[2] : bounds[3]]
            if tag == "equal":
                pairs += map(TurnPair, ours, theirs)
            else:
                pairs += [TurnPair(turn, None) for turn in ours] + [TurnPair(None, turn) for turn in theirs]
        return pairs

    @cached_property
    def counts(self) -> list[CountPair]:
        first, second = _counts(self.first), _counts(self.second)
        return [CountPair(name, first[name], second[name]) for name in {**first, **second}]

    @cached_property
    def changes(self) -> IdChanges:
        """The fewest changes from the tokens of the first prompt to the tokens of the second.

        Two tokens are the same if they have the same origin (content: the same characters of the same
        message; all else: the same turn) and the same id, or with two models the same text.  `first` and
        `second` of the result are numbers of such keys, not ids.
        """
        numbers = dict[Hashable, int]()
        lists = [
            [numbers.setdefault(key, len(numbers)) for key in _token_keys(chat, self._is_one_model)]
            for chat in (self.first, self.second)
        ]
        return id_changes(*(np.array(each, np.int32) for each in lists))

    @cached_property
    def is_shared(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """bool[n] for each prompt: the tokens that the other prompt also has."""
        shared = np.ones(len(self.changes.first), bool), np.ones(len(self.changes.second), bool)
        for change in self.changes.changes:
            shared[0][change.first_start : change.first_end] = False
            shared[1][change.second_start : change.second_end] = False
        return shared

    @property
    def has_same_ids(self) -> bool:
        return np.array_equal(self.first.token_ids, self.second.token_ids)

    @property
    def _is_one_model(self) -> bool:
        return self.first.tokenizer is self.second.tokenizer


def as_text_of(chat: Chat, as_text: bool = True) -> Chat:
    """The same rendered text, encoded with content as text or not."""
    if as_text == chat.settings.as_text:
        return chat
    settings = replace(chat.settings, as_text=as_text)
    return Chat(chat.tokenizer, chat.conversation, chat.template, chat.rendering, settings)


def in_model(
    chat: Chat,
    tokenizer: Tokenizer,
    settings: ChatSettings,
    template: str | None = None,
    checkpoint: Callable[[], None] = lambda: None,
) -> Chat:
    """The same messages in another model, by its own template, or by the chat's if it has none."""
    if template is None and not templates_of(tokenizer.vocabulary):
        template = chat.template.text
    return chat_of(tokenizer, chat.conversation, replace(settings, template=template), checkpoint)


def _keys(turns: list[Turn]) -> list[Hashable]:
    """The key of each turn: its message or the next one, and how many turns with that key follow it."""
    seen, keys, following = Counter[Hashable](), list[Hashable](), None
    for turn in reversed(turns):
        following = following if turn.message is None else turn.message
        key = (turn.message is None, following, turn.is_prompt)
        keys.append((key, seen[key]))
        seen[key] += 1
    return keys[::-1]


def _counts(chat: Chat) -> Counter[str]:
    budget = chat.budget
    return Counter({TEMPLATE: budget.n_template, **budget.by_role, ADDED: budget.n_added})


def _token_keys(chat: Chat, is_one_model: bool) -> list[Hashable]:
    """The key of each token: its origin, and its id or text."""
    text, keys = chat.encoding.text_bytes, list[Hashable]()
    turns = chain.from_iterable(
        repeat(key, turn.end - turn.start) for turn, key in zip(chat.turns, _keys(chat.turns), strict=True)
    )
    rows = zip(chat.token_ids.tolist(), chat.encoding.spans.tolist(), chat.origins, turns, strict=True)
    for token_id, (start, end), origin, turn in rows:
        source = origin[1:4] + origin[5:7] if origin.kind == CONTENT else turn
        keys.append((source, token_id if is_one_model else text[start:end]))
    return keys


# Two prompts of one conversation as a JSON record and as lines: the output of `chat --beside`


def comparison_record(
    compared: ChatComparison, hints: tuple[list[Hint], list[Hint]], reported: str = ""
) -> dict[str, Any]:
    """The record of `chat --beside --json`: the record of each prompt, and how they differ.

    reported  how llama.cpp's prompt differs; "" if it does not
    """
    only_first, only_second = (np.flatnonzero(~shared).tolist() for shared in compared.is_shared)
    return {
        "first": chat_record(compared.first, hints[0]),
        "second": chat_record(compared.second, hints[1]),
        "same_text": compared.first.text == compared.second.text,
        "same_ids": compared.has_same_ids,
        "told": reported or None,
        "counts": [count._asdict() for count in compared.counts],
        "turns": [
            {"first": first and turn_record(first), "second": second and turn_record(second)}
            for first, second in compared.turns
        ],
        "only_first": only_first,
        "only_second": only_second,
    }


def comparison_lines(
    compared: ChatComparison, names: tuple[str, str], reported: str = "", hints: Sequence[Hint] = ()
) -> Iterator[str]:
    """Lines to read: counts; by turn the tokens only in the first (-) or the second (+); warnings last."""
    first, second = (len(chat.encoding) for chat in (compared.first, compared.second))
    yield f"- {names[0]}: {counted(first, 'token')}"
    yield f"+ {names[1]}: {counted(second, 'token')}"
    if reported:
        yield reported
    yield ""
    yield f"{'':16}{'-':>10}{'+':>10}"
    for name, here, there in compared.counts:
        if here or there:
            change = f"{there - here:>+10,}" if there != here else ""
            yield f"{quoted(name, 15):16}{here:>10,}{there:>10,}{change}"
    for pair in compared.turns:
        yield ""
        yield from _turn_lines(compared, pair)
    for hint in hints:
        if hint.severity == WARNING:
            yield f"\n{hint.severity}: {hint.what}"


def _turn_lines(compared: ChatComparison, pair: TurnPair) -> Iterator[str]:
    sides = zip("-+", (compared.first, compared.second), pair, compared.is_shared, strict=True)
    with_turn = [(sign, chat, turn, shared) for sign, chat, turn, shared in sides if turn]
    _, _, turn, shared = with_turn[0]  # either side: the shared tokens are the same
    yield f"{_name(turn)}: {int(shared[turn.start : turn.end].sum()):,} in common"
    for sign, chat, turn, shared in with_turn:
        if only := _only(chat, turn, shared):
            yield f"  {sign} {only}"


def _only(chat: Chat, turn: Turn, is_shared: NDArray[np.bool_]) -> str:
    """The tokens of a turn that only this side has; each run of shared tokens is one `…`."""
    shown = list[str]()
    for index in range(turn.start, turn.end):
        if not is_shared[index]:
            shown.append(SIGNS.token(chat.tokenizer.vocabulary, int(chat.token_ids[index])))
        elif shown and shown[-1] != "…":
            shown.append("…")
    return " ".join(shown).removesuffix(" …")


def _name(turn: Turn) -> str:
    if turn.is_prompt:
        return "generation prompt"
    if turn.message is None:
        return f"template, {turn.role}" if turn.role else "template"
    return f"{turn.message + 1} {quoted(turn.role)}"
