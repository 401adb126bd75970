"""The list of tokens: how many there are, and what is known of each; the present row is looked at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QSignalBlocker, Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QLabel, QTableView, QWidget

from guiapp.core.explain.figures import counted
from guiapp.core.vocabulary_list.figures import Ids
from guiapp.viewmodels.saving import FileSaving
from guiapp.viewmodels.vocabulary.model import NO_IDS, VocabularyModel
from guiapp.viewmodels.vocabulary.table import VocabularyTableModel
from guiapp.widgets.shared.layouts import STRETCH, in_column, in_row
from guiapp.widgets.shared.saving_bar import SavingBar
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.tables import show_rows
from guiapp.widgets.shared.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.shared.token_actions import copy_action

SHARES = {
    "token": 2.6,
    "bytes": 2.4,
    "script": 1.7,
    "kind": 1.3,
    "role": 1.3,
    "characters": 1.2,
    "score": 1.3,
}
CELLS = (
    "QTableView::item { padding: 0 5px; }"  # as far from the edges as the titles
    "QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; }"  # titles have arrows themselves
)
WIDEST_FIGURE, GAPS_PX = "128,255", 20  # what a cell has room for at least, and beside it
NOT_FOUND = "No token matches."
TRYING = "Trying which tokens text reaches …"


class TokenList(QWidget):
    """Rows to go through, sort, select and copy."""

    def __init__(self, model: VocabularyModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._told = model.wanted  # what was listed last
        self.table = VocabularyTableModel(model, self)
        self.count = set_role(QLabel(textFormat=Qt.TextFormat.PlainText), "dim")
        self.state = set_role(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "dim")
        self.view = QTableView()
        self._set_looks()
        head = in_row(self.count, (self.state, 1), margins=(MARGIN_PX, UNIT_PX), spacing=MARGIN_PX)
        in_column(head, SavingBar(saving, theme_source), (self.view, 1), STRETCH, on=self, spacing=0)
        self.setMinimumWidth(220)
        self.addAction(copy_action(self, "Copy rows", self.copy, QKeySequence.StandardKey.Copy))
        self.copy_ids = QAction("Copy ids", self)
        self.copy_ids.triggered.connect(self._copy_ids)
        self.addAction(self.copy_ids)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        selection = self.view.selectionModel()
        selection.currentRowChanged.connect(self._choose)
        selection.selectionChanged.connect(self._choose)
        self.table.modelReset.connect(self._follow_reset)
        model.prepared_changed.connect(self._tell)
        model.trying.busy_changed.connect(self._tell)
        model.shown_changed.connect(self._tell)
        model.chosen_changed.connect(self._follow_chosen)
        self._follow_reset()
        self._tell()

    @property
    def selected(self) -> Ids:
        """The tokens of the selected rows, in their order."""
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        return self._model.shown.ids[rows] if rows else NO_IDS

    def copy(self) -> None:
        """Put the selected rows on the clipboard."""
        rows = sorted(index.row() for index in self.view.selectionModel().selectedRows())
        QGuiApplication.clipboard().setText(self.table.as_text(rows))

    def _copy_ids(self) -> None:
        QGuiApplication.clipboard().setText(", ".join(map(str, self.selected.tolist())))

    def _set_looks(self) -> None:
        view = self.view
        view.setModel(self.table)
        view.setFont(Theme.mono_font(SMALL_FONT_PX))
        view.setStyleSheet(CELLS)
        show_rows(view)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        view.setAccessibleName("Tokens")
        view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 2 * UNIT_PX)
        header = view.horizontalHeader()
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        view.setSortingEnabled(True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Share the room beside the scroll bar; where that is too little, they are scrolled."""
        titles = [column.title for column in self.table.columns]
        figure_px = self.view.fontMetrics().horizontalAdvance(WIDEST_FIGURE) + GAPS_PX
        metrics = self.view.horizontalHeader().fontMetrics()
        written = [self.table.title(column) for column in self.table.columns]
        least = [max(figure_px, metrics.horizontalAdvance(each) + GAPS_PX) for each in written]
        shares = [SHARES.get(title, 1.0) for title in titles]
        room = self.width() - self.view.verticalScrollBar().sizeHint().width()
        for at, width in enumerate(shared_out(room, shares, least)):
            self.view.setColumnWidth(at, width)

    def _choose(self) -> None:
        """Look at the row that is selected; one that the keyboard merely begins at is not."""
        current = self.view.currentIndex()
        if current.isValid() and self.view.selectionModel().isSelected(current):
            token = self.table.token(current.row())
            if token != self._model.chosen:
                self._model.choose(token)

    def _follow_reset(self) -> None:
        """Show which column sorts, and go on with the chosen token where it is still there."""
        wanted, titles = self._model.wanted, [column.title for column in self.table.columns]
        header = self.view.horizontalHeader()
        orders = Qt.SortOrder
        with QSignalBlocker(header):
            header.setSortIndicator(
                titles.index(wanted.sort) if wanted.sort in titles else -1,
                orders.DescendingOrder if wanted.is_descending else orders.AscendingOrder,
            )
        self._fit_columns()
        self._follow_chosen()
        if self._model.shown.wanted != self._told:
            self._told = self._model.shown.wanted
            self.view.scrollToTop()  # what was looked for stands there

    def _follow_chosen(self) -> None:
        row, current = self._model.row_of(self._model.chosen), self.view.currentIndex()
        if row is None or row >= self.table.n_rows or (current.isValid() and current.row() == row):
            return
        index = self.table.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        with QSignalBlocker(self._model):
            self.view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        if not self.view.viewport().rect().intersects(self.view.visualRect(index)):
            self.view.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtCenter)

    def _tell(self) -> None:
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


def shared_out(room: int, shares: Sequence[float], least: Sequence[int]) -> list[int]:
    """Room divided by shares, each at least so much; what that takes more, the others have less."""
    widths, whole = [*least], sum(shares)
    for at in sorted(range(len(shares)), key=lambda each: shares[each] / least[each]):
        widths[at] = max(least[at], int(room * shares[at] / whole))
        room, whole = room - widths[at], whole - shares[at]
    return widths
