"""Whether decoding restores a text; if not, which rules of the file change it, and what is lost.

A token comes from a span of the text and stands for bytes: if these differ, the ids do not preserve the text.
If they are equal everywhere, the ids are right, and only decoding changes the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalized import n_equal_from_start
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.native.checkpoint import stoppable

if TYPE_CHECKING:
    from guiapp.analysis.editing.token_store import Options
    from guiapp.analysis.explain.round_trip_rules import FileRules, Rule, TokenPosition
    from guiapp.core.encode.encoding import Encoding
    from guiapp.core.encode.tokenizer import Tokenizer

SHOWN_BYTES = 16
CONTINUING_BITS, CONTINUING = np.uint8(0xC0), np.uint8(0x80)  # of a byte that does not begin a character
NAMED = Attribute.CONTROL | Attribute.USER_DEFINED
TOKENS_AT_ONCE = 1 << 16
MOST_SPANS = 10_000  # changed spans that are examined; spans of unknown tokens always are


class RoundTripChange(NamedTuple):
    """The effect of a rule on the text.

    start, end  bytes of the first change
    text        the original bytes there; `instead`: the bytes after decoding
    n_changes   changes by this rule among those examined
    """

    rule: Rule
    start: int
    end: int
    text: bytes
    instead: bytes
    n_changes: int

    @property
    def sentence(self) -> str:
        """`lowercase (normalizer.lowercase): … First at byte 3: “A” → “a”, in 12 places.`"""
        name, key, does, _ = self.rule
        named = name if key == name else f"{name} ({key})"
        pair = f"“{visible_text(self.text, SHOWN_BYTES)}” → “{visible_text(self.instead, SHOWN_BYTES)}”"
        times = f", in {counted(self.n_changes, 'place')}" if self.n_changes > 1 else ""
        return f"{named}: {does}. First at byte {self.start:,}: {pair}{times}."


@dataclass(frozen=True)
class RoundTrip:
    """The result of decoding the tokens of a text.

    offset   of the first byte that differs, None if all are equal
    changes  the reasons, the worst first; empty if all are equal
    """

    offset: int | None
    changes: tuple[RoundTripChange, ...] = ()

    @property
    def is_same(self) -> bool:
        return self.offset is None

    def sentences(self) -> list[str]:
        """A sentence about the whole, and one about each change."""
        if self.offset is None:
            return ["Decoding the tokens gives exactly this text."]
        whole = f"Decoding the tokens gives different text from byte {self.offset:,} on."
        return [whole, *(change.sentence for change in self.changes)]

    def record(self) -> dict[str, object]:
        """The stable JSON record of `tokenize --round-trip`."""
        changes = [
            {
                "rule": change.rule.name,
                "key": change.rule.key,
                "does": change.rule.does,
                "loss": change.rule.loss.name.lower(),
                "span": [change.start, change.end],
                "text": change.text.decode("utf-8", "replace"),
                "instead": change.instead.decode("utf-8", "replace"),
                "places": change.n_changes,
            }
            for change in self.changes
        ]
        return {"same": self.is_same, "first_difference": self.offset, "changes": changes}

    @property
    def worst(self) -> RoundTripChange | None:
        """The change that loses most; None if the text is restored."""
        return self.changes[0] if self.changes else None


def round_trip(tokenizer: Tokenizer, encoding: Encoding) -> RoundTrip:
    """Check the round trip of an encoding without added special tokens."""
    text, decoded = encoding.text_bytes, tokenizer.decode_bytes(encoding.token_ids)
    offset = first_difference(text, decoded)
    if offset is None:
        return RoundTrip(None)
    return RoundTrip(offset, changes_of(tokenizer, encoding, decoded))


def round_trip_of(
    tokenizer: Tokenizer,
    text: bytes,
    token_ids: NDArray[np.int32],
    options: Options,
    progress: Callable[[float], None],
) -> RoundTrip:
    """Check the round trip of a text with tokens encoded by these options, without added special tokens."""
    if tokenizer.decode_bytes(token_ids) == text:
        return RoundTrip(None)
    progress(0.4)
    encoding = tokenizer.encode(text, False, options.parse_special, options.encoder)
    progress(0.6)
    return round_trip(tokenizer, encoding)


def changes_of(tokenizer: Tokenizer, encoding: Encoding, decoded: bytes) -> tuple[RoundTripChange, ...]:
    """The changes of a text that was `decoded` to another one, the worst first."""
    from guiapp.analysis.explain.round_trip_rules import rules_of

    rules, text, by_rule = rules_of(tokenizer.vocabulary), encoding.text_bytes, dict[str, RoundTripChange]()

    def note(rule: Rule, start: int, end: int, instead: bytes) -> None:
        known = by_rule.get(rule.name)
        if known is None or known.rule.loss < rule.loss:
            n_before = 0 if known is None else known.n_changes
            by_rule[rule.name] = RoundTripChange(rule, start, end, text[start:end], instead, n_before + 1)
        else:
            by_rule[rule.name] = known._replace(n_changes=known.n_changes + 1)

    def note_decoding(rule: Rule, result: bytes) -> None:
        if (start := first_difference(text, result)) is not None:
            note(rule, start, min(start + SHOWN_BYTES, len(text)), result[start : start + SHOWN_BYTES])

    for position in changed_spans(rules, encoding):
        for rule in rules.between(text, position):
            if rule is not rules.prefix or position.start or decoded.startswith(b" "):
                note(rule, position.start, position.end, position.holds)
    for rule, decode in rules.decodings:
        note_decoding(rule, decode(text))
    loses_first_space = text[:1].isspace() and not decoded[:1].isspace()
    if rules.spaces and loses_first_space and rules.spaces.name not in by_rule:
        note_decoding(rules.spaces, decoded)
    elif not by_rule:
        note_decoding(rules.decoding, decoded)
    return tuple(sorted(by_rule.values(), key=lambda change: (-change.rule.loss, change.start)))


def changed_spans(rules: FileRules, encoding: Encoding) -> Iterator[TokenPosition]:
    """The spans whose tokens stand for other bytes, each including skipped text before it.

    At most MOST_SPANS, not counting spans of unknown tokens.
    """
    from guiapp.analysis.explain.round_trip_rules import TokenPosition  # imported late for a fast start

    text, (data, offsets) = encoding.text_bytes, rules.table
    effective_attributes = rules.vocabulary.effective_attributes
    is_unknown = (effective_attributes & Attribute.UNKNOWN) > 0
    ids, starts, ends = encoding.token_ids, *encoding.spans.T
    firsts, n_spans = _firsts_of_spans(rules, encoding), 0
    for at in stoppable(_suspects(rules.table, text, ids, ends, firsts)):
        first = int(firsts[at])
        if n_spans >= MOST_SPANS and not is_unknown[ids[first]]:
            continue
        following = int(firsts[at + 1]) if at + 1 < len(firsts) else len(ids)
        start, end = int(ends[first - 1]) if first else 0, int(ends[following - 1])
        holds = b"".join(data[offsets[each] : offsets[each + 1]].tobytes() for each in ids[first:following])
        if holds == text[start:end]:
            continue
        n_spans += 1
        follows = first == 0 or bool(effective_attributes[ids[first - 1]] & NAMED)
        yield TokenPosition(start, int(starts[first]), end, holds, int(ids[first]), follows)
    last_end = int(ends[-1]) if len(ends) else 0
    if last_end < len(text):
        yield TokenPosition(last_end, len(text), len(text), b"", -1, False)


def _firsts_of_spans(rules: FileRules, encoding: Encoding) -> NDArray[np.int64]:
    """The first token of each span to compare; no span splits the tokens of a character.

    Empty tokens belong to the previous token, except a space prefix after a special token.
    """
    n_tokens = len(encoding)
    is_first = np.empty(n_tokens, np.bool_)
    for begin in range(0, n_tokens, TOKENS_AT_ONCE):
        end = min(begin + TOKENS_AT_ONCE, n_tokens)
        before = max(begin - 1, 0)  # whether a token begins a span depends on the previous token
        is_first[begin:end] = _begin_spans(rules, encoding, before, end)[begin - before :]
    is_first[:1] = True
    return np.flatnonzero(is_first)


def _begin_spans(rules: FileRules, encoding: Encoding, first: int, last: int) -> NDArray[np.bool_]:
    """bool: which of the tokens [first, last) begin a span, as if `first` began the text."""
    ids, (starts, ends) = encoding.token_ids[first:last], encoding.spans[first:last].T
    data, offsets = rules.table
    source = np.frombuffer(encoding.text_bytes or b"\0", np.uint8)
    at_start = source[np.minimum(starts, len(source) - 1)]
    at_start[starts == len(encoding.text_bytes)] = 0
    own = np.append(data, np.uint8(0))[offsets[ids]]
    after_special = np.append(True, (rules.vocabulary.effective_attributes[ids[:-1]] & NAMED) > 0)[: len(ids)]
    is_within = (at_start & CONTINUING_BITS == CONTINUING) | (own & CONTINUING_BITS == CONTINUING)
    last_bytes = np.append(data, np.uint8(0))[offsets[ids + 1] - 1]
    changes = own[1:] != at_start[1:]
    changes &= last_bytes[:-1] != source[np.maximum(starts[1:] - 1, 0)]  # differs on both sides of its start
    is_within[1:] |= changes & (starts[1:] == ends[:-1]) & (ends[:-1] > starts[:-1])
    return np.where(ends > starts, ~is_within, after_special)


def _suspects(
    table: tuple[NDArray[np.uint8], NDArray[np.int64]],
    text: bytes,
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
    firsts: NDArray[np.int64],
) -> Iterator[int]:
    """The indexes in `firsts` of spans whose tokens may stand for other bytes."""
    data, offsets = table
    source = np.frombuffer(text, np.uint8)
    for begin in range(0, len(firsts), TOKENS_AT_ONCE):
        rows = firsts[begin : begin + TOKENS_AT_ONCE]
        following = np.append(firsts[begin + 1 : begin + 1 + len(rows)], len(ids))[: len(rows)]
        before = np.where(rows > 0, ends[np.maximum(rows - 1, 0)], 0)
        sizes = ends[rows] - before
        own = offsets[ids[rows] + 1] - offsets[ids[rows]]
        is_alike = (sizes == own) & (following == rows + 1)
        alike = np.flatnonzero(is_alike & (sizes > 0))
        counts = sizes[alike]
        within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        same = source[np.repeat(before[alike], counts) + within]
        same = same == data[np.repeat(offsets[ids[rows[alike]]], counts) + within]
        if len(alike):
            is_alike[alike] &= np.logical_and.reduceat(same, np.cumsum(counts) - counts)
        yield from (begin + np.flatnonzero(~is_alike)).tolist()


def first_difference(one: bytes, other: bytes) -> int | None:
    """The offset of the first difference of two byte strings; None if they are equal."""
    if one == other:
        return None
    return n_equal_from_start(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8))
