"""How much memory this process holds, and the most it held."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import mmap
import sys
from collections.abc import Callable
from pathlib import Path

PROCESSES = Path("/proc")
PAGE_BYTES = mmap.PAGESIZE
STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")
RESET_PEAK = "5"


def held_bytes() -> int:
    """What is in memory now, after freed memory has been given back."""
    gc.collect()
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return _status("VmRSS") or _peak_of_process()


def peak_bytes_during(call: Callable[[], object]) -> int:
    """The most that was in memory while something ran; where nobody tells, the most since the start."""
    with contextlib.suppress(OSError):
        CLEAR_REFS.write_text(RESET_PEAK)
    call()
    return _status("VmHWM") or _peak_of_process()


def held_bytes_of(process_id: int) -> int:
    """What a process and all that it started hold; 0 where nobody tells.  Takes 0.2 ms."""
    folder = PROCESSES / str(process_id)
    with contextlib.suppress(OSError, ValueError):  # it is gone meanwhile
        held = int((folder / "statm").read_text().split()[1]) * PAGE_BYTES
        lists = [(thread / "children").read_text() for thread in (folder / "task").iterdir()]
        return held + sum(held_bytes_of(int(child)) for child in " ".join(lists).split())
    return 0


def _status(field: str) -> int:
    """A field of Linux's list in bytes, 0 where there is none."""
    with contextlib.suppress(OSError):
        for line in STATUS.read_text().splitlines():
            if line.startswith(f"{field}:"):
                return int(line.split()[1]) * 1024
    return 0


def _peak_of_process() -> int:
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
