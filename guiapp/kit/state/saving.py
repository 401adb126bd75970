"""Opens, recognises and saves the user's files; slow saving runs in the background."""

from __future__ import annotations

import os
from codecs import getincrementaldecoder
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.sessions.name import is_session
from guiapp.core.sources.files import NotAFileError, open_input, read_input, replace_file
from guiapp.core.text.outside_json import read_json
from guiapp.core.text.utf16 import utf16_codec
from guiapp.errors import TokenloupeError
from guiapp.kit.state.background import LatestJob, Progress, Working

LARGEST_TEXT_BYTES = 256 * 1024 * 1024
CHUNK_BYTES = 4 * 1024 * 1024
HEAD_BYTES = 1 << 12
SavedData = bytes | Mapping[str, bytes]
"""The content of a file, or of several files by name."""
MAGIC = (  # (offset, bytes, description) of binary file types
    (0, b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"GIF8", "a GIF picture"),
    (8, b"WEBP", "a WebP picture"),
    (0, b"BM", "a BMP picture"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"PK\x05\x06", "an empty ZIP archive"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ\0", "an xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (257, b"ustar", "a tar archive"),
    (0, b"\x7fELF", "a program (ELF)"),
    (0, b"MZ", "a program (Windows)"),
    (0, b"\xcf\xfa\xed\xfe", "a program (macOS)"),
    (0, b"SQLite format 3\0", "an SQLite database"),
    (0, b"PAR1", "a Parquet table"),
    (0, b"ARROW1", "an Arrow table"),
    (0, b"\x93NUMPY", "a NumPy array"),
    (0, b"GGUF", "a GGUF model"),
    (0, b"ID3", "an MP3 recording"),
    (0, b"OggS", "an Ogg recording"),
    (8, b"WAVE", "a WAV recording"),
    (4, b"ftyp", "an MP4 film"),
)


Saved = TypeVar("Saved")


class Saving(Working, Generic[Saved]):
    """Writes files in the background, one at a time.

    saved    the result of the last writing, until `dismiss`
    failure  why the last writing failed, "" otherwise

    Signals:
        changed(): `is_busy`, `progress`, `saved` or `failure` is new.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.saved: Saved | None = None
        self.failure = ""
        self._job = LatestJob[Saved](self, self._take, self._fail)
        self._job.busy_changed.connect(self.changed)
        self._job.progress_changed.connect(self.changed)

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    @property
    def progress(self) -> float:
        """The fraction done, 0 to 1."""
        return self._job.progress

    def write(self, work: Callable[[Progress], Saved]) -> None:
        """Write in another thread, cancelling any other writing; a TokenloupeError becomes `failure`."""
        self.saved, self.failure = None, ""
        self._job.start(work)
        self.changed.emit()

    def cancel(self) -> None:
        """Cancel; an existing file stays as it was."""
        self._job.cancel()

    def dismiss(self) -> None:
        """Forget the result of the last writing."""
        self.saved, self.failure = None, ""
        self.changed.emit()

    def _take(self, saved: Saved) -> None:
        self.saved = saved
        self.changed.emit()

    def _fail(self, failure: str) -> None:
        self.failure = failure
        self.changed.emit()


class FileSaving(Saving[Path]):
    """Writes a file or a folder of files; `saved` is its path."""

    def save(self, path: Path, make: Callable[[Progress], SavedData]) -> None:
        """Write what `make` returns; if it returns several files by name, `path` is their folder."""
        self.write(partial(_write, path, make))


def _write(path: Path, make: Callable[[Progress], SavedData], progress: Progress) -> Path:
    data = make(progress)
    progress(1.0)  # the last chance to cancel
    for name, content in data.items() if isinstance(data, Mapping) else [("", data)]:
        write_text(path / name if name else path, content)
    return path


JSON_KINDS = {
    "run": {"environment", "results"},
    "messages": {"messages"},
    "steps": {"encoder", "text", "steps"},
}
"""The keys that a file of each kind must have."""

TEMPLATE_ENDINGS = ".jinja", ".jinja2", ".j2"
MOST_JSON_BYTES = 1 << 26


class TextFileError(TokenloupeError):
    """A file that cannot be read or written as text; the message explains why."""


def is_model_file(path: Path) -> bool:
    """Whether a file has a tokenizer format; an empty or unreadable one: whether its suffix is `.gguf`.

    True for all folders, which are never texts: opening one without a model reports the error.
    """
    from guiapp.core.formats.table import is_tokenizer  # imported late for a fast start

    if os.path.isdir(path):
        return True
    try:
        with open_input(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        head = b""
    return is_tokenizer(head) if head else path.suffix.lower() == ".gguf"


def binary_type(data: bytes) -> str:
    """The type of a binary file by its first bytes, such as “a PNG picture”; "" for a text, also in UTF-16.

    A text may begin with the same letters as a binary file, but is UTF-8 without NUL in its first bytes.
    """
    head = data[:HEAD_BYTES]
    is_text = b"\0" not in head and is_utf8(head)
    if utf16_codec(head) is not None or (is_text and not head.startswith(b"%PDF-")):
        return ""
    names = (name for at, magic, name in MAGIC if head.startswith(magic, at))
    return next(names, "binary data" if b"\0" in head else "")


def is_utf8(head: bytes) -> bool:
    """Whether the beginning of a text is valid UTF-8, except for an incomplete last character."""
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def kind_of(path: Path) -> str:
    """The kind of a file: session, model, lesson, template, run, messages, steps or data; else text.

    Reads the file, which may take a while.
    """
    from guiapp.analysis.data.records import holds_records  # imported late for a fast start
    from guiapp.analysis.lessons.lesson import is_lesson_file

    if is_session(path):
        return "session"
    if path.suffix.lower() in TEMPLATE_ENDINGS:
        return "template"
    if is_model_file(path):
        return "model"
    if is_lesson_file(path):
        return "lesson"
    kind = _kind_of_json(path)
    return "data" if kind == "text" and holds_records(path) else kind


def _kind_of_json(path: Path) -> str:
    """The kind of a JSON file by its keys; "text" for other keys, and for anything but JSON."""
    if path.suffix.lower() != ".json":
        return "text"
    record = read_record(path)
    if isinstance(record, list):
        has_roles = record and all(isinstance(each, dict) and "role" in each for each in record)
        return "messages" if has_roles else "text"
    keys = record.keys() if isinstance(record, dict) else set()
    return next((kind for kind, needed in JSON_KINDS.items() if needed <= keys), "text")


def read_record(path: Path) -> Any:
    """The content of a JSON file; None if it is invalid, too long or unreadable."""
    try:
        return read_json(read_input(path, MOST_JSON_BYTES))
    except (OSError, ValueError, TokenloupeError):
        return None


def holds_texts(folder: Path) -> bool:
    """Whether a folder has files and none is a model; False if it cannot be read."""
    try:
        files = [path for path in folder.iterdir() if path.is_file() and path.name[:1] != "."]
    except OSError:
        return False
    return bool(files) and not any(map(is_model_file, files))


def read_text(path: Path, progress: Progress = lambda share: None) -> bytes:
    """The unchanged bytes of a text file; raises TextFileError."""
    chunks = []
    try:
        with open_input(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST_TEXT_BYTES:
                raise TextFileError(
                    f"{path.name} is too large to show: {size:,} bytes; the limit is {LARGEST_TEXT_BYTES:,}. "
                    "For larger files, run “tokenloupe tokenize”."
                )
            while chunk := file.read(CHUNK_BYTES):
                chunks.append(chunk)
                progress(min(1.0, len(chunks) * CHUNK_BYTES / max(size, 1)))
    except NotAFileError as error:
        raise TextFileError(f"{path.name} is {error.what}. Choose a text file.") from error
    except OSError as error:
        raise TextFileError(f"{path.name} cannot be opened: {error.strerror or error}.") from error
    return b"".join(chunks)


def can_save_somewhere() -> bool:
    """Whether files can be written in the current folder, or in the user's home folder."""
    return any(os.access(folder, os.W_OK) for folder in (".", os.path.expanduser("~/")))


def write_text(path: Path, text: bytes) -> None:
    """Write all of `text`, or leave the previous file unchanged; raises TextFileError."""
    try:
        replace_file(path, text)
    except OSError as error:
        raise TextFileError(f"{path.name} cannot be saved: {error.strerror or error}.") from error
