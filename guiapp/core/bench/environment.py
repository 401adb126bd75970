"""The machine and the versions that a figure depends on."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
from datetime import datetime
from pathlib import Path
from typing import Any

from guiapp.core.bench.corpus import Corpus
from guiapp.core.sources.file_hash import whole_hash
from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.versions import versions

PROCESSORS = Path("/proc/cpuinfo")
FREQUENCIES = "/sys/devices/system/cpu", "cpu[0-9]*/cpufreq/scaling_cur_freq"


def environment(clock: str) -> dict[str, Any]:
    """The machine before a run; `environment_after` adds what may have changed."""
    return {
        **dict(versions()),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "clock": clock,
        "started": _now(),
        "load_before": _load(),
        "mhz_before": _frequency_mhz(),
    }


def noise_now() -> dict[str, Any]:
    """What may disturb a measurement at this moment."""
    load = _load()
    return {"load": None if load is None else load[0], "mhz": _frequency_mhz()}


def environment_after(held_s: float, stolen_share: float | None) -> dict[str, Any]:
    """What a run ended with.

    held_s        how long it waited in all for somebody who typed
    stolen_share  see `StolenTime`
    """
    return {
        "held_s": round(held_s, 1),
        "ended": _now(),
        "load_after": _load(),
        "mhz_after": _frequency_mhz(),
        "stolen_share": None if stolen_share is None else round(stolen_share, 4),
    }


def _now() -> str:
    """With milliseconds: kept runs are named by it, and two may begin in one second."""
    return datetime.now().astimezone().isoformat(timespec="milliseconds")


def corpus_record(corpus: Corpus) -> dict[str, Any]:
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


def _load() -> list[float] | None:
    return [round(load, 2) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None


def _frequency_mhz() -> float | None:
    """The mean frequency of all cores now, where the system tells it."""
    folder, pattern = FREQUENCIES
    with contextlib.suppress(OSError, ValueError):
        if each := [int(path.read_text()) / 1e3 for path in Path(folder).glob(pattern)]:
            return round(sum(each) / len(each), 1)
        lines = PROCESSORS.read_text().splitlines()
        each = [float(line.partition(":")[2]) for line in lines if line.startswith("cpu MHz")]
        return round(sum(each) / len(each), 1) if each else None
    return None
