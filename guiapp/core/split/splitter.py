"""Cut text into the pieces that byte-pair merges never cross, as each kind of model asks.

To read how: readable.py.  To see by which patterns: pre_tokenizers.py.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import pattern_machine
from guiapp.core.split import readable
from guiapp.core.split.pre_tokenizers import Pattern
from guiapp.core.split.tables import PatternMachine, build_machine

BLOCK = 1 << 16


class Splitter(NamedTuple):
    """Cuts text by a list of patterns.  All text is well-formed as `utf8.repair` leaves it."""

    patterns: tuple[Pattern, ...]
    machine: PatternMachine

    def split(self, data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The end of each piece, in bytes; pieces tile the text and none is empty."""
        progress = self.begin(0, len(data))
        blocks: list[NDArray[np.int64]] = []
        while not blocks or len(blocks[-1]) == BLOCK:
            block = np.empty(BLOCK, np.int64)
            count = pattern_machine.split_block(data, block, progress, self.machine)
            blocks.append(block[:count])
        return np.concatenate(blocks)

    def split_each(self, data: NDArray[np.uint8], text_ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ends of all pieces of many texts, which lie one behind the other; none is empty."""
        ends = np.empty(len(data), np.int64)
        return ends[: pattern_machine.split_each(data, text_ends, ends, self.machine)].copy()

    def begin(self, start: int, end: int) -> NDArray[np.int64]:
        """What `kernels.pattern_machine.next_ends` needs to go through data[start : end] block by block."""
        return pattern_machine.begin(len(self.patterns), start, end)

    def split_readable(self, data: bytes) -> list[int]:
        """The same as `split`, by Python's own regular expressions."""
        return readable.split(self.patterns, data)

    def restart_before(self, data: NDArray[np.uint8], position: int) -> int:
        """The last place up to `position` where pieces meet whatever the text behind `position` is; or 0.

        At such a place the text may be cut: the pieces of both parts are those of the whole.
        """
        return pattern_machine.last_cut(data, position, self.machine)

    def restart_after(self, data: NDArray[np.uint8], position: int) -> int:
        """The first such place from `position` on, whatever precedes `position`; or len(data)."""
        return pattern_machine.first_cut(data, position, self.machine)


@cache
def splitter_of(patterns: tuple[Pattern, ...]) -> Splitter:
    return Splitter(patterns, build_machine(patterns))
