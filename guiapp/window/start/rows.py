"""Lines to click: a lesson, a model, a text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.painting import LEFT, RIGHT, PaintedButton, fill, write
from guiapp.kit.widgets.plain_tip import plain_tip
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import GAP_PX, RADIUS_PX, SMALL_FONT_PX, UI_FONT_PX, Theme, ThemeSource

ROW_PX = 31
MARK_PX = 16
LIT = 0.14  # of the accent on the ground
FULL_CIRCLE, TOP = 360 * 16, 90 * 16  # as QPainter counts
LEAST_DETAIL_PX = 60
BETWEEN = " · "  # the parts of a detail


class StartRow(PaintedButton):
    """A mark, a title, and at the right what else there is to know.

    share  how much of a lesson is done, as a ring and as a tick once it is all; None for things with an icon
    """

    radius_px = RADIUS_PX

    def __init__(
        self,
        title: str,
        detail: str,
        clicked: Callable[[], object],
        theme_source: ThemeSource,
        *,
        share: float | None = None,
        icon_name: str = "",
        is_next: bool = False,
        tip: str = "",
    ) -> None:
        super().__init__(theme_source)
        self._detail = detail
        self._share = share
        self._icon_name = icon_name
        self._is_next = is_next
        self.setText(title)
        self.setToolTip(plain_tip(tip))
        told = "finished" if share == 1 else detail
        self.setAccessibleName(", ".join(filter(None, (title, told))))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(clicked)

    def sizeHint(self) -> QSize:
        return QSize(200, ROW_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def ground(self, theme: Theme) -> QColor | None:
        if self._is_next:
            return blend(theme.background, theme.accent, LIT)
        return theme.raised if self.underMouse() else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        inner = QRectF(self.rect()).adjusted(GAP_PX + 0.5, 0.5, -GAP_PX - 0.5, -0.5)
        self._paint_mark(painter, theme, inner)
        has_mark = self._share is not None or self._icon_name
        self._paint_texts(painter, theme, inner.adjusted(MARK_PX + GAP_PX + 2 if has_mark else 0, 0, 0, 0))

    def _paint_mark(self, painter: QPainter, theme: Theme, inner: QRectF) -> None:
        mark = QRectF(inner.left(), inner.center().y() - MARK_PX / 2, MARK_PX, MARK_PX)
        if self._icon_name:
            icon(self._icon_name, theme.dim).paint(painter, mark.toRect())
        elif self._share == 1:
            fill(painter, mark, theme.good, MARK_PX / 2)
            icon("check", theme.background).paint(painter, mark.adjusted(2, 2, -2, -2).toRect())
        elif self._share is not None:
            ring = mark.adjusted(1, 1, -1, -1)
            painter.setPen(QPen(theme.faint, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(ring)
            painter.setPen(QPen(theme.accent, 1.8))
            painter.drawArc(ring, TOP, -round(FULL_CIRCLE * self._share))

    def _paint_texts(self, painter: QPainter, theme: Theme, place: QRectF) -> None:
        """The title goes first; the detail has what is left, as many of its parts as fit."""
        font, small = Theme.ui_font(UI_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
        metrics, detail_metrics = QFontMetricsF(font), QFontMetricsF(small)
        title = metrics.elidedText(self.text(), Qt.TextElideMode.ElideMiddle, place.width())
        color = theme.text if self.isEnabled() and self._share != 1 else theme.dim
        write(painter, place, title, color, LEFT, font)
        rest = place.adjusted(metrics.horizontalAdvance(title) + 2 * GAP_PX, 0, 0, 0)
        detail = self._detail
        while BETWEEN in detail and detail_metrics.horizontalAdvance(detail) > rest.width():
            detail = detail.rpartition(BETWEEN)[0]
        if rest.width() >= min(detail_metrics.horizontalAdvance(detail), LEAST_DETAIL_PX):
            detail = detail_metrics.elidedText(detail, Qt.TextElideMode.ElideRight, rest.width())
            write(painter, rest, detail, theme.dim, RIGHT, small)
