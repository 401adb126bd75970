"""Where equally large chips lie, row by row: plain arithmetic for any number of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize

MARGIN_X_PX, MARGIN_Y_PX = 16, 4


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
        """The chips [first, last) of all rows that touch the stretch from `top` to `bottom`."""
        first_row = max(0, (top - MARGIN_Y_PX) // self.cell.height())
        last_row = max(0, (bottom - MARGIN_Y_PX) // self.cell.height() + 1)
        return min(first_row * self.n_columns, self.n_chips), min(last_row * self.n_columns, self.n_chips)

    def index_at(self, position: QPoint) -> int | None:
        """The chip at a place, the gap to its right and below it included."""
        column = (position.x() - MARGIN_X_PX) // self.cell.width()
        row = (position.y() - MARGIN_Y_PX) // self.cell.height()
        index = row * self.n_columns + column
        return index if 0 <= column < self.n_columns and row >= 0 and index < self.n_chips else None
