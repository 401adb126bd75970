"""Many short texts at a time, for pipelines that need less for that than for one text after the other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LONGEST_OF_MANY = 1 << 16  # bytes; a longer text gains nothing in company


class Rows(NamedTuple):
    """The token ids of many texts.

    ids     int32[…]  of all of them, one text behind the other
    counts  int64[n]  how many each text has
    """

    ids: NDArray[np.int32]
    counts: NDArray[np.int64]


def laid_out(texts: Sequence[bytes], before_each: bytes = b"") -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Texts one behind the other, with the same in front of each, and where they end."""
    data = bytearray(before_each).join((b"", *texts))
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.frombuffer(data, np.uint8), np.cumsum(lengths + len(before_each))


def rows_of(ids: Iterable[NDArray[np.int32]]) -> Rows:
    """The rows of texts that were encoded one after the other."""
    each = list(ids)
    return Rows(np.concatenate(each), np.fromiter(map(len, each), np.int64, len(each)))
