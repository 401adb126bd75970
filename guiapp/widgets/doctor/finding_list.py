"""The findings of the doctor, the worst first: a row for each, with a sign of its severity."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from guiapp.core.doctor.findings import Finding
from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.doctor.model import DoctorModel
from guiapp.viewmodels.doctor.words import title_of
from guiapp.widgets.doctor.severities import ICONS
from guiapp.widgets.shared.icons import icon
from guiapp.widgets.shared.painting import LEFT, bold, elided, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource

ROW_PX, ICON_PX = 62, 18
TEXT_PX = 2 * MARGIN_PX + ICON_PX  # where it begins


class FindingList(QAbstractScrollArea):
    """A click or the arrow keys choose the finding that is looked at."""

    def __init__(self, model: DoctorModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._theme_source = theme_source
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Findings")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumSize(240, ROW_PX)
        model.changed.connect(self._follow)
        model.chosen_changed.connect(self._follow_chosen)
        theme_source.changed.connect(self.viewport().update)
        self._follow()
        self._follow_chosen()

    def sizeHint(self) -> QSize:
        return QSize(600, 6 * ROW_PX)

    def row_at(self, row: int) -> QRect:
        """Where a row is in the viewport."""
        return QRect(0, row * ROW_PX - self.verticalScrollBar().value(), self.viewport().width(), ROW_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._follow()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._model.choose((event.position().toPoint().y() + self.verticalScrollBar().value()) // ROW_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last, page = len(self._model.findings) - 1, max(self.viewport().height() // ROW_PX, 1)
        rows = {
            Qt.Key.Key_Up: self._model.chosen - 1,
            Qt.Key.Key_Down: self._model.chosen + 1,
            Qt.Key.Key_PageUp: max(self._model.chosen - page, 0),
            Qt.Key.Key_PageDown: min(self._model.chosen + page, last),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if (row := rows.get(Qt.Key(event.key()))) is None:
            super().keyPressEvent(event)
        else:
            self._model.choose(row)

    def _follow(self) -> None:
        bar = self.verticalScrollBar()
        bar.setSingleStep(ROW_PX // 2)
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, len(self._model.findings) * ROW_PX - self.viewport().height()))
        self.viewport().update()

    def _follow_chosen(self) -> None:
        place, bar = self.row_at(self._model.chosen), self.verticalScrollBar()
        bar.setValue(bar.value() + min(place.top(), 0) + max(place.bottom() - self.viewport().height(), 0))
        finding = self._model.finding
        self.setAccessibleDescription("" if finding is None else f"{finding.severity}: {finding.what}")
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self.viewport()), self._theme_source.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), theme.background)
        top = self.verticalScrollBar().value()
        first, last = (top + event.rect().top()) // ROW_PX, (top + event.rect().bottom()) // ROW_PX
        for row, finding in enumerate(self._model.findings[first : last + 1], first):
            self._paint_row(painter, theme, row, finding)

    def _paint_row(self, painter: QPainter, theme: Theme, row: int, finding: Finding) -> None:
        place = self.row_at(row)
        if row == self._model.chosen:
            painter.fillRect(place, blend(theme.background, theme.accent, 0.12))
            painter.fillRect(QRect(place.left(), place.top(), 2, ROW_PX), theme.accent)
        painter.fillRect(QRect(place.left(), place.bottom(), place.width(), 1), theme.line)
        name, color = ICONS[finding.severity]
        sign = QRect(MARGIN_PX, place.top() + 12, ICON_PX, ICON_PX)
        icon(name, getattr(theme, color), ICON_PX).paint(painter, sign)
        upper = place.adjusted(TEXT_PX, 12, -MARGIN_PX, -ROW_PX // 2)
        lower = place.adjusted(TEXT_PX, ROW_PX // 2, -MARGIN_PX, -12)
        small, large = Theme.ui_font(SMALL_FONT_PX), bold(Theme.ui_font())
        write(painter, upper, elided(title_of(finding), large, upper.width()), theme.text, LEFT, large)
        told = elided(finding.what, small, lower.width())
        write(painter, lower, isolate(told), theme.dim, LEFT, small)
