"""The tokens of a changing document, in a structure in which edits are fast even if the document is long;
and the options with which it is encoded, which the window needs before it can encode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import FragmentTokens

N_TINTS = 6


@dataclass(frozen=True)
class Options:
    """See `Tokenizer.encode`."""

    add_special: bool = True
    parse_special: bool = True
    encoder: str | None = None


class StoredTokens(NamedTuple):
    """Consecutive tokens.

    ids     int32[k]  rows of the vocabulary
    starts  int64[k]  token i came from the bytes [starts[i], ends[i])
    ends    int64[k]  (int32 inside a TokenStore, as texts have at most LONGEST_TEXT bytes)
    tints   uint8[k]  colour numbers below N_TINTS; neighbours differ, and edits elsewhere do not change them
    """

    ids: NDArray[np.int32]
    starts: NDArray[Any]
    ends: NDArray[Any]
    tints: NDArray[np.uint8]

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        return self

    def part(self, first: int, last: int) -> StoredTokens:
        return StoredTokens(*[column[first:last] for column in self.columns])

    def moved(self, by: int) -> StoredTokens:
        """The same tokens moved by `by` bytes, with int64 offsets."""
        return self._replace(starts=self.starts + np.int64(by), ends=self.ends + np.int64(by))

    def joined_with(self, others: StoredTokens) -> StoredTokens:
        pairs = zip(self.columns, others.columns, strict=True)
        return StoredTokens(*[np.concatenate(pair) for pair in pairs])


class Replaced(NamedTuple):
    """The last of `n_changes` changes: `removed` tokens from `first` on were replaced by `added` others."""

    n_changes: int
    first: int
    removed: int
    added: int


class TokenStore:
    """Token ids with their byte spans, in order of position.

    replaced  the last change, for users that store additional data for each token

    The arrays have a gap at the last edit (a gap buffer).  Offsets before it count from the beginning of
    the text, offsets after it from the end, so that they stay valid when the text at the gap changes: the
    cost of an edit is the number of tokens between it and the previous edit.
    """

    def __init__(self, tokens: FragmentTokens, n_bytes: int) -> None:
        """Start with all tokens of a text of `n_bytes` bytes."""
        count = len(tokens.ids)
        self.replaced = Replaced(0, 0, 0, count)
        self._n_bytes = n_bytes
        self._gap = count
        self._behind = count + _room_for(count)
        offsets = tokens.starts.astype(np.int32), tokens.ends.astype(np.int32)
        columns = StoredTokens(tokens.ids, *offsets, _tints_after(-1, count))
        self._columns = _widened(columns, count, _room_for(count))

    def __len__(self) -> int:
        return len(self._columns.ids) - (self._behind - self._gap)

    # Reading

    def between(self, first: int, last: int) -> StoredTokens:
        """The tokens [first, last); do not use them after the next `replace`."""
        first, last = max(first, 0), min(last, len(self))
        if last <= self._gap:
            return self._columns.part(first, last).moved(0)
        shift = self._behind - self._gap
        right = self._columns.part(max(first, self._gap) + shift, last + shift).moved(self._n_bytes)
        return (
            right if first >= self._gap else self._columns.part(first, self._gap).moved(0).joined_with(right)
        )

    def ids(self, first: int, last: int) -> NDArray[np.int32]:
        """The ids of the tokens [first, last), a copy."""
        first, last = max(first, 0), min(last, len(self))
        ids, shift = self._columns.ids, self._behind - self._gap
        left = ids[first : min(last, self._gap)]
        return np.concatenate((left, ids[max(first, self._gap) + shift : max(last, self._gap) + shift]))

    def starts(self) -> NDArray[np.int32]:
        """The starts of all tokens, a copy."""
        return self._whole(self._columns.starts)

    def ends(self) -> NDArray[np.int32]:
        """The ends of all tokens, a copy."""
        return self._whole(self._columns.ends)

    def _whole(self, column: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.concatenate((column[: self._gap], column[self._behind :] + np.int32(self._n_bytes)))

    def starts_of(self, indexes: NDArray[np.int64]) -> NDArray[np.int64]:
        """The starts of the tokens at some indexes."""
        is_behind = indexes >= self._gap
        rows = indexes + is_behind * (self._behind - self._gap)
        return self._columns.starts[rows] + is_behind * np.int64(self._n_bytes)

    def n_with_text(self, first: int, last: int) -> int:
        """The number of tokens in [first, last) with a non-empty span."""
        shift, gap = self._behind - self._gap, self._gap
        parts = slice(first, min(last, gap)), slice(max(first, gap) + shift, max(last, gap) + shift)
        starts, ends = self._columns.starts, self._columns.ends
        return sum(int(np.count_nonzero(ends[part] > starts[part])) for part in parts)

    def count(self, token_id: int) -> int:
        """The number of occurrences of a token."""
        ids = self._columns.ids
        parts = ids[: self._gap], ids[self._behind :]
        return sum(int(np.count_nonzero(part == token_id)) for part in parts)

    def spans_of(self, token_ids: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Starts and ends of all occurrences of these tokens, as copies; without empty spans."""
        columns = self._columns
        is_one = np.zeros(len(columns.ids), np.bool_)
        for token_id in token_ids:
            is_one |= columns.ids == token_id
        is_one[self._gap : self._behind] = False
        rows = np.flatnonzero(is_one)
        shift = np.where(rows < self._gap, 0, self._n_bytes)
        starts, ends = columns.starts[rows] + shift, columns.ends[rows] + shift  # int64, like `shift`
        return starts[starts < ends], ends[starts < ends]

    def span(self, index: int) -> tuple[int, int]:
        return self._start(index), self._end(index)

    def first_from(self, position: int) -> int:
        """The index of the first token that begins at or after `position`."""
        return self._search(self._columns.starts, position, "left")

    def first_after(self, position: int) -> int:
        """The index of the first token that begins after `position`."""
        return self._search(self._columns.starts, position, "right")

    def first_ending_from(self, position: int) -> int:
        """The index of the first token that ends at or after `position`."""
        return self._search(self._columns.ends, position, "left")

    def first_ending_after(self, position: int) -> int:
        """The index of the first token that ends after `position`."""
        return self._search(self._columns.ends, position, "right")

    def first_start_from(self, position: int, otherwise: int) -> int:
        """The start of the first token that begins at or after `position`; `otherwise` if there is none."""
        index = self.first_from(position)
        return self._start(index) if index < len(self) else otherwise

    def last_end_until(self, position: int) -> int:
        """The end of the last token that ends at or before `position`; 0 if there is none."""
        index = self.first_ending_after(position)
        return self._end(index - 1) if index > 0 else 0

    def ends_at(self, position: int) -> bool:
        """Whether a token ends exactly at `position`."""
        index = self.first_ending_from(position)
        return index < len(self) and self._end(index) == position

    def indexes_in(self, start: int, end: int) -> tuple[int, int]:
        """The index of the first token that overlaps [start, end), and of the first token after it."""
        return self.first_ending_after(start), self.first_from(end)

    def covering(self, position: int) -> tuple[int, int] | None:
        """The span of the token that begins before `position` and ends after it; None if there is none."""
        index = self.first_from(position) - 1
        if index < 0 or self._end(index) <= position:
            return None
        return self.span(index)

    def has_id(self, token_id: int) -> bool:
        return self.count(token_id) > 0

    def has_empty_at(self, position: int) -> bool:
        """Whether a token with an empty span is exactly at `position`."""
        index = self.first_from(position)
        return index < len(self) and self._end(index) == position

    def _search(self, column: NDArray[np.int64], position: int, side: Literal["left", "right"]) -> int:
        index = int(np.searchsorted(column[: self._gap], np.int32(position), side))
        if index == self._gap:
            index += int(np.searchsorted(column[self._behind :], np.int32(position - self._n_bytes), side))
        return index

    def _start(self, index: int) -> int:
        return self._offset(self._columns.starts, index)

    def _end(self, index: int) -> int:
        return self._offset(self._columns.ends, index)

    def _offset(self, column: NDArray[np.int64], index: int) -> int:
        if index < self._gap:
            return int(column[index])
        return int(column[index + self._behind - self._gap]) + self._n_bytes

    # Changing

    def replace(self, first: int, last: int, new: FragmentTokens, shift: int) -> None:
        """Replace the tokens [first, last) by new ones; later spans move by `shift` bytes."""
        self.replaced = Replaced(self.replaced.n_changes + 1, first, last - first, len(new.ids))
        self._reach(first, last)
        self._behind += last - max(first, self._gap)
        self._gap = first
        self._n_bytes += shift
        self._make_room(len(new.ids))
        end = first + len(new.ids)
        tokens = StoredTokens(new.ids, new.starts, new.ends, _tints_after(self._tint(first - 1), end - first))
        for column, values in zip(self._columns.columns, tokens.columns, strict=True):
            column[first:end] = values
        self._gap = end
        self._retint(end)

    def expect_edit(self, position: int) -> None:
        """Move the gap to the position of the likely next edit, so that the edit itself is fast."""
        index = self.first_from(position)
        self._reach(index, index)

    def _reach(self, first: int, last: int) -> None:
        """Move the gap to within the tokens [first, last) or to one of their ends."""
        if first > self._gap:
            self._move_back(first - self._gap)
        elif last < self._gap:
            self._move_forward(self._gap - last)

    def _move_back(self, count: int) -> None:
        """Move `count` tokens from after the gap to before it."""
        self._move(slice(self._gap, self._gap + count), slice(self._behind, self._behind + count), 1)
        self._gap += count
        self._behind += count

    def _move_forward(self, count: int) -> None:
        self._move(slice(self._behind - count, self._behind), slice(self._gap - count, self._gap), -1)
        self._gap -= count
        self._behind -= count

    def _move(self, to: slice, source: slice, direction: int) -> None:
        for column in self._columns.columns:
            column[to] = column[source]
        for offsets in (self._columns.starts, self._columns.ends):
            offsets[to] += np.int32(direction * self._n_bytes)

    def _make_room(self, needed: int) -> None:
        if needed <= self._behind - self._gap:
            return
        more = needed + _room_for(len(self))
        self._columns = _widened(self._columns, self._behind, more)
        self._behind += more

    def _tint(self, index: int) -> int:
        """The tint of a token, -1 beyond the ends."""
        if not 0 <= index < len(self):
            return -1
        return int(self._columns.tints[index if index < self._gap else index + self._behind - self._gap])

    def _retint(self, index: int) -> None:
        """Make the tint of the token before `index`, which is before the gap, differ from its neighbours'."""
        if index and self._tint(index - 1) == self._tint(index):
            taken = self._tint(index - 2), self._tint(index)
            self._columns.tints[index - 1] = next(tint for tint in range(N_TINTS) if tint not in taken)


def n_in_lines(
    starts: NDArray[np.int32], line_starts: NDArray[np.int64], n_leading: int, n_trailing: int
) -> NDArray[np.int64]:
    """The number of tokens that begin in each line of a text, without tokens added before and after it.

    starts       of all tokens, int32[k]: int64 positions would cause a copy of all
    line_starts  int64[n], the first is 0
    """
    firsts = np.searchsorted(starts, line_starts.astype(np.int32))
    firsts[0] = n_leading
    return np.diff(firsts, append=max(len(starts) - n_trailing, int(firsts[-1])))


def _room_for(count: int) -> int:
    """The size of the gap for `count` tokens: the number that can be added before the arrays grow."""
    return count // 8 + 1024


def _widened(tokens: StoredTokens, at: int, more: int) -> StoredTokens:
    """The tokens with `more` uninitialized rows inserted at `at`."""
    return StoredTokens(
        *[
            np.concatenate((column[:at], np.empty(more, column.dtype), column[at:]))
            for column in tokens.columns
        ]
    )


def _tints_after(tint: int, count: int) -> NDArray[np.uint8]:
    """`count` tints in turn, beginning with the one after `tint`."""
    tints = np.empty(count, np.uint8)
    for first in range(N_TINTS):
        tints[first::N_TINTS] = (tint + 1 + first) % N_TINTS
    return tints
