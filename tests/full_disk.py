"""Simulates a full disk for this process and its children.

They write no compiled modules meanwhile: Python would silently truncate the files, also for other processes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def full_disk(room_bytes: int = 0) -> Iterator[None]:
    """Limit the size of written files to `room_bytes`."""
    resource = pytest.importorskip("resource", reason="limits the size of files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (room_bytes, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
