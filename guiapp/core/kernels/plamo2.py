"""The segmentation of PLaMo 2, compiled; readable twin: algorithms/plamo2.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, find_longest
from guiapp.core.kernels.compile import kernel

UNREACHED = 1 << 60


@kernel
def encode(
    data: NDArray[np.uint8],
    matcher: TokenMatcher,
    token_costs: NDArray[np.int64],
    unknown_cost: int,
    byte_ids: NDArray[np.int32],
    costs: NDArray[np.int64],
    tokens: NDArray[np.int32],
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the tokens of the cheapest segmentation; their number.

    byte_ids       int32[256]  what an unknown character is made of
    costs, tokens  scratch space of the length of `data` + 1
    Ties go to the longest token, then to a known one.
    """
    size = len(data)
    find_longest(matcher, data, 0, size, tokens)
    costs[size] = 0
    for at in range(size - 1, -1, -1):
        lead = int(data[at])
        if lead & 0xC0 == 0x80:
            continue
        best, best_token = UNREACHED, NONE
        token = int(tokens[at])
        while token != NONE:
            cost = int(costs[at + matcher.lengths[token]]) + int(token_costs[token])
            if cost < best:
                best, best_token = cost, token
            token = int(matcher.shorter[token])
        length = 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0)
        cost = int(costs[at + length]) + unknown_cost
        if cost < best:
            best, best_token = cost, NONE
        costs[at] = best
        tokens[at] = best_token
    count, at = 0, 0
    while at < size:
        token, lead = int(tokens[at]), int(data[at])
        if token != NONE:
            ids[count] = token
            starts[count] = at
            at += int(matcher.lengths[token])
            ends[count] = at
            count += 1
            continue
        for _ in range(1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0)):
            ids[count] = byte_ids[data[at]]
            starts[count] = at
            at += 1
            ends[count] = at
            count += 1
    return count
