"""How several models share the spans of a text that is edited: only what an edit touched is compared anew."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.spans import SpanColumn, aligned_span, compare_spans, windows
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import N_TINTS, Replaced, TokenStore
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.native.normalized import NO_TINT, tint_spans

LOOK_AHEAD = 256  # tokens that are looked at at once
UNTOLD = -1  # the id of a difference that nobody has given one
ColumnOf = Callable[[int, int, int], SpanColumn]
"""Tokens [first, last) of a column, by its number."""


class LiveComparison:
    """What `compare_spans` and colours for spans say of the tokens in some stores, kept so through edits.

    shares       for each column uint8[k]: how many columns have a token's span
    tints        for each column uint8[k]: one colour for a span in all columns; neighbours differ
    differences  the stretches in which not all spans are equal; their ids are for whoever asks for more
                 about them, UNTOLD at first
    """

    def __init__(self, columns: Sequence[SpanColumn], n_bytes: int) -> None:
        """Compare all tokens of a text."""
        found = compare_spans(columns)
        self.shares = list(found.shares)
        self.tints = _tinted(columns, [(NO_TINT, NO_TINT)] * len(columns))
        self.differences = TokenStore(_without_ids(found.differences), n_bytes)
        self._n_changes: list[int] | None = None

    def watch(self, stores: Sequence[TokenStore]) -> Self:
        """Take these as the tokens that were compared."""
        self._n_changes = [store.replaced.n_changes for store in stores]
        return self

    def can_apply_edit(self, stores: Sequence[TokenStore]) -> bool:
        """Whether each store was changed once since the last time."""
        return self._n_changes == [store.replaced.n_changes - 1 for store in stores]

    def apply_edit(
        self, stores: Sequence[TokenStore], column_of: ColumnOf, edit: TextEdit, n_bytes: int
    ) -> None:
        """Be in step with an edit that each store has followed by one change; the text has `n_bytes` now."""
        self.watch(stores)
        for row, store in enumerate(stores):
            self.shares[row] = _spliced(self.shares[row], store.replaced)
            self.tints[row] = _spliced(self.tints[row], store.replaced)
        start, end = aligned_span(stores, *_touched(stores, edit, n_bytes))
        behind = self._next_that_all_have(stores[0], end)
        tint = NO_TINT if behind is None else int(self.tints[0][behind])
        end = n_bytes if behind is None else stores[0].span(behind)[0]
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
        """The first token of the first column from a place on that has text and is the same in all."""
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
        """The colour of the last token with text before one."""
        while index > 0:
            index -= 1
            start, end = store.span(index)
            if start < end:
                return int(self.tints[row][index])
        return NO_TINT


def _touched(stores: Sequence[TokenStore], edit: TextEdit, n_bytes: int) -> tuple[int, int]:
    """The stretch of the new text between tokens that no store has changed, and that was not edited."""
    start, end = edit.start, edit.start + edit.added
    for store in stores:
        _, first, _, added = store.replaced
        start = min(start, store.span(first - 1)[1] if first else 0)
        behind = first + added
        end = max(end, store.span(behind)[0] if behind < len(store) else n_bytes)
    return start, end


def _with_a_token_of_each(stores: Sequence[TokenStore], start: int, end: int) -> int:
    """A stretch with more in front: else two tokens around it could be neighbours of one colour."""
    for store in stores:
        while start > 0 and not _has_text(store, start, end):
            before = store.first_from(start) - 1
            start = aligned_span(stores, store.span(before)[0] if before >= 0 else 0, start)[0]
    return start


def _has_text(store: TokenStore, start: int, end: int) -> bool:
    """Whether a token with text lies in a stretch."""
    _, starts, ends, _ = store.between(*store.indexes_in(start, end))
    return bool((ends > starts).any())


def _tinted(columns: Sequence[SpanColumn], neighbours: Sequence[tuple[int, int]]) -> list[NDArray[np.uint8]]:
    return tint_spans([(column.starts, column.ends) for column in columns], neighbours, N_TINTS)


def _without_ids(segments: NDArray[np.int64]) -> FragmentTokens:
    ids = np.full(len(segments), UNTOLD, np.int32)
    return FragmentTokens(ids, segments[:, 0].copy(), segments[:, 1].copy())


def _spliced(values: NDArray[np.uint8], replaced: Replaced) -> NDArray[np.uint8]:
    """The values of tokens of which some were replaced by others, whose values are not known yet."""
    _, first, removed, added = replaced
    if removed == added:
        return values
    return np.concatenate((values[:first], np.zeros(added, np.uint8), values[first + removed :]))
