"""The cells of the summary, painted and clicked: names with their markers, figures with their bars."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QPointF,
    QRect,
    QRectF,
    Qt,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QHelpEvent,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from guiapp.kit.state.row_table import AnyIndex
from guiapp.kit.widgets.painting import LEFT, RIGHT, bold, elided, fill, ring, write
from guiapp.kit.widgets.plain_tip import plain_tip
from guiapp.kit.widgets.side_markers import MARKER_PX, draw_marker
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, Theme, ThemeSource
from guiapp.pages.compare.summary import SummaryModel
from guiapp.pages.compare.summary_rows import SummaryRow
from guiapp.pages.compare.summary_table import BAR_ROLE, ROW_ROLE, Bar, SummaryTable

NAME_LEFT_PX = 20  # behind the marker
BAR_PX, BAR_HEIGHT_PX = 30, 4
REMOVE_PX = 20
ADD, REMOVE = "+ column", "×"


def bar_px(index: AnyIndex) -> int:
    """The room that a bar takes beside its figure."""
    return BAR_PX + GAP_PX if index.data(BAR_ROLE) is not None else 0


class _CellDelegate(QStyledItemDelegate):
    """Paints a cell by hand on the ground that the style gives it, a hairline below."""

    def __init__(self, summary: SummaryModel, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._summary = summary
        self._theme_source = theme_source

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        theme, row = self._theme_source.theme, index.data(ROW_ROLE)
        place: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(QRect(place.left(), place.bottom(), place.width(), 1), theme.line)
        self.draw(painter, theme, place.adjusted(GAP_PX, 0, -GAP_PX, -1), index, row)
        if option.state & QStyle.StateFlag.State_HasFocus:
            ring(painter, place.adjusted(1, 1, -1, -2), theme.accent, 3)
        painter.restore()

    def helpEvent(
        self, event: QHelpEvent, view: QAbstractItemView, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        if event.type() != QEvent.Type.ToolTip or not index.isValid():
            return False
        QToolTip.showText(event.globalPos(), plain_tip(str(index.data(Qt.ItemDataRole.ToolTipRole))), view)
        return True

    @abstractmethod
    def draw(self, painter: QPainter, theme: Theme, place: QRect, index: AnyIndex, row: SummaryRow) -> None:
        """Draw what the cell holds."""


class FigureDelegate(_CellDelegate):
    """A figure at the right, its bar behind it; what is said in place of figures at the left."""

    def draw(self, painter: QPainter, theme: Theme, place: QRect, index: AnyIndex, row: SummaryRow) -> None:
        if told := self._summary.state_of(row):
            font = Theme.ui_font()
            color = theme.bad if row.failure else theme.dim
            write(painter, place, elided(told, font, place.width()), color, LEFT, font)
            return
        bar = index.data(BAR_ROLE)
        figure = place
        if isinstance(bar, Bar):
            draw_bar(painter, theme, QRectF(place.right() - BAR_PX, place.center().y() + 1, BAR_PX, 0), bar)
            figure = place.adjusted(0, 0, -BAR_PX - GAP_PX, 0)
        is_old = row.session is None and self._summary.is_due(row)
        font = bold(Theme.mono_font(UI_FONT_PX), index.column() == 1)
        write(painter, figure, str(index.data()), theme.dim if is_old else theme.text, RIGHT, font)


def draw_bar(painter: QPainter, theme: Theme, line: QRectF, bar: Bar) -> None:
    """As long as its share of the most, along a line: grey up to the least of all, amber beyond."""
    if bar.most <= 0:
        return
    whole, needed = (line.width() * value / bar.most for value in (bar.value, bar.least))
    top = line.y() - BAR_HEIGHT_PX / 2
    fill(painter, QRectF(line.x(), top, needed, BAR_HEIGHT_PX), theme.faint, 1)
    if whole - needed >= 0.5:
        fill(painter, QRectF(line.x() + needed, top, whole - needed, BAR_HEIGHT_PX), theme.warning, 1)


class NameDelegate(_CellDelegate):
    """Marker and name; which column it is, or to be made one; and to be removed."""

    def __init__(
        self, summary: SummaryModel, table: SummaryTable, theme_source: ThemeSource, parent: QWidget
    ) -> None:
        super().__init__(summary, theme_source, parent)
        self._table = table
        self._font, self._small = Theme.ui_font(), Theme.ui_font(SMALL_FONT_PX)

    def width_of(self, row: SummaryRow) -> int:
        title, note = _width(self._font, self._table.title_of(row)), self._note_px(row)
        return 2 * GAP_PX + NAME_LEFT_PX + title + GAP_PX + note + GAP_PX + REMOVE_PX

    def note_of(self, row: SummaryRow) -> str:
        if row.session is not None:
            return f"column {self._table.number_of(row) + 1}"
        return ADD if self._summary.can_become_column(row) else ""

    def places(self, place: QRect, row: SummaryRow) -> tuple[QRect, QRect]:
        """Where the note stands, and the cross to remove a row by."""
        cross = QRect(place.right() - REMOVE_PX + 1, place.top(), REMOVE_PX, place.height())
        width = self._note_px(row)
        title = _width(self._font, self._table.title_of(row))
        left = min(place.left() + NAME_LEFT_PX + title + GAP_PX, cross.left() - width)
        return QRect(left, place.top(), width, place.height()), cross

    def draw(self, painter: QPainter, theme: Theme, place: QRect, index: AnyIndex, row: SummaryRow) -> None:
        note, cross = self.places(place, row)
        center = QPointF(place.left() + MARKER_PX / 2 + 1, place.center().y() + 1)
        draw_marker(painter, center, self._table.number_of(row), theme)
        left = place.left() + NAME_LEFT_PX
        room = QRect(left, place.top(), note.left() - GAP_PX - left + 1, place.height())
        title = elided(self._table.title_of(row), self._font, room.width(), Qt.TextElideMode.ElideMiddle)
        write(painter, room.adjusted(0, 0, GAP_PX, 0), title, theme.text, LEFT, self._font)
        color = theme.text if row.session is None else theme.dim
        write(painter, note, self.note_of(row), color, LEFT, self._small)
        if self._summary.can_remove(row):
            write(painter, cross, REMOVE, theme.dim, Qt.AlignmentFlag.AlignCenter, self._font)

    def _note_px(self, row: SummaryRow) -> int:
        return _width(self._small, self.note_of(row))

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: AnyIndex
    ) -> bool:
        """A click on the note or the cross."""
        if event.type() != QEvent.Type.MouseButtonRelease or not isinstance(event, QMouseEvent):
            return False
        if event.button() is not Qt.MouseButton.LeftButton:
            return False
        row: SummaryRow = index.data(ROW_ROLE)
        note, cross = self.places(option.rect.adjusted(GAP_PX, 0, -GAP_PX, -1), row)
        at = event.position().toPoint()
        if cross.contains(at) and self._summary.can_remove(row):
            self._summary.remove(row)
            return True
        if note.contains(at) and self._summary.can_become_column(row):
            self._summary.make_column(row)
            return True
        return False


def _width(font: QFont, text: str) -> int:
    return QFontMetrics(font).horizontalAdvance(text) + 1
