"""The bytes of a model file in memory: the first part, as far as requested, or all.

Files are read, not mapped: a file that shrinks while it is mapped would kill the process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.sources.files import NotAFileError, open_input
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.opening import Opening
from guiapp.errors import NOT_USABLE, VocabError
from guiapp.native.checkpoint import Progress, checkpoint

MOST_BYTES = 1 << 28  # several times the size of any tokenizer
CHUNK_BYTES = 4 << 20
MEMORY_LIMIT_BYTES = 1 << 30
USUAL_HEADER_BYTES = 16 << 20
LONGEST_PATH = 200  # characters
CHOOSE_FILE = "Choose a tokenizer file, such as tokenizer.json, tokenizer.model or a .gguf."
FIRST_ROOM_BYTES = 32 << 20  # the system provides memory only for the part that is filled


class FileState(NamedTuple):
    """Differs whenever the file has changed."""

    device: int
    inode: int
    size_bytes: int
    modified_ns: int


class MoreNeededError(VocabError):
    """Only the first part of a file is available, and it ends before the bytes to be read."""


class HeaderBytes:
    """Reads a file from its start, in chunks, as far as `need` requires; close it after use.

    data       uint8[…]  the buffer; its first `available` bytes have been read; replaced when it grows
    read       the bytes read so far
    size       of the file in bytes; `whole_bytes` if only its first part is available
    progress   called before each chunk with the fraction read of a usual header; may raise
    """

    def __init__(self, path: Path, progress: Progress, whole_bytes: int | None = None) -> None:
        self.name = quoted(path.name)
        self._file = open_regular(path)
        self.state = state_of(self._file)
        self._is_front = whole_bytes is not None
        self.size = self.state.size_bytes if whole_bytes is None else whole_bytes
        self._progress = progress
        self._reserved = 0
        self.available = 0
        self.data = np.empty(min(self.size, FIRST_ROOM_BYTES), np.uint8)

    @property
    def read(self) -> NDArray[np.uint8]:
        return self.data[: self.available]

    def close(self) -> None:
        self._file.close()

    def need(self, end: int, what: str) -> None:
        """Read until data[:end] is available.  Raises VocabError if the file is shorter."""
        if end <= self.available:
            return
        if end > self.size:
            size = counted(self.size, "byte")
            raise self.error(
                f"ends in the middle of {what}: it has {size}, and byte {end:,} is missing",
                "The copy is incomplete: download it again.",
            )
        self._check_memory(end, what)
        self._grow(end)
        while self.available < end:
            self._progress(min(1.0, self.available / min(self.size, USUAL_HEADER_BYTES)))
            self._read_chunk(what)

    def reserve(self, n_bytes: int, what: str) -> None:
        """Count memory that the reader will take for `what`; raises VocabError if it is too much."""
        self._check_memory(self.available + n_bytes, what)
        self._reserved += n_bytes

    def _check_memory(self, n_bytes: int, what: str) -> None:
        if n_bytes + self._reserved > MEMORY_LIMIT_BYTES:
            raise self.error(
                f"needs more than {MEMORY_LIMIT_BYTES >> 20:,} MiB of memory for {what}",
                "No known tokenizer needs that much: choose another file.",
            )

    def error(self, what: str, advice: str, code: str = NOT_USABLE, key: str = "") -> VocabError:
        return VocabError(f"{self.name} {what}. {advice}", code, key)

    def _grow(self, end: int) -> None:
        if end > len(self.data):
            larger = np.empty(min(self.size, max(end + CHUNK_BYTES, 2 * len(self.data))), np.uint8)
            larger[: self.available] = self.data[: self.available]
            self.data = larger

    def _read_chunk(self, what: str) -> None:
        chunk = self.data[self.available : self.available + CHUNK_BYTES].data
        try:
            n_read = self._file.readinto(chunk)
        except OSError as error:
            raise self.error(
                f"cannot be read: {error.strerror}", "Check the disk or copy the file."
            ) from error
        if not n_read and self._is_front:
            raise MoreNeededError(f"{self.name} ends in the middle of {what}. Download it again.")
        if not n_read:
            raise self.error(
                f"became shorter while {what} was read", "Wait until it is complete, then open it again."
            )
        self.available += n_read


class BytesInMemory(HeaderBytes):
    """A file that exists only in memory."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, np.frombuffer(data, np.uint8)
        self.size = self.available = len(data)
        self._reserved = 0


def file_state(path: Path) -> FileState | None:
    """The identity of a file's present content; `None` if the file is missing or not accessible."""
    try:
        return _state(path.stat())
    except (OSError, ValueError):
        return None


def open_regular(path: Path) -> FileIO:
    """Open a file for reading, unbuffered; raises VocabError, and never waits for a pipe or a device."""
    name = quoted(path.name or str(path))
    try:
        return open_input(path)
    except NotAFileError as error:
        advice = "Choose a tokenizer file in it." if os.path.isdir(path) else CHOOSE_FILE
        raise VocabError(f"{name} is {error.what}. {advice}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        if os.path.isdir(path):  # Path.is_dir would raise the same error as `open`
            raise VocabError(f"{name} is a folder. Choose a tokenizer file in it.") from error
        where = quoted(str(path), LONGEST_PATH)  # most often the folder is the mistake
        raise VocabError(f"{where} cannot be opened: {reason}. Check its path and permissions.") from error


def state_of(file: FileIO) -> FileState:
    """The identity of an open file's content."""
    return _state(os.fstat(file.fileno()))


def _state(status: os.stat_result) -> FileState:
    return FileState(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


class WholeFile:
    """The bytes of a file, and errors about it.

    data   bytes  the whole content
    state  the identity of this content
    """

    def __init__(self, path: Path, opening: Opening) -> None:
        """Raises VocabError for a file that cannot be read or is larger than any tokenizer."""
        self.path, self.name = path, quoted(path.name)
        with open_regular(path) as file:
            self.state: FileState = state_of(file)
            if self.state.size_bytes > MOST_BYTES:
                raise self.error(f"is {self.state.size_bytes:,} bytes long", f"The limit is {MOST_BYTES:,}.")
            chunks, size = [], 0
            try:
                while chunk := file.read(min(CHUNK_BYTES, self.state.size_bytes + 1 - size)):
                    chunks.append(chunk)
                    size += len(chunk)
                    opening.read_header(min(1.0, size / max(1, self.state.size_bytes)))
                    checkpoint()
            except OSError as error:
                raise self.error(
                    f"cannot be read: {error.strerror}", "Check the disk or copy the file."
                ) from error
        if size != self.state.size_bytes:
            raise self.error("changed while it was read", "Wait until it is complete, then open it again.")
        self.data = b"".join(chunks)

    def error(
        self, what: str, advice: str = "Download it again, or choose another file.", code: str = NOT_USABLE
    ) -> VocabError:
        return VocabError(f"{self.name} {what}. {advice}", code)

    def text(self, data: bytes | None = None) -> str:
        """The file, or `data` unpacked from it, as text; raises VocabError if it is not UTF-8."""
        data = self.data if data is None else data
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self.error(f"is not UTF-8: byte {error.start:,} is {data[error.start]:#04x}") from error

    def json_object(self, read: Callable[[bytes], Any]) -> dict[str, Any]:
        """The file as parsed by `read`; raises VocabError if it is not a JSON object."""
        try:
            content = read(self.data)
        except ValueError as error:
            raise self.error(f"is not valid JSON: {quoted(str(error))}") from error
        if not isinstance(content, dict):
            raise self.error("is not a JSON object")
        return content
