"""Where Python looks for garbage: in the window's thread, between events.

By itself it does so in whichever thread makes the next object, and garbage may hold Qt objects.  Where
another thread destroys one of those, it waits for Python's lock while it holds one of Qt's, and the window's
thread may hold the former and wait for the latter: both stand still for good.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

from guiapp.core.system.allocator import give_holes_back

LOOK_MS, LOOK_AGAIN_MS = 100, 20  # after a look that found nothing to do, or something
YOUNG, MIDDLE, OLD = 700, 10, 10  # as `gc.get_count` counts: new objects, and looks at younger ones
FULL_EVERY_S = 60.0  # it takes longer than a frame: so seldom, and
QUIET_S = 1.0  # only when nobody has worked in the window for so long,
MOST_PUT_OFF_S = 120.0  # but not so much later than it was due: three minutes after the one before
REST_S = 20.0  # and once more when nobody has worked for so long: who rests holds what is shown, no more


class GarbageCollector(QObject):
    """Collects garbage from `start` to `stop`; before, while modules are loaded, nobody does."""

    def __init__(self, clock_s: Callable[[], float] = time.monotonic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock_s = clock_s
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._next_full_s = float("inf")
        self._quiet_from_s = float("-inf")
        self._rests = True
        gc.disable()

    def start(self) -> None:
        """Never look at what is loaded by now: a hundred thousand objects, which stay until the end."""
        gc.freeze()
        self._next_full_s = self._clock_s() + FULL_EVERY_S
        self._timer.start()

    def put_off(self) -> None:
        """Somebody types, clicks or scrolls: look at everything when they pause."""
        self._quiet_from_s = self._clock_s() + QUIET_S
        self._rests = False

    def stop(self) -> None:
        """Leave it to Python again, once no other thread is at work."""
        self._timer.stop()
        gc.enable()

    def look(self) -> None:
        """Take away what garbage it is time for; called by itself, many times a second."""
        young, middle, old = gc.get_count()
        if (old > OLD and self._is_time_for_all()) or self._begins_to_rest():
            self.take_all()
        elif middle > MIDDLE:
            gc.collect(1)
        elif young > YOUNG:
            gc.collect(0)
        self._timer.setInterval(LOOK_AGAIN_MS if young > YOUNG else LOOK_MS)

    def take_all(self) -> None:
        """Take away all garbage, and give back what memory is free."""
        gc.collect(2)
        give_holes_back()
        self._next_full_s = self._clock_s() + FULL_EVERY_S

    def _is_time_for_all(self) -> bool:
        now_s = self._clock_s()
        return now_s > self._next_full_s + (MOST_PUT_OFF_S if now_s < self._quiet_from_s else 0.0)

    def _begins_to_rest(self) -> bool:
        """Whether somebody worked, and has not for a while; true once."""
        if self._rests or self._clock_s() < self._quiet_from_s + REST_S:
            return False
        self._rests = True
        return True
