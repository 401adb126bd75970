"""Cut text into pieces by a list of patterns, the version to read; native twin: splitter.cpp.

Each pattern in turn cuts every piece again: what precedes a match, the match, what follows the last one.
To a pattern a piece is all there is: it cannot look past its ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.regex import seen, translated

Cutter = Callable[[str, int, int], Iterator[int]]  # (text as seen, start, end) -> where to cut between them


def split(patterns: tuple[Pattern, ...], data: bytes) -> list[int]:
    """The end of each piece, in bytes."""
    if not data:
        return []
    codes = np.array([*map(ord, data.decode("utf-8", "surrogatepass"))])
    ends = [len(codes)]
    for pattern in patterns:
        cuts = cutter(pattern)
        text = "".join(map(chr, seen(pattern.view, codes)))
        spans = zip([0, *ends[:-1]], ends, strict=True)
        ends = [cut for start, end in spans for cut in (*cuts(text, start, end), end)]
    sizes = np.searchsorted([0, 0x80, 0x800, 0x10000], codes, side="right")
    byte_offsets = np.concatenate([[0], np.cumsum(sizes)])
    return [int(byte_offsets[end]) for end in ends]


@cache
def cutter(pattern: Pattern) -> Cutter:
    """How a pattern cuts a piece of the text that it sees."""
    if pattern.view == "numbers by three":
        return _cut_numbers_by_three
    if pattern.view == "digits by three":
        return _cut_digits_by_three
    expression = re.compile(translated(pattern), re.ASCII)

    def cut(text: str, start: int, end: int) -> Iterator[int]:
        last = start
        for match in expression.finditer(text, start, end):
            for at in match.span():
                if last < at < end:
                    yield at
                    last = at

    return cut


NUMBERS = re.compile("[\xd10-9]+")
DIGITS = re.compile("[0-9]+")


def _cut_numbers_by_three(text: str, start: int, end: int) -> Iterator[int]:
    """Runs of numbers: first what is over, to which the text before belongs, then threes."""
    for run in NUMBERS.finditer(text, start, end):
        first = run.start() + (len(run[0]) - 1) % 3 + 1
        yield from (cut for cut in range(first, run.end() + 1, 3) if cut < end)


def _cut_digits_by_three(text: str, start: int, end: int) -> Iterator[int]:
    """Before every ASCII digit from which the digits to the end of their run are a multiple of three."""
    for run in DIGITS.finditer(text, start, end):
        first = run.start() + len(run[0]) % 3
        yield from (cut for cut in range(first, run.end(), 3) if cut > start)
