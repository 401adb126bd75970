"""The temporary files of a running program, in one folder; those of programs that were killed are removed.

The folder is locked as long as its process runs, which no pid could tell that another process may have.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial

PREFIX = "tokenloupe-tmp-"
ATTEMPTS = 5


def begin_scratch() -> Callable[[], None]:
    """Let this process, and those that `environment` is for, put temporary files there; call the result last.

    For a whole program, as it sets `tempfile.tempdir`.  Not on Windows, nor where nothing can be locked.
    """
    if sys.platform == "win32":
        return lambda: None
    before = tempfile.gettempdir()
    with suppress(OSError):  # whoever needs temporary files will say that there can be none
        for folder in [entry.path for entry in os.scandir(before) if entry.name.startswith(PREFIX)]:
            if (lock := _locked(folder)) is not None:
                _end(before, folder, lock)
        for _ in range(ATTEMPTS):
            own = tempfile.mkdtemp(prefix=PREFIX)
            lock = _locked(own)
            if lock is not None and os.path.isdir(own):  # else another start took it for one left behind
                tempfile.tempdir = own
                return partial(_end, before, own, lock)
    return lambda: None


def _end(before: str, own: str, lock: int) -> None:
    tempfile.tempdir = before
    shutil.rmtree(own, ignore_errors=True)
    os.close(lock)


def lasting_folder() -> str:
    """Where temporary files stay when the program ends."""
    folder = tempfile.gettempdir()
    return os.path.dirname(folder) if os.path.basename(folder).startswith(PREFIX) else folder


def _locked(folder: str) -> int | None:
    """The descriptor that locks one of this user's folders; None where another process holds it."""
    import fcntl

    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        with suppress(OSError):
            if os.fstat(descriptor).st_uid == os.getuid():
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return descriptor
        os.close(descriptor)
    return None
