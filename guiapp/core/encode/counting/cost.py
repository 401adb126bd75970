"""The cost of words and lines in tokens, and the most expensive ones.

A word is a run of characters without ASCII white space; every token that holds a part of it counts, even if
it reaches beyond it.  A line has the tokens that begin in it, its newline included.
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
from guiapp.core.text.visible_text import UNSPACED, hidden_spans, visible_text
from guiapp.native.checkpoint import stoppable

if TYPE_CHECKING:
    from guiapp.core.encode.encoding import Encoding, Offsets

STEPS = ("3 or more, or a single token", "2 to 3", "1.5 to 2", "under 1.5")  # characters per token
NEWLINE = ord("\n")
IS_NEWLINE = np.arange(256) == NEWLINE
BLOCK_BYTES = 1 << 20  # of text, whose words and lines are found at once
SHOWN_CHARACTERS = 60
WITHOUT_SPACES = f"[{UNSPACED}\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"


Row = tuple[int, int, int]  # start, end, number of tokens
AnyOffsets = NDArray[Any]  # int32 or int64


class Costs(NamedTuple):
    """Spans of a text, and their costs.

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
        """The price level of each, an index into STEPS; a single token always has the cheapest."""
        return steps_of(self.n_characters, self.n_tokens)


@dataclass(frozen=True)
class CostlyText:
    """A word or a line, and the total cost of all its occurrences.

    text      as it is shown, shortened if long; hidden characters are counted, as in the text
    n_tokens  of all its occurrences
    n_times   number of its occurrences
    start, end  bytes of the first one
    """

    text: str
    n_tokens: int
    n_times: int
    start: int
    end: int

    @property
    def kind(self) -> str:
        """Its name on screen: in scripts without spaces between words, a run of characters is no word."""
        return "character run" if re.search(WITHOUT_SPACES, self.text) else "word"


@dataclass(frozen=True)
class CostlyTexts:
    """The words and lines that take the most tokens, the most expensive first.

    n_tokens  of the whole text, BOS and the like included
    """

    words: tuple[CostlyText, ...]
    lines: tuple[CostlyText, ...]
    n_tokens: int


def steps_of(n_characters: NDArray[np.int64], n_tokens: NDArray[np.int64]) -> NDArray[np.uint8]:
    """An index into STEPS for each span, from its numbers of characters and tokens."""
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
    """The costs of all words of a text whose tokens came from the bytes [starts[i], ends[i])."""
    edges = np.diff(IS_ASCII_SPACE[text].view(np.int8), prepend=np.int8(1), append=np.int8(1))
    word_starts, word_ends = np.flatnonzero(edges < 0), np.flatnonzero(edges > 0)
    is_text = ends > starts
    firsts = np.searchsorted(ends[is_text], word_starts, side="right")
    lasts = np.searchsorted(starts[is_text], word_ends)
    return Costs(word_starts, word_ends, _n_characters(text, word_starts, word_ends), lasts - firsts)


def line_costs(text: NDArray[np.uint8], starts: Offsets, ends: Offsets) -> Costs:
    """The same for its lines; an empty line costs as much as its newline."""
    line_starts = np.append(0, np.flatnonzero(text == NEWLINE) + 1)
    line_ends = np.append(line_starts[1:], len(text))
    is_text = ends > starts
    firsts = np.searchsorted(starts[is_text], np.append(line_starts, len(text)))
    return Costs(line_starts, line_ends, _n_characters(text, line_starts, line_ends), np.diff(firsts))


def costly_texts(encoding: Encoding, n_most: int) -> CostlyTexts:
    """At most `n_most` words and lines of a text, without those of a single token."""
    starts, ends = encoding.spans.T
    return costly_texts_of(encoding.text_bytes, starts, ends, n_most)


def costly_texts_of(text: bytes, starts: AnyOffsets, ends: AnyOffsets, n_most: int) -> CostlyTexts:
    """The same for tokens that came from the bytes [starts[i], ends[i])."""
    words, lines = (
        _most(text, _costly_rows(text, starts, ends, find, is_border), n_most)
        for find, is_border in ((word_costs, IS_ASCII_SPACE), (line_costs, IS_NEWLINE))
    )
    return CostlyTexts(words, lines, len(starts))


def _most(text: bytes, rows: Iterator[Row], n_most: int) -> tuple[CostlyText, ...]:
    """Combine equal texts; of equally expensive ones, the first in the text comes first."""
    numbers: dict[bytes, int] = {}  # rows of the columns, which need a fifth of the memory of lists
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
    """Text for a list, such as `this.[151 hidden]`: code points would leave no room for words."""
    parts: list[str] = []
    shown_to = 0
    hidden = hidden_spans(segment)
    for start, end, count in zip(hidden.starts.tolist(), hidden.ends.tolist(), hidden.counts, strict=True):
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
    """Rows of more than one token, found block by block: the text may be long."""
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
    """Start and end of blocks of about BLOCK_BYTES, each but the last ending in a border."""
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
    """The number of characters that begin in each span."""
    begins = np.append((text & 0xC0) != 0x80, False)
    bounds = np.stack((starts, ends), axis=1).ravel()
    counts = np.add.reduceat(begins, bounds, dtype=np.int64)[::2]
    return np.where(ends > starts, counts, 0)
