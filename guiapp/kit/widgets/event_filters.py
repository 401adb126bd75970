"""Event filters for widgets: tool tips, showing and hiding, input, and zooming with the wheel."""

from __future__ import annotations

import time
from collections.abc import Callable
from html import escape
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QFont, QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from guiapp.kit.widgets.theme import Theme

W = TypeVar("W", bound=QWidget)
SELDOM_S = 0.1  # shortest time between two signals; what happens in between is skipped
LONGEST_LINE = 90  # characters of a tip line that does not wrap
PRESSES = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class TipWatch(QObject):
    """Shows `tip(position)` as a widget's tool tip, "" for none; lives as long as the widget."""

    def __init__(self, widget: QWidget, tip: Callable[[QPoint], str]) -> None:
        super().__init__(widget)
        self._widget, self._tip = widget, tip
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self._widget)
            return True
        return False


def plain_tip(text: str) -> str:
    """A tool tip that shows a text literally, not as markup."""
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if "<" in text else text


def wrapped_tip(text: str) -> str:
    """The same, wrapped to a readable length; short lines and units such as “/s” do not break."""
    lines = [escape(line).replace("/s", "/\N{WORD JOINER}s") for line in text.split("\n")]
    whole = (f"<nobr>{line}</nobr>" if len(line) <= LONGEST_LINE else line for line in lines)
    return f'<p style="white-space: pre-wrap">{"<br>".join(whole)}</p>'


def leave_unpointed(window: QWidget) -> None:
    """Send Leave events to widgets that the mouse left while a dialog was open; Qt does not."""
    for widget in window.findChildren(QWidget):
        if widget.underMouse() and not widget.rect().contains(widget.mapFromGlobal(QCursor.pos())):
            QApplication.sendEvent(widget, QEvent(QEvent.Type.Leave))


class SeenWatch(QObject):
    """Calls `notify` with whether a widget is shown, when that changes; lives as long as the widget."""

    def __init__(self, widget: QWidget, notify: Callable[[bool], object]) -> None:
        super().__init__(widget)
        self._notify = notify
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            self._notify(event.type() == QEvent.Type.Show)
        return False


class InputWatch(QObject):
    """Filters the events of a QWindow, which are far fewer than the events of its widgets.

    Signals:
        noticed(): a key, a button, the wheel or a drag; at most ten times a second.
    """

    noticed = Signal()

    def __init__(self, clock_s: Callable[[], float] = time.monotonic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock_s = clock_s
        self._told_at_s = -SELDOM_S

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if _is_input(event) and (now_s := self._clock_s()) >= self._told_at_s + SELDOM_S:
            self._told_at_s = now_s
            self.noticed.emit()
        return False


def _is_input(event: QEvent) -> bool:
    if isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseMove:
        return event.buttons() != Qt.MouseButton.NoButton
    return event.type() in PRESSES


class TextZoom(QObject):
    """A zoom factor for font sizes.

    Signals:
        changed(): `factor` is new.
        stepped(int): the wheel was turned over a watched widget: 1 for larger, -1 for smaller.
    """

    changed = Signal()
    stepped = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.factor = 1.0

    def set_factor(self, factor: float) -> None:
        if factor != self.factor:
            self.factor = factor
            self.changed.emit()

    def scaled(self, size_px: int) -> int:
        return round(size_px * self.factor)

    def mono_font(self, size_px: int) -> QFont:
        return Theme.mono_font(self.scaled(size_px))

    def ui_font(self, size_px: int) -> QFont:
        return Theme.ui_font(self.scaled(size_px))

    def fit(self, widget: W, size_px: int, font_of: Callable[[int], QFont] = Theme.ui_font) -> W:
        """Keep a widget's font at this size times the factor, as long as the widget lives."""
        _ZoomedFont(widget, self, size_px, font_of)
        return widget

    def watch(self, widget: QWidget) -> None:
        """Let Ctrl and the wheel zoom over a widget."""
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_for_us = isinstance(event, QWheelEvent) and self.take(event)
        return is_for_us or super().eventFilter(watched, event)

    def take(self, event: QWheelEvent) -> bool:
        """Zoom if Ctrl is held; return whether it is."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        if turned := event.angleDelta().y():
            self.stepped.emit(1 if turned > 0 else -1)
        return True


class _ZoomedFont(QObject):
    """Keeps a widget's font at the zoomed size; lives as long as the widget."""

    def __init__(
        self, widget: QWidget, zoom: TextZoom, size_px: int, font_of: Callable[[int], QFont]
    ) -> None:
        super().__init__(widget)
        self._widget, self._zoom, self._size_px, self._font_of = widget, zoom, size_px, font_of
        zoom.changed.connect(self._fit)
        self._fit()

    def _fit(self) -> None:
        self._widget.setFont(self._font_of(self._zoom.scaled(self._size_px)))
