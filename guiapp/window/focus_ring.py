"""A ring around the panel that was focused with a key, to show where the focus is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.kit.widgets.painting import Overlay, ring
from guiapp.kit.widgets.theme import RADIUS_PX, Theme, ThemeSource

LINE_PX = 2


def holds(panel: QWidget, widget: QWidget | None) -> bool:
    """Whether a widget is the panel or inside it."""
    return widget is not None and (panel is widget or panel.isAncestorOf(widget))


class FocusRing(Overlay):
    """An overlay on the window, around one panel until the focus leaves it."""

    def __init__(self, theme_source: ThemeSource, window: QWidget) -> None:
        super().__init__(theme_source, window)
        self._panel: QWidget | None = None
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_focus_changed)

    def surround(self, panel: QWidget) -> None:
        self._leave()
        self._panel = panel
        panel.installEventFilter(self)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._fit()
        elif event.type() == QEvent.Type.Hide:
            self._leave()
        return False

    def paint(self, painter: QPainter, theme: Theme) -> None:
        ring(painter, self.rect(), QPen(theme.accent, LINE_PX), RADIUS_PX)

    def _on_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if self._panel is not None and not holds(self._panel, new):
            self._leave()

    def _fit(self) -> None:
        if self._panel is not None:
            self.cover(QRect(self._panel.mapTo(self.window(), QPoint()), self._panel.size()))

    def _leave(self) -> None:
        if self._panel is not None:
            self._panel.removeEventFilter(self)
            self._panel = None
        self.hide()
