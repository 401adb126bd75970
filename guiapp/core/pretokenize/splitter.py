"""Cut text into the pieces that byte-pair merges never cross, as each kind of model asks.

To read how: readable.py.  To see by which patterns: pre_tokenizers.py.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize import readable
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.pretokenize.tables import build_machine
from guiapp.native import splitter as native


class Splitter:
    """Cuts text by a list of patterns.  All text is well-formed as `utf8.repair` leaves it."""

    def __init__(self, patterns: tuple[Pattern, ...]) -> None:
        self.patterns = patterns
        self.machine = build_machine(patterns)
        self.native = native.Splitter(**self.machine._asdict())

    def split(self, data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The end of each piece, in bytes; pieces tile the text and none is empty."""
        return self.native.split(data, np.array([len(data)]))

    def split_each(self, data: NDArray[np.uint8], text_ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ends of all pieces of many texts, which lie one behind the other; none is empty."""
        return self.native.split(data, text_ends)

    def split_readable(self, data: bytes) -> list[int]:
        """The same as `split`, by Python's own regular expressions."""
        return readable.split(self.patterns, data)

    def restart_before(self, data: NDArray[np.uint8], position: int) -> int:
        """The last place up to `position` where pieces meet whatever the text behind `position` is; or 0.

        At such a place the text may be cut: the pieces of both parts are those of the whole.
        """
        return self.native.last_cut(data, position)

    def restart_after(self, data: NDArray[np.uint8], position: int) -> int:
        """The first such place from `position` on, whatever precedes `position`; or len(data)."""
        return self.native.first_cut(data, position)


splitter_of = cache(Splitter)
