"""From token ids to bytes, and to rows of a batch."""

from __future__ import annotations

import numpy as np

from guiapp.native.binding import Bytes, Ints, NotCopied, WideInts, array_as, checked, function

_decode = function("decode(ints, bytes, wide_ints, >bytes)")
_write_rows = function("lay_out(ints, wide_ints, ints, ints, wide_int, int, >ints, >bytes)")

clean_spaces = function("clean_spaces(>bytes)")
"""Drops spaces as some models' detokenisers do, in place; returns how many bytes are left."""


class TokenDecoder(NotCopied):
    """Joins the bytes of tokens; token i is data[offsets[i] : offsets[i + 1]], the offsets never decrease."""

    def __init__(self, data: Bytes, offsets: WideInts) -> None:
        self._owners = data, offsets
        self._tokens = array_as("bytes", data), array_as("wide_ints", offsets)

    def decode(self, ids: Ints, guess: int) -> Bytes:
        """The bytes of some tokens; `guess` is how many there may be."""
        out = np.empty(guess, np.uint8)
        size = _decode(ids, *self._tokens, out)
        if size < 0:
            raise IndexError("ids that are none")
        return self.decode(ids, size) if size > guess else out[:size]


def write_rows(
    ids: Ints,
    counts: WideInts,
    affixes: tuple[Ints, Ints],
    most: int,
    filler: int,
    rows: Ints,
    mask: Bytes,
) -> None:
    """Write the ids of many texts, counts[i] those of text i, to rows[i], and `filler` behind them.

    affixes  what stands before and after each
    most    that a row may have, at least those after: the last ones before these are left out
    mask    uint8 of the shape of rows, all zero; 1 is written where a token is
    """
    checked(_write_rows(ids, counts, *affixes, most, filler, rows, mask))
