"""Texts that are in no file yet, kept for the time after the program has ended, however it does.

Each window has one of its own, in a file that begins with a line of JSON about it; the text follows, byte
for byte.  What is typed then is appended to a file of edits, whose first line is the number of the text.
A lock says which of them belong to a window that runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal

from guiapp.analysis.editing.text_buffer import JournalEdit, packed, replayed
from guiapp.core.sources.files import replace_file
from guiapp.core.text.outside_json import read_json
from guiapp.kit.state.background import Writer

ENDING, EDITS_ENDING = ".text", ".edits"
HEAD_BYTES = 1024
MOST_ASIDE = 20  # texts that other windows leave alone; each lock is an open file
UNREADABLE = (OSError, ValueError, KeyError, TypeError)


@dataclass(frozen=True)
class AutosavedText:
    """What was kept; `path` is the file that it is a changed version of, if any."""

    data: bytes
    path: Path | None


@dataclass(frozen=True)
class AutosavedTextHead:
    """What a list says of a text that was kept: where it lies, when it was kept, and how it begins."""

    place: Path
    path: Path | None
    time_s: float
    size_bytes: int
    beginning: bytes


class AutosavedTexts(QObject):
    """The text of this window, and those that windows before it left behind.

    Signals:
        failed(str): the text cannot be kept, and why.
        recovered(): it can again.
    """

    failed = Signal(str)
    recovered = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._place: Path | None = None
        self._lock: QLockFile | None = None
        self._aside: dict[Path, QLockFile] = {}
        self._is_failing = False
        self._number = b""  # of the whole text that edits follow
        self._writer = Writer("kept text")
        self._syncer = Writer("kept text to disk")  # can take long, while the next edits are written

    def take(self) -> AutosavedText | None:
        """Make the newest text that no window has the one of this window."""
        for place in sorted(self._folder.glob(f"*{ENDING}"), key=_age):
            if self._own(place):
                if (autosaved := _read(place)) is not None:
                    self.keep(autosaved.data, autosaved.path)  # whole: its last edit may be half
                    return autosaved
                self.leave()
        return None

    @property
    def is_autosaving(self) -> bool:
        """Whether the text of this window has a file that edits can follow."""
        return self._place is not None and not self._is_failing

    def keep(self, data: bytes, path: Path | None) -> None:
        """Write the text of this window before long; nobody waits for it."""
        place = self._place or self._folder / f"{os.urandom(8).hex()}{ENDING}"
        if self._place is None and not self._own(place):
            return
        self._number = os.urandom(8).hex().encode()
        self._writer.submit(self._write, place, AutosavedText(data, path), self._number)

    def keep_edits(self, edits: Sequence[JournalEdit]) -> None:
        """Write what was typed since; there is a text that it follows."""
        if self._place is not None:
            self._writer.submit(self._append, self._place, self._number, edits)

    def forget(self) -> None:
        """The text of this window is in a file now, or not wanted any more."""
        if self._place is not None:
            self._writer.submit(_delete, self._place)
        if self._lock is not None:
            self._writer.submit(self._lock.unlock)
        self._place = self._lock = None

    def set_aside(self) -> None:
        """Begin another text; undo can bring the present one back as long as the window is open."""
        if self._place is not None and self._lock is not None:
            self._writer.submit(self._fold, self._place)
            self._aside[self._place] = self._lock
            if len(self._aside) > MOST_ASIDE:
                self._writer.submit(self._aside.pop(next(iter(self._aside))).unlock)
        self._place = self._lock = None

    def leave(self) -> None:
        """Leave the texts of this window to the next ones that start."""
        self.set_aside()
        while self._aside:
            self._writer.submit(self._aside.popitem()[1].unlock)

    def others(self) -> list[AutosavedTextHead]:
        """The texts that no window shows now, the newest first."""
        self.finish()
        places = sorted(self._folder.glob(f"*{ENDING}"), key=_age)
        free = (place for place in places if place in self._aside or self._free_lock(place) is not None)
        return [head for place in free if (head := _read_head(place)) is not None]

    def read(self, head: AutosavedTextHead) -> AutosavedText | None:
        """The whole text; None if it is gone."""
        return _read(head.place)

    def delete(self, heads: Iterable[AutosavedTextHead]) -> None:
        """Forget texts for good, but for those that a window has begun to show."""
        for head in heads:
            lock = self._aside.pop(head.place, None) or self._free_lock(head.place)
            if lock is not None:
                self._writer.submit(_delete, head.place)
                self._writer.submit(lock.unlock)

    def finish(self) -> None:
        """Wait until everything is on the disk."""
        self._writer.finish()
        self._syncer.finish()

    def is_on_disk(self) -> bool:
        """Whether the last text is on the disk; waits for it."""
        self.finish()
        return self.is_autosaving

    def _own(self, place: Path) -> bool:
        """Lock a place; whether nobody else has it."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._report_failure(error)
            return False
        lock = self._free_lock(place)
        if lock is None:
            return False
        self._place, self._lock = place, lock
        return True

    def _free_lock(self, place: Path) -> QLockFile | None:
        """The lock of a place, held as long as it lives; None if another window holds it, or this one."""
        lock = QLockFile(str(place.with_suffix(".lock")))
        lock.setStaleLockTime(0)  # however long ago: it holds while its process runs
        return lock if lock.tryLock(0) else None

    def _write(self, place: Path, autosaved: AutosavedText, number: bytes) -> None:
        path = None if autosaved.path is None else str(autosaved.path)
        about = json.dumps({"path": path, "number": number.decode()})
        is_first = not place.exists()
        try:
            replace_file(
                place, about.encode() + b"\n" + autosaved.data, is_private=True, waits_for_disk=not is_first
            )
        except OSError as error:
            self._report_failure(error)
            return
        if self._is_failing:
            self._is_failing = False
            self.recovered.emit()
        if is_first:  # there was nothing that a loss of power could have spoiled
            self._syncer.submit(_sync, place)

    def _append(self, place: Path, number: bytes, edits: Sequence[JournalEdit]) -> None:
        if self._is_failing:  # there is nothing that edits could follow
            return
        journal = place.with_suffix(EDITS_ENDING)
        try:
            if not journal.exists() or _number_in(journal) != number:
                replace_file(journal, number + b"\n" + packed(edits), is_private=True)
            else:
                with journal.open("ab") as file:
                    file.write(packed(edits))
        except OSError as error:
            self._report_failure(error)
        else:
            self._syncer.submit(_sync, journal)

    def _fold(self, place: Path) -> None:
        """Make one file of a text and the edits that follow it."""
        if place.with_suffix(EDITS_ENDING).exists() and (autosaved := _read(place)) is not None:
            self._write(place, autosaved, b"")
            place.with_suffix(EDITS_ENDING).unlink(missing_ok=True)

    def _report_failure(self, error: OSError) -> None:
        if not self._is_failing:
            self._is_failing = True
            self.failed.emit(
                f"Your text cannot be autosaved in {self._folder}: {error.strerror}. Save it yourself."
            )


def _age(place: Path) -> float:
    """The newest first."""
    try:
        return -place.stat().st_mtime
    except OSError:
        return 0.0


def _read(place: Path) -> AutosavedText | None:
    """The text in a file, with the edits that follow it; None where it cannot be read."""
    try:
        about, _, data = place.read_bytes().partition(b"\n")
        return AutosavedText(replayed(data, _edits_of(place, about)), _path_in(about))
    except UNREADABLE:
        return None


def _edits_of(place: Path, about: bytes) -> bytes:
    """The edits that follow a text; those that followed another one before are none."""
    with suppress(OSError):
        number, _, edits = place.with_suffix(EDITS_ENDING).read_bytes().partition(b"\n")
        if number and number.decode() == read_json(about).get("number"):
            return edits
    return b""


def _number_in(journal: Path) -> bytes:
    with journal.open("rb") as file:
        return file.readline().rstrip()


def _delete(place: Path) -> None:
    place.unlink(missing_ok=True)
    place.with_suffix(EDITS_ENDING).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until a loss of power takes nothing of a file any more."""
    with suppress(OSError), path.open("rb+") as file:
        os.fsync(file.fileno())


def _read_head(place: Path) -> AutosavedTextHead | None:
    try:
        with place.open("rb") as file:
            about, beginning = file.readline(), file.read(HEAD_BYTES)
            status = os.fstat(file.fileno())
        size = status.st_size - len(about)
        if _edits_of(place, about) and (autosaved := _read(place)) is not None:
            beginning, size = autosaved.data[:HEAD_BYTES], len(autosaved.data)
        return AutosavedTextHead(place, _path_in(about), status.st_mtime, size, beginning)
    except UNREADABLE:
        return None


def _path_in(about: bytes) -> Path | None:
    path = read_json(about)["path"]
    return Path(path) if isinstance(path, str) else None
