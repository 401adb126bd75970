"""As few tokens as possible; readable twin in core/algorithms/fewest.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.merges import ABSENT, SymbolArrays, TokenOutput, put_symbol
from guiapp.core.kernels.token_tree import TreeArrays, longest_match

LOW_32 = 0xFFFFFFFF
UNREACHED = (1 << 31) - 1


@routine
def next_random(state: int) -> int:
    """The number behind `state` in a sequence of numbers below 2**32 (xorshift, Marsaglia 2003)."""
    state ^= (state << 13) & LOW_32
    state ^= state >> 17
    return int(state ^ ((state << 5) & LOW_32))


@kernel
def encode(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    symbols: SymbolArrays,
    tree: TreeArrays,
    dropout: int,
    random_state: int,
    output: TokenOutput,
) -> int:
    """Write the tokens of all pieces; returns how many.

    dropout       of 2**32 uses of a token this many are ruled out, but not those of the shortest one that
                  starts at a place
    random_state  where the random numbers begin, not 0
    """
    costs = np.full(len(data) + 1, UNREACHED, np.int32)  # tokens up to each offset
    last = np.full(len(data) + 1, NONE, np.int32)  # the last of them, NONE for a byte that has no token
    stack = np.empty(len(data), np.int32)
    count, start = 0, 0
    for piece in range(len(piece_ends)):
        end = int(piece_ends[piece])
        costs[start] = 0
        for at in range(start, end):
            if costs[at] == UNREACHED:
                continue
            token = longest_match(tree.rows, data, at, end)
            if token == NONE and costs[at] + 1 < costs[at + 1]:
                costs[at + 1] = costs[at] + 1
                last[at + 1] = NONE
            while token != NONE:
                token_end = at + tree.lengths[token]
                shorter = int(tree.parents[token])
                is_ruled_out = False
                if dropout > 0 and shorter != NONE:
                    random_state = next_random(random_state)
                    is_ruled_out = random_state < dropout
                if costs[at] + 1 < costs[token_end] and not is_ruled_out:
                    costs[token_end] = costs[at] + 1
                    last[token_end] = token
                token = shorter
        at = end
        for index in range(costs[end] - 1, -1, -1):
            stack[index] = last[at]
            at -= 1 if last[at] == NONE else tree.lengths[last[at]]
        for index in range(costs[end]):
            token = int(stack[index])
            token_end = start + 1 if token == NONE else start + int(tree.lengths[token])
            count = put_symbol(
                output, count, ABSENT if token == NONE else token, symbols, data, start, token_end
            )
            start = token_end
    return count
