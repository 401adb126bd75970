"""Files of this machine: open without waiting for ever, replace atomically, hash, and make temporary ones."""

from __future__ import annotations

import errno
import os
import select
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedReader, FileIO, UnsupportedOperation
from pathlib import Path
from typing import Any, BinaryIO

from guiapp.core.text.outside_json import read_json
from guiapp.errors import VocabError
from guiapp.native.checkpoint import checkpoint

MOST_HASHED_BYTES = 64 << 20  # the weights follow the vocabulary and would take minutes
MOST_SMALL_BYTES = 1 << 20
PREFIX = "tokenloupe-tmp-"
ATTEMPTS = 5
FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
PATIENCE_S = 10.0  # for the first byte of a named pipe, which may have no writer
MOST_BYTES = 1 << 30  # of a pipe
CHUNK_BYTES = 4 << 20
FIRST_BLOCK_BYTES, LARGEST_BLOCK_BYTES = 1 << 12, 1 << 18
PRIVATE, PUBLIC = 0o600, 0o666


@contextmanager
def replacement(
    path: Path, is_private: bool = False, waits_for_disk: bool = False, written_at: Path | None = None
) -> Iterator[Path]:
    """Yield a new file to write, which then replaces `path`; after an exception, `path` is unchanged.

    Links stay links, an existing file keeps its permissions, and a pipe or device is written to directly.
    Raises OSError.

    is_private      only the owner may read the file, if it is new
    waits_for_disk  wait until the content would survive a loss of power
    written_at      a path in the same folder for the new file, so that others can remove it if this process
                    is killed; by default a unique path
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path  # unresolved: /dev/stdout may lead to a pipe, which has no path
        return
    path = path.resolve()
    new = _made(path.parent) if written_at is None else written_at
    try:
        yield new
        if waits_for_disk:
            with new.open("rb+") as file:
                os.fsync(file.fileno())
        new.chmod(path.stat().st_mode if path.exists() else PRIVATE if is_private else PUBLIC & ~_mask())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def replace_file(path: Path, content: bytes, is_private: bool = False, waits_for_disk: bool = False) -> None:
    """Replace the content of `path`, or change nothing; see `replacement`."""
    with replacement(path, is_private, waits_for_disk) as new:
        new.write_bytes(content)


def check_space(path: Path, n_bytes: int) -> None:
    """Raise OSError if the disk has too little space for a file to be written."""
    import shutil

    if (free := shutil.disk_usage(path.resolve().parent).free) < n_bytes:
        raise OSError(errno.ENOSPC, f"it takes {n_bytes:,} bytes, and the disk has {free:,} free")


def _made(folder: Path) -> Path:
    from tempfile import mkstemp  # here and below: imports that would slow down the start

    handle, name = mkstemp(dir=folder, prefix=".tokenloupe-")
    os.close(handle)
    return Path(name)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class NotAFileError(OSError):
    """The input is neither a regular file nor an accepted pipe; `what` completes “it is …”."""

    def __init__(self, what: str) -> None:
        super().__init__(errno.EINVAL, f"it is {what}")
        self.what = what


class InputTooLongError(OSError):
    """The input is longer than the limit."""


def open_input(path: str | os.PathLike[str], takes_pipes: bool = False) -> FileIO:
    """Open a regular file, or with `takes_pipes` a pipe or terminal, unbuffered.  Raises OSError."""
    descriptor = os.open(path, FLAGS)
    try:
        check_input(descriptor, takes_pipes)
        if os.name == "posix" and not stat.S_ISREG(os.fstat(descriptor).st_mode):
            is_named = Path(path).resolve().is_fifo()  # /dev/fd/63 has no file name
            if is_named and not select.select([descriptor], [], [], PATIENCE_S)[0]:
                raise NotAFileError(f"a pipe that received no data for {PATIENCE_S:.0f} seconds")
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
    """All bytes of a buffered stream.  Raises InputTooLongError for more than `most` bytes, and OSError."""
    chunks, size = list[bytes](), 0
    with suppress(UnsupportedOperation):  # a program may have replaced a standard stream by an object
        size = os.fstat(stream.fileno()).st_size
    while size <= most and (
        not chunks or len(chunks[-1]) == CHUNK_BYTES
    ):  # a terminal signals its end only once
        chunks.append(stream.read(CHUNK_BYTES))
        size = max(size, sum(map(len, chunks)))
    if size > most:
        raise InputTooLongError(errno.EFBIG, f"it has more than {most:,} bytes")
    return b"".join(chunks)


def blocks_from(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the blocks that `read` returns until the end; small blocks first, then larger ones."""
    size = FIRST_BLOCK_BYTES
    while block := read(size):
        yield block
        size = min(2 * size, LARGEST_BLOCK_BYTES)


def begin_scratch() -> Callable[[], None]:
    """Make a folder for temporary files of this process and its workers; call the result at the end.

    For a whole program, as it sets `tempfile.tempdir`.  Does nothing on Windows, or if locking fails.

    A lock shows that the process still runs; a pid would not, as another process may have it later.
    """
    if sys.platform == "win32":
        return lambda: None
    import tempfile

    before = tempfile.gettempdir()
    with suppress(OSError):  # whoever needs temporary files will report the problem
        for folder in [entry.path for entry in os.scandir(before) if entry.name.startswith(PREFIX)]:
            if (lock := _locked(folder)) is not None:
                _end(before, folder, lock)
        for _ in range(ATTEMPTS):
            own = tempfile.mkdtemp(prefix=PREFIX)
            lock = _locked(own)
            if lock is not None and os.path.isdir(own):  # else another process removed it as abandoned
                tempfile.tempdir = own
                return partial(_end, before, own, lock)
    return lambda: None


def _end(before: str, own: str, lock: int) -> None:
    import shutil
    import tempfile

    tempfile.tempdir = before
    shutil.rmtree(own, ignore_errors=True)
    os.close(lock)


def lasting_folder() -> str:
    """A folder whose temporary files remain after the program ends."""
    import tempfile

    folder = tempfile.gettempdir()
    return os.path.dirname(folder) if os.path.basename(folder).startswith(PREFIX) else folder


def _locked(folder: str) -> int | None:
    """A descriptor that locks one of this user's folders; None if another process has locked it."""
    import fcntl

    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        with suppress(OSError):
            if os.fstat(descriptor).st_uid == os.getuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
        os.close(descriptor)
    return None


def text_of(path: Path) -> str:
    """The text of a file; "" if it cannot be read or is longer than MOST_SMALL_BYTES."""
    try:
        if not path.is_file() or path.stat().st_size > MOST_SMALL_BYTES:
            return ""
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""


def json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one if there is none."""
    try:
        content = read_json(text_of(path))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def file_hash(path: Path) -> str:
    """The SHA-256 of a file's first 64 MiB, in hexadecimal digits; raises VocabError.

    The same as `sha256sum FILE`, or `head -c 64M FILE | sha256sum` for a larger file.
    """
    import hashlib

    hashed, n_left = hashlib.sha256(), MOST_HASHED_BYTES
    try:
        with path.open("rb") as file:
            while n_left and (chunk := file.read(min(CHUNK_BYTES, n_left))):
                hashed.update(chunk)
                n_left -= len(chunk)
                checkpoint()
    except OSError as error:
        raise VocabError(f"{path.name} cannot be read: {error.strerror}.") from error
    return hashed.hexdigest()


def whole_hash(path: Path) -> str:
    """The SHA-256 of a whole file, however large; raises OSError."""
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
