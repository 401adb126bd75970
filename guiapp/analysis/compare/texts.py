"""Compare any number of texts in several models: counts, differences, and their reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import islice
from pathlib import Path, PurePath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.comparison import (
    Comparison,
    Counts,
    ModelSide,
    check_number,
    counts_of,
)
from guiapp.analysis.compare.lines import ComparedLines, compare_lines
from guiapp.analysis.compare.reasons import Cause, Reason, affix_reason, reason_for
from guiapp.analysis.compare.spans import line_starts_of
from guiapp.analysis.explain.spelling import code
from guiapp.core.encode.encoding import Encoding, Offsets
from guiapp.core.text.normalized import character_start
from guiapp.core.text.utf16 import utf16_codec
from guiapp.errors import EncodeError, TokenloupeError
from guiapp.native.checkpoint import stoppable

LOOKED_AT = 1 << 13  # bytes at the start of a file that decide whether it is text
WORD_BEFORE = re.compile(rb"\s?\S*\Z")
WORD_BEHIND = re.compile(rb"\S*")
AROUND = 160  # bytes of context from the line before and after a difference
LONGEST = 400  # bytes of a difference that is explained
NO_TEXT_SHOWS_IT = "No shorter text shows this difference, so its cause is unknown."
SAME_IDS = "Both give the same ids, but for different bytes of the text."
Tokens = tuple[tuple[int, int, int], ...]
"""Id, start and end of tokens with text, relative to the start of the context."""
MOST_TOLD = 500  # differences that are explained


class TextDifference(NamedTuple):
    """A range of a text in which not all spans are equal.

    name       of the text, as given
    line       where the range begins, from 1
    start, end byte range of the text
    token_ids  of each side
    pieces     the bytes of the text that each token comes from; for a token without text, its spelling
    reasons    why the other sides differ from the first; None if it was not examined
    """

    name: str
    line: int
    start: int
    end: int
    token_ids: tuple[tuple[int, ...], ...]
    pieces: tuple[tuple[bytes, ...], ...]
    reasons: tuple[DifferenceReason, ...] | None = None


@dataclass(frozen=True, eq=False)
class TextsComparison:
    """The comparison of all sides on all texts.

    n_texts        number of texts
    n_equal, n_own for each side, the tokens whose span all sides have, or no other side has
    n_differences  in all texts
    differences    the first ones
    has_same_ids   whether all sides give the same ids for every text
    """

    sides: tuple[ModelSide, ...]
    counts: tuple[Counts, ...]
    n_texts: int
    n_equal: tuple[int, ...]
    n_own: tuple[int, ...]
    n_differences: int
    differences: tuple[TextDifference, ...]
    has_same_ids: bool


def compare_texts(
    sides: Sequence[ModelSide],
    texts: Iterable[tuple[str, bytes | Iterable[bytes]]],
    most: int | None = None,
    on_difference: Callable[[TextDifference], object] | None = None,
) -> TextsComparison:
    """Compare texts, given with their names, one after another, and list `most` differences, or all.

    A text may come in blocks.  Its file type is the suffix of its name.  With `on_difference`, the
    differences are passed to it and not listed: together they may be longer than the texts.
    Raises EncodeError if a side cannot express a text.
    """
    check_number(sides)
    listed: list[TextDifference] = []
    take = on_difference or listed.append
    totals = np.zeros((2, len(sides)), np.int64)
    n_texts = n_differences = n_taken = 0
    has_same_ids = True

    def compared() -> Iterator[tuple[str, Sequence[Encoding]]]:
        nonlocal n_texts, n_differences, n_taken, has_same_ids
        for name, text in texts:
            n_texts += 1
            blocks, digests = [text] if isinstance(text, bytes) else text, [blake2b() for _ in sides]
            for lines in compare_lines(sides, blocks):
                comparison = lines.comparison
                spans = comparison.spans
                n_differences += len(spans.differences)
                for row, encoding in enumerate(comparison.encodings):
                    digests[row].update(encoding.token_ids.tobytes())
                    totals[:, row] += spans.n_equal(row), spans.n_own(row)
                differences = differences_of(name, lines, MOST_TOLD - n_taken)
                for each in islice(differences, None if most is None else most - n_taken):
                    take(each)
                    n_taken += 1
                yield PurePath(name).suffix.lower(), comparison.encodings
            has_same_ids = has_same_ids and len({each.digest() for each in digests}) == 1

    counts = counts_of([(side.name, side.tokenizer.vocabulary) for side in sides], compared())
    n_equal, n_own = totals.tolist()
    return TextsComparison(
        sides=tuple(sides),
        counts=tuple(counts),
        n_texts=n_texts,
        n_equal=tuple(n_equal),
        n_own=tuple(n_own),
        n_differences=n_differences,
        differences=tuple(listed),
        has_same_ids=has_same_ids,
    )


def count_texts(side: ModelSide, texts: Iterable[tuple[str, bytes]]) -> Counts:
    """Count texts in one side as `compare_texts` does.  Raises EncodeError if it cannot express a text."""
    encodings = ((PurePath(name).suffix.lower(), [side.encode(text)]) for name, text in texts)
    [counts] = counts_of([(side.name, side.tokenizer.vocabulary)], encodings)
    return counts


def differences_of(name: str, compared: ComparedLines, n_explained: int = 0) -> Iterator[TextDifference]:
    """The differences in some lines of a text, the first ones with reasons."""
    text_start, first_line, comparison = compared
    spans = comparison.spans
    lines = np.searchsorted(line_starts_of(comparison.text_bytes), spans.differences[:, 0], "right")
    lines += first_line
    for row, (line, (start, end)) in enumerate(zip(lines.tolist(), spans.differences.tolist(), strict=True)):
        rows = zip(comparison.sides, comparison.encodings, spans.tokens[row].tolist(), strict=True)
        parts = [tuple(_tokens(side, encoding, *tokens)) for side, encoding, tokens in rows]
        ids = tuple(tuple(token_id for token_id, _ in part) for part in parts)
        pieces = tuple(tuple(piece for _, piece in part) for part in parts)
        reasons = _reasons(comparison, row) if row < n_explained and end - start <= LONGEST else None
        yield TextDifference(name, line, text_start + start, text_start + end, ids, pieces, reasons)


def _reasons(comparison: Comparison, row: int) -> tuple[DifferenceReason, ...]:
    text, (start, end) = comparison.text_bytes, comparison.spans.differences[row].tolist()
    pairs = zip(comparison.encodings, comparison.spans.tokens[row].tolist(), strict=True)
    tokens = [
        (encoding.token_ids[first:last], *encoding.spans[first:last].T) for encoding, (first, last) in pairs
    ]
    cut = differing_span(lambda first, last: text[first:last], len(text), (start, end), tokens)
    return tuple(reasons_of(comparison.sides, cut))


def _tokens(side: ModelSide, encoding: Encoding, first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """Each token's id, and the bytes of the text that it comes from or else its spelling."""
    ids, spans = encoding.token_ids[first:last].tolist(), encoding.spans[first:last].tolist()
    for token_id, (start, end) in zip(ids, spans, strict=True):
        yield token_id, encoding.text_bytes[start:end] or side.tokenizer.vocabulary.raw_text(token_id)


# Why several models tokenize a span of a text differently, explained by the shortest text that shows it


@dataclass(frozen=True)
class DifferingSpan:
    """A span that models tokenize differently.

    context     the text around it, at most some hundred bytes
    start, end  the span in the context; empty if only tokens without text differ
    is_at_edge  whether the span is empty and at the start or end of the text
    tokens      for each side, the tokens in it that have text
    n_empty     for each side, the number of tokens without text
    """

    context: bytes
    start: int
    end: int
    is_at_edge: bool
    tokens: tuple[Tokens, ...]
    n_empty: tuple[int, ...]


@dataclass(frozen=True)
class DifferenceReason:
    """Why the first side and `other` differ; the sides in `alike` have the same spans as `other`."""

    other: int
    alike: tuple[int, ...]
    reason: Reason


def differing_span(
    slice_of: Callable[[int, int], bytes],
    size: int,
    byte_span: tuple[int, int],
    tokens: Sequence[tuple[NDArray[np.int32], Offsets, Offsets]],
) -> DifferingSpan:
    """A span of a text of `size` bytes, with the context from its line.

    slice_of  returns the bytes [start, end) of the text
    tokens    for each side, the tokens in the span: ids, starts and ends
    """
    start, end = byte_span
    near = max(start - 2 * AROUND, 0)
    first, last = context_span(slice_of(near, min(end + 2 * AROUND, size)), start - near, end - near)
    first, last = first + near, last + near
    rows = tuple(
        tuple(row for row in zip(*(each.tolist() for each in side), strict=True) if row[1] < row[2])
        for side in ((ids, starts - first, ends - first) for ids, starts, ends in tokens)
    )
    n_empty = tuple(len(ids) - len(row) for (ids, _, _), row in zip(tokens, rows, strict=True))
    is_at_edge = start == end and start in (0, size)
    return DifferingSpan(slice_of(first, last), start - first, end - first, is_at_edge, rows, n_empty)


def context_span(text: bytes, start: int, end: int) -> tuple[int, int]:
    """The context of a difference: the near part of its line, as whole characters."""
    first, last = character_start(text, max(start - AROUND, 0)), character_start(text, end + AROUND)
    line_end = text.find(b"\n", max(end - 1, start), last)
    last = min(last, len(text)) if line_end < 0 else line_end + 1
    return max(first, text.rfind(b"\n", first, start) + 1), last


def reasons_of(sides: Sequence[ModelSide], difference: DifferingSpan) -> Iterator[DifferenceReason]:
    """Yield the reasons why the first side differs from each group of sides with the same spans."""
    left = [number for number in range(1, len(sides)) if not _is_alike(difference, 0, number)]
    while left:
        other = left.pop(0)
        alike = tuple(number for number in left if _is_alike(difference, other, number))
        left = [number for number in left if number not in alike]
        yield DifferenceReason(other, alike, _reason(sides[0], sides[other], difference, 0, other))


def _is_alike(difference: DifferingSpan, one: int, other: int) -> bool:
    """Whether two sides have the same spans here, and equally many tokens without text."""
    spans = [[token[1:] for token in difference.tokens[side]] for side in (one, other)]
    return spans[0] == spans[1] and difference.n_empty[one] == difference.n_empty[other]


def _reason(ours: ModelSide, theirs: ModelSide, difference: DifferingSpan, mine: int, other: int) -> Reason:
    names = ours.name, theirs.name
    if (chosen := _chosen(ours, theirs, difference)) is not None:
        return chosen
    if difference.is_at_edge:
        vocabularies = ours.tokenizer.vocabulary, theirs.tokenizer.vocabulary
        around = affix_reason(_affixes(ours), _affixes(theirs), names, vocabularies)
        return around or Reason(Cause.UNTOLD, "the ends of the text", NO_TEXT_SHOWS_IT)
    pairs = ((ours, difference.tokens[mine]), (theirs, difference.tokens[other]))
    for start, end in _contexts(difference):
        if all(_tokens_of(side, difference, start, end) == tokens for side, tokens in pairs):
            reason = reason_for(ours.tokenizer, theirs.tokenizer, difference.context[start:end], names)
            return reason or Reason(Cause.UNTOLD, "spans", SAME_IDS)
    return Reason(Cause.UNTOLD, "text around", NO_TEXT_SHOWS_IT)


def _chosen(ours: ModelSide, theirs: ModelSide, difference: DifferingSpan) -> Reason | None:
    """The reason if an option that the user chose for one side makes the difference; else None."""
    for side in (ours, theirs):
        is_off = not side.add_special and ours.add_special != theirs.add_special
        if difference.is_at_edge and is_off and any(side.tokenizer.known_affixes()):
            sentence = f"{side.name} adds no special tokens: you turned them off."
            return Reason(Cause.AROUND, "switch", sentence)
        if side.encoder is not None and _makes_a_difference(side, replace(side, encoder=None), difference):
            encoder = code(side.encoder)
            sentence = f"{side.name} is encoded with {encoder}, which does not give the exact tokens here."
            return Reason(Cause.ENCODER, side.encoder, sentence)
    if ours.parse_special != theirs.parse_special:
        side = theirs if ours.parse_special else ours
        if _makes_a_difference(side, replace(side, parse_special=True), difference):
            sentence = f"{side.name} reads special tokens as text: you turned parsing off."
            return Reason(Cause.SPECIAL, "switch", sentence)
    return None


def _makes_a_difference(side: ModelSide, changed: ModelSide, difference: DifferingSpan) -> bool:
    whole = 0, len(difference.context)
    return _tokens_of(side, difference, *whole) != _tokens_of(changed, difference, *whole)


def _contexts(difference: DifferingSpan) -> Iterator[tuple[int, int]]:
    """Growing spans around a difference: itself as whole characters, its words, the whole context."""
    context = difference.context
    start = character_start(context, difference.start)
    end = difference.end
    while end < len(context) and character_start(context, end) != end:
        end += 1
    if start < end:
        yield start, end
    before, after = WORD_BEFORE.search(context, 0, start), WORD_BEHIND.match(context, end)
    if before is not None and after is not None:
        yield start, after.end()
        yield before.start(), after.end()
    yield 0, len(context)


def _tokens_of(side: ModelSide, difference: DifferingSpan, start: int, end: int) -> Tokens | None:
    """The tokens in the difference if only context[start:end] is encoded; None if that is refused."""
    text = difference.context[start:end]
    try:
        encoding = side.tokenizer.encode(text, False, side.parse_special, side.encoder)
    except EncodeError:
        return None
    rows = zip(encoding.token_ids.tolist(), *(encoding.spans.T + start).tolist(), strict=True)
    inside = (row for row in rows if difference.start <= row[1] < row[2] <= difference.end)
    return tuple(inside)


def _affixes(side: ModelSide) -> tuple[Sequence[int], Sequence[int]]:
    return side.tokenizer.known_affixes() if side.add_special else ([], [])


# The text files of a folder


class TextFolderError(TokenloupeError):
    """A folder has no text files or cannot be read."""


class TextFiles(NamedTuple):
    """The text files below a folder, in order, and the number of other files."""

    paths: tuple[Path, ...]
    n_others: int


def text_files(folder: Path, is_utf16: bool = False) -> TextFiles:
    """Search for text files that are not hidden; if `is_utf16`, every file counts as text.

    Raises TextFolderError.
    """
    try:
        found = [path for path in sorted(stoppable(folder.rglob("*"))) if _is_seen(path, folder)]
        paths = tuple(path for path in stoppable(found) if is_utf16 or _begins_as_text(path))
    except OSError as error:
        raise TextFolderError(f"{error.filename or folder} cannot be read: {error.strerror}.") from error
    if not paths:
        raise TextFolderError(f"{folder} has no text files. Choose a folder with text files.")
    return TextFiles(paths, len(found) - len(paths))


def _is_seen(path: Path, folder: Path) -> bool:
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)


def _begins_as_text(path: Path) -> bool:
    """Whether a file seems to be text, by its first bytes: it may be huge."""
    with open(path, "rb") as file:
        head = file.read(LOOKED_AT)
    return b"\0" not in head or utf16_codec(head) is not None
