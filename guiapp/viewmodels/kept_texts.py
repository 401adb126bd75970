"""Texts that are in no file yet, kept for the time after the program has ended, however it does.

Each window has one of its own, in a file that begins with a line of JSON about it; the text follows, byte
for byte.  A lock says which of them belong to a window that runs.
"""

from __future__ import annotations

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, Signal

from guiapp.core.replace_file import replace_file

LONGEST_KEPT_TEXT = 1 << 24
ENDING = ".text"


@dataclass(frozen=True)
class KeptText:
    """What was kept; `path` is the file that it is a changed version of, if any."""

    data: bytes
    path: Path | None


class KeptTexts(QObject):
    """The text of this window, and those that windows before it left behind.

    Signals:
        failed(str): the text cannot be kept, and why.
    """

    failed = Signal(str)

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._place: Path | None = None
        self._lock: QLockFile | None = None
        self._aside: list[QLockFile] = []
        self._is_failing = False
        self._writer = ThreadPoolExecutor(1, "kept text")  # Python ends when it is done

    def take(self) -> KeptText | None:
        """Make the newest text that no window has the one of this window."""
        for place in sorted(self._folder.glob(f"*{ENDING}"), key=_age):
            if self._own(place):
                if (kept := _read(place)) is not None:
                    return kept
                self.leave()
        return None

    def keep(self, data: bytes, path: Path | None) -> None:
        """Write the text of this window before long, at most LONGEST_KEPT_TEXT bytes; nobody waits for it."""
        place = self._place or self._folder / f"{secrets.token_hex(8)}{ENDING}"
        if self._place is None and not self._own(place):
            return
        self._writer.submit(self._write, place, KeptText(data, path))

    def forget(self) -> None:
        """The text of this window is in a file now, or not wanted any more."""
        if self._place is not None:
            self._writer.submit(self._place.unlink, missing_ok=True)
        if self._lock is not None:
            self._writer.submit(self._lock.unlock)
        self._place = self._lock = None

    def set_aside(self) -> None:
        """Begin another text; undo can bring the present one back as long as the window is open."""
        if self._lock is not None:
            self._aside.append(self._lock)
        self._place = self._lock = None

    def leave(self) -> None:
        """Leave the texts of this window to the next ones that start."""
        self.set_aside()
        while self._aside:
            self._writer.submit(self._aside.pop().unlock)

    def finish(self) -> None:
        """Wait until everything is on the disk."""
        self._writer.submit(lambda: None).result()

    def is_kept(self) -> bool:
        """Whether the last text is on the disk; waits for it."""
        self.finish()
        return self._place is not None and not self._is_failing

    def _own(self, place: Path) -> bool:
        """Lock a place; whether nobody else has it."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._tell(error)
            return False
        lock = QLockFile(str(place.with_suffix(".lock")))
        lock.setStaleLockTime(0)  # however long ago: it holds while its process runs
        if not lock.tryLock(0):
            return False
        self._place, self._lock = place, lock
        return True

    def _write(self, place: Path, kept: KeptText) -> None:
        about = json.dumps({"path": None if kept.path is None else str(kept.path)})
        try:
            replace_file(place, about.encode() + b"\n" + kept.data, is_private=True, waits_for_disk=True)
        except OSError as error:
            self._tell(error)
        else:
            self._is_failing = False

    def _tell(self, error: OSError) -> None:
        if not self._is_failing:
            self._is_failing = True
            self.failed.emit(f"What is typed cannot be kept in {self._folder}: {error.strerror}.")


def _age(place: Path) -> float:
    """The newest first."""
    try:
        return -place.stat().st_mtime
    except OSError:
        return 0.0


def _read(place: Path) -> KeptText | None:
    """The text in a file; None where it cannot be read."""
    try:
        about, _, data = place.read_bytes().partition(b"\n")
        path = json.loads(about)["path"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return KeptText(data, Path(path) if isinstance(path, str) else None)
