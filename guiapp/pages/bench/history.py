"""The runs of the Bench page that are kept, newest first."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from PySide6.QtCore import QLockFile, QObject, Signal

from guiapp.analysis.bench.history import (
    HASH_DIGITS,
    SpeedChange,
    compare_runs,
    different_conditions,
    load_run,
    name_of,
    rename_run,
    save_run,
    save_run_somewhere,
)
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.analysis.bench.report import busy_text
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.core.sources.files import replace_file
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.outside_json import read_json
from guiapp.kit.state.background import LatestJob, Writer
from guiapp.pages.bench.live import LiveRun

LONGEST_SAVING_S = 10.0  # that closing waits for; the journal of a run that is not saved by then stays
JOURNAL_SUFFIX, LOCK = ".jsonl", ".lock"
MOST_BYTES = 16 << 20  # from here on no single samples: results, which hold them, follow each cell
YOUR_TEXT = "your text"
RUNS = "runs"  # the folder beside the settings
TEXTS, UNFINISHED = "texts", "unfinished"  # the folders within it
SUFFIX = ".json"
KEPT_NAME = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)\d\d\S* ")
UNFINISHED_NAME = "Unfinished"
MOST_LISTED = 20


@dataclass(frozen=True)
class SavedRun:
    """A run on disk; its title says what it is called, when it began and of which model."""

    path: Path
    title: str
    name: str = ""

    @classmethod
    def at(cls, path: Path) -> SavedRun:
        name = name_of(path)
        return cls(path, _title_of(path, name), name)


class OpenedRun(NamedTuple):
    """A run that was read from a file."""

    entry: SavedRun
    record: Record


@dataclass(frozen=True)
class RunComparison:
    """What is faster or slower than in another run, surely or not.

    changes     the most slowed down first
    n_compared  the results that both runs have
    conditions  in what the runs differ besides, one sentence each
    busy        that other programs ran, "" where they did not
    """

    title: str
    changes: tuple[SpeedChange, ...]
    n_compared: int
    conditions: tuple[str, ...]
    busy: str = ""

    @classmethod
    def of(cls, title: str, old: Record, new: Record) -> RunComparison:
        changes = compare_runs(old, new)
        told = tuple(change for change in changes if change.is_change)
        return cls(title, told, len(changes), tuple(different_conditions(old, new)), busy_text(changes))

    def __str__(self) -> str:
        n_sure = sum(change.is_sure for change in self.changes)
        told = f"In both: {counted(self.n_compared, 'result')}, of them surely different: {n_sure}"
        if n_unsure := len(self.changes) - n_sure:
            told += f", maybe: {n_unsure}"
        return "; ".join(filter(None, [told, self.busy, *self.conditions]))


@dataclass(frozen=True)
class FinishedRun:
    """What became of a run when it was over.

    comparison  with the last one of its kind, None where there is none
    path        its file among the kept runs, None where it is not among them
    problem     why it is not, "" where it is
    """

    record: Record
    comparison: RunComparison | None
    path: Path | None
    problem: str = ""


class RunHistory:
    """A folder of runs, named by their beginning."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, record: Record, journal: Journal) -> FinishedRun:
        """Save a run, end its journal, which stays if need be, and compare with the last one of its kind."""
        path, problem = self._place_of(record), ""
        try:
            save_run_somewhere(path, record)
        except BenchError as error:  # which says where it is instead
            problem = f"The run is on the page and not in the list of runs: {error}"
        journal.end(is_saved=not problem)
        return FinishedRun(record, self._compare(record), None if problem else path, problem)

    def begin(self) -> Journal:
        """A place for what a run measures while it goes on."""
        return Journal(self.folder / UNFINISHED)

    def newest(self) -> OpenedRun | None:
        """The run before this start of the program, be it one that was cut off when that was killed."""
        self._keep_cut_off_runs()
        for path, record in _readable(self._paths()):
            return OpenedRun(SavedRun.at(path), record)
        return None

    def _keep_cut_off_runs(self) -> None:
        """Keep what was measured by runs whose program was killed; those that cannot be saved wait."""
        for journal, record in cut_off_runs(self.folder / UNFINISHED):
            with suppress(OSError, BenchError):
                if record is not None:
                    save_run(self._place_of(record), {"name": UNFINISHED_NAME, **record})
                journal.unlink()

    def _place_of(self, record: Record) -> Path:
        started = record["environment"]["started"].replace(":", "").replace("+", "-")
        model = Path(record["vocabulary"]["path"]).stem
        return self.folder / f"{started} {model}{SUFFIX}"

    def runs(self) -> list[SavedRun]:
        return list(map(SavedRun.at, self._paths()[:MOST_LISTED]))

    def _compare(self, record: Record) -> RunComparison | None:
        """With the newest other run of the same vocabulary that measured some of the same; else None."""
        others = (path for path in self._paths()[: MOST_LISTED + 1] if path != self._place_of(record))
        for path, old in _readable(others):
            if _tokens_of(old) == _tokens_of(record):
                comparison = RunComparison.of(SavedRun.at(path).title, old, record)
                if comparison.n_compared:
                    return comparison
        return None

    def _paths(self) -> list[Path]:
        return sorted(self.folder.glob(f"*{SUFFIX}"), reverse=True)


def _tokens_of(run: Record) -> tuple[str | None, str]:
    """What must be the same for the same tokens."""
    vocabulary = run.get("vocabulary", {})
    return vocabulary.get("sha256"), vocabulary.get("chosen_pre", "")


def with_saved_text(plan: Plan, history: RunHistory | None, text: bytes) -> Plan:
    """A plan with a file in the place of what is typed, so that a run can be repeated with it later.

    Raises BenchError where that fails.
    """
    if history is None:
        raise BenchError("There is no folder for your text. Choose another one.")
    path = history.folder / TEXTS / sha256(text).hexdigest()[:HASH_DIGITS] / YOUR_TEXT
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, text, is_private=True)
    except OSError as error:
        raise BenchError(
            f"Your text cannot be put into {path}: {error.strerror}. Choose another one."
        ) from error
    return replace(plan, corpora=tuple(str(path) if name == YOUR_TEXT else name for name in plan.corpora))


def _title_of(path: Path, name: str) -> str:
    """What a run is called, when it began and of which model, "before · 2026-11-21 18:54, gpt-2".

    Of other files than kept ones their name.
    """
    return " · ".join(filter(None, [name, KEPT_NAME.sub(r"\1 \2:\3, ", path.stem)]))


def _readable(paths: Iterable[Path]) -> Iterable[tuple[Path, Record]]:
    """Those that are runs: the folder may hold files of others."""
    for path in paths:
        try:
            yield path, load_run(path)
        except BenchError:
            continue


class Journal:
    """A run on the disk while it goes on: what is left of it when the whole program is killed.

    A thread of its own takes events down, so that nobody waits for the disk.

    problem  why it does not, "" while it does
    """

    def __init__(self, folder: Path) -> None:
        self.problem = ""
        self._path = folder / _new_name()
        self._lock = _lock_of(self._path)
        self._file: TextIO | None = None
        self._n_bytes = 0
        self._writer = Writer("journal")
        self._writer.submit(self._begin)

    def add(self, event: Mapping[str, Any]) -> None:
        """Take an event down; where the disk is full, this and all later ones are missing."""
        self._writer.submit(self._write, event)

    def end(self, is_saved: bool) -> None:
        """The run is over; its journal goes if it is kept elsewhere."""
        self._writer.submit(self._end, is_saved)

    def finish(self) -> None:
        self._writer.finish()

    def _begin(self) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._lock.tryLock(0):
                self._file = self._path.open("w", encoding="utf-8", buffering=1)  # each line goes out whole
            else:  # other windows would take what is not locked for a run that was cut off
                self._give_up("it cannot be locked, the disk may be full")
        except OSError as error:
            self._give_up(error.strerror)

    def _write(self, event: Mapping[str, Any]) -> None:
        if self._file is None:
            return
        line = json.dumps(event) + "\n"
        try:
            if event["event"] != "sample" or self._n_bytes + len(line) <= MOST_BYTES:
                self._n_bytes += self._file.write(line)
        except OSError as error:
            self._give_up(error.strerror)

    def _end(self, is_saved: bool) -> None:
        self._close()
        if is_saved:
            with suppress(OSError):  # the next start finds it
                self._path.unlink()
        self._lock.unlock()

    def _give_up(self, reason: str | None) -> None:
        self.problem = f"not on the disk while it goes on: {reason}"
        self._close()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # what could not be written was told already
                file.close()


def cut_off_runs(folder: Path) -> Iterator[tuple[Path, Record | None]]:
    """Journals that no process writes any more, each with what was measured, or None where nothing was.

    A journal stays locked until the next one is asked for: the one who keeps its run removes it meanwhile.
    """
    for path in sorted(folder.glob(f"*{JOURNAL_SUFFIX}")):
        lock = _lock_of(path)
        if lock.tryLock(0):
            run = _run_in(path)
            yield path, run.record if run.results else None
            lock.unlock()


def _run_in(path: Path) -> LiveRun:
    run, is_known = LiveRun(), True
    with suppress(AttributeError, KeyError, TypeError):  # somebody else's lines
        for event in _events_in(path):
            if event["event"] == "cell":  # earlier versions had other scenarios
                is_known = event["scenario"] in SCENARIOS
            if is_known:
                run.add(event)
    run.end()
    return run


def _events_in(path: Path) -> Iterator[dict[str, Any]]:
    """Up to the line within which it was cut off."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                yield read_json(line)
            except ValueError:
                return


def _new_name() -> str:
    return f"{time.time_ns()}-{os.getpid()}{JOURNAL_SUFFIX}"


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_suffix(LOCK)))
    lock.setStaleLockTime(0)  # however long ago: it holds while its process runs
    return lock


class SavedRuns(QObject):
    """Lists, keeps, opens, compares and renames runs, each in a thread: the disk may be slow or far away.

    Signals:
        changed(): `runs` is new.
        opened(OpenedRun): what was asked for.
        newest_read(OpenedRun): the newest of those that were there at the start, where there is one.
        compared(Comparison): what was asked for.
        saved(Kept): what became of a run that is over.
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
        self._journal: Journal | None = None  # of the run that goes on
        self._names: dict[Path, str] = {}  # still to be given
        self._listing = LatestJob[list[SavedRun]](self, self._take_list)
        self._reading = LatestJob[OpenedRun](self, self.opened, self.failed)
        self._finding = LatestJob[OpenedRun | None](self, self._on_newest_read)
        self._comparing = LatestJob[RunComparison](self, self.compared, self.failed)
        self._keeping = LatestJob[FinishedRun](self, self._on_saved)
        self._renaming = LatestJob[None](self, failed=self.failed)
        for ended in (self._renaming.done, self._renaming.failed):
            ended.connect(self.refresh)
        if history is not None:
            self._finding.start(lambda _: history.newest())

    def refresh(self) -> None:
        if (history := self._history) is not None:
            self._listing.start(lambda _: history.runs())

    def open(self, path: Path) -> None:
        self._reading.start(lambda _: OpenedRun(SavedRun.at(path), load_run(path)))

    def compare(self, path: Path, record: Record) -> None:
        self._comparing.start(lambda _: RunComparison.of(SavedRun.at(path).title, load_run(path), record))

    def rename(self, run: SavedRun, name: str) -> None:
        self._names[run.path] = name
        self._renaming.start(lambda _: self._rename_all())

    def begin(self) -> None:
        """A run starts: what it measures is on the disk while it goes on."""
        self._journal = None if self._history is None else self._history.begin()

    def take_down(self, event: Mapping[str, Any]) -> None:
        if self._journal is not None:
            self._journal.add(event)

    @property
    def problem(self) -> str:
        """Why the run that goes on is not on the disk, "" if it is."""
        return "" if self._journal is None else self._journal.problem

    def keep(self, record: Record) -> None:
        """The run is over: put it beside the others, and compare it with the last one of its kind."""
        history, journal, self._journal = self._history, self._journal, None
        if history is None or journal is None:
            return
        if record["results"]:
            self._keeping.start(lambda _: history.keep(record, journal))
        else:
            journal.end(is_saved=True)  # nothing is in it

    def close(self) -> None:
        if self._journal is not None:  # the process ended without a word
            self._journal.end(is_saved=False)
        self._keeping.finish(LONGEST_SAVING_S)
        self._renaming.finish(LONGEST_SAVING_S)
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

    def _on_saved(self, saved: FinishedRun) -> None:
        self.saved.emit(saved)
        self.refresh()
