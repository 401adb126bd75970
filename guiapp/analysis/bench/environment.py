"""The machine and the versions that a figure depends on."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
from datetime import datetime
from pathlib import Path
from typing import Any

from guiapp.analysis.bench.corpus import BenchText
from guiapp.core.sources.files import whole_hash
from guiapp.core.versions import versions
from guiapp.core.vocabulary.vocabulary import Vocabulary

PROCESSORS = Path("/proc/cpuinfo")


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
    return {
        "held_s": round(held_s, 1),
        "ended": _now(),
        "load_after": _load(),
    }


def _now() -> str:
    """With milliseconds: kept runs are named by it, and two may begin in one second."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


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
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in PROCESSORS.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def load_now() -> float | None:
    """The programs that want a processor, on the average of the last minute; None where nobody tells."""
    load = _load()
    return None if load is None else load[0]


def _load() -> list[float] | None:
    return [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None
