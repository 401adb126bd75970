"""Which files of a folder are texts to be compared."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from guiapp.core.text.utf16 import utf16_codec
from guiapp.errors import TokenloupeError
from guiapp.native.checkpoint import stoppable

LOOKED_AT = 1 << 13  # bytes at the start of a file, to tell whether it is text


class TextFolderError(TokenloupeError):
    """A folder that holds no texts, or that cannot be read; the message says which."""


class TextFiles(NamedTuple):
    """The files below a folder that hold text, in order, and how many others there are."""

    paths: tuple[Path, ...]
    n_others: int


def text_files(folder: Path, is_utf16: bool = False) -> TextFiles:
    """Look for texts, but for hidden ones; where they are said to be UTF-16, every file counts as one.

    Raises TextFolderError.
    """
    try:
        found = [path for path in sorted(stoppable(folder.rglob("*"))) if _is_seen(path, folder)]
        paths = tuple(path for path in stoppable(found) if is_utf16 or _begins_as_text(path))
    except OSError as error:
        raise TextFolderError(f"{error.filename or folder} cannot be read: {error.strerror}.") from error
    if not paths:
        raise TextFolderError(f"{folder} holds no texts. Choose a folder of texts.")
    return TextFiles(paths, len(found) - len(paths))


def _is_seen(path: Path, folder: Path) -> bool:
    return path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts)


def _begins_as_text(path: Path) -> bool:
    """Whether nothing at the start of a file, which may be a huge one, says that it holds something else."""
    with open(path, "rb") as file:
        head = file.read(LOOKED_AT)
    return b"\0" not in head or utf16_codec(head) is not None
