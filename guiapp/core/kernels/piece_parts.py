"""Cut pieces, lines or whole texts further, where no token can reach across; see `pair_cuts`.

Not every such place is used: within ASCII words nobody looks for one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.eight_bytes import count_letters, load_eight
from guiapp.core.kernels.pair_cuts import ONE, PAIR_MIX, SPACE, PairCuts

LENGTHS = np.array([1] * 192 + [2] * 32 + [3] * 16 + [4] * 16, np.uint8)  # of a character, by its lead
IS_LETTER = np.array([chr(byte).isalpha() and byte < 0x80 for byte in range(256)])
LETTERS_AHEAD = np.where(IS_LETTER | (np.arange(256) == SPACE), 31, 0).astype(
    np.uint8
)  # a mask for their number
ROOM = 17  # bytes from a part's start that must exist to look for letters
FOLD = np.uint8(0x20)
THREE_BYTES = np.uint64(0xFFFFFF)
COUNT_MASK = (1 << 32) - 1


@borrowing
def cut_ends(data: NDArray[np.uint8], ends: NDArray[np.int64], start: int, limit: int, cuts: PairCuts) -> int:
    """Write the ends of the next parts of data[start:limit], as many as `ends` holds; returns how many.

    It stands alone and calls next to nothing, because that would halve the speed.
    """
    ascii_pairs, other_pairs = cuts.ascii, cuts.others
    pair_spread, marked_space = cuts.spread, cuts.marked_space
    bit_mask = 64 * len(other_pairs) - 1
    n_kinds = 4 if cuts.splits_characters else 1  # a partial character counts by its nearest byte
    count = 0
    while count < len(ends) and start < limit:
        lead = data[start]
        end = start + int(LENGTHS[lead])
        if lead < 0x80:
            if start + ROOM <= limit:
                end += count_letters(data, end, FOLD) & int(LETTERS_AHEAD[lead])
            before = int(data[end - 1])
        else:
            end = min(end, limit)
            if lead >= 0xE0 and n_kinds == 1:
                run = _cut_run(data, start, limit, other_pairs, pair_spread, marked_space, ends, count)
                start, count = run >> 32, run & COUNT_MASK
                if count == len(ends):
                    return count
                end = min(start + int(LENGTHS[data[start]]), limit)
            before = 0
            for at in range(end - 1, start - 1, -1):
                before = before << 8 | int(data[at])
            if before == marked_space:
                before = SPACE
        while end < limit:
            after = int(data[end])
            if before < 0x80 and after < 0x80:
                if not (ascii_pairs[2 * before + (after >> 6)] >> np.uint64(after & 63)) & ONE:
                    break
                before = after
                end += 1
                continue
            stop = min(end + int(LENGTHS[after]), limit)
            after = 0
            for at in range(stop - 1, end - 1, -1):
                after = after << 8 | int(data[at])
            if after == marked_space:
                after = SPACE
            is_joined = False
            if before < 0x80 and after < 0x80:  # one of them is U+2581 as such
                bits = ascii_pairs[2 * before + (after >> 6)]
                is_joined = (bits >> np.uint64(after & 63)) & ONE != np.uint64(0)
            else:
                for kind in range(n_kinds):
                    left = int(data[end - 1]) if kind & 1 else before
                    right = int(data[end]) if kind & 2 else after
                    bit = int((np.int64(left) * PAIR_MIX + right) * pair_spread >> 32) & bit_mask
                    if (other_pairs[bit >> 6] >> np.uint64(bit & 63)) & ONE:
                        is_joined = True
                        break
            if not is_joined:
                break
            before = after
            end = stop
        ends[count] = start = end
        count += 1
    return count


@borrowing
def _cut_run(
    data: NDArray[np.uint8],
    start: int,
    limit: int,
    pairs: NDArray[np.uint64],
    spread: int,
    marked_space: int,
    ends: NDArray[np.int64],
    count: int,
) -> int:
    """Write the ends of parts where characters of three bytes follow each other; none of them is a space.

    Without a jump that depends on whether there is a cut, which nobody can foretell.  Returns where the last
    such character begins << 32 | the new count.
    """
    bit_mask, at = 64 * len(pairs) - 1, start
    before = marked_space if at + 8 > limit else int(np.int64(load_eight(data, at) & THREE_BYTES))
    if before & 0xF0 != 0xE0 or before == marked_space:
        return at << 32 | count
    while at + 11 <= limit and count < len(ends):
        after = int(np.int64(load_eight(data, at + 3) & THREE_BYTES))
        if after & 0xF0 != 0xE0 or after == marked_space:
            break
        at += 3
        bit = int((np.int64(before) * PAIR_MIX + after) * spread >> 32) & bit_mask
        ends[count] = at
        count += 1 - int(np.int64(pairs[bit >> 6] >> np.uint64(bit & 63) & ONE))
        before = after
    return at << 32 | count
