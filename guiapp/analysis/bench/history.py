"""Runs saved as files, and what changed between two of them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any

from guiapp.analysis.bench.plan import BenchError, Plan, plan_from
from guiapp.analysis.bench.run_results import BenchResult, BenchRun, Record, ratio_between, run_of
from guiapp.analysis.bench.statistics import Ratio
from guiapp.analysis.bench.wording import on_threads
from guiapp.analysis.export.tables import file_text
from guiapp.core.sources.files import lasting_folder, open_input, read_input, replace_file
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.outside_json import read_json

MARGIN = 1.08  # bounds of a change must exceed this: machines vary by some per cent from day to day
BUSY_MARGIN = 3.0  # the same if other programs ran: two runs of the same code were up to 2.5 apart
SHA256_DIGITS, HASH_DIGITS = 64, 12
MOST_NAME_CHARACTERS, MOST_HEAD_BYTES = 80, 1 << 20
RESULTS = b'\n "results":'  # as `save_run` writes it
COMPARABLE = ("processor", "cores", "clock", "Python", "numpy")


def save_run(path: Path, record: Record) -> None:
    """Write a run as one JSON object, whole or not at all; create its folder if needed."""
    data = file_text(record).encode()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, data)
    except OSError as error:
        raise BenchError(f"{path} cannot be written: {error.strerror}.") from error


def save_run_somewhere(path: Path, record: Record) -> None:
    """Write a run; if that fails, save it as a temporary file and raise BenchError with its path."""
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
        raise BenchError(f"{error} The run was saved as {instead} instead.") from error


def load_run(path: Path) -> BenchRun:
    """Read a saved run; raises BenchError for anything else."""
    try:
        record = read_json(read_input(path))
    except OSError as error:
        raise BenchError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BenchError(f"{path} is not JSON: {error}.") from error
    try:
        return run_of(record)
    except RecursionError:
        raise BenchError(f"{path} is nested too deeply.") from None
    except ValueError as error:
        problem = f"is not a run that `tokenloupe bench --json` wrote: {error}"
        raise BenchError(f"{path} {problem}.") from error


def outline_of(path: Path) -> BenchRun:
    """Read a saved run without its results, which are long and come last; an empty run if there is none."""
    try:
        with BufferedReader(open_input(path)) as file:
            head = file.read(MOST_HEAD_BYTES).partition(RESULTS)[0]
        return run_of({**read_json(head.rstrip(b",") + b"}"), "results": []})
    except (OSError, ValueError, RecursionError):
        return BenchRun()


def rename_run(path: Path, name: str) -> None:
    """Rename a saved run; "" removes its name.  Raises BenchError and leaves the old name."""
    run = load_run(path)
    run.name = " ".join(name.split())[:MOST_NAME_CHARACTERS]
    save_run(path, run.record())


@dataclass(frozen=True)
class SpeedChange:
    """The change of one contender in one cell between two runs.

    now            result of the new run
    ratio          new time divided by old time
    margin         the ratio that the interval must exceed
    is_comparable  whether both used the same clock; otherwise the ratio means nothing
    """

    now: BenchResult
    ratio: Ratio
    margin: float = MARGIN
    is_comparable: bool = True

    @property
    def verdict(self) -> str:
        """ "slower", "faster", "same" or NOT_COMPARABLE."""
        if not self.is_comparable:
            return NOT_COMPARABLE
        if self.ratio.low > self.margin:
            return "slower"
        return "faster" if self.ratio.high < 1 / self.margin else "same"

    @property
    def is_sure(self) -> bool:
        """Whether a change is reliable: none is on a machine on which other programs ran."""
        return self.verdict in ("slower", "faster") and self.margin < BUSY_MARGIN

    @property
    def words(self) -> str:
        """The verdict, with “maybe” if it is not reliable."""
        is_unsure = self.verdict in ("slower", "faster") and not self.is_sure
        return f"maybe {self.verdict}" if is_unsure else self.verdict

    @property
    def title(self) -> str:
        now = self.now
        what = f"{now.contender}: {now.scenario} ({now.operation}), {now.corpus}, {now.size_bytes:,} bytes"
        return what + on_threads(now.threads)


def compare_runs(old: BenchRun, new: BenchRun) -> list[SpeedChange]:
    """The changes in what both runs measured, the largest slowdown first, different clocks last."""
    changes = [
        SpeedChange(
            now,
            ratio_between(before, now),
            BUSY_MARGIN if before.was_busy or now.was_busy else MARGIN,
            before.clock == now.clock,
        )
        for before, now in _measured_by_both(old, new)
    ]
    return sorted(changes, key=lambda change: (not change.is_comparable, -change.ratio.ratio))


def caveats(changes: Sequence[SpeedChange]) -> list[str]:
    """Sentences about a busy machine and results that cannot be compared; [] if neither applies."""
    compared = [change for change in changes if change.is_comparable]
    is_busy = any(change.margin >= BUSY_MARGIN for change in compared)
    n_others = counted(len(changes) - len(compared), "result")
    clocks = [f"{n_others} cannot be compared: {OTHER_CLOCK}"] if len(compared) < len(changes) else []
    return [*([BUSY] if is_busy else []), *clocks, *([] if changes else [NONE_IN_COMMON])]


BUSY = f"The machine was busy: differences below {BUSY_MARGIN:g} × are not reliable"
NOT_COMPARABLE = "not comparable"
NONE_IN_COMMON = (
    "Nothing can be compared: no timed result is in both runs. "
    "Measure the same encoders, scenarios and texts in both"
)
OTHER_CLOCK = (
    "one run has elapsed time, the other processor time, which counts while other programs run. "
    "Measure both while no other programs run, or with the same --clock on the command line"
)


def _measured_by_both(old: BenchRun, new: BenchRun) -> list[tuple[BenchResult, BenchResult]]:
    before = {row.key: row for row in old.finished if row.median_s}
    return [(before[row.key], row) for row in new.finished if row.median_s and row.key in before]


def different_conditions(old: BenchRun, new: BenchRun) -> list[str]:
    """The conditions in which two runs differ, one sentence each."""
    conditions = [_conditions(run) for run in (old, new)]
    shared = [name for name in conditions[0] if name in conditions[1]]
    pairs = [(name, *(each[name] for each in conditions)) for name in shared]
    return [
        f"{name} was {_short(before)}, now {_short(after)}"
        for name, before, after in pairs
        if before != after
    ]


def _conditions(run: BenchRun) -> dict[str, Any]:
    """The conditions that results depend on, by name."""
    conditions = {name: run.environment.get(name) for name in COMPARABLE}
    conditions["vocabulary"] = run.vocabulary.get("sha256")
    conditions["chosen pre-tokenizer"] = run.vocabulary.get("chosen_pre") or "none"
    conditions |= {f"text {each['name']}": each["sha256"] for each in run.corpora}
    if (plan := _plan_of(run)) is not None:
        conditions["repetition of texts"] = plan.repeat
        conditions |= {f"encoder {own.name}": own.shown for own in plan.own}
    return conditions


def _plan_of(run: BenchRun) -> Plan | None:
    """The plan of a run, None if missing or invalid; runs without `repeat` repeated the same text."""
    try:
        return plan_from({"repeat": "same", **run.plan})
    except BenchError:
        return None


def _short(value: object) -> str:
    """A value as text, a hash shortened to its first digits."""
    text = str(value)
    return text[:HASH_DIGITS] if len(text) == SHA256_DIGITS else text
