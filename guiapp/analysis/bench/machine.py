"""The machine of a run, its load, and what was measured there: what figures depend on."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from guiapp.analysis.bench.corpus import BenchText
from guiapp.core.sources.files import whole_hash
from guiapp.core.versions import versions
from guiapp.core.vocabulary.vocabulary import Vocabulary

PROCESSORS = Path("/proc/cpuinfo")
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
