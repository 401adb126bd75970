"""Files that people open and save: texts, and what takes a while to make, off the GUI thread."""

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
"""What is in a file, or in several by their names."""
MAGIC = (  # what files that are no texts begin with, from an offset on
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
    """What writes files, one at a time.

    saved    what was written last, until that is dismissed
    failure  why it could not be

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
        """The share done, 0 to 1."""
        return self._job.progress

    def write(self, work: Callable[[Progress], Saved]) -> None:
        """Write in another thread instead of whatever is being written now.

        The work's TokenloupeErrors are the failure.
        """
        self.saved, self.failure = None, ""
        self._job.start(work)
        self.changed.emit()

    def cancel(self) -> None:
        """Give up; a file that was there stays as it was."""
        self._job.cancel()

    def dismiss(self) -> None:
        """Forget how the last one went."""
        self.saved, self.failure = None, ""
        self.changed.emit()

    def _take(self, saved: Saved) -> None:
        self.saved = saved
        self.changed.emit()

    def _fail(self, failure: str) -> None:
        self.failure = failure
        self.changed.emit()


class FileSaving(Saving[Path]):
    """The same of files by their paths."""

    def save(self, path: Path, make: Callable[[Progress], SavedData]) -> None:
        """Write what `make` returns; where it gives several files by their names, `path` is their folder."""
        self.write(partial(_write, path, make))


def _write(path: Path, make: Callable[[Progress], SavedData], progress: Progress) -> Path:
    data = make(progress)
    progress(1.0)  # the last chance to give up
    for name, content in data.items() if isinstance(data, Mapping) else [("", data)]:
        write_text(path / name if name else path, content)
    return path


JSON_KINDS = {
    "run": {"environment", "results"},
    "messages": {"messages"},
    "steps": {"encoder", "text", "steps"},
}
"""The keys that a file of a kind has."""

TEMPLATE_ENDINGS = ".jinja", ".jinja2", ".j2"
MOST_JSON_BYTES = 1 << 26


class TextFileError(TokenloupeError):
    """A file that cannot be read or written as text; the message says why."""


def is_model_file(path: Path) -> bool:
    """Whether a file is of a format of tokenizers, or, where it has no bytes to read, by its name a GGUF.

    Folders are never texts: what is said of one that is no model's is said when it is opened as such.
    """
    from guiapp.core.formats.table import is_tokenizer  # time that starting does not have

    if os.path.isdir(path):
        return True
    try:
        with open_input(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        head = b""
    return is_tokenizer(head) if head else path.suffix.lower() == ".gguf"


def binary_type(data: bytes) -> str:
    """What a file holds that is no text, by its first bytes: “a PNG picture”; "" for a text, also in UTF-16.

    A few letters say little: a text may begin with them, but has no NUL near, and is UTF-8.
    """
    head = data[:HEAD_BYTES]
    is_text = b"\0" not in head and is_utf8(head)
    if utf16_codec(head) is not None or (is_text and not head.startswith(b"%PDF-")):
        return ""
    names = (name for at, magic, name in MAGIC if head.startswith(magic, at))
    return next(names, "binary data" if b"\0" in head else "")


def is_utf8(head: bytes) -> bool:
    """Whether the beginning of a text is valid, but for a character that it may end in."""
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def kind_of(path: Path) -> str:
    """What a file is for: a session, model, lesson, template, run, messages, steps, data; else a text.

    It is read, which may take a while.
    """
    from guiapp.analysis.data.records import holds_records  # time that starting does not have
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
    """By its keys; a text where they are others, and where it is no JSON."""
    if path.suffix.lower() != ".json":
        return "text"
    record = read_record(path)
    if isinstance(record, list):
        has_roles = record and all(isinstance(each, dict) and "role" in each for each in record)
        return "messages" if has_roles else "text"
    keys = record.keys() if isinstance(record, dict) else set()
    return next((kind for kind, needed in JSON_KINDS.items() if needed <= keys), "text")


def read_record(path: Path) -> Any:
    """What a JSON file says, None where it is none, too long or cannot be read."""
    try:
        return read_json(read_input(path, MOST_JSON_BYTES))
    except (OSError, ValueError, TokenloupeError):
        return None


def holds_texts(folder: Path) -> bool:
    """Whether a folder has files and none of them is a model; not where it cannot be read."""
    try:
        files = [path for path in folder.iterdir() if path.is_file() and path.name[:1] != "."]
    except OSError:
        return False
    return bool(files) and not any(map(is_model_file, files))


def read_text(path: Path, progress: Progress = lambda share: None) -> bytes:
    """The bytes of a text file, as they are; raises TextFileError."""
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
    """Whether files can be written in the folder where saving begins, or in the user's own."""
    return any(os.access(folder, os.W_OK) for folder in (".", os.path.expanduser("~/")))


def write_text(path: Path, text: bytes) -> None:
    """Write all of `text`, or leave what was there before; raises TextFileError."""
    try:
        replace_file(path, text)
    except OSError as error:
        raise TextFileError(f"{path.name} cannot be saved: {error.strerror or error}.") from error
