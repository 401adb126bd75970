"""A file of named values that is written in a thread of its own.

QSettings waits for the disk in the thread that it lives in, and elsewhere with Python's lock in its hands:
half a second on a slow disk, in which the window stands still.
"""

from __future__ import annotations

import json
import threading
from base64 import b64decode, b64encode
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.system.outside_json import read_json
from guiapp.core.system.replace_file import replace_file
from guiapp.viewmodels.background import Writer

Value = str | bytes
BINARY = "base64"  # how bytes are written: {"base64": "…"}


class SettingsStore(QObject):
    """Values by name, read once; several programs may write to one file, each what it changed.

    is_new     whether there was no file: it is the first start
    set_aside  where a file lies now that was there and is none of ours; None if all was well

    Signals:
        failed(str): what was changed cannot be written, and why.
    """

    failed = Signal(str)

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self.is_new = not path.exists()
        values = _read(path)
        self.set_aside = _set_aside(path) if values is None else None
        self._values = values or {}
        self._changes: dict[str, Value | None] = {}
        self._lock = threading.Lock()
        self._writer = Writer("settings")

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
        self._writer.finish()

    def _write(self) -> None:
        with self._lock:
            changes, self._changes = self._changes, {}
        try:
            _write(self._path, (_read(self._path) or {}) | changes)
        except OSError as error:
            self.failed.emit(f"The settings cannot be written to {self._path}: {error.strerror}.")


def _read(path: Path) -> dict[str, Value | None] | None:
    """What is in a file, nothing where there is none; None for one that is none of ours."""
    try:
        content = read_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError):
        return None
    if not isinstance(content, dict):
        return None
    return {name: _read_value(value) for name, value in content.items()}


def _set_aside(path: Path) -> Path | None:
    """Where a file lies from now on, lest it be written over; None if it cannot be moved."""
    aside = path.with_name(f"{path.name}.spoiled")
    try:
        return path.replace(aside)
    except OSError:
        return None


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
    replace_file(path, json.dumps(content, indent=1).encode(), is_private=True, waits_for_disk=True)
