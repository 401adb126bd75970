"""How a run is stopped or paused from outside."""

from __future__ import annotations

import threading
import time


class Control:
    """Asked between two calls and while waiting for one; others set it from signals and threads."""

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._runs = threading.Event()
        self._runs.set()
        self.paused_s = 0.0

    def stop(self) -> None:
        self._stopped.set()
        self._runs.set()

    def pause(self) -> None:
        self._runs.clear()

    def resume(self) -> None:
        self._runs.set()

    def shall_stop(self) -> bool:
        return self._stopped.is_set()

    def wait_while_paused(self) -> None:
        started = time.monotonic()
        self._runs.wait()
        self.paused_s += time.monotonic() - started
