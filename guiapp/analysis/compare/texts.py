"""Any number of texts, tokenized by several: counts over all of them, and places where not all cut alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from guiapp.analysis.compare import difference_reasons
from guiapp.analysis.compare.comparison import Comparison, Counts, ModelSide, compare_text, counts_of
from guiapp.analysis.compare.difference_reasons import LONGEST, DifferenceReason, context_span, reasons_of
from guiapp.analysis.compare.spans import line_starts_of
from guiapp.core.encode.encoding import Encoding

MOST_TOLD = 500  # differences that are looked into


class TextDifference(NamedTuple):
    """A stretch of a text in which not all spans are equal.

    name       of the text, as it was given
    line       where the stretch begins, from 1
    start, end byte range of the text
    token_ids  of each side
    pieces     the bytes of the text that each token came from; of one that came from none, how it is spelled
    reasons    why the first side and others cut it otherwise; None where nobody looked
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
    """What each side made of all texts.

    n_texts        how many there were
    n_equal, n_own for each side the tokens whose span all have, and those whose span no other has
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
    sides: Sequence[ModelSide], texts: Iterable[tuple[str, bytes]], most: int | None = None
) -> TextsComparison:
    """Compare texts with their names one after the other, and list `most` differences, or all.

    What a text is, is told by how its name ends.  Raises EncodeError where a side cannot express a text.
    """
    listed: list[TextDifference] = []
    totals = np.zeros((2, len(sides)), np.int64)
    n_texts = n_differences = 0
    has_same_ids = True

    def compared() -> Iterator[tuple[str, Sequence[Encoding]]]:
        nonlocal n_texts, n_differences, has_same_ids
        for name, text in texts:
            comparison = compare_text(sides, text)
            spans = comparison.spans
            n_texts += 1
            has_same_ids = has_same_ids and comparison.has_same_ids
            n_differences += len(spans.differences)
            for row in range(len(sides)):
                totals[:, row] += spans.n_equal(row), spans.n_own(row)
            n_explained = MOST_TOLD - len(listed)
            listed.extend(
                islice(
                    differences_of(name, comparison, n_explained),
                    None if most is None else most - len(listed),
                )
            )
            yield PurePath(name).suffix.lower(), comparison.encodings

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
    """Count what one side makes of texts, as `compare_texts` does for each.  Raises EncodeError likewise."""
    encodings = ((PurePath(name).suffix.lower(), [side.encode(text)]) for name, text in texts)
    [counts] = counts_of([(side.name, side.tokenizer.vocabulary)], encodings)
    return counts


def differences_of(name: str, comparison: Comparison, n_explained: int = 0) -> Iterator[TextDifference]:
    """The differences of one text, the first ones with reasons."""
    spans = comparison.spans
    lines = np.searchsorted(line_starts_of(comparison.text_bytes), spans.differences[:, 0], "right")
    for row, (line, (start, end)) in enumerate(zip(lines.tolist(), spans.differences.tolist(), strict=True)):
        parts = [
            tuple(_tokens(side, encoding, first, last))
            for side, encoding, (first, last) in zip(
                comparison.sides, comparison.encodings, spans.tokens[row].tolist(), strict=True
            )
        ]
        ids = tuple(tuple(token_id for token_id, _ in part) for part in parts)
        pieces = tuple(tuple(piece for _, piece in part) for part in parts)
        reasons = _reasons(comparison, row) if row < n_explained and end - start <= LONGEST else None
        yield TextDifference(name, line, start, end, ids, pieces, reasons)


def _reasons(comparison: Comparison, row: int) -> tuple[DifferenceReason, ...]:
    text = comparison.text_bytes
    start, end = comparison.spans.differences[row].tolist()
    first, last = context_span(text, start, end)
    tokens = []
    for encoding, (begin, behind) in zip(
        comparison.encodings, comparison.spans.tokens[row].tolist(), strict=True
    ):
        ids, spans = (
            encoding.token_ids[begin:behind].tolist(),
            (encoding.spans[begin:behind] - first).tolist(),
        )
        tokens.append(
            tuple((token, *span) for token, span in zip(ids, spans, strict=True) if span[0] < span[1])
        )
    is_at_edge = start == end and start in (0, len(text))
    cut = difference_reasons.DifferingSpan(
        text[first:last], start - first, end - first, is_at_edge, tuple(tokens)
    )
    return tuple(reasons_of(comparison.sides, cut))


def _tokens(side: ModelSide, encoding: Encoding, first: int, last: int) -> Iterator[tuple[int, bytes]]:
    """Ids, and what each token came from."""
    ids, spans = encoding.token_ids[first:last].tolist(), encoding.spans[first:last].tolist()
    for token_id, (start, end) in zip(ids, spans, strict=True):
        yield token_id, encoding.text_bytes[start:end] or side.tokenizer.vocabulary.raw_text(token_id)
