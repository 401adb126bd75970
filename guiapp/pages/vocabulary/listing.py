"""The list of tokens: how many there are, and what is known of each; the present row is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QWidget

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.vocabulary_list import columns as core
from guiapp.analysis.vocabulary_list.figures import Ids, TokenFigures
from guiapp.core.text.figures import counted
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.tables import LEFT, RIGHT, Column, RowsView, RowTable, shared_out
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX, ThemeSource, plain_label
from guiapp.pages.vocabulary.model import NO_IDS, VocabularyModel

SHARES = {
    "token": 2.6,
    "bytes": 2.4,
    "script": 1.7,
    "kind": 1.3,
    "role": 1.3,
    "characters": 1.2,
    "score": 1.3,
}
WIDEST_FIGURE, GAPS_PX = "128,255", 20  # what a cell has room for at least, and beside it
NOT_FOUND = "No token matches."
TRYING = "Trying which tokens text reaches …"


class TokenListing(QWidget):
    """Rows to go through, sort, select and copy."""

    def __init__(self, model: VocabularyModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._listed = model.request  # what was listed last
        self.table = VocabularyTableModel(model, self)
        self.count = plain_label("dim")
        self.state = plain_label("dim", wraps=True)
        self.view = RowsView(self.table, "Tokens", self._widths)
        self._set_style()
        head = in_row(self.count, (self.state, 1), margins=(MARGIN_PX, UNIT_PX), spacing=MARGIN_PX)
        in_column(head, SavingBar(saving, theme_source), (self.view, 1), STRETCH, on=self, spacing=0)
        self.setMinimumWidth(220)
        self.copy_ids = self.view.addAction("Copy ids", self._copy_ids)
        self.view.looked_at.connect(self._choose)
        self.table.modelReset.connect(self._on_model_reset)
        model.prepared_changed.connect(self._show_state)
        model.trying.busy_changed.connect(self._show_state)
        model.shown_changed.connect(self._show_state)
        model.chosen_changed.connect(self._on_chosen_changed)
        self._on_model_reset()
        self._show_state()

    @property
    def selected(self) -> Ids:
        """The tokens of the selected rows, in their order."""
        rows = self.view.selected_rows
        return self._model.shown.ids[rows] if rows else NO_IDS

    def _copy_ids(self) -> None:
        QGuiApplication.clipboard().setText(", ".join(map(str, self.selected.tolist())))

    def _set_style(self) -> None:
        view = self.view
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        view.horizontalHeader().setSortIndicatorClearable(True)
        view.setSortingEnabled(True)

    def _widths(self, room_px: int) -> list[int]:
        """Where that is too little, they are scrolled."""
        columns, metrics = self.table.columns, self.view.horizontalHeader().fontMetrics()
        figure_px = self.view.fontMetrics().horizontalAdvance(WIDEST_FIGURE) + GAPS_PX
        titles_px = (metrics.horizontalAdvance(self.table.heading(each)) + GAPS_PX for each in columns)
        least = [max(figure_px, title_px) for title_px in titles_px]
        return shared_out(room_px, [SHARES.get(each.title, 1.0) for each in columns], least)

    def _choose(self, row: int) -> None:
        token = self.table.token(row)
        if token != self._model.chosen:
            self._model.choose(token)

    def _on_model_reset(self) -> None:
        """Show which column sorts, and go on with the chosen token where it is still there."""
        request, titles = self._model.request, [column.title for column in self.table.columns]
        header = self.view.horizontalHeader()
        orders = Qt.SortOrder
        with QSignalBlocker(header):
            header.setSortIndicator(
                titles.index(request.sort) if request.sort in titles else -1,
                orders.DescendingOrder if request.is_descending else orders.AscendingOrder,
            )
        self._on_chosen_changed()
        if self._model.shown.request != self._listed:
            self._listed = self._model.shown.request
            self.view.scrollToTop()  # what was looked for stands there

    def _on_chosen_changed(self) -> None:
        row = self._model.row_of(self._model.chosen)
        if row is None or row < self.table.n_rows:  # else the table is not told yet
            self.view.go_to(row)

    def _show_state(self) -> None:
        prepared, shown = self._model.prepared, self._model.shown
        n_shown = len(shown.ids)
        if prepared is None:
            self.count.setText("")
        elif n_shown == len(prepared.figures):
            self.count.setText(counted(n_shown, "token"))
        else:
            self.count.setText(f"{n_shown:,} of {counted(len(prepared.figures), 'token')}")
        nothing = NOT_FOUND if not n_shown and prepared is not None and shown.counts else ""
        trying = TRYING if self._model.trying.is_busy else ""
        self.state.setText(trying or shown.problem or self._model.problem or nothing)


# Tokens of a vocabulary as rows for Qt's table views, made when they are looked at


class VocabularyRow(NamedTuple):
    """One token."""

    figures: TokenFigures
    token: int
    spelling: Spelling


def _cell_text(column: core.VocabularyColumn, row: VocabularyRow) -> str:
    return column.text(row.figures, row.token, row.spelling)


COLUMNS = {
    column.name: Column[VocabularyRow](
        column.name, RIGHT if column.is_figure else LEFT, partial(_cell_text, column)
    )
    for column in core.COLUMNS
}


class VocabularyTableModel(RowTable[VocabularyRow]):
    """Each token that is listed as a row; nothing is kept per row."""

    def __init__(self, model: VocabularyModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._columns: list[Column[VocabularyRow]] = []
        self._ids = model.shown.ids
        model.shown_changed.connect(self._show)
        model.columns_changed.connect(self._show)
        model.session.spelling.changed.connect(self.notify_all_changed)
        self._show()

    @property
    def columns(self) -> Sequence[Column[VocabularyRow]]:
        return self._columns

    @property
    def n_rows(self) -> int:
        return len(self._ids)

    @property
    def order(self) -> tuple[str, bool]:
        request = self._model.shown.request
        return request.sort, request.is_descending

    def token(self, row: int) -> int:
        return int(self._ids[row])

    def row(self, index: int) -> VocabularyRow | None:
        prepared = self._model.prepared
        if prepared is None or index >= len(self._ids):
            return None
        return VocabularyRow(prepared.figures, self.token(index), self._model.session.spelling.now)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and orientation is Qt.Orientation.Horizontal:
            return core.BY_NAME[self._columns[section].title].about
        return super().headerData(section, orientation, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order; by no column for -1."""
        name = self._columns[column].title if 0 <= column < len(self._columns) else ""
        self._model.sort_by(name, bool(name) and order is Qt.SortOrder.DescendingOrder)

    def _show(self) -> None:
        columns = [COLUMNS[column.name] for column in self._model.shown_columns]
        self.beginResetModel()
        self._columns, self._ids = columns, self._model.shown.ids
        self.endResetModel()
