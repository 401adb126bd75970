"""Where Python looks for garbage: in the window's thread, between events.

By itself it does so in whichever thread makes the next object, and garbage may hold Qt objects.  Where
another thread destroys one of those, it waits for Python's lock while it holds one of Qt's, and the window's
thread may hold the former and wait for the latter: both stand still for good.
"""

from __future__ import annotations

import gc
import time

from PySide6.QtCore import QObject, QTimer

LOOK_MS, LOOK_AGAIN_MS = 100, 20  # after a look that found nothing to do, or something
YOUNG, MIDDLE, OLD = 700, 10, 10  # as `gc.get_count` counts: new objects, and looks at younger ones
FULL_EVERY_S = 60.0  # it takes longer than a frame


class GarbageCollector(QObject):
    """Collects garbage from `start` to `stop`; before, while modules and kernels are loaded, nobody does."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self._look)
        self._next_full = float("inf")
        gc.disable()

    def start(self) -> None:
        self.spare()
        self._timer.start()

    def spare(self) -> None:
        """Never look at what is loaded by now: hundreds of thousands of objects, which stay until the end."""
        gc.freeze()
        self._next_full = time.monotonic() + FULL_EVERY_S

    def stop(self) -> None:
        """Leave it to Python again, once no other thread is at work."""
        self._timer.stop()
        gc.enable()

    def _look(self) -> None:
        young, middle, old = gc.get_count()
        if old > OLD and time.monotonic() > self._next_full:
            self._next_full = time.monotonic() + FULL_EVERY_S
            gc.collect(2)
        elif middle > MIDDLE:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)
        self._timer.setInterval(LOOK_AGAIN_MS if young > YOUNG else LOOK_MS)
