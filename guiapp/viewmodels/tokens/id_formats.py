"""Token ids as text that other programs take, and back from whatever people paste."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from guiapp.core.errors import TokenloupeError

PER_LINE = 16
GLANCE = 4096  # characters
BEFORE_LIST = re.compile(
    r"\s*(?:[A-Za-z_][\w\s.:*<>]*(?:\[\w*\]\s*)?=\s*)?"  # `name =`, `type name[n] =`
    r"(?:[A-Za-z_][\w.]*\s*(?=\())?"  # `array(`
)
PART = re.compile(
    r"""[\s,;|/\[\](){}"'`]+"""  # what may stand between two numbers
    r"|(?:dtype|device)\s*=\s*[\w.]+"  # how arrays end when they are printed
    r"""|([^\s,;|/\[\](){}"'`]+)"""
)
NUMBER = re.compile(r"[+-]?[0-9]+|0[xX][0-9a-fA-F]+")


class IdsError(TokenloupeError):
    """A pasted list that is no list of token ids; text[start:end] is the part at fault."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.start = start
        self.end = end


def as_plain(token_ids: NDArray[np.int32]) -> str:
    """`1 2 3`"""
    return " ".join(map(str, token_ids.tolist()))


def as_json(token_ids: NDArray[np.int32]) -> str:
    """`[1, 2, 3]`"""
    return f"[{', '.join(map(str, token_ids.tolist()))}]"


def as_python(token_ids: NDArray[np.int32]) -> str:
    """`token_ids = [1, 2, 3]`, in lines where it is long."""
    return f"token_ids = [{_lines(token_ids, trailing_comma=True)}]"


def as_c(token_ids: NDArray[np.int32]) -> str:
    """`const int32_t tokens[3] = {1, 2, 3};`, in lines where it is long."""
    return f"const int32_t tokens[{len(token_ids)}] = {{{_lines(token_ids, trailing_comma=False)}}};"


FORMATS: dict[str, Callable[[NDArray[np.int32]], str]] = {
    "plain": as_plain,
    "JSON": as_json,
    "Python": as_python,
    "C": as_c,
}


def parse_ids(text: str, n_tokens: int) -> NDArray[np.int32]:
    """The ids in `text`: numbers, decimal or 0x…, with any usual separators, brackets or assignment.

    Raises IdsError at the first thing that is neither, or is not below `n_tokens`.
    """
    return np.fromiter(_numbers(text, n_tokens), np.int32)


def _lines(token_ids: NDArray[np.int32], trailing_comma: bool) -> str:
    numbers = list(map(str, token_ids.tolist()))
    if len(numbers) <= PER_LINE:
        return ", ".join(numbers)
    rows = (numbers[at : at + PER_LINE] for at in range(0, len(numbers), PER_LINE))
    body = ",\n    ".join(", ".join(row) for row in rows)
    return f"\n    {body}{',' if trailing_comma else ''}\n"


def holds_numbers(text: str) -> bool:
    """Whether what somebody copied begins like a list of numbers, in any form that `parse_ids` takes."""
    try:
        return len(list(_numbers(text[:GLANCE], sys.maxsize))) > 0
    except IdsError:
        return False


def _numbers(text: str, n_tokens: int) -> Iterator[int]:
    before = BEFORE_LIST.match(text)
    words = (part for part in PART.finditer(text, before.end() if before else 0) if part[1])
    for number, word in enumerate(words, 1):
        if not NUMBER.fullmatch(word[1]):
            message = f"“{_short(word[1])}” at character {word.start() + 1} is not a number."
            raise IdsError(message, *word.span())
        value = int(word[1], 0 if word[1][1:2] in ("x", "X") else 10) if len(word[1]) < 20 else n_tokens
        if not 0 <= value < n_tokens:
            message = f"Id {_short(word[1])} (number {number} of the list) is not in 0 … {n_tokens - 1:,}."
            raise IdsError(message, *word.span())
        yield value


def _short(word: str) -> str:
    return word if len(word) <= 24 else word[:24] + "…"
