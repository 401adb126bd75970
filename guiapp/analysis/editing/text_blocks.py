"""A text cut into blocks that are laid out one by one: its lines, and the long ones in parts.

A cut within a line stays where it is while the text around it is edited, so that only the edited block
is laid out again, however long its line.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.core.text.normalized import character_start, decode, encode

MAX_BLOCK_BYTES = 4096
PART_BYTES = 1024  # how long the parts of a long line are at first
SMALL_PART_BYTES = 512  # a part that shrank below this joins the next one
SEARCH_BYTES = 256  # how far back a good place to cut is looked for
ZERO_WIDTH_JOINER = "\u200d"

Unbroken = tuple[tuple[int, int], ...]


class BlockSplice(NamedTuple):
    """`removed` blocks from `first` on gave way to `added` new ones."""

    first: int
    removed: int
    added: int


class TextBlocks:
    """Where the blocks of a text begin.

    A newline byte belongs to the block that it ends; a text that ends in one has an empty last block.
    """

    def __init__(self, buffer: TextBuffer) -> None:
        self._buffer = buffer
        self.reset()

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def starts(self) -> NDArray[np.int64]:
        """Ascending offsets of the blocks' first bytes; not to be written to."""
        return self._starts

    def start(self, block: int) -> int:
        return int(self._starts[block])

    def end(self, block: int) -> int:
        return int(self._starts[block + 1]) if block + 1 < len(self._starts) else len(self._buffer)

    def block_at(self, offset: int) -> int:
        """The block that holds the byte at `offset`; the last one for the end of the text."""
        return int(np.searchsorted(self._starts, offset, side="right")) - 1

    def unbroken(self, block: int) -> Unbroken:
        """What of a block is to stay in one row where it fits, by offsets from its first byte; ascending."""
        return ()

    def reset(self) -> None:
        """Cut the whole text anew."""
        self._starts = self._cut(0, len(self._buffer), self._buffer.newlines, is_last=True)

    def apply(self, edit: TextEdit) -> BlockSplice:
        """Follow an edit that the buffer has already made."""
        first = self.block_at(edit.start)
        last = self.block_at(edit.start + edit.removed)
        self._starts[last + 1 :] += edit.shift
        start = self.start(first)
        end = self.end(last)
        if end - start < SMALL_PART_BYTES and last + 1 < len(self) and not self._ends_in_newline(start, end):
            last += 1
            end = self.end(last)
        newlines = self._buffer.newlines
        inside = newlines[np.searchsorted(newlines, start) : np.searchsorted(newlines, end)]
        fresh = self._cut(start, end, inside, is_last=last + 1 == len(self))
        splice = BlockSplice(first, last + 1 - first, len(fresh))
        if splice.removed == splice.added:  # as with most keys: all others stay where they are
            self._starts[first : last + 1] = fresh
        else:
            self._starts = np.concatenate((self._starts[:first], fresh, self._starts[last + 1 :]))
        return splice

    def _ends_in_newline(self, start: int, end: int) -> bool:
        return end > start and self._buffer.slice(end - 1, end) == b"\n"

    def _cut(self, start: int, end: int, newlines: NDArray[np.int64], is_last: bool) -> NDArray[np.int64]:
        """The blocks of [start, end), which begins a block and is followed by one unless `is_last`."""
        line_starts = np.concatenate((np.array([start], np.int64), newlines + 1))
        if not is_last and len(newlines) and line_starts[-1] == end:
            line_starts = line_starts[:-1]
        lengths = np.diff(line_starts, append=end)
        too_long = np.flatnonzero(lengths > MAX_BLOCK_BYTES)
        if not len(too_long):
            return line_starts
        cuts = [
            cut
            for line in too_long
            for cut in _cuts_of_line(self._buffer.slice, int(line_starts[line]), int(lengths[line]))
        ]
        return np.sort(np.concatenate((line_starts, np.array(cuts, np.int64))))


def _cuts_of_line(read: Callable[[int, int], bytes], start: int, length: int) -> list[int]:
    cuts = []
    while length > MAX_BLOCK_BYTES:
        cut = _good_cut(read(start + PART_BYTES - SEARCH_BYTES, start + PART_BYTES + 4))
        cut += PART_BYTES - SEARCH_BYTES
        cuts.append(start + cut)
        start += cut
        length -= cut
    return cuts


def _good_cut(data: bytes) -> int:
    """Where to cut within `data`: behind its last space, else between two characters that do not combine."""
    space = data.rfind(b" ", 0, SEARCH_BYTES)
    if space >= 0:
        return space + 1
    text = decode(data)
    for at in range(len(text) - 4, 0, -1):
        if _may_part(text[at - 1], text[at]):
            return len(encode(text[:at]))
    return character_start(data, SEARCH_BYTES)


def _may_part(before: str, after: str) -> bool:
    """Whether two characters side by side are surely two graphemes, and not joined letters."""
    if before == ZERO_WIDTH_JOINER or not _stands_alone(after):
        return False
    return not (unicodedata.bidirectional(before) == "AL" and unicodedata.bidirectional(after) == "AL")


def _stands_alone(character: str) -> bool:
    if "\udc80" <= character <= "\udcff" or "\U0001f1e6" <= character <= "\U0001f1ff":
        return False
    return unicodedata.category(character)[0] in "LNPSZ" and not "\U0001f3fb" <= character <= "\U0001f3ff"
