"""A run on the disk while it goes on: what is left of it when the whole program is killed.

Each event of the engine is a line of JSON.  A lock beside the file, which ends with the process whatever
ends that, tells a run that goes on in another window from one that was cut off.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from PySide6.QtCore import QLockFile

from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.core.system.outside_json import read_json
from guiapp.kit.state.background import Writer
from guiapp.pages.bench.live import LiveRun

SUFFIX, LOCK = ".jsonl", ".lock"
MOST_BYTES = 16 << 20  # from here on no single samples: results, which hold them, follow each cell


class Journal:
    """Takes the events of one run down in a thread of its own, so that nobody waits for the disk.

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

    def end(self, is_kept: bool) -> None:
        """The run is over; its journal goes if it is kept elsewhere."""
        self._writer.submit(self._end, is_kept)

    def finish(self) -> None:
        """Wait until everything is on the disk."""
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

    def _end(self, is_kept: bool) -> None:
        self._close()
        if is_kept:
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
    for path in sorted(folder.glob(f"*{SUFFIX}")):
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
    return f"{time.time_ns()}-{os.getpid()}{SUFFIX}"


def _lock_of(path: Path) -> QLockFile:
    lock = QLockFile(str(path.with_suffix(LOCK)))
    lock.setStaleLockTime(0)  # however long ago: it holds while its process runs
    return lock
