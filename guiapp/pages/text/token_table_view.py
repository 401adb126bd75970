"""The tokens as a table, linked with the session's selected and hovered token."""

from __future__ import annotations

import heapq

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QRect, QRectF
from PySide6.QtGui import QColor, QGuiApplication, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.tables import COLUMNS, TINT_ROLE, AnyIndex, ChipDelegate, TokenTableModel, show_rows
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UNIT_PX, ThemeSource

WIDTHS_PX = {"#": 72, "id": 76, "token": 180, "bytes": 190, "type": 100, "score": 80, "span": 130}
TITLES = [column.title for column in COLUMNS]
ID_COLUMN = TITLES.index("id")
GROWING_COLUMNS = TITLES.index("#"), TITLES.index("span")
BYTES, TOKEN = TITLES.index("bytes"), TITLES.index("token")  # the first takes what room is left
LEAST_SHARE = 0.5  # of its usual width, for a column that makes room for others


class TokenTableView(QTableView):
    """Rows to select and copy; the present row is the session's selected token."""

    def __init__(
        self,
        model: TokenTableModel,
        source: ModelSession,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
    ) -> None:
        super().__init__()
        self._zoom = zoom or TextZoom(self)
        self._fitted: list[int] = []
        self._is_choosing = False
        self._tokens = model
        self._source = source
        self._theme_source = theme_source
        self.setModel(model)
        self.setItemDelegateForColumn(ID_COLUMN, _IdDelegate(theme_source, self))
        self.setAccessibleName("Tokens")
        show_rows(self)
        self.horizontalHeader().setStretchLastSection(False)
        self.setMouseTracking(True)
        self._on_zoom_changed()
        offer_copying(self, "Copy rows", self.copy)
        self.entered.connect(self._hover)
        self.selectionModel().currentRowChanged.connect(self._select)
        source.selected_token_changed.connect(self._refresh)
        model.rows_changed.connect(self._fit_columns)
        model.rows_changed.connect(self._refresh)
        source.hovered_token_changed.connect(self.viewport().update)
        self._zoom.changed.connect(self._on_zoom_changed)

    def copy(self) -> None:
        """Put the selected rows on the clipboard, as lines with tabs."""
        selection = self.selectionModel().selection()
        stretches = [selection.at(number) for number in range(selection.count())]
        rows = heapq.merge(*(range(stretch.top(), stretch.bottom() + 1) for stretch in stretches))
        QGuiApplication.clipboard().setText(self._tokens.as_text(rows))

    def _on_zoom_changed(self) -> None:
        self.setFont(self._zoom.mono_font(SMALL_FONT_PX))
        self.horizontalHeader().setFont(self._zoom.ui_font(SMALL_FONT_PX))
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 2 * UNIT_PX)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Let columns whose numbers grow with the text be as wide as the last row needs; two others yield.

        What people dragged stays until the widths are others.
        """
        usual = [round(WIDTHS_PX[title] * self._zoom.factor) for title in TITLES]
        widths, last = [*usual], self._tokens.rowCount() - 1
        if not self.isVisible() and self._fitted:
            return
        for column in GROWING_COLUMNS if last >= 0 else ():
            text = str(self._tokens.index(last, column).data())
            widths[column] = max(usual[column], self.fontMetrics().horizontalAdvance(text) + 4 * UNIT_PX)
        room = self.viewport().width() - sum(widths)  # too much, or too little
        widths[BYTES] = max(usual[BYTES] + room, round(LEAST_SHARE * usual[BYTES]))
        room -= widths[BYTES] - usual[BYTES]
        widths[TOKEN] = max(usual[TOKEN] + min(room, 0), round(LEAST_SHARE * usual[TOKEN]))
        if widths != self._fitted:
            self._fitted = widths
            for column, width in enumerate(widths):
                self.setColumnWidth(column, width)

    def _select(self, current: QModelIndex) -> None:
        if current.isValid() and not self._tokens.is_shrinking:
            self._is_choosing = True  # Qt selects the row itself, or more than that
            self._source.select_token(current.row())
            self._is_choosing = False

    def _refresh(self) -> None:
        """Show the session's token as the present row."""
        selected, selection = self._source.selected_token, self.selectionModel()
        if self._is_choosing or not self.isVisible():  # to look for a row costs as much as there are rows
            return
        if selected is None or selected >= self._tokens.rowCount():
            selection.clearSelection()
            return
        index = self._tokens.index(selected, 0)
        if selected == self.currentIndex().row() and selection.isRowSelected(selected):
            return
        flags = QItemSelectionModel.SelectionFlag
        selection.setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)
        self.scrollTo(index)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._zoom.take(event):
            super().wheelEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_columns()
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _hover(self, index: QModelIndex) -> None:
        self._source.hover_token(index.row())

    def leaveEvent(self, event: QEvent) -> None:
        self._source.hover_token(None)
        super().leaveEvent(event)


class _IdDelegate(ChipDelegate):
    """The id as in the strip: with the colour that its token has in the text."""

    def chip(self, option: QStyleOptionViewItem, index: AnyIndex) -> tuple[QRectF, str, QColor]:
        text, cell = str(index.data()), option.rect
        width = option.fontMetrics.horizontalAdvance(text) + 2 * UNIT_PX
        place = QRect(cell.right() - width - UNIT_PX, cell.top() + 2, width, cell.height() - 4)
        color = self._theme_source.theme.span_color(index.data(TINT_ROLE))
        return QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), text, color
