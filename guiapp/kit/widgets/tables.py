"""How tables of tokens look and act: whole rows to select and copy, without a grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QItemSelectionModel, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.state.row_table import RowTable
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UNIT_PX, Theme

CELLS = """
QTableView::item { padding: 0 5px; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; }
"""  # as far from the edges as the titles, which have arrows of their own


def show_rows(view: QTableView) -> None:
    """Leave everything out but the cells and the titles of the columns."""
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setStretchLastSection(True)


class RowsView(QTableView):
    """Rows of a table to go through, to sort where its columns can be, and to copy.

    `widths` says how wide each column is where all have so many pixels, 0 for one that is left out then.

    Signals:
        looked_at(int): this row is the present one and selected; one that the keys merely begin at is not.
    """

    looked_at = Signal(int)

    def __init__(self, table: RowTable[Any], name: str, widths: Callable[[int], Sequence[int]]) -> None:
        super().__init__()
        self._table, self._widths = table, widths
        self._fitted: list[int] = []
        self._is_going = False
        self.setModel(table)
        self.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.setStyleSheet(CELLS)
        show_rows(self)
        self.horizontalHeader().setMinimumSectionSize(3 * UNIT_PX)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2 * UNIT_PX)
        self.setAccessibleName(name)
        offer_copying(self, "Copy rows", self.copy)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.selectionModel().selectionChanged.connect(self._on_current_changed)
        table.modelReset.connect(self.fit_columns)

    @property
    def selected_rows(self) -> list[int]:
        """In their order."""
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def copy(self) -> None:
        """Put the selected rows on the clipboard, as lines with tabs."""
        QGuiApplication.clipboard().setText(self._table.as_text(self.selected_rows))

    def go_to(self, row: int | None) -> None:
        """Select a row alone, unless it is the present one and selected; none for None."""
        selection, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        if row is None:
            selection.clearSelection()
        elif row != self.currentIndex().row() or not selection.isRowSelected(row):
            index = self._table.index(row, 0)
            is_in_sight = self.viewport().rect().intersects(self.visualRect(index))
            self._is_going = True
            selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
            self._is_going = False
            if not is_in_sight:  # Qt has scrolled only as far as it takes
                self.scrollTo(index, QTableView.ScrollHint.PositionAtCenter)

    def fit_columns(self) -> None:
        """Share the room beside the scroll bar; what people dragged stays until the shares are others."""
        widths = list(self._widths(self.contentsRect().width() - self.verticalScrollBar().sizeHint().width()))
        if widths != self._fitted:
            self._fitted = widths
            for column, width in enumerate(widths):
                self.setColumnHidden(column, width == 0)
                self.setColumnWidth(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def _on_current_changed(self) -> None:
        current = self.currentIndex()
        if current.isValid() and not self._is_going and self.selectionModel().isSelected(current):
            self.looked_at.emit(current.row())


def shared_out(room: int, shares: Sequence[float], least: Sequence[int] = ()) -> list[int]:
    """Room divided by shares, each at least so much; what that takes more, the others have less."""
    widths, whole = [*(least or [0] * len(shares))], sum(shares)
    for at in sorted(range(len(shares)), key=lambda each: shares[each] / max(widths[each], 1)):
        widths[at] = max(widths[at], int(room * shares[at] / whole))
        room, whole = room - widths[at], whole - shares[at]
    return widths
