"""Time for playing step by step, shared by all that can be played."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

SPEEDS = (1, 2, 5, 10, 30)  # steps a second


class StepClock(QObject):
    """Ticks while it plays.

    Signals:
        ticked(): time for the next step.
        changed(): `is_playing` or `speed` is new.
    """

    ticked = Signal()
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._speed = SPEEDS[2]
        self._ticks = QTimer(self)
        self._ticks.timeout.connect(self.ticked)

    @property
    def is_playing(self) -> bool:
        return self._ticks.isActive()

    @property
    def speed(self) -> int:
        """Steps a second."""
        return self._speed

    def set_speed(self, steps_per_s: int) -> None:
        self._speed = steps_per_s
        self._ticks.setInterval(1000 // steps_per_s)
        self.changed.emit()

    def play(self) -> None:
        self._ticks.start(1000 // self._speed)
        self.changed.emit()

    def pause(self) -> None:
        if self._ticks.isActive():
            self._ticks.stop()
            self.changed.emit()
