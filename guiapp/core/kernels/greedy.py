"""The longest token, again and again; readable twin in core/algorithms/greedy.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.merges import ABSENT, SymbolArrays, TokenOutput, put_symbol
from guiapp.core.kernels.token_tree import TreeArrays, longest_match


@kernel
def encode(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    symbols: SymbolArrays,
    tree: TreeArrays,
    output: TokenOutput,
) -> int:
    """Write the tokens of all pieces; returns how many."""
    count, at = 0, 0
    for piece in range(len(piece_ends)):
        end = int(piece_ends[piece])
        while at < end:
            token = longest_match(tree, data, at, end)
            token_end = at + 1 if token == NONE else at + int(tree.lengths[token])
            count = put_symbol(
                output, count, ABSENT if token == NONE else token, symbols, data, at, token_end
            )
            at = token_end
    return count
