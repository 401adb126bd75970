"""The longest token, again and again; readable twin in core/algorithms/greedy.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.merges import ABSENT, SymbolArrays, TokenOutput, put_symbol
from guiapp.core.kernels.token_tree import TreeArrays


@kernel
def encode(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    symbols: SymbolArrays,
    tree: TreeArrays,
    output: TokenOutput,
) -> int:
    """Write the tokens of all pieces; returns how many."""
    rows, ids, starts, ends = tree.rows, output.ids, output.starts, output.ends
    count, at = 0, 0
    for piece in range(len(piece_ends)):
        end = piece_ends[piece]
        while at < end:
            row, token, token_end = 0, NONE, at
            for position in range(at, end):  # `longest_match`, without a call
                following = rows[4 * row] ^ np.int32(data[position])
                if rows[4 * following + 1] != row:
                    break
                row = following
                if rows[4 * row + 2] != NONE:
                    token = rows[4 * row + 2]
                    token_end = position + 1
            if token == NONE:
                count = put_symbol(output, count, ABSENT, symbols, data, at, at + 1)
                at += 1
                continue
            ids[count] = token
            starts[count] = at
            ends[count] = token_end
            count += 1
            at = token_end
    return count
