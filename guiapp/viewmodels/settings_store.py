"""A file of named values that is written in a thread of its own.

QSettings waits for the disk in the thread that it lives in, and elsewhere with Python's lock in its hands:
half a second on a slow disk, in which the window stands still.
"""

from __future__ import annotations

import json
import os
import threading
from base64 import b64decode, b64encode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import NamedTemporaryFile

from PySide6.QtCore import QObject, Signal

Value = str | bytes
BINARY = "base64"  # how bytes are written: {"base64": "…"}


class SettingsStore(QObject):
    """Values by name, read once; several programs may write to one file, each what it changed.

    Signals:
        failed(str): what was changed cannot be written, and why.
    """

    failed = Signal(str)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._values = _read(path)
        self._changes: dict[str, Value | None] = {}
        self._lock = threading.Lock()
        self._writer = ThreadPoolExecutor(1, "settings")  # Python ends when it is done

    def value(self, name: str) -> Value | None:
        return self._values.get(name)

    def set_value(self, name: str, value: Value | None) -> None:
        """Keep a value, in the file too before long; None forgets it."""
        if self._values.get(name) == value:
            return
        self._values[name] = value
        with self._lock:
            is_scheduled = bool(self._changes)
            self._changes[name] = value
        if not is_scheduled:
            self._writer.submit(self._write)

    def save(self) -> None:
        """Wait until everything is in the file."""
        self._writer.submit(lambda: None).result()

    def _write(self) -> None:
        with self._lock:
            changes, self._changes = self._changes, {}
        try:
            _write(self._path, _read(self._path) | changes)
        except OSError as error:
            self.failed.emit(f"The settings cannot be written to {self._path}: {error.strerror}.")


def _read(path: Path) -> dict[str, Value | None]:
    """What of a file can be read; nothing of one that is missing or spoiled."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return {name: _read_value(value) for name, value in content.items()} if isinstance(content, dict) else {}


def _read_value(value: object) -> Value | None:
    if isinstance(value, dict) and isinstance(text := value.get(BINARY), str):
        try:
            return b64decode(text, validate=True)
        except ValueError:
            return None
    return value if isinstance(value, str) else None


def _write(path: Path, values: dict[str, Value | None]) -> None:
    """Put the new file in the place of the old one when it is whole."""
    content = {
        name: {BINARY: b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in values.items()
        if value is not None
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=path.parent, prefix=path.name, delete=False, encoding="utf-8") as file:
        new = Path(file.name)
        try:
            json.dump(content, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        except OSError:
            new.unlink()
            raise
    new.replace(path)
