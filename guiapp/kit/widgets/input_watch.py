"""Whether somebody works in a window."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWindow

SELDOM_S = 0.1  # of all that happens in this time only the first is told
PRESSES = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class InputWatch(QObject):
    """Filters the events of a QWindow, which are far fewer than what its widgets tell each other.

    Signals:
        noticed(): a key, a button, the wheel, or something is dragged; a few times a second at most.
    """

    noticed = Signal()

    def __init__(self, clock_s: Callable[[], float] = time.monotonic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock_s = clock_s
        self._told_at_s = -SELDOM_S

    def watch(self, window: QWindow | None) -> None:
        """Watch this one, too: dialogs are windows of their own."""
        if window is not None:
            window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if _is_input(event) and (now_s := self._clock_s()) >= self._told_at_s + SELDOM_S:
            self._told_at_s = now_s
            self.noticed.emit()
        return False


def _is_input(event: QEvent) -> bool:
    if isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseMove:
        return event.buttons() != Qt.MouseButton.NoButton
    return event.type() in PRESSES
