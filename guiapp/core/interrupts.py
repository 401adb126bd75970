"""Signals and memory of the process: Ctrl+C ends it soon, and freed memory goes back to the system."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress

# <malloc.h>
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGE_BYTES = 1 << 20
FREE_BYTES = 1 << 20
INTERRUPTED = 130  # the exit status
PATIENCE_S = 0.7
SAVING_S = 60.0  # additional time for a command that has results to write

has_happened = threading.Event()
has_results = threading.Event()


def end_soon_when_interrupted() -> None:
    """From now on, Ctrl+C ends this command within a second, whatever it waits for.

    Native code, a thread or another process can block the main thread: the first interrupt raises
    KeyboardInterrupt, and if the command has not ended soon after, a thread ends it.  Nothing changes if
    the system ignores interrupts, as for a job in the background.
    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, raise_once)
    threading.Thread(target=_end_late, args=(reading,), daemon=True).start()
    sys.unraisablehook = lambda what: has_happened.is_set() or sys.__unraisablehook__(what)


def raise_once(*_: object) -> None:
    """Raise KeyboardInterrupt for the first interrupt only."""
    is_first = not has_happened.is_set()
    has_happened.set()
    if is_first:
        raise KeyboardInterrupt


def end_at_first_interrupt() -> None:
    """For the time with Qt: end the process at the first interrupt.

    During the import of Qt, KeyboardInterrupt aborts the process or leaves classes unfinished.  Later, Qt
    prints exceptions from Python code that it calls, and continues.
    """
    if signal.getsignal(signal.SIGINT) is raise_once:
        signal.signal(signal.SIGINT, lambda *_: has_happened.is_set() or os._exit(INTERRUPTED))


def _end_late(reading: int) -> None:
    while os.read(reading, 1)[0] != signal.SIGINT:
        pass
    time.sleep(PATIENCE_S)
    if has_results.is_set():
        time.sleep(SAVING_S)
    os._exit(INTERRUPTED)


def give_freed_memory_back() -> None:
    """Call this before there are threads, in a process that will run for hours.

    By default glibc has several heaps, and puts blocks of up to 32 MB there once one of that size was freed.
    Then, after some thousand clicks, a window holds twice the memory that it needs, in holes.
    From now on there is one heap, and a large block goes back to the system when it is freed.
    """
    import ctypes  # imported late: commands do not need it

    with suppress(AttributeError, OSError, TypeError):  # another system, or another C library
        set_option = ctypes.CDLL(None).mallopt
        set_option(M_ARENA_MAX, 1)
        set_option(M_MMAP_THRESHOLD, LARGE_BYTES)
        set_option(M_TRIM_THRESHOLD, FREE_BYTES)


def give_holes_back() -> None:
    """Also return free memory between blocks in use; takes some milliseconds."""
    import ctypes

    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
