"""The last token of every prefix of a text that grows, byte by byte; the algorithm is that of `table`.

A prefix's tokens are its last token and those of the prefix before it.  So one number per byte tells the
tokens of all prefixes, and a further byte adds one number: that of the token which ends there and is
compatible with the one before it.  The tokens that may end there are followed through the trie from all
places where they may have begun, at most as many as the longest token has bytes.
Source: github/rust-gems, crates/bpe, appendable encoder.  No readable twin of its own: `table` is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.derivations import NO_RANK, DerivationArrays, stay_apart
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays
from guiapp.core.kernels.token_tree import TreeArrays

FALLBACK = -2  # as a last token: the bytes of a character that is in no rule, each by itself

SIZE, CHARACTER, RUN, ACTIVE = range(4)  # of `progress`


class Prefixes(NamedTuple):
    """What is known of a text of n bytes; the arrays have room for more.

    data      uint8[room]
    last      int32[room + 1]  the symbol that ends at each offset; FALLBACK, or NONE within a character
    counts    int32[room + 1]  the tokens up to each offset
    starts    int64[longest]   where the symbols began that the next byte may go on with
    nodes     int32[longest]   and the rows of the trie that they have come to
    progress  int64[4]         n; where the last character began; the first offset behind the last character
                               that is in no rule; the number of `starts`
    """

    data: NDArray[np.uint8]
    last: NDArray[np.int32]
    counts: NDArray[np.int32]
    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    progress: NDArray[np.int64]


@kernel
def append(
    new: NDArray[np.uint8],
    symbols: SymbolArrays,
    merges: MergeArrays,
    derivations: DerivationArrays,
    tree: TreeArrays,
    prefixes: Prefixes,
) -> None:
    """Put new bytes behind the text, one after the other."""
    data, last, counts = prefixes.data, prefixes.last, prefixes.counts
    starts, nodes, rows = prefixes.starts, prefixes.nodes, tree.rows
    size, character = int(prefixes.progress[SIZE]), int(prefixes.progress[CHARACTER])
    run, n_active = int(prefixes.progress[RUN]), int(prefixes.progress[ACTIVE])
    for index in range(len(new)):
        byte = int(new[index])
        data[size] = byte
        if size == run or last[size] != NONE:
            starts[n_active] = size
            nodes[n_active] = 0
            n_active += 1
        end, n_kept = size + 1, 0
        last[end] = NONE
        for active in range(n_active):
            node = rows[4 * nodes[active]] ^ np.int32(byte)  # see `token_tree.longest_match`
            if rows[4 * node + 1] != nodes[active]:
                continue
            start = int(starts[active])
            starts[n_kept] = start
            nodes[n_kept] = node
            n_kept += 1
            symbol = int(rows[4 * node + 2])
            if symbol == NONE or last[end] != NONE:
                continue
            if (
                start == run
                or not derivations.pairs[int(data[start - 1]) << 8 | int(data[start])]
                or stay_apart(merges, derivations, int(last[start]), symbol, NO_RANK)
            ):
                last[end] = symbol
                counts[end] = counts[start] + 1
                if symbol >= symbols.n_tokens:
                    counts[end] = counts[start] + n_fallbacks(symbols, data, start, end)
        n_active, size = n_kept, end
        if last[end] != NONE:
            character = end
            continue
        counts[end] = counts[character] + n_fallbacks(symbols, data, character, end)
        if end - character >= int(symbols.lengths[data[character]]):
            last[end] = FALLBACK
            character, run, n_active = end, end, 0
    prefixes.progress[SIZE] = size
    prefixes.progress[CHARACTER] = character
    prefixes.progress[RUN] = run
    prefixes.progress[ACTIVE] = n_active


@routine
def n_fallbacks(symbols: SymbolArrays, data: NDArray[np.uint8], start: int, end: int) -> int:
    """How many tokens stand for these bytes where each stands for itself."""
    count = 0
    for at in range(start, end):
        byte = int(data[at])
        count += int(symbols.fallback_offsets[byte + 1] - symbols.fallback_offsets[byte])
    return count
