"""Which spans several tokenizers share over one text, and the ranges in which they do not.

Two tokens share a span if both come from the same bytes.  Empty tokens (BOS, a separate space prefix, the
rest of a character whose bytes all belong to another token) are paired one by one: at each offset the first
special one with the first special ones of the others, the second with the second, and likewise for those
that are not special.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import N_TINTS, Replaced, TokenStore
from guiapp.core.encode.encoding import FragmentTokens, Offsets
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.native.normalized import NO_TINT, share_spans, tint_spans

LOOK_AHEAD = 256  # tokens that are searched at once
UNTOLD = -1  # the id of a difference without an id
ColumnOf = Callable[[int, int, int], "SpanColumn"]
"""Tokens [first, last) of a column, by its number."""
SPECIAL = Attribute.CONTROL | Attribute.UNKNOWN


class SpanColumn(NamedTuple):
    """All tokens of one tokenizer, or consecutive ones.

    starts       int64[k]  token i comes from the bytes [starts[i], ends[i]) of the text
    ends         int64[k]
    are_special  bool[k]   which empty tokens are special; irrelevant for others
    """

    starts: Offsets
    ends: Offsets
    are_special: NDArray[np.bool_]


def column_of(
    tokenizer: Tokenizer, token_ids: NDArray[np.int32], starts: Offsets, ends: Offsets
) -> SpanColumn:
    """The column of an encoding, or of a part of one that is being edited."""
    are_special = np.zeros(len(token_ids), np.bool_)
    empty = np.flatnonzero(starts == ends)
    are_special[empty] = tokenizer.vocabulary.attributes[token_ids[empty]] & SPECIAL > 0
    return SpanColumn(starts, ends, are_special)


@dataclass(frozen=True, eq=False)
class SpanComparison:
    """How n columns share their spans.

    shares       for each column uint8[k]: how many columns have a token's span, from 1 (only this) to n
    differences  int64[d, 2]  ranges of the text in which not all spans are equal, in order.  No token
                 crosses an end of a range, and no offset inside is an end in all columns; a range is empty
                 if only empty tokens differ
    tokens       int64[d, n, 2]  the token range [first, end) of each column in each difference
    """

    shares: tuple[NDArray[np.uint8], ...]
    differences: Offsets
    tokens: NDArray[np.int64]

    def n_equal(self, column: int) -> int:
        """The number of tokens of a column whose span all columns have."""
        return int(np.count_nonzero(self.shares[column] == len(self.shares)))

    def n_own(self, column: int) -> int:
        """The number of tokens of a column whose span no other column has."""
        return int(np.count_nonzero(self.shares[column] == 1)) if len(self.shares) > 1 else 0


def compare_spans(columns: Sequence[SpanColumn]) -> SpanComparison:
    """Compare up to 255 columns over one text, or over a part of it from `windows`."""
    shares, rows = share_spans(columns)
    return SpanComparison(tuple(shares), rows[:, :2], rows[:, 2:].reshape(len(rows), len(columns), 2))


def windows(stores: Sequence[TokenStore], start: int, end: int) -> list[tuple[int, int]]:
    """For each store, the tokens [first, last) around text[start:end] that can be compared separately.

    They fill the smallest span whose ends no token of any store crosses, so sharing and differences inside it
    are independent of the text around it, and vice versa.
    """
    start, end = aligned_span(stores, start, end)
    return [(store.first_from(start), store.first_ending_after(end)) for store in stores]


def aligned_span(stores: Sequence[TokenStore], start: int, end: int) -> tuple[int, int]:
    """The smallest span around [start, end) whose ends no token of any store crosses."""
    while (before := _across(stores, start)) is not None:
        start = before[0]
    while (after := _across(stores, end)) is not None:
        end = after[1]
    return start, end


def _across(stores: Sequence[TokenStore], position: int) -> tuple[int, int] | None:
    """The span of a token that begins before a position and ends after it; None if there is none."""
    return next((span for store in stores if (span := store.covering(position)) is not None), None)


def line_starts_of(text: bytes) -> Offsets:
    """int64[lines]: the starts of the lines of a text; a newline belongs to the line that it ends."""
    return np.append(0, np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n")) + 1).astype(np.int64)


# Shared spans of a text that is being edited: only the part that an edit touches is compared again


class LiveComparison:
    """The result of `compare_spans` and colours of spans for the tokens in some stores, updated by edits.

    shares       for each column uint8[k]: how many columns have a token's span
    tints        for each column uint8[k]: the same colour for a span in all columns; neighbours differ
    differences  the ranges in which not all spans are equal; their ids are free for callers to use, UNTOLD
                 at first
    """

    def __init__(self, columns: Sequence[SpanColumn], n_bytes: int) -> None:
        """Compare all tokens of a text."""
        found = compare_spans(columns)
        self.shares = list(found.shares)
        self.tints = _tinted(columns, [(NO_TINT, NO_TINT)] * len(columns))
        self.differences = TokenStore(_without_ids(found.differences), n_bytes)
        self._n_changes: list[int] | None = None

    def watch(self, stores: Sequence[TokenStore]) -> Self:
        """Set the stores of the tokens that were compared."""
        self._n_changes = [store.replaced.n_changes for store in stores]
        return self

    def can_apply_edit(self, stores: Sequence[TokenStore]) -> bool:
        """Whether each store has changed exactly once since the last comparison."""
        return self._n_changes == [store.replaced.n_changes - 1 for store in stores]

    def apply_edit(
        self, stores: Sequence[TokenStore], column_of: ColumnOf, edit: TextEdit, n_bytes: int
    ) -> None:
        """Apply an edit after which each store has changed once; the text now has `n_bytes`."""
        self.watch(stores)
        for row, store in enumerate(stores):
            self.shares[row] = _spliced(self.shares[row], store.replaced)
            self.tints[row] = _spliced(self.tints[row], store.replaced)
        start, end = aligned_span(stores, *_touched(stores, edit, n_bytes))
        after = self._next_that_all_have(stores[0], end)
        tint = NO_TINT if after is None else int(self.tints[0][after])
        end = n_bytes if after is None else stores[0].span(after)[0]
        start = _with_a_token_of_each(stores, start, end)
        rows = windows(stores, start, end)
        columns = [column_of(row, *window) for row, window in enumerate(rows)]
        neighbours = [(self._tint_before(row, rows[row][0], store), tint) for row, store in enumerate(stores)]
        found, tints = compare_spans(columns), _tinted(columns, neighbours)
        for row, (first, last) in enumerate(rows):
            self.shares[row][first:last] = found.shares[row]
            self.tints[row][first:last] = tints[row]
        first = self.differences.first_from(start)
        last = max(self.differences.first_ending_after(end - edit.shift), first)
        self.differences.replace(first, last, _without_ids(found.differences), edit.shift)

    def _next_that_all_have(self, store: TokenStore, position: int) -> int | None:
        """The first token of the first column from a position on that has text and is in all columns."""
        shares, first = self.shares[0], store.first_ending_after(position)
        while first < len(shares):
            last = min(first + LOOK_AHEAD, len(shares))
            _, starts, ends, _ = store.between(first, last)
            alike = np.flatnonzero((shares[first:last] == len(self.shares)) & (ends > starts))
            if len(alike):
                return first + int(alike[0])
            first = last
        return None

    def _tint_before(self, row: int, index: int, store: TokenStore) -> int:
        """The colour of the last token with text before `index`."""
        while index > 0:
            index -= 1
            start, end = store.span(index)
            if start < end:
                return int(self.tints[row][index])
        return NO_TINT


def _touched(stores: Sequence[TokenStore], edit: TextEdit, n_bytes: int) -> tuple[int, int]:
    """The span of the new text that was edited or whose tokens changed in some store."""
    start, end = edit.start, edit.start + edit.added
    for store in stores:
        _, first, _, added = store.replaced
        start = min(start, store.span(first - 1)[1] if first else 0)
        after = first + added
        end = max(end, store.span(after)[0] if after < len(store) else n_bytes)
    return start, end


def _with_a_token_of_each(stores: Sequence[TokenStore], start: int, end: int) -> int:
    """Move the start to include text of each store: otherwise neighbours might get the same colour."""
    for store in stores:
        while start > 0 and not _has_text(store, start, end):
            before = store.first_from(start) - 1
            start = aligned_span(stores, store.span(before)[0] if before >= 0 else 0, start)[0]
    return start


def _has_text(store: TokenStore, start: int, end: int) -> bool:
    """Whether [start, end) contains a token with text."""
    _, starts, ends, _ = store.between(*store.indexes_in(start, end))
    return bool((ends > starts).any())


def _tinted(columns: Sequence[SpanColumn], neighbours: Sequence[tuple[int, int]]) -> list[NDArray[np.uint8]]:
    return tint_spans([(column.starts, column.ends) for column in columns], neighbours, N_TINTS)


def _without_ids(segments: NDArray[np.int64]) -> FragmentTokens:
    ids = np.full(len(segments), UNTOLD, np.int32)
    return FragmentTokens(ids, segments[:, 0].copy(), segments[:, 1].copy())


def _spliced(values: NDArray[np.uint8], replaced: Replaced) -> NDArray[np.uint8]:
    """The values of tokens after a replacement; new tokens have 0 until their values are known."""
    _, first, removed, added = replaced
    if removed == added:
        return values
    return np.concatenate((values[:first], np.zeros(added, np.uint8), values[first + removed :]))
