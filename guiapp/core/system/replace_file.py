"""Files that are either as they were or new, never in between."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

PRIVATE, PUBLIC = 0o600, 0o666


@contextmanager
def replacement(
    path: Path, is_private: bool = False, waits_for_disk: bool = False, written_at: Path | None = None
) -> Iterator[Path]:
    """A file to write, which then takes the place of `path`; if anything is raised, nothing has changed.

    Links stay links, a file that was there keeps its permissions, and what is no file (a pipe, a device) is
    written to as it is.  Raises OSError.

    is_private      a file that was not there is readable by its owner only
    waits_for_disk  not even a loss of power undoes it then, at the price of a pause
    written_at      in the same folder, where others find the file to write, to remove it if this process is
                    killed; by default a place that nobody else has
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path  # as it is: /dev/stdout may lead to a pipe, which has no path
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
    """Put a new file in the place of `path`, or change nothing; see `replacement`."""
    with replacement(path, is_private, waits_for_disk) as new:
        new.write_bytes(content)


def _made(folder: Path) -> Path:
    handle, name = mkstemp(dir=folder, prefix=".tokenloupe-")
    os.close(handle)
    return Path(name)


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
