"""Errors that the user can cause. Their messages are sentences that can be shown unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from os import PathLike, fspath
from typing import SupportsIndex

NOT_USABLE = "not_usable"


class TokenloupeError(Exception):
    """The base of every error that the user's input can cause."""


class VocabError(TokenloupeError):
    """A model file whose vocabulary cannot be used. The message describes the fault, its location and a fix.

    code  the same for all errors of a kind, and in all versions; NOT_USABLE if no other fits
    key   the key of the file's metadata that is at fault, or ""
    """

    def __init__(self, message: str, code: str = NOT_USABLE, key: str = "") -> None:
        super().__init__(message)
        self.code, self.key = code, key


class UnknownPreError(VocabError):
    """A model file with an unknown pre-tokenizer, or with none; the user may choose one.

    pre     the name in the file
    likely  suggested names, the likeliest first
    """

    def __init__(self, message: str, pre: str = "", likely: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.pre, self.likely = pre, tuple(likely)


class EncodeError(TokenloupeError):
    """A text or a list of ids that this vocabulary cannot encode or decode; the message explains why."""


class ChatError(TokenloupeError):
    """Messages or a chat template that cannot be rendered; the message explains why, in one sentence.

    line  the line of the template that fails, or 0 if unknown
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NativeLibraryError(TokenloupeError, ImportError):
    """A native library that is missing, outdated or of another version; the message names the fix."""


def not_written(path: str | PathLike[str], error: OSError) -> str:
    """The message for a file that could not be written."""
    return f"{fspath(path)} cannot be written: {error.strerror}. Choose another path."


def whole_number(given: SupportsIndex, what: str) -> int:
    """`given` as an int. Raises EncodeError if it is not an integer; `what` names it in the message."""
    try:
        return index(given)
    except TypeError:
        raise EncodeError(f"“{given}” is not a {what}. Give a whole number.") from None
