"""The records of a run: the results of contenders in each cell, how samples become results, and their JSON.

Measuring writes these records; the page, tables, findings, the field and comparisons of runs read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, hypot, inf, isfinite, log
from typing import Any, NamedTuple, TypeVar

import numpy as np

from guiapp.analysis.bench.machine import LEAST_SHARE, is_busy
from guiapp.analysis.bench.plan import SCENARIOS, BenchCell
from guiapp.analysis.bench.statistics import (
    Growth,
    Ratio,
    fit_growth,
    interval_in_turns,
    n_outliers,
    ratio_in_turns,
)
from guiapp.analysis.libraries.contender import Agreement, FirstIdDifference
from guiapp.core.encode.catalogue import encoder_label, encoder_name
from guiapp.core.text.numbers_in_words import printable
from guiapp.core.text.outside_json import read_as, wrong_value

Record = dict[str, Any]
Row = TypeVar("Row", "BenchResult", "LeftOut")
KEY = ("scenario", "operation", "contender", "corpus", "size_bytes", "threads")
QUANTILES = {"p50_s": 50, "p95_s": 95, "p99_s": 99}
BYTES_PER_MB = 1e6
FEWEST_COMPARED = 5  # turns of each run that the bounds of a ratio between runs need
MOST_CONTENDERS = 200  # each has a row in charts


@dataclass(frozen=True)
class BenchResult:
    """The result of one contender for one operation in one cell.

    own_bytes        size of the text itself; less than size_bytes if the text is repeated
    n                number of samples, one in each turn; 0 before the first
    median_s         of a call, or of a short text; 0 if not timed
    ci_s, ci_level   confidence interval of the median, and its level
    n_tokens         tokens encoded in median_s; 0 if a run of another version does not contain it
    exact            whether its ids are right; None for a contender with its own vocabulary
    agreement        the share of the right spans that it has too
    processor_share  the share of a core that it got; None if that means nothing
    crowded          whether other programs were using the machine
    clock            "wall", or "cpu" for processor time; before the first sample also "auto": "cpu" if other
                     programs run, else "wall"
    first_turn       index of its first turn in this cell; in older versions, some contenders joined later
    p50_s to p99_s   of single calls, if these were timed
    """

    scenario: str
    operation: str
    contender: str
    corpus: str
    size_bytes: int
    threads: int
    own_bytes: int | None = None
    n: int = 0
    median_s: float = 0.0
    ci_s: tuple[float, float] = (0.0, 0.0)
    ci_level: float = 0.0
    n_tokens: float = 0.0
    exact: bool | None = None
    agreement: float = 0.0
    first_difference: FirstIdDifference | None = None
    outliers: int = 0
    processor_share: float | None = None
    crowded: bool = False
    clock: str = "wall"
    first_turn: int = 0
    samples_s: tuple[float, ...] = ()
    n_calls: int = 0
    p50_s: float = 0.0
    p95_s: float = 0.0
    p99_s: float = 0.0
    built_bytes: int = 0
    encoding_bytes: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        """The fields in which two results of the same measurement are equal."""
        return tuple(getattr(self, name) for name in KEY)

    @property
    def mb_per_s(self) -> float:
        """0 if not timed."""
        return self.size_bytes / self.median_s / BYTES_PER_MB if self.median_s else 0.0

    @property
    def tokens_per_s(self) -> float:
        """0 if not timed."""
        return self.n_tokens / self.median_s if self.median_s else 0.0

    @property
    def half_width(self) -> float:
        """The larger side of the interval of the speed, as a share of the speed."""
        return (
            max(self.median_s / self.ci_s[0] - 1, 1 - self.median_s / self.ci_s[1]) if self.median_s else 0.0
        )

    @property
    def n_times(self) -> int:
        """How often the encoded text contains the original text."""
        return round(self.size_bytes / (self.own_bytes or self.size_bytes))

    @property
    def was_busy(self) -> bool:
        """Whether other programs ran; earlier versions saved only the share of a core."""
        share = self.processor_share
        return self.crowded or (self.threads == 1 and share is not None and share < LEAST_SHARE)

    def figure(self, key: str) -> float:
        """A time, a speed or a size by its key; 0 if it is unknown."""
        return float(getattr(self, key))

    def interval(self, key: str) -> tuple[float, float]:
        """The bounds of the median time or, by its key, of a speed."""
        low, high = self.ci_s
        if key == "median_s":
            return low, high
        amount = self.figure(key) * self.median_s
        return amount / high, amount / low

    def record(self) -> Record:
        """The result as a JSON object, with derived figures; unknown figures are None or missing."""
        scenario = SCENARIOS[self.scenario]
        difference = self.first_difference
        missing = [name for name in ("built_bytes", "encoding_bytes") if scenario.chart != "memory"]
        missing += ["n_calls", *QUANTILES] if not self.n_calls else []
        compared = {
            "agreement": None if self.exact is None else self.agreement,
            "first_difference": None if difference is None else vars(difference),
        }
        timed = {
            "mb_per_s": self.mb_per_s or None,
            "tokens_per_s": self.tokens_per_s or None,
            "median_s": self.median_s or None,
            "ci_s": list(self.ci_s) if self.median_s else None,
            "samples_s": list(self.samples_s),
        }
        return {key: each for key, each in {**vars(self), **timed, **compared}.items() if key not in missing}


def ratio_of(faster: BenchResult, slower: BenchResult) -> Ratio:
    """How many times as fast `faster` is, in the same run: the ratio of medians, which bars show.

    The interval is computed from the turns that both took, and extended to contain the ratio.
    """
    first = max(faster.first_turn, slower.first_turn)
    before, after = (row.samples_s[first - row.first_turn :] for row in (faster, slower))
    turns = ratio_in_turns(before, after, faster.was_busy or slower.was_busy)
    ratio = slower.median_s / faster.median_s
    return Ratio(ratio, min(turns.low, ratio), max(turns.high, ratio))


def ratio_between(before: BenchResult, after: BenchResult) -> Ratio:
    """How many times as long `after` takes as `before`, which is from another run.

    Zou and Donner's method (2008) combines the two intervals: it adds up squares of distances.
    """
    ratio = after.median_s / before.median_s
    if min(before.n, after.n) < FEWEST_COMPARED:
        return Ratio(ratio, 0.0, inf)
    (before_low, before_high), (low, high) = (
        [log(end / row.median_s) for end in row.ci_s] for row in (before, after)
    )
    return Ratio(ratio, ratio * exp(-hypot(low, before_high)), ratio * exp(hypot(high, before_low)))


class GrowthLine(NamedTuple):
    """How the time of a contender depends on the length of a text."""

    scenario: str
    contender: str
    corpus: str
    growth: Growth

    def record(self) -> Record:
        return {**dict(zip(self._fields[:3], self, strict=False)), **vars(self.growth)}


def growth_lines(results: Sequence[BenchResult]) -> list[GrowthLine]:
    """The growth of every contender that ran a series of sizes."""
    series: dict[tuple[str, str, str], list[BenchResult]] = {}
    for row in results:
        if SCENARIOS[row.scenario].grows and row.median_s:
            series.setdefault((row.scenario, row.contender, row.corpus), []).append(row)
    fits = {
        key: fit_growth([row.size_bytes for row in rows], [row.median_s for row in rows])
        for key, rows in series.items()
    }
    return [GrowthLine(*key, growth) for key, growth in fits.items() if growth is not None]


class Series:
    """The samples of one contender and operation in one cell, as they arrive.

    head    the result without samples
    shares  of a core that samples got, if known
    """

    def __init__(self, head: BenchResult) -> None:
        self.head = head
        self.restart()

    @classmethod
    def of(cls, cell: BenchCell, contender: str, operation: str, n_tokens: int, clock: str) -> Series:
        """An empty series for a cell whose texts have `n_tokens` together; see also `compare`."""
        n_units = 1 if cell.unit_bytes is None else len(cell.texts)
        used = "wall" if SCENARIOS[cell.scenario].on_threads else clock  # threads add up processor time
        cell_values = cell.corpus, cell.size_bytes, cell.threads, cell.own_bytes
        head = BenchResult(
            cell.scenario, operation, contender, *cell_values, n_tokens=n_tokens / n_units, clock=used
        )
        return cls(head)

    def compare(self, agreement: Agreement | None) -> None:
        """Store how ids agree; None for a contender with a vocabulary of its own."""
        if agreement is not None:
            self.head = replace(
                self.head,
                exact=agreement.exact,
                agreement=agreement.share,
                first_difference=agreement.first_difference,
            )

    def restart(self) -> None:
        """Discard the samples taken while others were loading."""
        self.samples_s: list[float] = []
        self.shares: list[float] = []
        self.calls_s: list[float] = []
        self._result = self.head

    def add(self, seconds: float, share: float | None, calls_s: Sequence[float] = ()) -> None:
        """Add a sample; its share of a core is None if it waited, and counts only on one thread."""
        self.samples_s.append(seconds)
        self.calls_s.extend(calls_s)
        if share is not None and self.head.threads == 1:
            self.shares.append(share)

    @property
    def cpu_s(self) -> list[float]:
        """The processor time of each sample; [] if it is not known for all."""
        if len(self.shares) < len(self.samples_s):
            return []
        pairs = zip(self.samples_s, self.shares, strict=True)
        return [seconds * min(share, 1.0) for seconds, share in pairs]

    def result(self, is_busy: bool, has_cpu: bool = False) -> BenchResult:
        """The result of the samples so far.

        is_busy  whether other programs were using the machine
        has_cpu  whether all series of the cell have `cpu_s`, which then counts if busy, with clock "auto"
        """
        is_shared = is_busy and has_cpu and self.head.clock == "auto"
        clock = "cpu" if is_shared or self.head.clock == "cpu" else "wall"
        seconds = self.cpu_s if is_shared else self.samples_s
        known = self._result.n, self._result.crowded, self._result.clock
        if seconds and (len(seconds), is_busy, clock) != known:
            interval = interval_in_turns(seconds, is_busy)
            self._result = replace(
                self.head,
                n=len(seconds),
                median_s=float(np.median(seconds)),
                ci_s=(interval.low, interval.high),
                ci_level=interval.level,
                outliers=n_outliers(seconds),
                processor_share=float(np.median(self.shares)) if self.shares else None,
                crowded=is_busy,
                clock=clock,
                samples_s=tuple(seconds),
                **_quantiles(self.calls_s),
            )
        return self._result


def _quantiles(calls_s: Sequence[float]) -> dict[str, Any]:
    """The quantiles of single calls, if these were timed."""
    if not calls_s:
        return {}
    values = np.percentile(calls_s, list(QUANTILES.values())).tolist()
    return {"n_calls": len(calls_s), **dict(zip(QUANTILES, values, strict=True))}


def results_of(series: Sequence[Series], load: float | None, n_cores: int) -> list[BenchResult]:
    """The results of the series of one cell that have samples."""
    sampled = [each for each in series if each.samples_s]
    if not sampled:
        return []
    shares = [share for each in sampled for share in each.shares]
    busy = is_busy(shares, load, n_cores, sampled[0].head.threads)
    has_cpu = all(each.cpu_s for each in sampled)
    return [each.result(busy, has_cpu) for each in sampled]


@dataclass(frozen=True)
class LeftOut:
    """A contender that took no part in a cell, and the reason; in no cell if `scenario` is None."""

    contender: str
    reason: str
    scenario: str | None = None
    operation: str | None = None
    corpus: str | None = None
    size_bytes: int | None = None


class LoadingStage(NamedTuple):
    """What a contender does that is loading, and how much of loading is done, 0 to 1."""

    stage: str
    share: float


class BenchRun:
    """A run, read from a file or built from the engine's events while it goes on.

    name         given by the user
    environment, vocabulary, plan, corpora, contenders  as in its JSON
    finished     results of cells that are finished
    loading      contenders that are loading

    All but the plan have the labels of contenders; the JSON has their names.
    """

    def __init__(self, results: Sequence[BenchResult] = (), left_out: Sequence[LeftOut] = ()) -> None:
        self.name = ""
        self.environment: Record = {}
        self.vocabulary: Record = {}
        self.plan: Record = {}
        self.corpora: list[Record] = []
        self.contenders: list[Record] = []
        self.is_complete = False
        self.finished = list(results)
        self.left_out = list(left_out)
        self.loading: dict[str, LoadingStage] = {}
        self._series: dict[tuple[str, str], Series] = {}
        self._load: float | None = None

    def add(self, event: Mapping[str, Any]) -> None:
        """Apply one event of `engine`."""
        details = _called(encoder_label, {key: value for key, value in event.items() if key != "event"})
        match event["event"]:
            case "started":
                self.environment, self.vocabulary = dict(details["environment"]), details["vocabulary"]
                self.plan, self.corpora = details["plan"], details["corpora"]
            case "loading":
                stage = LoadingStage(details.get("stage", ""), details.get("share") or 0.0)
                self.loading[details["contender"]] = stage
            case "loaded":
                self.loading.pop(details["contender"], None)
                self.contenders.append(details)
            case "left out":
                self.loading.pop(details["contender"], None)
                self.left_out.append(read_as(LeftOut, details))
            case "cell":
                self._series, self._load = {}, details.get("load")
                loads = self.environment.get("load_highest"), self._load
                self.environment["load_highest"] = max(
                    (load for load in loads if load is not None), default=None
                )
            case "compared":
                self._series[_turn(details)] = Series(read_as(BenchResult, details))
            case "sample":
                series = self._series[_turn(details)]
                if details["n"] == 1:
                    series.restart()
                series.add(details["seconds"], details.get("share"))
            case "result":
                self._series.pop(_turn(details), None)
                self.finished.append(read_as(BenchResult, details))
            case "finished":
                self.is_complete = details["complete"]
                self.environment |= details["environment"]

    @property
    def planned(self) -> list[str]:
        """The contenders that the plan names."""
        return list(map(encoder_label, self.plan.get("contenders", ())))

    @property
    def vocabulary_name(self) -> str:
        """The file name of the vocabulary's path, from any operating system."""
        return str(self.vocabulary.get("path", "")).replace("\\", "/").rpartition("/")[2]

    @property
    def ending(self) -> str:
        """How an incomplete run ended, in words; "" for a complete run."""
        return "" if self.is_complete else "stopped early" if "ended" in self.environment else "incomplete"

    def end(self) -> None:
        """End the run without another event: the results so far of the last cell are final."""
        self.finished, self._series, self.loading = self.results, {}, {}

    @property
    def results(self) -> list[BenchResult]:
        """The finished results, and the results so far of the current cell.

        The times of single calls are not known before a cell is finished.
        """
        live = [each for each in self._series.values() if SCENARIOS[each.head.scenario].is_live]
        return self.finished + results_of(live, self._load, int(self.environment.get("cores") or 1))

    def record(self) -> Record:
        """The JSON object that `tokenloupe bench --json` writes, with finished results only."""
        return {
            **({"name": self.name} if self.name else {}),  # first, where a reader looks for it
            "environment": self.environment,
            "vocabulary": self.vocabulary,
            "plan": self.plan,
            "corpora": self.corpora,
            "complete": self.is_complete,
            "contenders": [_called(encoder_name, each) for each in self.contenders],
            "results": [_called(encoder_name, row.record()) for row in self.finished],
            "growth": [_called(encoder_name, line.record()) for line in growth_lines(self.finished)],
            "left_out": [_called(encoder_name, vars(each)) for each in self.left_out],
        }


def _called(rename: Callable[[str], str], record: Record) -> Record:
    """The record with its contender renamed, if it has one."""
    return record | {"contender": rename(record["contender"])} if "contender" in record else record


def _turn(event: Record) -> tuple[str, str]:
    return event["contender"], event["operation"]


# Runs from files, which other versions, other machines and editors wrote


def run_of(record: Any) -> BenchRun:
    """The run of a JSON object, without results of scenarios that this version does not have.

    Raises ValueError that names the missing or invalid part.
    """
    if not isinstance(record, dict):
        raise ValueError("it is not an object")
    record = as_shown(record)
    for (part, name), kind in PARTS.items():
        if name in read_as(dict, record.get(part, {}), part):
            read_as(kind, record[part][name], f"{part}.{name}")
    run = BenchRun(_results(record.get("results")))
    run.left_out = [
        _labelled(read_as(LeftOut, each, f"left_out[{index}]"))
        for index, each in enumerate(read_as(list, record.get("left_out", []), "left_out"))
    ]
    for part, keys in LISTS.items():
        for index, entry in enumerate(read_as(list, record.get(part, []), part)):
            for key in keys:
                read_as(str, read_as(dict, entry, f"{part}[{index}]").get(key), f"{part}[{index}].{key}")
        setattr(run, part, [_called(encoder_label, entry) for entry in record.get(part, [])])
    for part in ("environment", "vocabulary", "plan"):
        setattr(run, part, record.get(part, {}))
    if "scenarios" in run.plan:  # earlier versions had other scenarios
        known = [name for name in run.plan["scenarios"] if name in SCENARIOS]
        run.plan = {**run.plan, "scenarios": known}
    run.name = read_as(str, record.get("name", ""), "name")
    run.is_complete = bool(record.get("complete"))
    return run


PARTS: Mapping[tuple[str, str], Any] = {
    ("environment", "cores"): float | None,
    ("environment", "load_highest"): float | None,
    ("environment", "started"): str,
    ("vocabulary", "tokens"): int,
    ("vocabulary", "path"): str,
    ("vocabulary", "library"): str,
    ("vocabulary", "bos"): int | None,
    ("plan", "scenarios"): tuple[str, ...],
    ("plan", "contenders"): tuple[str, ...],
    ("plan", "call_limit_s"): float | None,
}
LISTS = {"corpora": ("name", "sha256"), "contenders": ("contender", "version")}
RULES: Mapping[str, Callable[[BenchResult], bool]] = {
    "size_bytes": lambda row: row.size_bytes > 0,
    "threads": lambda row: row.threads > 0,
    "n": lambda row: row.n > 0,
    "median_s": lambda row: row.median_s > 0 or SCENARIOS[row.scenario].chart == "memory",
    "ci_s": lambda row: not row.median_s or min(row.ci_s) > 0,
    "samples_s": lambda row: all(each > 0 for each in row.samples_s),
    "p50_s": lambda row: (
        SCENARIOS[row.scenario].chart != "latency" or min(row.p50_s, row.p95_s, row.p99_s) > 0
    ),
    "first_difference": lambda row: row.exact is not False or row.first_difference is not None,
}


def _labelled(row: Row) -> Row:
    return replace(row, contender=encoder_label(row.contender))


def _results(entries: object) -> list[BenchResult]:
    results = []
    for index, entry in enumerate(read_as(list, entries, "results")):
        location = f"results[{index}]"
        if str(read_as(dict, entry, location).get("scenario")) in SCENARIOS:
            row = _labelled(read_as(BenchResult, entry, location))
            if not row.n_tokens and row.median_s:  # older versions have only the speed
                speed = read_as(float | None, entry.get("tokens_per_s"), f"{location}.tokens_per_s")
                row = replace(row, n_tokens=(speed or 0.0) * row.median_s)
            for name, is_right in RULES.items():
                if not is_right(row):
                    raise wrong_value(entry.get(name), f"{location}.{name}")
            results.append(row)
    if len({row.contender for row in results}) > MOST_CONTENDERS:
        raise ValueError(f"it has more than {MOST_CONTENDERS} encoders")
    return results


def as_shown(value: Any) -> Any:
    """A JSON value with unprintable characters escaped, some of which would control terminals and pages.

    Raises ValueError for a number that is not finite, and RecursionError.
    """
    if isinstance(value, str):
        return value if value.isprintable() else printable(value)
    if isinstance(value, list):
        return [as_shown(each) for each in value]
    if isinstance(value, dict):
        return {as_shown(key): as_shown(each) for key, each in value.items()}
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("it has an invalid number")
    return value
