"""How a run is stopped, paused, or held back for a moment from outside."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from guiapp.core import interrupts

QUIET_S = 1.0  # a run goes on when nobody has typed or scrolled for so long


class Control:
    """Asked between two calls and while waiting for one; others set it from signals and threads.

    paused_s  in all, moments included
    held_s    of moments alone
    """

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._runs = threading.Event()
        self._runs.set()
        self._quiet_at_s = 0.0
        self.paused_s = self.held_s = 0.0

    def stop(self) -> None:
        self._stopped.set()
        self._runs.set()

    def pause(self) -> None:
        self._runs.clear()

    def resume(self) -> None:
        self._runs.set()

    def hold(self) -> None:
        """Begin nothing for a moment: the window needs the processor, and would disturb what is timed."""
        self._quiet_at_s = time.monotonic() + QUIET_S

    def shall_stop(self) -> bool:
        return self._stopped.is_set()

    def wait_while_paused(self) -> None:
        started_s = time.monotonic()
        self._runs.wait()
        resumed_s = time.monotonic()
        while (left_s := self._quiet_at_s - time.monotonic()) > 0 and not self.shall_stop():
            self._stopped.wait(left_s)
        ended_s = time.monotonic()
        self.held_s += ended_s - resumed_s
        self.paused_s += ended_s - started_s


@contextmanager
def stopped_by_signals() -> Iterator[Control]:
    """What stops at Ctrl+C, or when the process shall end; afterwards signals do what they did before.

    Until `interrupts.has_results`, a signal raises KeyboardInterrupt.
    """
    control = Control()
    numbers = signal.SIGINT, signal.SIGTERM
    for event in (interrupts.has_happened, interrupts.has_results):
        event.clear()

    def stop(*_: object) -> None:
        control.stop()
        if not interrupts.has_results.is_set():
            interrupts.raise_once()
        interrupts.has_happened.set()

    handlers = [signal.signal(number, stop) for number in numbers]
    try:
        yield control
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)
