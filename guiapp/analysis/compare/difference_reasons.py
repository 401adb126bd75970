"""Why several models cut one stretch of a text differently, told of the least text that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.compare.reasons import Cause, Reason, affix_reason, reason_for
from guiapp.analysis.explain.code_marks import code
from guiapp.core.text.normalized import character_start
from guiapp.errors import EncodeError

WORD_BEFORE = re.compile(rb"\s?\S*\Z")
WORD_BEHIND = re.compile(rb"\S*")
AROUND = 160  # bytes of its line that are looked at before and behind a difference
LONGEST = 400  # bytes of a difference that is looked into
NO_TEXT_SHOWS_IT = "No shorter text shows this difference by itself, so that no stage tells why."
SAME_IDS = "Both give the same ids, but for other bytes of the text."
Tokens = tuple[tuple[int, int, int], ...]
"""Id, start and end of tokens with text, counted from where the text around begins."""


@dataclass(frozen=True)
class DifferingSpan:
    """A stretch that models cut differently.

    context      the text around it, of at most some hundred bytes
    start, end  the stretch in that; empty where only tokens without text differ
    is_at_edge  whether it is where a text begins or ends, and has none itself
    tokens      for each side those in it
    """

    context: bytes
    start: int
    end: int
    is_at_edge: bool
    tokens: tuple[Tokens, ...]


@dataclass(frozen=True)
class DifferenceReason:
    """Why the first side and another one differ; those of `alike` cut as that other one does."""

    other: int
    alike: tuple[int, ...]
    reason: Reason


def context_span(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The stretch of a text to look at for a difference: what is near of its line, as whole characters."""
    first, last = character_start(text, max(start - AROUND, 0)), character_start(text, end + AROUND)
    line_end = text.find(b"\n", max(end - 1, start), last)
    return max(first, text.rfind(b"\n", first, start) + 1), min(
        last, len(text)
    ) if line_end < 0 else line_end + 1


def reasons_of(sides: Sequence[ModelSide], difference: DifferingSpan) -> Iterator[DifferenceReason]:
    """The reasons between the first side and each kind of others, as long as somebody asks for more."""
    left = [number for number in range(1, len(sides)) if not _is_alike(difference, 0, number)]
    while left:
        other = left.pop(0)
        alike = tuple(number for number in left if _is_alike(difference, other, number))
        left = [number for number in left if number not in alike]
        yield DifferenceReason(other, alike, _reason(sides[0], sides[other], difference, 0, other))


def _is_alike(difference: DifferingSpan, one: int, other: int) -> bool:
    """Whether two sides cut the stretch alike, as far as its tokens have text."""
    spans = [[token[1:] for token in difference.tokens[side]] for side in (one, other)]
    return spans[0] == spans[1] and bool(spans[0])


def _reason(ours: ModelSide, theirs: ModelSide, difference: DifferingSpan, mine: int, other: int) -> Reason:
    names = ours.name, theirs.name
    if (chosen := _chosen(ours, theirs, difference)) is not None:
        return chosen
    if difference.is_at_edge:
        context = affix_reason(_affixes(ours), _affixes(theirs), names)
        return context or Reason(Cause.UNTOLD, "the ends of the text", NO_TEXT_SHOWS_IT)
    pairs = ((ours, difference.tokens[mine]), (theirs, difference.tokens[other]))
    for start, end in _contexts(difference):
        if all(_tokens_of(side, difference, start, end) == tokens for side, tokens in pairs):
            reason = reason_for(ours.tokenizer, theirs.tokenizer, difference.context[start:end], names)
            return reason or Reason(Cause.UNTOLD, "spans", SAME_IDS)
    return Reason(Cause.UNTOLD, "text around", NO_TEXT_SHOWS_IT)


def _chosen(ours: ModelSide, theirs: ModelSide, difference: DifferingSpan) -> Reason | None:
    """What people chose for one of two sides, where that makes the difference."""
    for side in (ours, theirs):
        if difference.is_at_edge and not side.add_special and ours.add_special != theirs.add_special:
            return Reason(
                Cause.AROUND, "switch", f"{side.name} adds no special tokens: that is switched off."
            )
        usual = ModelSide(side.name, side.tokenizer, parse_special=side.parse_special)
        whole = 0, len(difference.context)
        if side.encoder is not None and _tokens_of(side, difference, *whole) != _tokens_of(
            usual, difference, *whole
        ):
            encoder = code(side.encoder)
            told = f"{side.name} is encoded with {encoder}, which does not give its exact tokens here."
            return Reason(Cause.ENCODER, side.encoder, told)
    if ours.parse_special != theirs.parse_special:
        side = theirs if ours.parse_special else ours
        parsed = ModelSide(side.name, side.tokenizer, side.encoder)
        if _tokens_of(side, difference, 0, len(difference.context)) != _tokens_of(
            parsed, difference, 0, len(difference.context)
        ):
            told = f"{side.name} takes special tokens as text: to parse them is switched off."
            return Reason(Cause.SPECIAL, "switch", told)
    return None


def _contexts(difference: DifferingSpan) -> Iterator[tuple[int, int]]:
    """Stretches around a difference, each larger: itself as whole characters, its words, all."""
    context = difference.context
    start = character_start(context, difference.start)
    end = difference.end
    while end < len(context) and character_start(context, end) != end:
        end += 1
    if start < end:
        yield start, end
    before, behind = WORD_BEFORE.search(context, 0, start), WORD_BEHIND.match(context, end)
    if before is not None and behind is not None:
        yield start, behind.end()
        yield before.start(), behind.end()
    yield 0, len(context)


def _tokens_of(side: ModelSide, difference: DifferingSpan, start: int, end: int) -> Tokens | None:
    """The tokens in the stretch, where only the text around it from `start` to `end` is encoded."""
    text = difference.context[start:end]
    try:
        encoding = side.tokenizer.encode(text, False, side.parse_special, side.encoder)
    except EncodeError:
        return None
    rows = zip(encoding.token_ids.tolist(), *(encoding.spans.T + start).tolist(), strict=True)
    inside = (row for row in rows if difference.start <= row[1] < row[2] <= difference.end)
    return tuple(inside)


def _affixes(side: ModelSide) -> tuple[Sequence[int], Sequence[int]]:
    try:
        return side.tokenizer.special_affixes() if side.add_special else ([], [])
    except EncodeError:
        return [], []
