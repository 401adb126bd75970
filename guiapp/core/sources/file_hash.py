"""What tells one model file from another."""

from __future__ import annotations

import hashlib
from pathlib import Path

from guiapp.errors import VocabError
from guiapp.native.checkpoint import checkpoint

MOST_BYTES = 64 << 20  # weights lie behind the vocabulary, and would take minutes
CHUNK_BYTES = 4 << 20


def file_hash(path: Path) -> str:
    """SHA-256 in hexadecimal digits of a file, of a larger one of its first 64 MiB; raises VocabError.

    `sha256sum FILE` gives the same, and `head -c 64M FILE | sha256sum` for a larger one.
    """
    hashed, n_left = hashlib.sha256(), MOST_BYTES
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
    """That of all of a file, however large; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
