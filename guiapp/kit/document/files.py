"""Reading and writing of the texts that people open; what goes wrong is said in a sentence."""

from __future__ import annotations

import os
from pathlib import Path

from guiapp.core.sources.files import NotAFileError, open_input, replace_file
from guiapp.errors import TokenloupeError
from guiapp.kit.state.background import Progress

LARGEST_TEXT_BYTES = 256 * 1024 * 1024
CHUNK_BYTES = 4 * 1024 * 1024


class TextFileError(TokenloupeError):
    """A file that cannot be read or written as text; the message says why."""


def is_model_file(path: Path) -> bool:
    """Whether a file is of a format of tokenizers, or, where it has no bytes to read, by its name a GGUF.

    Folders are never texts: what is said of one that is no model's is said when it is opened as such.
    """
    from guiapp.core.formats.table import HEAD_BYTES, is_tokenizer  # time that starting does not have

    if os.path.isdir(path):
        return True
    try:
        with open_input(path) as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        head = b""
    return is_tokenizer(head) if head else path.suffix.lower() == ".gguf"


def read_text(path: Path, progress: Progress = lambda share: None) -> bytes:
    """The bytes of a text file, as they are; raises TextFileError."""
    chunks = []
    try:
        with open_input(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size > LARGEST_TEXT_BYTES:
                raise TextFileError(
                    f"{path.name} has {size:,} bytes; texts up to {LARGEST_TEXT_BYTES:,} bytes can be shown. "
                    "Use “tokenloupe tokenize” for larger ones."
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
