"""Ctrl+C ends a command within a second, whatever it waits for: native code, a thread, another process.

The first one raises KeyboardInterrupt, more of them change nothing.  A command that does not end soon is
ended from a thread, which sees signals also while the main thread is busy.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

INTERRUPTED = 130  # the exit status
PATIENCE_S = 0.7
SAVING_S = 60.0  # more for a command that has results to write

has_happened = threading.Event()
has_results = threading.Event()


def end_soon_when_interrupted() -> None:
    """From now on; not where the system ignores interrupts, as of a job in the background."""
    if sys.platform == "win32" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, raise_once)
    threading.Thread(target=_end_late, args=(reading,), daemon=True).start()
    sys.unraisablehook = lambda what: has_happened.is_set() or sys.__unraisablehook__(what)


def raise_once(*_: object) -> None:
    """Raise KeyboardInterrupt for the first of several interrupts."""
    is_first = not has_happened.is_set()
    has_happened.set()
    if is_first:
        raise KeyboardInterrupt


def end_at_first_interrupt() -> None:
    """For the time with Qt, which prints what is raised while it calls Python, and goes on."""
    if signal.getsignal(signal.SIGINT) is raise_once:
        signal.signal(signal.SIGINT, lambda *_: has_happened.is_set() or os._exit(INTERRUPTED))


def _end_late(reading: int) -> None:
    while os.read(reading, 1)[0] != signal.SIGINT:
        pass
    time.sleep(PATIENCE_S)
    if has_results.is_set():
        time.sleep(SAVING_S)
    os._exit(INTERRUPTED)
