"""A thread that writes files for the window, one thing after another."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from functools import partial


class Writer:
    """Does what it is given in the order in which it comes; Python ends when all is done.

    An executor of the standard library would do, but for the time that its import takes at the start.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._waiting: deque[Callable[[], object]] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None  # while there is something to do

    def submit(self, work: Callable[..., object], *arguments: object, **named: object) -> None:
        """Have something done; nobody waits for it."""
        with self._lock:
            self._waiting.append(partial(work, *arguments, **named))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name)
                self._thread.start()

    def finish(self) -> None:
        """Wait until all is done that was submitted before."""
        thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            try:
                work()
            except Exception:
                mistake = (*sys.exc_info(), threading.current_thread())
                threading.excepthook(threading.ExceptHookArgs(mistake))

    def _next(self) -> Callable[[], object] | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._thread = None
            return None
