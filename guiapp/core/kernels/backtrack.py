"""Longest match with steps back; readable twin in core/algorithms/backtrack.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.derivations import DerivationArrays, are_compatible, no_answers
from guiapp.core.kernels.merges import ABSENT, MergeArrays, SymbolArrays, TokenOutput, put_symbol
from guiapp.core.kernels.token_tree import TreeArrays, longest_match


@kernel
def encode(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    whole_tokens: NDArray[np.int32],
    symbols: SymbolArrays,
    merges: MergeArrays,
    derivations: DerivationArrays,
    tree: TreeArrays,
    output: TokenOutput,
) -> int:
    """Write the tokens of all pieces; returns how many.

    whole_tokens  for each piece the token to take instead of merging, or -1; may be empty
    A start symbol that no rule knows ends a run: what stands before it is encoded for itself.
    """
    stack = np.empty(len(data), np.int32)
    can_end = np.ones(len(data) + 1, np.bool_)
    answers = no_answers()
    count, start = 0, 0
    for piece in range(len(piece_ends)):
        end = int(piece_ends[piece])
        if len(whole_tokens) and whole_tokens[piece] >= 0:
            count = put_symbol(output, count, whole_tokens[piece], symbols, data, start, end)
            start = end
        while start < end:
            n_taken, at = 0, start
            symbol = longest_match(tree.rows, data, at, end)
            while symbol != NONE:
                symbol_end = at + int(tree.lengths[symbol])
                if can_end[symbol_end] and (
                    n_taken == 0
                    or not derivations.pairs[int(data[at - 1]) << 8 | int(data[at])]
                    or are_compatible(answers, merges, derivations, int(stack[n_taken - 1]), symbol)
                ):
                    stack[n_taken] = symbol
                    n_taken += 1
                    at = symbol_end
                    symbol = longest_match(tree.rows, data, at, end)
                    continue
                symbol = int(tree.parents[symbol])
                if symbol == NONE:
                    can_end[at] = False
                    n_taken -= 1
                    symbol = int(stack[n_taken])
                    at -= int(tree.lengths[symbol])
            for index in range(n_taken):
                symbol = int(stack[index])
                symbol_end = start + int(tree.lengths[symbol])
                count = put_symbol(output, count, symbol, symbols, data, start, symbol_end)
                start = symbol_end
            if start < end:
                symbol_end = min(start + int(symbols.lengths[data[start]]), end)
                count = put_symbol(output, count, ABSENT, symbols, data, start, symbol_end)
                start = symbol_end
    return count
