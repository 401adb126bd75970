"""What is done once nothing has come up for a while: typing pauses, the mouse rests."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, SignalInstance


def later(owner: QObject, wait_ms: int, do: Callable[[], object] | SignalInstance) -> QTimer:
    """A timer of the owner's that does something once, so long after it was started last."""
    timer = QTimer(owner, singleShot=True, interval=wait_ms)
    timer.timeout.connect(do)
    return timer
