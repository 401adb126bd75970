"""Contenders as chips: the marker of the charts, the name, and a cross that takes it out of the next run."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter

from guiapp.kit.charts.markers import paint_marker
from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.painting import LEFT, PaintedButton, write
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import GAP_PX, Theme, ThemeSource
from guiapp.pages.bench.contender_look import look_of
from guiapp.pages.bench.markers import SWATCH_PX

HEIGHT_PX, PAD_PX, CROSS_PX = 30, 12, 14
REMOVING_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
TIP = "A click points at it in all charts; the cross, or Delete, takes it out of the next run"


class ContenderChip(PaintedButton):
    """One contender; checked while it is the one that charts point at.

    Signals:
        removed(str): it shall take no part.
    """

    removed = Signal(str)
    radius_px = HEIGHT_PX / 2

    def __init__(self, name: str, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self.can_be_removed = True
        self.setText(name)
        self.setToolTip(TIP)
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        text_px = QFontMetrics(self._theme_source.theme.ui_font()).horizontalAdvance(self.text())
        return QSize(PAD_PX + SWATCH_PX + GAP_PX + text_px + GAP_PX + CROSS_PX + GAP_PX, HEIGHT_PX)

    @property
    def cross(self) -> QRect:
        """Where a click takes it out."""
        return QRect(self.width() - CROSS_PX - GAP_PX, 0, CROSS_PX + GAP_PX, self.height())

    def ground(self, theme: Theme) -> QColor | None:
        if self.isChecked():
            return blend(theme.raised, theme.accent, 0.24)
        return theme.raised if self.underMouse() else None

    def edge(self, theme: Theme) -> QColor:
        return theme.accent if self.hasFocus() else theme.line

    def paint(self, painter: QPainter, theme: Theme) -> None:
        middle = HEIGHT_PX / 2
        look = look_of(self.text(), theme)
        paint_marker(painter, QPointF(PAD_PX + SWATCH_PX / 2, middle), SWATCH_PX, look)
        left = PAD_PX + SWATCH_PX + GAP_PX
        write(painter, self.rect().adjusted(left, 0, 0, 0), self.text(), theme.text, LEFT, theme.ui_font())
        if self.can_be_removed:
            is_meant = self.underMouse() and self.cross.contains(self.mapFromGlobal(self.cursor().pos()))
            color = theme.text if is_meant else theme.dim
            icon("close", color, CROSS_PX).paint(painter, self.cross.adjusted(0, 0, -GAP_PX, 0))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isDown() and self.can_be_removed and self.cross.contains(event.position().toPoint()):
            self.setDown(False)
            self.removed.emit(self.text())
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in REMOVING_KEYS and self.can_be_removed:
            self.removed.emit(self.text())
        else:
            super().keyPressEvent(event)
