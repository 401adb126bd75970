"""Opening what people name as a file: it has an end, and nobody waits for it for ever."""

from __future__ import annotations

import errno
import os
import select
import stat
from contextlib import suppress
from io import BufferedReader, FileIO, UnsupportedOperation
from pathlib import Path
from typing import BinaryIO

FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
PATIENCE_S = 10.0  # for the first byte of a named pipe, which may have no writer
MOST_BYTES = 1 << 30  # of a pipe
CHUNK_BYTES = 4 << 20


class NotAFileError(OSError):
    """It is no regular file, nor a pipe where those may be read; `what` it is ends a sentence."""

    def __init__(self, what: str) -> None:
        super().__init__(errno.EINVAL, f"it is {what}")
        self.what = what


class InputTooLongError(OSError):
    """There is more to read than anyone needs."""


def open_input(path: str | os.PathLike[str], takes_pipes: bool = False) -> FileIO:
    """Open a regular file, or a pipe or terminal where these may be read, unbuffered.  Raises OSError."""
    descriptor = os.open(path, FLAGS)
    try:
        check_input(descriptor, takes_pipes)
        if os.name == "posix" and not stat.S_ISREG(os.fstat(descriptor).st_mode):
            is_named = Path(path).resolve().is_fifo()  # /dev/fd/63 leads to no name
            if is_named and not select.select([descriptor], [], [], PATIENCE_S)[0]:
                raise NotAFileError(f"a pipe that nobody has written to for {PATIENCE_S:.0f} seconds")
            os.set_blocking(descriptor, True)
    except BaseException as error:
        os.close(descriptor)
        if isinstance(error, OSError):
            error.filename = os.fspath(path)
        raise
    return FileIO(descriptor)


def check_input(descriptor: int, takes_pipes: bool) -> None:
    """Raise NotAFileError for an open file that may have no end, such as /dev/zero."""
    status = os.fstat(descriptor)
    kind = stat.S_IFMT(status.st_mode)
    if kind == stat.S_IFDIR or (kind != stat.S_IFREG and not takes_pipes):
        raise NotAFileError("a folder" if kind == stat.S_IFDIR else "not a regular file")
    is_device = kind in (stat.S_IFCHR, stat.S_IFBLK) and not os.isatty(descriptor)
    if is_device and not os.path.samestat(status, os.stat(os.devnull)):
        raise NotAFileError("a device, which may have no end")


def read_input(path: Path, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file or a pipe; see `read_bounded`."""
    with BufferedReader(open_input(path, takes_pipes=True)) as file:
        return read_bounded(file, most)


def read_bounded(stream: BinaryIO, most: int) -> bytes:
    """All that a buffered stream has.  Raises TooLongError where that is more than `most` bytes; OSError."""
    chunks, size = list[bytes](), 0
    with suppress(UnsupportedOperation):  # no file, where a program took the place of a standard stream
        size = os.fstat(stream.fileno()).st_size
    while size <= most and (
        not chunks or len(chunks[-1]) == CHUNK_BYTES
    ):  # a terminal says once that it ends
        chunks.append(stream.read(CHUNK_BYTES))
        size = max(size, sum(map(len, chunks)))
    if size > most:
        raise InputTooLongError(errno.EFBIG, f"it has more than {most:,} bytes")
    return b"".join(chunks)
