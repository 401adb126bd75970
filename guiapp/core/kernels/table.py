"""The last token of every prefix; readable twin in core/algorithms/table.py."""

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
    last = np.full(len(data) + 1, NONE, np.int32)  # the symbol that ends at each offset
    stack = np.empty(len(data), np.int32)
    answers = no_answers()
    count, start = 0, 0
    for piece in range(len(piece_ends)):
        end = int(piece_ends[piece])
        if len(whole_tokens) and whole_tokens[piece] >= 0:
            count = put_symbol(output, count, whole_tokens[piece], symbols, data, start, end)
            start = end
        while start < end:
            at = start
            while at < end:
                if at > start and last[at] == NONE:
                    at += 1
                    continue
                symbol = longest_match(tree.rows, data, at, end)
                if symbol == NONE:
                    break
                is_cut = at == start or not derivations.pairs[int(data[at - 1]) << 8 | int(data[at])]
                while symbol != NONE:
                    symbol_end = at + tree.lengths[symbol]
                    if last[symbol_end] == NONE and (
                        is_cut or are_compatible(answers, merges, derivations, int(last[at]), symbol)
                    ):
                        last[symbol_end] = symbol
                    symbol = int(tree.parents[symbol])
                at += 1
            n_found, symbol_end = 0, at
            while symbol_end > start:
                stack[n_found] = last[symbol_end]
                symbol_end -= int(tree.lengths[last[symbol_end]])
                n_found += 1
            for index in range(n_found - 1, -1, -1):
                symbol = int(stack[index])
                symbol_end = start + int(tree.lengths[symbol])
                count = put_symbol(output, count, symbol, symbols, data, start, symbol_end)
                start = symbol_end
            if start < end:
                symbol_end = min(start + int(symbols.lengths[data[start]]), end)
                count = put_symbol(output, count, ABSENT, symbols, data, start, symbol_end)
                start = symbol_end
    return count
