"""How people say what is to be found, in a text and in a vocabulary alike."""

from __future__ import annotations

import re
from collections.abc import Callable

from guiapp.errors import TokenloupeError

LONGEST_S = 8.0


class QueryError(TokenloupeError):
    """What is looked for cannot be understood, or takes too long."""


def bytes_of(digits: str) -> bytes:
    """The bytes of hex digits, which white space may stand between.  Raises QueryError."""
    digits = "".join(digits.split())
    if not re.fullmatch("[0-9a-fA-F]*", digits):
        raise QueryError("Bytes are written as hex digits, such as E2 82 AC.")
    if len(digits) % 2:
        raise QueryError("Two hex digits make a byte: one is missing.")
    return bytes.fromhex(digits)


def tried_apart(expression: str, worker: str, request: bytes, progress: Callable[[float], None]) -> bytes:
    """What a process answers that tries a regular expression, and is ended where that takes too long.

    `worker` is the name of its module.  Raises QueryError.
    """
    from guiapp.core.processes import answer_of

    return tried(expression, lambda longest_s: answer_of(worker, request, progress, longest_s))


def tried(expression: str, answer: Callable[[float], bytes]) -> bytes:
    """What a process answers that is given a regular expression and so many seconds.  Raises QueryError."""
    from guiapp.core.processes import ApartError

    try:
        re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise QueryError(f"The regular expression is not valid: {error}.") from error
    try:
        return answer(LONGEST_S)
    except TimeoutError:
        message = f"The regular expression takes more than {LONGEST_S:g} seconds. Make it simpler."
        raise QueryError(message) from None
    except ApartError:
        raise QueryError("The regular expression could not be tried. Make it simpler.") from None
