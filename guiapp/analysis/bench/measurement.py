"""What a run found: one record for each contender and cell, where and when, as one JSON object."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from guiapp.analysis.bench.corpus import BenchText
from guiapp.analysis.bench.operations import MEMORY, TimingSample
from guiapp.analysis.bench.scenarios import SCENARIOS, BenchCell
from guiapp.analysis.bench.statistics import Interval, growth_records, interval_in_turns, summarize
from guiapp.analysis.libraries.contender import Agreement
from guiapp.core.sources.files import whole_hash
from guiapp.core.versions import versions
from guiapp.core.vocabulary.vocabulary import Vocabulary

PROCESSORS = Path("/proc/cpuinfo")
LEAST_SHARE = 0.9  # of a core, for a sample that had one of its own
BUSY_SHARE = 0.1  # of the samples without a core: the others had one and shared its caches
MOST_LOAD = 0.5  # of each core, by other programs
Record = dict[str, Any]
QUANTILES = {"p50_s": 50, "p95_s": 95, "p99_s": 99}
KEY = ("scenario", "operation", "contender", "corpus", "size_bytes", "threads")


@dataclass
class Series:
    """The samples of one contender and operation in one cell, as they come.

    agreement    None for a contender with a vocabulary of its own
    first_turn   of all in this cell: it has a sample of each from there on
    restarts  with the next sample: those before are first impressions, while others were loading
    """

    cell: BenchCell
    contender: str
    operation: str
    n_tokens: int
    agreement: Agreement | None
    samples: list[TimingSample] = field(default_factory=list)
    first_turn: int = 0
    restarts: bool = False

    def add(self, sample: TimingSample, turn: int) -> None:
        """Take one more, the first one of all where the series begins anew."""
        if self.restarts or not self.samples:
            self.samples, self.first_turn, self.restarts = [], turn, False
        self.samples.append(sample)

    @property
    def own_seconds(self) -> list[float]:
        """What each sample got of a core; none where it may use several, or waits by itself."""
        if self.cell.threads > 1 or self.has_waited:
            return []
        return [min(sample.cpu_s, sample.wall_s) for sample in self.samples]

    @property
    def has_waited(self) -> bool:
        """Whether most samples waited by themselves, so that processor time does not say what they take."""
        return 2 * sum(sample.waited for sample in self.samples) > len(self.samples)

    def seconds(self, clock: str) -> list[float]:
        """By the clock of this cell where this one is asked for, beside no other programs."""
        is_cpu = clock_of(self.cell.scenario, clock) == "cpu"
        return [sample.cpu_s if is_cpu else sample.wall_s for sample in self.samples]

    @property
    def n_unit_tokens(self) -> float:
        """The tokens that one of the times refers to."""
        if self.cell.unit_bytes is None:
            return self.n_tokens
        return self.n_tokens / len(self.cell.texts)

    @property
    def shares(self) -> list[float]:
        """Of a core that each sample got; none where nobody can tell."""
        pairs = zip(self.own_seconds, self.seconds("wall"), strict=False)
        return [own_s / wall_s for own_s, wall_s in pairs if wall_s]

    def record(self, clock: str, is_busy: bool = False) -> Record:
        """The stable JSON record; at least one sample.

        is_busy  whether other programs took part of the machine while this was measured
        """
        cell = self.cell
        used = clock_of(cell.scenario, clock)
        seconds, told_clock, interval = times_shown(self.seconds(clock), self.own_seconds, used, is_busy)
        summary = summarize(seconds)
        n_tokens = self.n_unit_tokens
        wall_s, cpu_s = np.median([sample[:2] for sample in self.samples], axis=0).tolist()
        return {
            **_head(cell, self.contender, self.operation),
            "n": summary.n,
            "median_s": summary.median,
            "ci_s": [interval.low, interval.high],
            "ci_level": interval.level,
            "mb_per_s": cell.size_bytes / summary.median / 1e6 if summary.median else None,
            "tokens_per_s": n_tokens / summary.median if summary.median else None,
            "n_tokens": n_tokens,
            **agreement_record(self.agreement),
            "outliers": summary.n_outliers,
            "processor_share": cpu_s / wall_s if wall_s and not self.has_waited else None,
            "crowded": is_busy,
            "clock": told_clock,
            "first_turn": self.first_turn,
            **_quantiles(self.samples),
            "samples_s": seconds,
        }


class ShownTimes(NamedTuple):
    """The times that a result is made of, their clock, "wall" or "cpu", and the bounds of the true one."""

    seconds: list[float]
    clock: str
    interval: Interval


def clock_of(scenario: str, asked: str) -> str:
    """The clock of all cells of a scenario; processor time would add up what several threads take at once."""
    return "wall" if SCENARIOS[scenario].on_threads else asked


def times_shown(seconds: list[float], own_seconds: list[float], clock: str, is_busy: bool) -> ShownTimes:
    """Of one contender in a cell, at least one.

    Beside other programs those by "auto" are what each sample got of a core, where that is known and what it
    takes; time by the wall clock may be no longer than that, as far as anybody can tell.

    own_seconds  what each sample got of a core, [] where that is not known
    """
    is_own_known = is_busy and len(own_seconds) == len(seconds) and all(own_seconds)
    if is_own_known and clock == "auto":
        return ShownTimes(own_seconds, "cpu", interval_in_turns(own_seconds, is_busy))
    interval = interval_in_turns(seconds, is_busy)
    if is_own_known and clock == "wall":
        interval = replace(interval, low=min(interval.low, interval_in_turns(own_seconds, is_busy).low))
    return ShownTimes(seconds, "wall" if clock == "auto" else clock, interval)


def _quantiles(samples: Sequence[TimingSample]) -> Record:
    """How long most single calls took, where they were timed one by one."""
    calls_s = [seconds for sample in samples for seconds in sample.calls_s]
    if not calls_s:
        return {}
    values = np.percentile(calls_s, list(QUANTILES.values())).tolist()
    return {"n_calls": len(calls_s), **dict(zip(QUANTILES, values, strict=True))}


def memory_record(cell: BenchCell, contender: str, built_bytes: int, encoding_bytes: int) -> Record:
    """A record without times; what building it added, and what encoding added on top at most."""
    untimed = ("median_s", "ci_s", "mb_per_s", "tokens_per_s")
    return {
        **_head(cell, contender, MEMORY),
        "n": 1,
        **dict.fromkeys(untimed),
        **agreement_record(None),
        "built_bytes": built_bytes,
        "encoding_bytes": encoding_bytes,
    }


def agreement_record(agreement: Agreement | None) -> Record:
    if agreement is None:
        return {"exact": None, "agreement": None, "first_difference": None}
    difference = agreement.first_difference
    return {
        "exact": agreement.exact,
        "agreement": agreement.share,
        "first_difference": None if difference is None else difference.record(),
    }


def key_of(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two records be about the same thing."""
    return tuple(record.get(name) for name in KEY)


def half_width(row: Mapping[str, Any]) -> float:
    """Half of the interval of a time as a share of it; 0 of what took no time."""
    middle, (low, high) = row["median_s"], row["ci_s"]
    return float((high - low) / 2 / middle) if middle else 0.0


def _head(cell: BenchCell, contender: str, operation: str) -> Record:
    return {
        "scenario": cell.scenario,
        "operation": operation,
        "contender": contender,
        "corpus": cell.corpus,
        "size_bytes": cell.size_bytes,
        "own_bytes": cell.own_bytes,
        "threads": cell.threads,
    }


class Report:
    """A run as it is told by the engine's events; at any moment a whole JSON object."""

    def __init__(self) -> None:
        self._head: Record = {"environment": {}, "vocabulary": {}, "plan": {}, "corpora": []}
        self.results: list[Record] = []
        self.left_out: list[Record] = []
        self.contenders: list[Record] = []
        self.is_complete = False
        self.name = ""  # that somebody gave it

    @classmethod
    def of(cls, record: Record) -> Report:
        """A run that was saved."""
        report = cls()
        report._head.update({key: record[key] for key in report._head if key in record})
        report.results = list(record["results"])
        report.left_out = list(record.get("left_out", []))
        report.contenders = list(record.get("contenders", []))
        report.is_complete = bool(record.get("complete"))
        report.name = record.get("name", "")
        return report

    def add(self, event: Mapping[str, Any]) -> None:
        """Take note of one event."""
        details = {key: value for key, value in event.items() if key != "event"}
        match event["event"]:
            case "started":
                self._head.update({key: details[key] for key in self._head})
            case "cell":
                environment = self._head["environment"]
                loads = [environment.get("load_highest"), details.get("load")]
                environment["load_highest"] = max((load for load in loads if load is not None), default=None)
            case "loaded":
                self.contenders.append(details)
            case "result":
                self.results.append(details)
            case "left out":
                self.left_out.append(details)
            case "finished":
                self.is_complete = details["complete"]
                self._head["environment"] |= details["environment"]

    @property
    def n_cores(self) -> int:
        return int(self._head["environment"].get("cores") or 1)

    @property
    def clock(self) -> str:
        """The one that was asked for."""
        return str(self._head["plan"].get("clock", "auto"))

    @property
    def growth(self) -> list[Record]:
        """How time depends on length, for each contender that ran a series of sizes."""
        return growth_records([row for row in self.results if SCENARIOS[row["scenario"]].grows])

    def record(self) -> Record:
        name = {"name": self.name} if self.name else {}
        return {
            **name,  # where `name_of` looks for it
            **self._head,
            "complete": self.is_complete,
            "contenders": self.contenders,
            "results": self.results,
            "growth": self.growth,
            "left_out": self.left_out,
        }


def is_busy(shares: Iterable[float], load: float | None, n_cores: int, n_threads: int) -> bool:
    """Whether other programs took part of the machine while contenders took turns.

    shares  of a core that samples on one thread got
    load    of the machine, which counts the threads of one contender
    """
    few = [share < LEAST_SHARE for share in shares]
    return sum(few) > BUSY_SHARE * len(few) or (load or 0.0) - n_threads > MOST_LOAD * n_cores


def was_busy(row: Record) -> bool:
    """Whether it was for a result; earlier versions noted its share of a core only."""
    share = row.get("processor_share")
    return bool(row.get("crowded")) or (row["threads"] == 1 and share is not None and share < LEAST_SHARE)


# The machine and the versions that a figure depends on


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
