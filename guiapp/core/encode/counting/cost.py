"""What words and lines cost in tokens, and which of them cost the most.

A word is a run of characters without ASCII white space; the tokens that hold a part of it count, also those
that reach beyond it.  A line has the tokens that begin in it, its newline included.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.unicode_tables import IS_ASCII_SPACE
from guiapp.core.text.visible_text import UNSPACED, hidden_places, visible_text
from guiapp.native.checkpoint import stoppable

if TYPE_CHECKING:
    from guiapp.core.encode.encoding import Encoding, Offsets

STEPS = ("3 or more, or a single token", "2 to 3", "1.5 to 2", "under 1.5")  # characters a token
NEWLINE = ord("\n")
IS_NEWLINE = np.arange(256) == NEWLINE
BLOCK_BYTES = 1 << 20  # words and lines of so much text at once
SHOWN_CHARACTERS = 60
WITHOUT_SPACES = f"[{UNSPACED}\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


Row = tuple[int, int, int]  # start, end, number of tokens
AnyOffsets = NDArray[Any]  # int32 or int64


class Costs(NamedTuple):
    """Stretches of a text, and what they cost.

    starts, ends  int64[k]  bytes [starts[i], ends[i])
    n_characters  int64[k]
    n_tokens      int64[k]
    """

    starts: Offsets
    ends: Offsets
    n_characters: NDArray[np.int64]
    n_tokens: NDArray[np.int64]

    @property
    def steps(self) -> NDArray[np.uint8]:
        """How dear each is, an index into STEPS; one token is never dear."""
        return steps_of(self.n_characters, self.n_tokens)


@dataclass(frozen=True)
class CostlyText:
    """A word or a line, and what it costs in all places together.

    text      as it is shown, shortened where it is long; hidden characters are counted, as in the text
    n_tokens  of all its places
    n_times   in how many places it is
    start, end  the bytes of the first of them
    """

    text: str
    n_tokens: int
    n_times: int
    start: int
    end: int

    @property
    def kind(self) -> str:
        """What it is called: in scripts without spaces between words a run of characters is no word."""
        return "character run" if re.search(WITHOUT_SPACES, self.text) else "word"


@dataclass(frozen=True)
class CostlyTexts:
    """The words and lines that take the most tokens, the dearest first.

    n_tokens  of the whole text, BOS and the like included
    """

    words: tuple[CostlyText, ...]
    lines: tuple[CostlyText, ...]
    n_tokens: int


def steps_of(n_characters: NDArray[np.int64], n_tokens: NDArray[np.int64]) -> NDArray[np.uint8]:
    """For stretches of so many characters and tokens an index into STEPS."""
    steps = np.zeros(len(n_tokens), np.uint8)
    for is_below in (
        n_characters < 3 * n_tokens,
        n_characters < 2 * n_tokens,
        2 * n_characters < 3 * n_tokens,
    ):
        steps += is_below
    steps[n_tokens <= 1] = 0
    return steps


def word_costs(text: NDArray[np.uint8], starts: Offsets, ends: Offsets) -> Costs:
    """Those of all words of a text whose tokens came from the bytes [starts[i], ends[i])."""
    edges = np.diff(IS_ASCII_SPACE[text].view(np.int8), prepend=np.int8(1), append=np.int8(1))
    word_starts, word_ends = np.flatnonzero(edges < 0), np.flatnonzero(edges > 0)
    is_text = ends > starts
    firsts = np.searchsorted(ends[is_text], word_starts, side="right")
    lasts = np.searchsorted(starts[is_text], word_ends)
    return Costs(word_starts, word_ends, _n_characters(text, word_starts, word_ends), lasts - firsts)


def line_costs(text: NDArray[np.uint8], starts: Offsets, ends: Offsets) -> Costs:
    """The same of its lines; those without characters cost what their newlines do."""
    line_starts = np.append(0, np.flatnonzero(text == NEWLINE) + 1)
    line_ends = np.append(line_starts[1:], len(text))
    is_text = ends > starts
    firsts = np.searchsorted(starts[is_text], np.append(line_starts, len(text)))
    return Costs(line_starts, line_ends, _n_characters(text, line_starts, line_ends), np.diff(firsts))


def costly_texts(encoding: Encoding, n_most: int) -> CostlyTexts:
    """At most so many words and lines of a text; those of one token are none of them."""
    starts, ends = encoding.spans.T
    return costly_texts_of(encoding.text_bytes, starts, ends, n_most)


def costly_texts_of(text: bytes, starts: AnyOffsets, ends: AnyOffsets, n_most: int) -> CostlyTexts:
    """The same of tokens that came from the bytes [starts[i], ends[i])."""
    words, lines = (
        _most(text, _costly_rows(text, starts, ends, find, is_border), n_most)
        for find, is_border in ((word_costs, IS_ASCII_SPACE), (line_costs, IS_NEWLINE))
    )
    return CostlyTexts(words, lines, len(starts))


def _most(text: bytes, rows: Iterator[Row], n_most: int) -> tuple[CostlyText, ...]:
    """Equal stretches are one; of equally dear ones, the first of the text leads."""
    numbers: dict[bytes, int] = {}  # rows of the columns, which take a fifth of what a list for each would
    n_tokens, n_times, starts, ends = columns = tuple(array("q") for _ in range(4))
    for start, end, count in stoppable(rows):
        segment = text[start:end]
        number = numbers.setdefault(segment.strip() or segment, len(numbers))
        if number == len(starts):
            for column, value in zip(columns, (0, 0, start, end), strict=True):
                column.append(value)
        n_tokens[number] += count
        n_times[number] += 1
    most = nlargest(n_most, numbers.items(), key=lambda item: (n_tokens[item[1]], -starts[item[1]]))
    return tuple(
        CostlyText(_shown(word), n_tokens[at], n_times[at], starts[at], ends[at]) for word, at in most
    )


def _shown(segment: bytes) -> str:
    """`this.[151 hidden]`: what is read in a list, where code points would leave no room for words."""
    parts: list[str] = []
    shown_to = 0
    places = hidden_places(segment)
    for start, end, count in zip(places.starts.tolist(), places.ends.tolist(), places.counts, strict=True):
        if len("".join(parts)) > SHOWN_CHARACTERS:
            break
        if count > 1:
            parts += [visible_text(segment[shown_to:start], SHOWN_CHARACTERS), f"[{count} hidden]"]
            shown_to = end
    return "".join(parts) + visible_text(segment[shown_to:], SHOWN_CHARACTERS)


def _costly_rows(
    text: bytes,
    starts: AnyOffsets,
    ends: AnyOffsets,
    find: Callable[[NDArray[np.uint8], Offsets, Offsets], Costs],
    is_border: NDArray[np.bool_],
) -> Iterator[Row]:
    """Those of more than one token, found in a block of the text after the other: it may be long."""
    data = np.frombuffer(text, np.uint8)
    for begin, end in _blocks(data, is_border):
        first = int(np.searchsorted(ends, ends.dtype.type(begin), "right"))
        last = int(np.searchsorted(starts, starts.dtype.type(end)))
        here = (column[first:last] - np.int64(begin) for column in (starts, ends))
        costs = find(data[begin:end], *here)
        rows = np.flatnonzero(costs.n_tokens > 1)
        columns = (costs.starts + begin, costs.ends + begin, costs.n_tokens)
        yield from zip(*(column[rows].tolist() for column in columns), strict=True)


def _blocks(data: NDArray[np.uint8], is_border: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Start and end of stretches of some BLOCK_BYTES, each but the last ending in a border."""
    start, size = 0, BLOCK_BYTES
    while start < len(data):
        end = start + size
        borders = np.flatnonzero(is_border[data[start:end]]) if end < len(data) else [len(data) - 1 - start]
        if len(borders):
            end = start + int(borders[-1]) + 1
            yield start, end
            start, size = end, BLOCK_BYTES
        else:
            size *= 2


def _n_characters(text: NDArray[np.uint8], starts: Offsets, ends: Offsets) -> NDArray[np.int64]:
    """How many characters begin in each stretch."""
    begins = np.append((text & 0xC0) != 0x80, False)
    bounds = np.stack((starts, ends), axis=1).ravel()
    counts = np.add.reduceat(begins, bounds, dtype=np.int64)[::2]
    return np.where(ends > starts, counts, 0)
