"""What the figures of a run depend on: the machine, its load, the texts and the vocabulary."""

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
LEAST_SHARE = 0.9  # of a core; a sample with less had to share one
BUSY_SHARE = 0.1  # of samples that had to share a core: with more, the others' caches were shared too
MOST_LOAD = 0.5  # of each core, by other programs


def is_busy(shares: Iterable[float], load: float | None, n_cores: int, n_threads: int) -> bool:
    """Whether other programs were using the machine while contenders took turns.

    shares  of a core, for samples on one thread
    load    load average of the machine, which includes the threads of one contender
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
    """The machine after a run; `held_s` is the total time that the run was held while the user typed."""
    return {"held_s": round(held_s, 1), "ended": _now(), "load_after": _load()}


def corpus_record(corpus: BenchText) -> dict[str, Any]:
    """The name, size and hash of a text."""
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
    """The load average of the last minute; None if the system has none."""
    load = _load()
    return None if load is None else load[0]


def _load() -> list[float] | None:
    return [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None


def _now() -> str:
    """The time with milliseconds: saved runs are named after it, and two may start in one second."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in PROCESSORS.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
