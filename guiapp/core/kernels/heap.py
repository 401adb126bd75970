"""Pair merging with a priority queue; readable twin in core/algorithms/heap.py.

Memory is 16 bytes for each start symbol and 8 more for each entry that ever waits in the queue.
"""

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

NO_RANK = NO_MERGE >> 32


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
    count, start = 0, 0
    for piece in range(len(piece_ends)):
        end = piece_ends[piece]
        if len(whole_tokens) and whole_tokens[piece] >= 0:
            count = put_symbol(output, count, whole_tokens[piece], symbols, data, start, end)
            start = end
            continue
        if end - start > len(ids):
            ids = np.empty(end - start, np.int32)
            ends = np.empty(end - start, np.int64)
        n_symbols = merge_by_heap(data, start, end, symbols, merges, ids, ends)
        for at in range(n_symbols):
            count = put_symbol(output, count, ids[at], symbols, data, start, ends[at])
            start = ends[at]
    return count


@routine
def merge_by_heap(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    symbols: SymbolArrays,
    merges: MergeArrays,
    ids: NDArray[np.int32],
    ends: NDArray[np.int64],
) -> int:
    """Leave the symbols of data[start:end] and where they end in `ids` and `ends`; returns how many.

    Both have room for end - start entries.  Meanwhile symbols lie in the slots of their first start
    symbols.  `widths` holds how many start symbols each has, at its first slot and at its last, which
    makes it a list that can be walked both ways.
    `ranks[i]` is the rank of the pair whose left symbol is at i; an entry of the queue with another rank
    is stale.
    """
    n_slots, at = 0, start
    while at < end:
        symbol_end = min(at + int(symbols.lengths[data[at]]), end)
        ids[n_slots] = start_symbol(symbols, data, at, symbol_end)
        ends[n_slots] = symbol_end
        n_slots += 1
        at = symbol_end
    widths = np.ones(n_slots, np.int32)
    ranks = np.empty(n_slots, np.int32)
    queue = np.empty(2 * n_slots, np.int64)  # rank << 32 | slot, a binary heap with the least at 0
    n_waiting = 0
    for slot in range(n_slots):
        value = find_merge(merges, ids[slot], ids[slot + 1]) if slot + 1 < n_slots else NO_MERGE
        ranks[slot] = value >> 32
        if ranks[slot] != NO_RANK:
            queue[n_waiting] = (value >> 32) << 32 | slot
            n_waiting += 1
    for at in range((n_waiting >> 1) - 1, -1, -1):
        _sift_down(queue, n_waiting, at, queue[at])
    while n_waiting:
        entry = queue[0]
        n_waiting -= 1
        if n_waiting:
            _sift_down(queue, n_waiting, 0, queue[n_waiting])
        slot = entry & 0xFFFFFFFF
        if ranks[slot] != entry >> 32:
            continue
        right = slot + widths[slot]
        ids[slot] = find_merge(merges, ids[slot], ids[right]) & 0xFFFFFFFF
        ranks[right] = NO_RANK
        widths[slot] += widths[right]
        after = slot + widths[slot]
        widths[after - 1] = widths[slot]
        n_waiting = _queue_pair(merges, ids, ranks, queue, n_waiting, slot, after if after < n_slots else -1)
        if slot > 0:
            before = slot - widths[slot - 1]
            n_waiting = _queue_pair(merges, ids, ranks, queue, n_waiting, before, slot)
    count, slot = 0, 0
    while slot < n_slots:
        ids[count] = ids[slot]
        slot += widths[slot]
        ends[count] = ends[slot - 1]
        count += 1
    return count


@routine
def _queue_pair(
    merges: MergeArrays,
    ids: NDArray[np.int32],
    ranks: NDArray[np.int32],
    queue: NDArray[np.int64],
    n_waiting: int,
    slot: int,
    right: int,
) -> int:
    """Note the rank of two neighbours, and queue them if they can merge; returns the queue's length.

    `right` is -1 behind the last symbol.
    """
    value = find_merge(merges, ids[slot], ids[right]) if right >= 0 else NO_MERGE
    ranks[slot] = value >> 32
    if ranks[slot] == NO_RANK:
        return n_waiting
    entry = (value >> 32) << 32 | slot
    at = n_waiting
    while at > 0 and queue[(at - 1) >> 1] > entry:
        queue[at] = queue[(at - 1) >> 1]
        at = (at - 1) >> 1
    queue[at] = entry
    return n_waiting + 1


@routine
def _sift_down(queue: NDArray[np.int64], length: int, at: int, entry: int) -> None:
    """Put `entry` at `at` or, so that no entry is above a lesser one, below it."""
    while True:
        child = 2 * at + 1
        if child >= length:
            break
        if child + 1 < length and queue[child + 1] < queue[child]:
            child += 1
        if queue[child] >= entry:
            break
        queue[at] = queue[child]
        at = child
    queue[at] = entry
