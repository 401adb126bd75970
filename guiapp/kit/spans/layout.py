"""The positions of tokens: plain geometry of one row of text, without a window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QSize, SignalInstance

from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.core.text.normalized import distinct

MARGIN_X_PX, MARGIN_Y_PX = 16, 4
TOUCHING_PX = 0.01


FIRST_SHADE = N_TINTS
COLOR_BITS = 63  # of a tint
PIECE_END, DIFFERS, SHARED, ONLY_HERE = 64, 128, 256, 512  # marks in a tint


class SpanWindow(NamedTuple):
    """The tokens of a span of text, empty ones included.

    first_index  the index of the first of these tokens in the whole text
    ids          int32[k]
    starts       int64[k]  token i came from the bytes [starts[i], ends[i])
    ends         int64[k]
    tints        uint8[k] or uint16[k]  the colour of each token: a number below N_TINTS, or from FIRST_SHADE
                 on one of a scale, which neighbours may share; plus marks: PIECE_END if a piece ends after
                 the token, DIFFERS if the exact encoder does not produce it, SHARED if all columns side by
                 side have it, ONLY_HERE if only this column has it
    """

    first_index: int
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    tints: NDArray[np.uint8] | NDArray[np.uint16]

    def marked(self, is_shared: NDArray[np.bool_], is_only_here: NDArray[np.bool_]) -> SpanWindow:
        """The same tokens with marks of a comparison of columns."""
        marks = np.uint16(SHARED) * is_shared + np.uint16(ONLY_HERE) * is_only_here
        return self._replace(tints=self.tints | marks)

    def relative_to(self, offset: int) -> SpanWindow:
        return self._replace(starts=self.starts - offset, ends=self.ends - offset)

    def within(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]."""
        first = int(self.ends.searchsorted(start))
        last = int(self.starts.searchsorted(end, side="right"))
        inside = slice(first, last)
        return SpanWindow(
            self.first_index + first,
            self.ids[inside],
            self.starts[inside],
            self.ends[inside],
            self.tints[inside],
        )


class SpanSource(Protocol):
    """An editor's source of the tokens of its text."""

    @property
    def tokens_changed(self) -> SignalInstance:
        """Emits the edit that changed the tokens (None if the text is the same), and the tokens."""

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap the bytes [start, end), and the empty ones from `start` to `end`."""

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        """The `Attribute` bits of token ids."""

    def label_of(self, token_id: int) -> str:
        """The label of a token that is not in the text."""


class RowGeometry(NamedTuple):
    """The cells of one row; a cell is what a user sees as one character.

    cells       int64[m + 1]    cell i is made of the bytes [cells[i], cells[i + 1])
    leading     float64[m]      x of the edge where reading enters the cell
    trailing    float64[m]      x of the edge where reading leaves it, left of `leading` in right-to-left text
    characters  int64[n + 1]    the starts of the row's characters, and the end of the last one
    is_mixed    whether some cells are right-to-left
    """

    cells: NDArray[np.int64]
    leading: NDArray[np.float64]
    trailing: NDArray[np.float64]
    characters: NDArray[np.int64]
    is_mixed: bool

    @property
    def start(self) -> int:
        return int(self.cells[0])

    @property
    def end(self) -> int:
        return int(self.cells[-1])

    def x_from(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """The x where the bytes at `offsets` begin; the bytes of a cell share its width evenly."""
        return self._x(offsets, np.searchsorted(self.cells, offsets, side="right") - 1)

    def x_to(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """The x where the bytes before `offsets` end."""
        return self._x(offsets, np.searchsorted(self.cells, offsets) - 1)

    def _x(self, offsets: NDArray[np.int64], cell: NDArray[np.intp]) -> NDArray[np.float64]:
        cell = np.clip(cell, 0, len(self.leading) - 1)
        share = (offsets - self.cells[cell]) / (self.cells[cell + 1] - self.cells[cell])
        x: NDArray[np.float64] = self.leading[cell] + share * (self.trailing[cell] - self.leading[cell])
        return x


class TokenBoxes(NamedTuple):
    """Segments of a row, each within one token; in mixed directions a token has several.

    indexes       int64[k]    tokens, relative to the window
    left, right   float64[k]
    round_left    bool[k]     whether the token begins or ends at this side
    round_right   bool[k]
    """

    indexes: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    round_left: NDArray[np.bool_]
    round_right: NDArray[np.bool_]


class SplitCells(NamedTuple):
    """The cells of a row that several tokens share, cut at token boundaries.

    tokens             int64[k]    tokens, relative to the window, one for each part of a cell
    left, right        float64[k]  the parts; the bytes of a cell share its width evenly
    torn_left, torn_right  float64[m]  cells with a token boundary within a character, rather than
                       between combining characters
    """

    tokens: NDArray[np.int64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    torn_left: NDArray[np.float64]
    torn_right: NDArray[np.float64]


def token_boxes(window: SpanWindow, row: RowGeometry) -> TokenBoxes:
    """The boxes of the tokens in a row, in reading order; empty spans have no box."""
    indexes = _tokens_in(window, row)
    starts = np.maximum(window.starts[indexes], row.start)
    ends = np.minimum(window.ends[indexes], row.end)
    opens = window.starts[indexes] >= row.start
    closes = window.ends[indexes] <= row.end
    if row.is_mixed:
        return _mixed_boxes(row, indexes, starts, ends, opens, closes)
    return TokenBoxes(indexes, row.x_from(starts), row.x_to(ends), opens, closes)


def row_segments(row: RowGeometry, start: int, end: int) -> list[tuple[float, float]]:
    """The left and right edges of the bytes [start, end) in a row; several in mixed directions."""
    start, end = max(start, row.start), min(end, row.end)
    if start >= end:
        return []
    span = np.array([start]), np.array([end])
    if not row.is_mixed:
        return [(float(row.x_from(span[0])[0]), float(row.x_to(span[1])[0]))]
    closed = np.ones(1, np.bool_)
    boxes = _mixed_boxes(row, np.zeros(1, np.int64), span[0], span[1], closed, closed)
    return list(zip(boxes.left.tolist(), boxes.right.tolist(), strict=True))


def split_cells(window: SpanWindow, row: RowGeometry) -> SplitCells | None:
    """The cells of a row that contain a token boundary; None if there are none."""
    indexes = _tokens_in(window, row)
    bounds = distinct(np.concatenate((window.starts[indexes], window.ends[indexes])))
    bounds = bounds[(bounds > row.start) & (bounds < row.end)]
    inner = bounds[row.cells[np.searchsorted(row.cells, bounds)] != bounds]
    if not len(inner):
        return None
    cell = distinct(np.searchsorted(row.cells, inner) - 1)
    edges = distinct(np.concatenate((inner, row.cells[cell], row.cells[cell + 1])))
    is_split = np.isin(np.searchsorted(row.cells, edges[:-1], side="right") - 1, cell)
    starts, ends = edges[:-1][is_split], edges[1:][is_split]
    tokens = np.searchsorted(window.ends, starts, side="right")
    held = tokens < len(window.starts)
    held[held] = window.starts[tokens[held]] <= starts[held]
    entries, exits = row.x_from(starts[held]), row.x_to(ends[held])
    in_character = inner[row.characters[np.searchsorted(row.characters, inner)] != inner]
    torn = distinct(np.searchsorted(row.cells, in_character) - 1)
    return SplitCells(
        tokens[held],
        np.minimum(entries, exits),
        np.maximum(entries, exits),
        np.minimum(row.leading[torn], row.trailing[torn]),
        np.maximum(row.leading[torn], row.trailing[torn]),
    )


def token_at(window: SpanWindow, offset: int) -> int:
    """The index, in the whole text, of the token that contains the byte at `offset`; -1 if none does."""
    at = int(np.searchsorted(window.ends, offset, side="right"))
    if at < len(window.ids) and window.starts[at] <= offset:
        return window.first_index + at
    return -1


def _tokens_in(window: SpanWindow, row: RowGeometry) -> NDArray[np.int64]:
    first = np.searchsorted(window.ends, row.start, side="right")
    last = np.searchsorted(window.starts, row.end)
    indexes = np.arange(first, last)
    return indexes[window.ends[indexes] > window.starts[indexes]]


def _mixed_boxes(
    row: RowGeometry,
    indexes: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    opens: NDArray[np.bool_],
    closes: NDArray[np.bool_],
) -> TokenBoxes:
    """Boxes in rows with mixed directions: cell by cell, joined where they touch."""
    cuts = distinct(np.concatenate((row.cells, starts, ends)))
    at = np.searchsorted(ends, cuts[:-1], side="right")
    held = at < len(ends)
    held[held] = starts[at[held]] <= cuts[:-1][held]
    entries, exits = row.x_from(cuts[:-1][held]).tolist(), row.x_to(cuts[1:][held]).tolist()
    box_rows: list[tuple[int, float, float, bool, bool]] = []
    for token, parts in groupby(zip(at[held].tolist(), entries, exits, strict=True), itemgetter(0)):
        edges = [part[1:] for part in parts]
        outer = [edges[0][0]] if opens[token] else []
        outer += [edges[-1][1]] if closes[token] else []
        for left, right in _joined([(min(pair), max(pair)) for pair in edges]):
            round_left, round_right = _is_among(left, outer), _is_among(right, outer)
            box_rows.append((int(indexes[token]), left, right, round_left, round_right))
    columns = list(zip(*box_rows, strict=True)) or [()] * 5
    types = (np.int64, np.float64, np.float64, np.bool_, np.bool_)
    return TokenBoxes(*(np.array(column, kind) for column, kind in zip(columns, types, strict=True)))


def _is_among(x: float, others: list[float]) -> bool:
    return any(abs(x - other) < TOUCHING_PX for other in others)


def _joined(boxes: list[tuple[float, float]]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for left, right in boxes:
        if joined and abs(joined[-1][1] - left) < TOUCHING_PX:
            joined[-1] = (joined[-1][0], right)
        elif joined and abs(joined[-1][0] - right) < TOUCHING_PX:
            joined[-1] = (left, joined[-1][1])
        else:
            joined.append((left, right))
    return joined


@dataclass(frozen=True)
class ChipGrid:
    """`n_chips` chips of one size with gaps between them, in rows of a given width."""

    n_chips: int
    chip_size: QSize
    gaps: QSize
    width: int

    @property
    def cell(self) -> QSize:
        """A chip with the gaps to its neighbours."""
        return self.chip_size + self.gaps

    @property
    def n_columns(self) -> int:
        usable = self.width - 2 * MARGIN_X_PX + self.gaps.width()
        return max(1, usable // self.cell.width())

    @property
    def n_rows(self) -> int:
        return -(-self.n_chips // self.n_columns)

    @property
    def height(self) -> int:
        return self.n_rows * self.cell.height() + 2 * MARGIN_Y_PX

    def chip(self, index: int) -> QRect:
        return QRect(QPoint(*next(self.corners(index, index + 1))), self.chip_size)

    def corners(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The x and y of the top left corners of the chips [first, last)."""
        n_columns, width, height = self.n_columns, self.cell.width(), self.cell.height()
        for index in range(first, last):
            row, column = divmod(index, n_columns)
            yield MARGIN_X_PX + column * width, MARGIN_Y_PX + row * height

    def chips_between(self, top: int, bottom: int) -> tuple[int, int]:
        """The chips [first, last) of all rows that touch the range from `top` to `bottom`."""
        first_row = max(0, (top - MARGIN_Y_PX) // self.cell.height())
        last_row = max(0, (bottom - MARGIN_Y_PX) // self.cell.height() + 1)
        return min(first_row * self.n_columns, self.n_chips), min(last_row * self.n_columns, self.n_chips)

    def index_at(self, position: QPoint) -> int | None:
        """The chip at a position, including the gap to its right and below it."""
        column = (position.x() - MARGIN_X_PX) // self.cell.width()
        row = (position.y() - MARGIN_Y_PX) // self.cell.height()
        index = row * self.n_columns + column
        return index if 0 <= column < self.n_columns and row >= 0 and index < self.n_chips else None
