"""Pair merging by looking at all pairs again after each merge; readable twin in core/algorithms/scan.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.merges import (
    NO_MERGE,
    MergeArrays,
    SymbolArrays,
    TokenOutput,
    find_merge,
    put_symbol,
    start_symbol,
)


@kernel
def encode(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    whole_tokens: NDArray[np.int32],
    symbols: SymbolArrays,
    merges: MergeArrays,
    output: TokenOutput,
) -> int:
    """Write the tokens of all pieces; returns how many.

    whole_tokens  for each piece the token to take instead of merging, or -1; may be empty
    """
    ids = np.empty(16, np.int32)
    ends = np.empty(16, np.int64)
    values = np.empty(16, np.int64)
    count, start = 0, 0
    for piece in range(len(piece_ends)):
        end = piece_ends[piece]
        if len(whole_tokens) and whole_tokens[piece] >= 0:
            count = put_symbol(output, count, whole_tokens[piece], symbols, data, start, end)
            start = end
            continue
        if end - start > len(ids):
            ids = np.empty(2 * (end - start), np.int32)
            ends = np.empty(2 * (end - start), np.int64)
            values = np.empty(2 * (end - start), np.int64)
        n_symbols = merge_by_scan(data, start, end, symbols, merges, ids, ends, values)
        for at in range(n_symbols):
            count = put_symbol(output, count, ids[at], symbols, data, start, ends[at])
            start = ends[at]
    return count


@routine
def merge_by_scan(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    symbols: SymbolArrays,
    merges: MergeArrays,
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
    values: NDArray[np.int64],
) -> int:
    """Leave the symbols of data[start:end] and where they end in `ids` and `ends`; returns how many.

    `values[i]` is the rule for symbols i and i + 1.  All three have room for end - start entries.
    """
    count, at = 0, start
    while at < end:
        symbol_end = min(at + int(symbols.lengths[data[at]]), end)
        ids[count] = start_symbol(symbols, data, at, symbol_end)
        ends[count] = symbol_end
        if count:
            values[count - 1] = find_merge(merges, ids[count - 1], ids[count])
        count += 1
        at = symbol_end
    while count > 1:
        best_rank, best = NO_MERGE >> 32, -1
        for at in range(count - 1):
            if values[at] >> 32 < best_rank:
                best_rank = values[at] >> 32
                best = at
        if best < 0:
            break
        ids[best] = values[best] & 0xFFFFFFFF
        ends[best] = ends[best + 1]
        count -= 1
        for at in range(best + 1, count):
            ids[at] = ids[at + 1]
            ends[at] = ends[at + 1]
            values[at - 1] = values[at]
        if best > 0:
            values[best - 1] = find_merge(merges, ids[best - 1], ids[best])
        if best + 1 < count:
            values[best] = find_merge(merges, ids[best], ids[best + 1])
    return count
