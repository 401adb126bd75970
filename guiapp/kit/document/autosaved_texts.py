"""Autosaves texts that are in no file yet, so that they survive the end of the program, even a crash.

Each window autosaves one text, to a file with one line of JSON (path and number) followed by the bytes of
the text.  Later edits are appended to a second file, whose first line repeats the number of the text.
A lock file shows which texts belong to a running window.
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
MOST_ASIDE = 20  # texts set aside by this window that stay locked; each lock is an open file
UNREADABLE = (OSError, ValueError, KeyError, TypeError)


@dataclass(frozen=True)
class AutosavedText:
    """An autosaved text; `path` is the file that it is a changed version of, if any."""

    data: bytes
    path: Path | None


@dataclass(frozen=True)
class AutosavedTextHead:
    """An entry in a list of autosaved texts: where it is stored, when it was saved, and its first bytes."""

    saved_path: Path
    path: Path | None
    time_s: float
    size_bytes: int
    beginning: bytes


class AutosavedTexts(QObject):
    """The autosaved text of this window, and the texts that earlier windows left.

    Signals:
        failed(str): the text cannot be autosaved; the reason.
        recovered(): autosaving works again.
    """

    failed = Signal(str)
    recovered = Signal()

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._saved_path: Path | None = None
        self._lock: QLockFile | None = None
        self._aside: dict[Path, QLockFile] = {}
        self._is_failing = False
        self._number = b""  # of the whole text that the edits belong to
        self._writer = Writer("kept text")
        self._syncer = Writer("kept text to disk")  # slow: the next edits are written meanwhile

    def take(self) -> AutosavedText | None:
        """Adopt the newest text that no window owns as the text of this window; None if there is none."""
        for saved_path in sorted(self._folder.glob(f"*{ENDING}"), key=_age):
            if self._own(saved_path):
                if (autosaved := _read(saved_path)) is not None:
                    self.keep(autosaved.data, autosaved.path)  # whole: the last edit may be incomplete
                    return autosaved
                self.leave()
        return None

    @property
    def is_autosaving(self) -> bool:
        """Whether the text of this window has a file to which edits can be appended."""
        return self._saved_path is not None and not self._is_failing

    def keep(self, data: bytes, path: Path | None) -> None:
        """Save the whole text of this window in the background."""
        saved_path = self._saved_path or self._folder / f"{os.urandom(8).hex()}{ENDING}"
        if self._saved_path is None and not self._own(saved_path):
            return
        self._number = os.urandom(8).hex().encode()
        self._writer.submit(self._write, saved_path, AutosavedText(data, path), self._number)

    def keep_edits(self, edits: Sequence[JournalEdit]) -> None:
        """Append edits to the saved text of this window, in the background."""
        if self._saved_path is not None:
            self._writer.submit(self._append, self._saved_path, self._number, edits)

    def forget(self) -> None:
        """Delete the saved text of this window: it is in a file now, or no longer wanted."""
        if self._saved_path is not None:
            self._writer.submit(_delete, self._saved_path)
        if self._lock is not None:
            self._writer.submit(self._lock.unlock)
        self._saved_path = self._lock = None

    def set_aside(self) -> None:
        """Release the text before another one begins; it stays locked, since undo can bring it back."""
        if self._saved_path is not None and self._lock is not None:
            self._writer.submit(self._fold, self._saved_path)
            self._aside[self._saved_path] = self._lock
            if len(self._aside) > MOST_ASIDE:
                self._writer.submit(self._aside.pop(next(iter(self._aside))).unlock)
        self._saved_path = self._lock = None

    def leave(self) -> None:
        """Release all texts of this window, so that later windows can adopt them."""
        self.set_aside()
        while self._aside:
            self._writer.submit(self._aside.popitem()[1].unlock)

    def others(self) -> list[AutosavedTextHead]:
        """The texts that no window shows now, newest first."""
        self.finish()
        saved_paths = sorted(self._folder.glob(f"*{ENDING}"), key=_age)
        free = (path for path in saved_paths if path in self._aside or self._free_lock(path) is not None)
        return [head for path in free if (head := _read_head(path)) is not None]

    def read(self, head: AutosavedTextHead) -> AutosavedText | None:
        """The whole text; None if it is gone."""
        return _read(head.saved_path)

    def delete(self, heads: Iterable[AutosavedTextHead]) -> None:
        """Delete texts for good, except those that a window has adopted meanwhile."""
        for head in heads:
            lock = self._aside.pop(head.saved_path, None) or self._free_lock(head.saved_path)
            if lock is not None:
                self._writer.submit(_delete, head.saved_path)
                self._writer.submit(lock.unlock)

    def finish(self) -> None:
        """Wait until everything is written to disk."""
        self._writer.finish()
        self._syncer.finish()

    def is_on_disk(self) -> bool:
        """Wait for the last text; return whether it was written to disk."""
        self.finish()
        return self.is_autosaving

    def _own(self, saved_path: Path) -> bool:
        """Lock a path and make it the path of this window; return whether that worked."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._report_failure(error)
            return False
        lock = self._free_lock(saved_path)
        if lock is None:
            return False
        self._saved_path, self._lock = saved_path, lock
        return True

    def _free_lock(self, saved_path: Path) -> QLockFile | None:
        """The lock of a path, held as long as the object lives; None if this or another window holds it."""
        lock = QLockFile(str(saved_path.with_suffix(".lock")))
        lock.setStaleLockTime(0)  # no time limit: a lock is valid while its process runs
        return lock if lock.tryLock(0) else None

    def _write(self, saved_path: Path, autosaved: AutosavedText, number: bytes) -> None:
        path = None if autosaved.path is None else str(autosaved.path)
        about = json.dumps({"path": path, "number": number.decode()})
        is_first = not saved_path.exists()
        try:
            data = about.encode() + b"\n" + autosaved.data
            replace_file(saved_path, data, is_private=True, waits_for_disk=not is_first)
        except OSError as error:
            self._report_failure(error)
            return
        if self._is_failing:
            self._is_failing = False
            self.recovered.emit()
        if is_first:  # no earlier version existed that a power loss could have corrupted
            self._syncer.submit(_sync, saved_path)

    def _append(self, saved_path: Path, number: bytes, edits: Sequence[JournalEdit]) -> None:
        if self._is_failing:  # the text that the edits belong to was not saved
            return
        journal = saved_path.with_suffix(EDITS_ENDING)
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

    def _fold(self, saved_path: Path) -> None:
        """Merge a text and its edits into one file."""
        if saved_path.with_suffix(EDITS_ENDING).exists() and (autosaved := _read(saved_path)) is not None:
            self._write(saved_path, autosaved, b"")
            saved_path.with_suffix(EDITS_ENDING).unlink(missing_ok=True)

    def _report_failure(self, error: OSError) -> None:
        if not self._is_failing:
            self._is_failing = True
            self.failed.emit(f"Your text cannot be autosaved in {self._folder}: {error.strerror}.")


def _age(saved_path: Path) -> float:
    """Sort key: newest first."""
    try:
        return -saved_path.stat().st_mtime
    except OSError:
        return 0.0


def _read(saved_path: Path) -> AutosavedText | None:
    """The text in a file with its edits applied; None if it cannot be read."""
    try:
        about, _, data = saved_path.read_bytes().partition(b"\n")
        return AutosavedText(replayed(data, _edits_of(saved_path, about)), _path_in(about))
    except UNREADABLE:
        return None


def _edits_of(saved_path: Path, about: bytes) -> bytes:
    """The edits that belong to a text; empty if the file contains edits of a previous text."""
    with suppress(OSError):
        number, _, edits = saved_path.with_suffix(EDITS_ENDING).read_bytes().partition(b"\n")
        if number and number.decode() == read_json(about).get("number"):
            return edits
    return b""


def _number_in(journal: Path) -> bytes:
    with journal.open("rb") as file:
        return file.readline().rstrip()


def _delete(saved_path: Path) -> None:
    saved_path.unlink(missing_ok=True)
    saved_path.with_suffix(EDITS_ENDING).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until the file would survive a power loss."""
    with suppress(OSError), path.open("rb+") as file:
        os.fsync(file.fileno())


def _read_head(saved_path: Path) -> AutosavedTextHead | None:
    try:
        with saved_path.open("rb") as file:
            about, beginning = file.readline(), file.read(HEAD_BYTES)
            status = os.fstat(file.fileno())
        size = status.st_size - len(about)
        if _edits_of(saved_path, about) and (autosaved := _read(saved_path)) is not None:
            beginning, size = autosaved.data[:HEAD_BYTES], len(autosaved.data)
        return AutosavedTextHead(saved_path, _path_in(about), status.st_mtime, size, beginning)
    except UNREADABLE:
        return None


def _path_in(about: bytes) -> Path | None:
    path = read_json(about)["path"]
    return Path(path) if isinstance(path, str) else None
