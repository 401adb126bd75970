"""What can go wrong for the user, said in sentences that can be shown as they stand."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from os import PathLike, fspath
from typing import SupportsIndex

NOT_USABLE = "not_usable"


class TokenloupeError(Exception):
    """The base of every error that the user's input can cause."""


class VocabError(TokenloupeError):
    """A model file whose vocabulary cannot be used; the message says what is wrong, where, and what to do.

    code  the same for all errors of a kind, and in all versions; NOT_USABLE where no other fits
    key   of the file's metadata that it is about, "" for none
    """

    def __init__(self, message: str, code: str = NOT_USABLE, key: str = "") -> None:
        super().__init__(message)
        self.code, self.key = code, key


class UnknownPreError(VocabError):
    """A model file that asks for a pre-tokenizer nobody here knows, or for none; one may be chosen by hand.

    pre     the name in the file
    likely  names to choose from first, the likeliest in front
    """

    def __init__(self, message: str, pre: str = "", likely: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.pre, self.likely = pre, tuple(likely)


class EncodeError(TokenloupeError):
    """A text or a list of ids that this vocabulary cannot turn into the other; the message says why."""


class ChatError(TokenloupeError):
    """Messages or a chat template that cannot be rendered; the message says why, in one sentence.

    line  of the template where that happens, 0 if it is none or not known
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


class NativeLibraryError(TokenloupeError, ImportError):
    """A native library that is missing, outdated or of another version; the message says what to do."""


def not_written(path: str | PathLike[str], error: OSError) -> str:
    """Why a file that somebody asked for is not there."""
    return f"{fspath(path)} cannot be written: {error.strerror}. Choose another path."


def whole_number(given: SupportsIndex, what: str) -> int:
    """`given` as an int; EncodeError where it is none, with the name of what it was to be."""
    try:
        return index(given)
    except TypeError:
        raise EncodeError(f"“{given}” is not a {what}. Give a whole number.") from None
