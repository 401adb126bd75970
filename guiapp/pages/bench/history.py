"""The runs of the Bench page that are kept, newest first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from guiapp.analysis.bench.history import (
    HASH_DIGITS,
    Change,
    compare_runs,
    different_conditions,
    load_run,
    name_of,
    save_run,
    save_run_somewhere,
)
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.analysis.bench.tables import busy_text
from guiapp.core.system.replace_file import replace_file
from guiapp.core.text.figures import counted
from guiapp.pages.bench.journal import Journal, cut_off_runs

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

    saved: SavedRun
    record: Record


@dataclass(frozen=True)
class Comparison:
    """What is faster or slower than in another run, surely or not.

    changes     the most slowed down first
    n_compared  the results that both runs have
    conditions  in what the runs differ besides, one sentence each
    busy        that other programs ran, "" where they did not
    """

    title: str
    changes: tuple[Change, ...]
    n_compared: int
    conditions: tuple[str, ...]
    busy: str = ""

    @classmethod
    def of(cls, title: str, old: Record, new: Record) -> Comparison:
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
class Kept:
    """What became of a run when it was over.

    comparison  with the last one of its kind, None where there is none
    path        its file among the kept runs, None where it is not among them
    problem     why it is not, "" where it is
    """

    record: Record
    comparison: Comparison | None
    path: Path | None
    problem: str = ""


class RunHistory:
    """A folder of runs, named by their beginning."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, record: Record, journal: Journal) -> Kept:
        """Save a run, end its journal, which stays if need be, and compare with the last one of its kind."""
        path, problem = self._place_of(record), ""
        try:
            save_run_somewhere(path, record)
        except BenchError as error:  # which says where it is instead
            problem = f"The run is on the page and not in the list of runs: {error}"
        journal.end(is_kept=not problem)
        return Kept(record, self._compare(record), None if problem else path, problem)

    def begin(self) -> Journal:
        """A place for what a run measures while it goes on."""
        return Journal(self._folder / UNFINISHED)

    def newest(self) -> OpenedRun | None:
        """The run before this start of the program, be it one that was cut off when that was killed."""
        self._keep_cut_off_runs()
        for path, record in _readable(self._paths()):
            return OpenedRun(SavedRun.at(path), record)
        return None

    def _keep_cut_off_runs(self) -> None:
        """Keep what was measured by runs whose program was killed; those that cannot be saved wait."""
        for journal, record in cut_off_runs(self._folder / UNFINISHED):
            with suppress(OSError, BenchError):
                if record is not None:
                    save_run(self._place_of(record), {"name": UNFINISHED_NAME, **record})
                journal.unlink()

    def _place_of(self, record: Record) -> Path:
        started = record["environment"]["started"].replace(":", "").replace("+", "-")
        model = Path(record["vocabulary"]["path"]).stem
        return self._folder / f"{started} {model}{SUFFIX}"

    def keep_text(self, name: str, text: bytes) -> Path:
        """Put a text where a run can be repeated with it later; raises BenchError where that fails."""
        path = self._folder / TEXTS / sha256(text).hexdigest()[:HASH_DIGITS] / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, text, is_private=True)
        except OSError as error:
            raise BenchError(
                f"Your text cannot be put into {path}: {error.strerror}. Choose another one."
            ) from error
        return path

    def runs(self) -> list[SavedRun]:
        """The newest runs."""
        return list(map(SavedRun.at, self._paths()[:MOST_LISTED]))

    def _compare(self, record: Record) -> Comparison | None:
        """With the newest other run of the same vocabulary that measured some of the same; else None."""
        others = (path for path in self._paths()[: MOST_LISTED + 1] if path != self._place_of(record))
        for path, old in _readable(others):
            if _tokens_of(old) == _tokens_of(record):
                comparison = Comparison.of(SavedRun.at(path).title, old, record)
                if comparison.n_compared:
                    return comparison
        return None

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob(f"*{SUFFIX}"), reverse=True)


def _tokens_of(run: Record) -> tuple[str | None, str]:
    """What must be the same for the same tokens."""
    vocabulary = run.get("vocabulary", {})
    return vocabulary.get("sha256"), vocabulary.get("chosen_pre", "")


def with_text_kept(plan: Plan, history: RunHistory | None, text: bytes) -> Plan:
    """A plan with a file in the place of what is typed; raises BenchError where that fails."""
    if history is None:
        raise BenchError("There is no folder for your text. Choose another one.")
    kept = str(history.keep_text(YOUR_TEXT, text))
    return replace(plan, corpora=tuple(kept if name == YOUR_TEXT else name for name in plan.corpora))


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
