"""A run as it comes in from the engine: what is finished, and what the cell that goes on has so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from operator import truediv
from statistics import median
from typing import Any, NamedTuple

from guiapp.analysis.bench.measurement import Record, Report, clock_of, half_width, is_busy, times_shown
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.analysis.bench.statistics import summarize
from guiapp.core.text.numbers_in_words import percent

NOTHING_YET: Record = {"n": 0, "mb_per_s": None, "tokens_per_s": None}
BOTH_CLOCKS = ("wall_s", "own_s")  # samples of a live record, of which it shows one kind
NOT_OF_RECORDS = ("event", "number", "of", "seconds_left", "load", "operations")


class LoadingStage(NamedTuple):
    """What a contender that is being opened does, and how much of that is done, 0 to 1."""

    stage: str
    share: float


class LiveRun:
    """Takes the engine's events; at any moment there are records of everything that was measured.

    Samples come by the hundred in a second: they are summarised when somebody looks, not before.

    loading  contenders that are being opened
    """

    def __init__(self, report: Report | None = None) -> None:
        self.report = report or Report()
        self.loading: dict[str, LoadingStage] = {}
        self._cell: Record = {}
        self._live: dict[tuple[str, str], Record] = {}
        self._load: float | None = None
        self._record: Record | None = None  # of the events so far, once somebody asked: growth takes time

    @classmethod
    def of(cls, record: Record) -> LiveRun:
        return cls(Report.of(record))

    def add(self, event: Mapping[str, Any]) -> None:
        self.report.add(event)
        self._record = None
        match event["event"]:
            case "loading":
                self.loading[event["contender"]] = LoadingStage(
                    event.get("stage", ""), event.get("share") or 0.0
                )
            case "loaded" | "left out":
                self.loading.pop(event["contender"], None)
            case "cell":
                self._cell = {key: value for key, value in event.items() if key not in NOT_OF_RECORDS}
                self._live = {}
                self._load = event.get("load")
            case "compared":
                details = {key: value for key, value in event.items() if key != "event"}
                self._live[_turn(event)] = {**self._cell, **details, **NOTHING_YET, "wall_s": [], "own_s": []}
            case "sample":
                record = self._live[_turn(event)]
                if event.get("n") == 1:  # what came before were first impressions
                    record.update(NOTHING_YET, wall_s=[], own_s=[], first_turn=event.get("turn", 0))
                record["wall_s"].append(event["seconds"])
                if record["threads"] == 1 and event.get("share") is not None:
                    record["own_s"].append(event["seconds"] * min(event["share"], 1.0))
            case "result":
                self._live.pop(_turn(event), None)

    def end(self) -> None:
        self.report.results += self._with_samples()
        self._record = None
        self._live, self.loading = {}, {}

    @property
    def results(self) -> list[Record]:
        """Finished records, and those of the cell that goes on with what they have so far."""
        return self.report.results + self._with_samples()

    @property
    def record(self) -> Record:
        """The run as `tokenloupe bench --json` writes it."""
        if self._record is None:
            self._record = self.report.record()
        return self._record

    @property
    def noise(self) -> str:
        """The widest interval of the cell that goes on, and the machine as it was when that began."""
        rows = [row for row in self._with_samples() if row["n"] > 1 and row["median_s"]]
        told = [f"spread ± {percent(max(map(half_width, rows)))}"] if rows else []
        told += [f"load {self._load:g}"] if self._load is not None else []
        return " · ".join(told)

    def _with_samples(self) -> list[Record]:
        live = (record for record in self._live.values() if SCENARIOS[record["scenario"]].is_live)
        records = [record for record in live if record["wall_s"]]
        shares = [
            own_s / seconds
            for record in records
            for own_s, seconds in zip(record["own_s"], record["wall_s"], strict=False)
            if seconds
        ]
        busy = is_busy(shares, self._load, self.report.n_cores, self._cell.get("threads", 1))
        for record in records:
            if record["n"] != len(record["wall_s"]):
                _summarise(record, clock_of(record["scenario"], self.report.clock), busy)
        return [{key: record[key] for key in record if key not in BOTH_CLOCKS} for record in records]


def _turn(event: Mapping[str, Any]) -> tuple[str, str]:
    return event["contender"], event["operation"]


def deviations_of(results: Sequence[Record], text: str = "") -> dict[str, Record]:
    """Whose ids differ, each with its result of an ordinary text, of this one if it was measured with it."""
    chosen: dict[str, Record] = {}
    for row in results:
        if row["first_difference"]:
            rows = chosen.get(row["contender"], row), row
            chosen[row["contender"]] = max(rows, key=partial(_relevance, text))
    return chosen


def _relevance(text: str, result: Record) -> tuple[bool, bool, bool, int]:
    """What to prefer for telling how far ids deviate: a whole text, then one of several lengths."""
    scenario = SCENARIOS[result["scenario"]]
    is_stretched = scenario.grows and not scenario.own_texts
    return scenario.chart == "bars", result["corpus"] == text, is_stretched, result["size_bytes"]


def _summarise(record: Record, clock: str, busy: bool) -> None:
    """Bring the figures of a record up to its samples, in the same way as those of results."""
    wall_s, own_s = record["wall_s"], record["own_s"]
    shown = times_shown(wall_s, own_s, clock, busy)
    record |= {"samples_s": list(shown.seconds), "crowded": busy, "clock": shown.clock}
    summary, interval = summarize(shown.seconds), shown.interval
    record["n"], record["median_s"] = summary.n, summary.median
    record["ci_s"] = [interval.low, interval.high]
    if own_s and all(wall_s):
        record["processor_share"] = median(map(truediv, own_s, wall_s))
    if summary.median:
        record["mb_per_s"] = record["size_bytes"] / summary.median / 1e6
        record["tokens_per_s"] = record["n_tokens"] / summary.median
