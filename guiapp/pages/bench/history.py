"""The runs of the Bench page that are saved, newest first."""

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

LONGEST_SAVING_S = 10.0  # that closing waits for
RUNS = "runs"  # the folder beside the settings
TEXTS = "texts"  # the folder within it
SUFFIX = ".json"
SAVED_NAME = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)\d\d\S* ")
MOST_LISTED = 20
MOST_NAMED = 3  # in a line of the list


@dataclass(frozen=True)
class SavedRun:
    """A run on disk; its title says what it is called, when it began and of which model.

    details  how it ended if too early, encoders, scenarios and texts; "" where nobody knows
    """

    path: Path
    title: str
    name: str = ""
    details: str = ""

    @classmethod
    def at(cls, path: Path) -> SavedRun:
        """Such as “before · 2026-11-21 18:54, gpt-2”; files of other names are called by these."""
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
    """What is faster or slower than in another run, surely or not.

    changes     the most slowed down first; last what cannot be compared
    n_compared  the results that both runs have by the same clock
    caveats     why not all of it is compared or reliable, and in what the runs differ besides
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
    """What became of a run when it was over.

    comparison  with the last one of its kind, None where there is none
    path        its file among the saved runs, None where it is not among them
    problem     why it is not, "" where it is
    """

    run: BenchRun
    comparison: RunComparison | None
    path: Path | None
    problem: str = ""


class RunHistory:
    """A folder of runs, named by their beginning."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, record: Record) -> None:
        """Save what a run has by now; raises BenchError."""
        save_run(self._path_of(record), record)

    def finish(self, run: BenchRun) -> FinishedRun:
        """Save a run, here if that can be, and compare it with the last one of its kind."""
        record = run.record()
        path, problem = self._path_of(record), ""
        try:
            save_run_somewhere(path, record)
        except BenchError as error:  # which says where it is instead
            problem = f"This run is shown but not in the list of runs: {error}"
        return FinishedRun(run, self._compare(run, path), None if problem else path, problem)

    def newest(self) -> OpenedRun | None:
        """The run before this start of the program."""
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
        """With the newest other run of the same vocabulary that measured some of the same; else None."""
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
    """What must be the same for the same tokens."""
    return run.vocabulary.get("sha256"), run.vocabulary.get("chosen_pre", "")


def _readable(paths: Iterable[Path]) -> Iterable[tuple[Path, BenchRun]]:
    """Those that are runs: the folder may hold files of others."""
    for path in paths:
        try:
            yield path, load_run(path)
        except BenchError:
            continue


def with_saved_text(plan: Plan, history: RunHistory | None, text: bytes) -> Plan:
    """A plan with a file in the place of what is typed, so that a run can be repeated with it later.

    Raises BenchError where that fails.
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
        opened(OpenedRun): what was asked for.
        newest_read(OpenedRun): the newest of those that were there at the start, where there is one.
        compared(RunComparison): what was asked for.
        saved(FinishedRun): what became of a run that is over.
        failed(str): why one cannot be opened, compared or renamed.
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
        self.shown: Path | None = None  # the file of the run that the page shows, if it has one
        self.folder = None if history is None else history.folder  # of the last one that was asked for
        self._names: dict[Path, str] = {}  # still to be given
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
        """What a run has by now is on the disk while it goes on, in case the program is killed."""
        if (history := self._history) is not None and run.finished:
            record = run.record()
            self._saving.start(lambda _: history.save(record))

    def finish(self, run: BenchRun) -> None:
        """The run is over: put it with the others, and compare it with the last one of its kind."""
        if (history := self._history) is not None and run.finished:
            self._saving.start(lambda _: history.finish(run))

    def close(self) -> None:
        for work in (self._saving, self._renaming):
            work.finish(LONGEST_SAVING_S)
        for job in (self._listing, self._finding, self._reading, self._comparing):
            job.wait()

    def _rename_all(self) -> None:
        """Also those that a job before this one had no time for."""
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
