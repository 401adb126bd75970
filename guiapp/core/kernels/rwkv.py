"""Greedy longest match, compiled; readable twin: algorithms/rwkv.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, find_longest
from guiapp.core.kernels.compile import kernel


@kernel
def encode(
    data: NDArray[np.uint8],
    matcher: TokenMatcher,
    unknown: int,
    found: NDArray[np.int32],
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Take the longest token, or one byte as unknown, again and again; the number of tokens."""
    find_longest(matcher, data, 0, len(data), found)
    count, at = 0, 0
    while at < len(data):
        token, length = int(found[at]), 1
        if token == NONE:
            token = unknown
        else:
            length = int(matcher.lengths[token])
        ids[count] = token
        starts[count] = at
        ends[count] = at + length
        count += 1
        at += length
    return count
