"""Runs kept as files, and what changed between two of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedReader
from math import isfinite
from pathlib import Path
from typing import Any

from guiapp.analysis.bench.measurement import QUANTILES, Record, key_of, was_busy
from guiapp.analysis.bench.plan import BenchError, Plan, plan_from
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.analysis.bench.statistics import Ratio, ratio_of, wander_of
from guiapp.analysis.bench.wording import on_threads
from guiapp.analysis.export.tables import file_text
from guiapp.core.sources.files import lasting_folder, open_input, read_input, replace_file
from guiapp.core.text.numbers_in_words import counted, printable
from guiapp.core.text.outside_json import read_json

MOST_CONTENDERS = 200  # each has a row in charts
LARGEST = 1e18  # JSON knows whole numbers that no float can hold
MARGIN = 1.08  # what a change must surely exceed: machines differ by some per cent from day to day
BUSY_MARGIN = 3.0  # the same where other programs ran: measured, up to 2.5 between two runs of the same code
EARLIER_SCENARIOS = ("batch", "cold", "energy", "interval", "stages")
SHA256_DIGITS, HASH_DIGITS = 64, 12
MOST_NAME_CHARACTERS, MOST_NAME_BYTES = 80, 4096
COMPARABLE = ("processor", "cores", "clock", "Python", "numpy")


@dataclass(frozen=True)
class SpeedChange:
    """One contender in one cell of two runs.

    ratio         new time by old time with its 99 % interval
    margin        what the interval must lie beyond
    """

    key: tuple[Any, ...]
    ratio: Ratio
    margin: float = MARGIN

    @property
    def verdict(self) -> str:
        """ "slower" or "faster" where a change is told, or "same"."""
        if self.ratio.low > self.margin:
            return "slower"
        return "faster" if self.ratio.high < 1 / self.margin else "same"

    @property
    def is_change(self) -> bool:
        """Whether it is told at all."""
        return self.verdict != "same"

    @property
    def is_sure(self) -> bool:
        """Whether it may be called so: nothing is sure of a machine on which other programs ran."""
        return self.is_change and self.margin < BUSY_MARGIN

    @property
    def words(self) -> str:
        """The verdict, and how sure it is."""
        return f"maybe {self.verdict}" if self.is_change and not self.is_sure else self.verdict

    @property
    def title(self) -> str:
        scenario, operation, contender, corpus, size_bytes, threads = self.key
        return f"{contender}: {scenario} ({operation}), {corpus}, {size_bytes:,} bytes{on_threads(threads)}"


def save_run(path: Path, record: Mapping[str, Any]) -> None:
    """Write a run as one JSON object, whole or not at all, in a folder that is made if need be."""
    data = file_text(record).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}.") from error


def save_run_somewhere(path: Path, record: Mapping[str, Any]) -> None:
    """Write a run, or else put it with the temporary files; raises BenchError, which says where it is."""
    try:
        save_run(path, record)
    except BenchError as error:
        handle, instead = tempfile.mkstemp(".json", "tokenloupe-run-", lasting_folder())
        os.close(handle)
        try:
            save_run(Path(instead), record)
        except BenchError:
            os.unlink(instead)
            raise error from None
        raise BenchError(f"{error} The run is in {instead} instead.") from error


def load_run(path: Path) -> Record:
    """A run that was saved; raises BenchError for anything else."""
    try:
        record = as_shown(read_json(read_input(path)))
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BenchError(f"{path} is not JSON: {error}.") from error
    except RecursionError:
        raise BenchError(f"{path} is nested too deeply.") from None
    _drop_earlier_scenarios(record)
    if problem := problem_with(record):
        raise BenchError(f"{path} is not a run as `tokenloupe bench --json` writes it: {problem}.")
    return dict(record)


def _drop_earlier_scenarios(run: Any) -> None:
    """Forget what is measured no more, in whatever a file holds: its results, and that they were planned."""
    match run:
        case {"results": list(results)}:
            run["results"] = [row for row in results if not _is_of_earlier_version(row)]
    match run:
        case {"plan": {"scenarios": list(names)}}:
            run["plan"]["scenarios"] = [name for name in names if name not in EARLIER_SCENARIOS]


def _is_of_earlier_version(row: object) -> bool:
    return isinstance(row, dict) and row.get("scenario") in EARLIER_SCENARIOS


def name_of(path: Path) -> str:
    """What a saved run was called, "" if nothing; soon found, as names come first."""
    try:
        with BufferedReader(open_input(path)) as file:
            file.readline()
            name = read_json(b"{" + file.readline(MOST_NAME_BYTES).strip().rstrip(b",") + b"}")["name"]
    except (OSError, ValueError, KeyError):
        return ""
    return as_shown(name) if isinstance(name, str) else ""


def rename_run(path: Path, name: str) -> None:
    """Call a saved run something else, or nothing; raises BenchError where it then has its old name."""
    run = load_run(path)
    run.pop("name", None)
    shown = " ".join(name.split())[:MOST_NAME_CHARACTERS]
    save_run(path, {"name": shown, **run} if shown else run)


def compare_runs(old: Record, new: Record) -> list[SpeedChange]:
    """What both runs measured by one clock, the most slowed down first; compared sample by sample."""
    pairs = [pair for pair in _measured_by_both(old, new) if not _have_two_clocks(*pair)]
    return sorted((_change(*pair) for pair in pairs), key=lambda change: -change.ratio.ratio)


def _measured_by_both(old: Record, new: Record) -> list[tuple[Record, Record]]:
    before = {key_of(result): result for result in old.get("results", ()) if result.get("samples_s")}
    return [
        (before[key], result)
        for result in new.get("results", ())
        if result.get("samples_s") and (key := key_of(result)) in before
    ]


def _have_two_clocks(then: Record, now: Record) -> bool:
    """Whether one is processor time and the other not; runs of older versions do not tell."""
    return len({then.get("clock"), now.get("clock")} - {None}) > 1


def _change(old: Record, new: Record) -> SpeedChange:
    before, after = old["samples_s"], new["samples_s"]
    least = BUSY_MARGIN if was_busy(old) or was_busy(new) else MARGIN
    margin = max(least, wander_of(before), wander_of(after))
    return SpeedChange(key_of(new), ratio_of(before, after), margin)


def different_conditions(old: Record, new: Record) -> list[str]:
    """In what the two runs differ besides their results, one sentence each."""
    pairs = [
        (name, old.get("environment", {}).get(name), new.get("environment", {}).get(name))
        for name in COMPARABLE
    ]
    vocabularies = old.get("vocabulary", {}), new.get("vocabulary", {})
    pairs.append(("vocabulary", *(each.get("sha256") for each in vocabularies)))
    chosen = [each.get("chosen_pre") or "none" for each in vocabularies]
    pairs.append(("chosen pre-tokenizer", chosen[0], chosen[1]))
    texts = [{each["name"]: each["sha256"] for each in run.get("corpora", [])} for run in (old, new)]
    pairs += [(f"text {name}", texts[0][name], texts[1][name]) for name in texts[0] if name in texts[1]]
    plans = [_plan_of(run) for run in (old, new)]
    if plans[0] is not None and plans[1] is not None:
        pairs.append(("repetition of texts", plans[0].repeat, plans[1].repeat))
    own = [{} if plan is None else {each.name: each.shown for each in plan.own} for plan in plans]
    pairs += [(f"contender {name}", own[0][name], own[1][name]) for name in own[0] if name in own[1]]
    told = [
        f"{name} was {_short(before)}, now {_short(after)}"
        for name, before, after in pairs
        if before != after
    ]
    if n_by_two := sum(_have_two_clocks(*pair) for pair in _measured_by_both(old, new)):
        told.append(f"{counted(n_by_two, 'result')} left out, as one is processor time and the other not")
    return told


def _plan_of(run: Record) -> Plan | None:
    """None where it was not kept, or is not one of ours; runs that do not say so repeated texts."""
    try:
        return plan_from({"repeat": "same", **run["plan"]})
    except (BenchError, AttributeError, KeyError, TypeError):
        return None


def _short(value: object) -> str:
    """Hashes by their first digits."""
    text = str(value)
    return text[:HASH_DIGITS] if len(text) == SHA256_DIGITS else text


# What a saved run must hold to be shown: files come from other versions, other machines and editors


def number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= LARGEST


def whole(value: object) -> bool:
    return isinstance(value, int) and number(value)


def count(value: object) -> bool:
    return whole(value) and value != 0


def time(value: object) -> bool:
    return number(value) and value != 0


def scenario(value: object) -> bool:
    return isinstance(value, str) and value in SCENARIOS


# A form is {"key": form, "optional key?": form}, [form of each], [form of the first, of the second],
# (one form, or another), None, a type, or a function that says whether a value is right.
LEFT_OUT = {"contender": str, "reason": str, "operation": (None, str)}
RUN = {
    "results": [dict],
    "name?": str,
    "environment?": {"cores?": (None, number), "load_highest?": (None, number)},
    "vocabulary?": {"tokens?": whole},
    "plan?": {"scenarios?": [str], "call_limit_s?": (None, number)},
    "corpora?": [{"name": str, "sha256": str}],
    "contenders?": [{"contender": str, "version": str}],
    "left_out?": [
        (LEFT_OUT | {"scenario": None}, LEFT_OUT | {"scenario": str, "corpus": str, "size_bytes": whole})
    ],
}
RESULT = {
    "scenario": scenario,
    "operation": str,
    "contender": str,
    "corpus": str,
    "size_bytes": count,
    "threads": count,
    "n": count,
    "exact": (None, bool),
    "agreement": object,
    "first_difference": object,
    "processor_share?": (None, number),
    "first_turn?": whole,
    "own_bytes?": (None, count),
    "n_tokens?": (None, number),
    "samples_s?": [time],
}
DIFFERENCE = {
    "byte_offset": whole,
    "index": whole,
    "expected_id?": (None, whole),
    "found_id?": (None, whole),
}
FIGURES = {"median_s": time, "ci_s": [time, time], "mb_per_s": number, "tokens_per_s": number}
FIGURES_OF = {  # charts and units that have others
    "memory": {**dict.fromkeys(FIGURES), "built_bytes": number, "encoding_bytes": number},
    "latency": {**FIGURES, **dict.fromkeys(QUANTILES, time)},
}


def problem_with(run: object) -> str:
    """What of a run is missing or not as it must be, "" if nothing is."""
    if not isinstance(run, dict):
        return "it is no object"
    if deviation := _deviation(run, RUN):
        place, what = deviation
        return f"its “{place.removeprefix('.')}” is {what}"
    for index, result in enumerate(run["results"]):
        if deviation := _deviation(result, _form_of(result)):
            place, what = deviation
            return f"its “results[{index}]{place}” is {what}"
    if len({result["contender"] for result in run["results"]}) > MOST_CONTENDERS:
        return f"more than {MOST_CONTENDERS} contenders take part"
    return ""


def _form_of(result: dict[str, Any]) -> dict[str, Any]:
    """Figures depend on the scenario; what was compared has an agreement, and says where it differs."""
    known = SCENARIOS.get(str(result.get("scenario")))
    kinds = () if known is None else (known.chart, known.unit)
    form = RESULT | next((FIGURES_OF[kind] for kind in kinds if kind in FIGURES_OF), FIGURES)
    if result.get("exact") is not None:
        form["agreement"] = number
    if result.get("exact") is False:
        form["first_difference"] = DIFFERENCE
    return form


def _deviation(value: Any, form: Any) -> tuple[str, str] | None:
    """Where a value is not of its form, and what is there instead."""
    if isinstance(form, tuple):
        found = [_deviation(value, each) for each in form]
        return None if None in found else found[-1]
    if isinstance(form, dict) and isinstance(value, dict):
        for key, part in form.items():
            name = key.removesuffix("?")
            if name in value:
                if deviation := _deviation(value[name], part):
                    return f".{name}{deviation[0]}", deviation[1]
            elif name == key:
                return f".{name}", "missing"
        return None
    if isinstance(form, list) and isinstance(value, list) and len(form) in (1, len(value)):
        for index, each in enumerate(value):
            if deviation := _deviation(each, form[index % len(form)]):
                return f"[{index}]{deviation[0]}", deviation[1]
        return None
    if isinstance(form, type):
        is_right = isinstance(value, form)
    else:
        is_right = form(value) if callable(form) else form is value is None
    return None if is_right else ("", f"{value!r:.40}")


def as_shown(value: Any) -> Any:
    """A part of a file with nothing unprintable in its texts, of which terminals and pages obey some.

    Raises ValueError for a number that is none, and RecursionError.
    """
    if isinstance(value, str):
        return value if value.isprintable() else printable(value)
    if isinstance(value, list):
        return [as_shown(each) for each in value]
    if isinstance(value, dict):
        return {as_shown(key): as_shown(each) for key, each in value.items()}
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("it holds a number that is none")
    return value
