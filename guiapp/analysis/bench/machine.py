"""The machine of a run, its load and its memory, and what was measured there: what figures depend on."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import hashlib
import mmap
import os
import platform
import sys
from collections.abc import Callable, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from guiapp.analysis.bench.corpus import BenchText
from guiapp.core.sources.files import whole_hash
from guiapp.core.versions import versions
from guiapp.core.vocabulary.vocabulary import Vocabulary

PROCESSORS = Path("/proc/cpuinfo")
PROCESSES = Path("/proc")
PAGE_BYTES = mmap.PAGESIZE
STATUS = Path("/proc/self/status")
CLEAR_REFS = Path("/proc/self/clear_refs")
RESET_PEAK = "5"
LEAST_SHARE = 0.9  # of a core, for a sample that had one of its own
BUSY_SHARE = 0.1  # of the samples without a core: the others had one and shared its caches
MOST_LOAD = 0.5  # of each core, by other programs


def is_busy(shares: Iterable[float], load: float | None, n_cores: int, n_threads: int) -> bool:
    """Whether other programs took part of the machine while contenders took turns.

    shares  of a core that samples on one thread got
    load    of the machine, which counts the threads of one contender
    """
    few = [share < LEAST_SHARE for share in shares]
    return sum(few) > BUSY_SHARE * len(few) or (load or 0.0) - n_threads > MOST_LOAD * n_cores


def environment(clock: str) -> dict[str, Any]:
    """The machine before a run; `environment_after` adds what may have changed."""
    return {
        **dict(versions()),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "clock": clock,
        "started": _now(),
        "load_before": _load(),
    }


def environment_after(held_s: float) -> dict[str, Any]:
    """What a run ended with; `held_s` is how long it waited in all for somebody who typed."""
    return {"held_s": round(held_s, 1), "ended": _now(), "load_after": _load()}


def corpus_record(corpus: BenchText) -> dict[str, Any]:
    """Which text was encoded."""
    sha256 = hashlib.sha256(corpus.text).hexdigest()
    return {"name": corpus.name, "size_bytes": len(corpus.text), "sha256": sha256}


def vocabulary_record(vocabulary: Vocabulary) -> dict[str, Any]:
    """Which vocabulary was measured."""
    path = vocabulary.path
    return {
        "path": str(path),
        "sha256": None if path is None else whole_hash(path),
        "type": vocabulary.type.value,
        "pre": vocabulary.pre,
        "chosen_pre": vocabulary.chosen_pre,
        "tokens": len(vocabulary),
        "library": vocabulary.library,
        "bos": vocabulary.special_ids.bos,
    }


def load_now() -> float | None:
    """The programs that want a processor, on the average of the last minute; None where nobody counts."""
    load = _load()
    return None if load is None else load[0]


def _load() -> list[float] | None:
    return [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None


def _now() -> str:
    """With milliseconds: saved runs are named by it, and two may begin in one second."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in PROCESSORS.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


# How much memory this process holds, and the most it held


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
