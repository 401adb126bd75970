"""The saved runs of the Bench page, newest first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.findings import YOUR_TEXT
from guiapp.analysis.bench.history import (
    HASH_DIGITS,
    SpeedChange,
    caveats,
    compare_runs,
    different_conditions,
    load_run,
    outline_of,
    rename_run,
    save_run,
    save_run_somewhere,
)
from guiapp.analysis.bench.plan import SCENARIOS, BenchError, Plan
from guiapp.analysis.bench.run_results import BenchRun, Record
from guiapp.core.sources.files import replace_file
from guiapp.core.text.numbers_in_words import capitalized, counted
from guiapp.kit.state.background import LatestJob

LONGEST_SAVING_S = 10.0  # for which closing waits
RUNS = "runs"  # the folder next to the settings
TEXTS = "texts"  # the folder within it
SUFFIX = ".json"
SAVED_NAME = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)\d\d\S* ")
MOST_LISTED = 20
MOST_NAMED = 3  # more are only counted


@dataclass(frozen=True)
class SavedRun:
    """A run on disk; its title contains its name, its start and the model.

    details  how it ended if incomplete, encoders, scenarios and texts; "" if unknown
    """

    path: Path
    title: str
    name: str = ""
    details: str = ""

    @classmethod
    def at(cls, path: Path) -> SavedRun:
        """The run at a path, titled “before · 2026-11-21 18:54, gpt-2”; an unusual file name is the title."""
        run = outline_of(path)
        title = " · ".join(filter(None, [run.name, SAVED_NAME.sub(r"\1 \2:\3, ", path.stem)]))
        parts = [
            run.ending if run.contenders else "",
            _listed([each["contender"] for each in run.contenders], "encoder"),
            _listed([SCENARIOS[name].label for name in run.plan.get("scenarios", ())], "scenario"),
            _listed([each["name"] for each in run.corpora], "text"),
        ]
        return cls(path, title, run.name, " · ".join(filter(None, parts)))


def _listed(names: Sequence[str], what: str) -> str:
    return ", ".join(names) if len(names) <= MOST_NAMED else counted(len(names), what)


class OpenedRun(NamedTuple):
    """A run that was read from a file."""

    entry: SavedRun
    run: BenchRun


@dataclass(frozen=True)
class RunComparison:
    """The results that are faster or slower than in another run, surely or maybe.

    changes     the largest slowdown first; incomparable results last
    n_compared  number of results that both runs have by the same clock
    caveats     why results are not compared or not reliable, and other differences of the runs
    """

    title: str
    changes: tuple[SpeedChange, ...]
    n_compared: int
    caveats: tuple[str, ...]

    @classmethod
    def of(cls, title: str, old: BenchRun, new: BenchRun) -> RunComparison:
        every = compare_runs(old, new)
        changes = tuple(change for change in every if change.verdict != "same")
        n_compared = sum(change.is_comparable for change in every)
        return cls(title, changes, n_compared, (*caveats(every), *different_conditions(old, new)))

    def __str__(self) -> str:
        n_sure = sum(change.is_sure for change in self.changes)
        n_unsure = sum(change.is_comparable for change in self.changes) - n_sure
        clear = f"{n_sure or 'none'} clearly different"
        maybe = f", {n_unsure} maybe" if n_unsure else ""
        results = f"{counted(self.n_compared, 'result')} in both runs, {clear}{maybe}"
        return ". ".join(map(capitalized, [*[results] * (self.n_compared > 0), *self.caveats]))


@dataclass(frozen=True)
class FinishedRun:
    """A run that is over, and how it was saved.

    comparison  with the newest comparable run, None if there is no such run
    path        its file in the folder of saved runs, None if it could not be saved there
    problem     why it could not be saved there, else ""
    """

    run: BenchRun
    comparison: RunComparison | None
    path: Path | None
    problem: str = ""


class RunHistory:
    """A folder of runs, named by their start and model."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, record: Record) -> None:
        """Save the results of a run so far; raises BenchError."""
        save_run(self._path_of(record), record)

    def finish(self, run: BenchRun) -> FinishedRun:
        """Save a run, in this folder if possible, and compare it with the newest comparable run."""
        record = run.record()
        path, problem = self._path_of(record), ""
        try:
            save_run_somewhere(path, record)
        except BenchError as error:  # whose message contains the path used instead
            problem = f"This run is shown but not in the list of runs: {error}"
        return FinishedRun(run, self._compare(run, path), None if problem else path, problem)

    def newest(self) -> OpenedRun | None:
        """The newest readable run, None if there is no such run."""
        for path, run in _readable(self._paths()):
            return OpenedRun(SavedRun.at(path), run)
        return None

    def runs(self) -> list[SavedRun]:
        return list(map(SavedRun.at, self._paths()[:MOST_LISTED]))

    def _path_of(self, record: Record) -> Path:
        started = record["environment"]["started"].replace(":", "").replace("+", "-")
        model = Path(record["vocabulary"]["path"]).stem
        return self.folder / f"{started} {model}{SUFFIX}"

    def _compare(self, run: BenchRun, its_path: Path) -> RunComparison | None:
        """Compare with the newest run of the same vocabulary that has some of the same results; else None."""
        others = (path for path in self._paths()[: MOST_LISTED + 1] if path != its_path)
        for path, old in _readable(others):
            if _tokens_of(old) == _tokens_of(run):
                comparison = RunComparison.of(SavedRun.at(path).title, old, run)
                if comparison.n_compared:
                    return comparison
        return None

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{SUFFIX}"), reverse=True)


def _tokens_of(run: BenchRun) -> tuple[str | None, str]:
    """The properties that must be equal for equal tokens."""
    return run.vocabulary.get("sha256"), run.vocabulary.get("chosen_pre", "")


def _readable(paths: Iterable[Path]) -> Iterable[tuple[Path, BenchRun]]:
    """The files that are runs: the folder may contain others."""
    for path in paths:
        try:
            yield path, load_run(path)
        except BenchError:
            continue


def with_saved_text(plan: Plan, history: RunHistory | None, text: bytes) -> Plan:
    """The plan with the typed text replaced by a file, so that the run can be repeated later.

    Raises BenchError if the text cannot be saved.
    """
    if history is None:
        raise BenchError("Your text cannot be saved: there is no folder for runs. Choose another text.")
    path = history.folder / TEXTS / sha256(text).hexdigest()[:HASH_DIGITS] / YOUR_TEXT
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text, is_private=True)
    except OSError as error:
        raise BenchError(
            f"Your text cannot be saved to {path}: {error.strerror}. Choose another text."
        ) from error
    return replace(plan, corpora=tuple(str(path) if name == YOUR_TEXT else name for name in plan.corpora))


class SavedRuns(QObject):
    """Lists, saves, opens, compares and renames runs, each in a thread: the disk may be slow or far away.

    Signals:
        changed(): `runs` is new.
        opened(OpenedRun): the run requested by `open`.
        newest_read(OpenedRun): the newest run at the start of the program, if there is one.
        compared(RunComparison): the comparison requested by `compare`.
        saved(FinishedRun): a run that is over was saved, or could not be.
        failed(str): why a run cannot be opened, compared or renamed.
    """

    changed = Signal()
    opened = Signal(object)
    newest_read = Signal(object)
    compared = Signal(object)
    saved = Signal(object)
    failed = Signal(str)

    def __init__(self, history: RunHistory | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self.runs: list[SavedRun] = []  # the newest first
        self.shown: Path | None = None  # the file of the run on the page, if it has one
        self.folder = None if history is None else history.folder  # of the run opened or compared last
        self._names: dict[Path, str] = {}  # new names, still to be written
        self._listing = LatestJob[list[SavedRun]](self, self._take_list)
        self._reading = LatestJob[OpenedRun](self, self.opened, self.failed)
        self._finding = LatestJob[OpenedRun | None](self, self._on_newest_read)
        self._comparing = LatestJob[RunComparison](self, self.compared, self.failed)
        self._saving = LatestJob[FinishedRun | None](self, self._on_saved)
        self._renaming = LatestJob[None](self, failed=self.failed)
        for ended in (self._renaming.done, self._renaming.failed):
            ended.connect(self.refresh)
        if history is not None:
            self._finding.start(lambda _: history.newest())

    def refresh(self) -> None:
        if (history := self._history) is not None:
            self._listing.start(lambda _: history.runs())

    def open(self, path: Path) -> None:
        self.folder = path.parent
        self._reading.start(lambda _: OpenedRun(SavedRun.at(path), load_run(path)))

    def compare(self, path: Path, run: BenchRun) -> None:
        self.folder = path.parent
        self._comparing.start(lambda _: RunComparison.of(SavedRun.at(path).title, load_run(path), run))

    def rename(self, run: SavedRun, name: str) -> None:
        self._names[run.path] = name
        self._renaming.start(lambda _: self._rename_all())

    def save(self, run: BenchRun) -> None:
        """Save the results so far, in case the program is killed during the run."""
        if (history := self._history) is not None and run.finished:
            record = run.record()
            self._saving.start(lambda _: history.save(record))

    def finish(self, run: BenchRun) -> None:
        """Save a run that is over, and compare it with the newest comparable run."""
        if (history := self._history) is not None and run.finished:
            self._saving.start(lambda _: history.finish(run))

    def close(self) -> None:
        for work in (self._saving, self._renaming):
            work.finish(LONGEST_SAVING_S)
        for job in (self._listing, self._finding, self._reading, self._comparing):
            job.wait()

    def _rename_all(self) -> None:
        """Write all new names, including those that a replaced job did not reach."""
        while self._names:
            rename_run(*self._names.popitem())

    def _take_list(self, runs: list[SavedRun]) -> None:
        if runs != self.runs:
            self.runs = runs
            self.changed.emit()

    def _on_newest_read(self, opened: OpenedRun | None) -> None:
        if opened is not None:
            self.newest_read.emit(opened)
        self.refresh()

    def _on_saved(self, finished: FinishedRun | None) -> None:
        if finished is not None:
            self.saved.emit(finished)
            self.refresh()
