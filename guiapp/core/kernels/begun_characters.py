"""Prefixes of texts that end within a character, each byte of which then is U+FFFD.

What stands before such a character has the same tokens as without it, if U+FFFD is certainly apart from that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel

FIRST_LEAD = 0xC0
REPLACEMENT_LENGTH = 3


@kernel
def find(
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    n_begun: NDArray[np.int64],
    replaced: NDArray[np.uint8],
    leads: NDArray[np.int64],
    places: NDArray[np.int64],
) -> int:
    """Write by byte how many bytes of a character that is not complete end there, where there are any.

    The number is below 0 where the character does not begin one of the texts, which end at `ends`.  There
    U+FFFD is put before it in a copy of the texts, `replaced`, so that cuts before that can be looked for.
    leads, places  where these characters begin, and where U+FFFD does in the copy
    Returns how many there are.
    """
    start, count, size = 0, 0, 0
    for text in range(len(ends)):
        end = int(ends[text])
        for at in range(start, end):
            lead = int(texts[at])
            if lead >= FIRST_LEAD:
                if at > start:
                    leads[count], places[count] = at, size
                    replaced[size], replaced[size + 1], replaced[size + 2] = 0xEF, 0xBF, 0xBD
                    count += 1
                    size += REPLACEMENT_LENGTH
                most = min(1 + int(lead >= 0xE0) + int(lead >= 0xF0), end - at)
                for n_bytes in range(1, most + 1):
                    if n_bytes > 1 and texts[at + n_bytes - 1] & 0xC0 != 0x80:
                        break
                    n_begun[at + n_bytes - 1] = n_bytes if at == start else -n_bytes
            replaced[size] = lead
            size += 1
        start = end
    return count


@kernel
def write_replaced(
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    n_begun: NDArray[np.int64],
    out: NDArray[np.uint8],
    out_ends: NDArray[np.int64],
) -> int:
    """Write the prefixes with numbers below 0, one behind the other; returns how many bytes all of them take.

    Nothing is written where there is no room for them.
    """
    start, count, size = 0, 0, 0
    for text in range(len(ends)):
        for last in range(start, int(ends[text])):
            if n_begun[last] >= 0:
                continue
            n_bytes = int(-n_begun[last])
            whole = last + 1 - n_bytes - start
            stop = size + whole + REPLACEMENT_LENGTH * n_bytes
            if stop <= len(out):
                for at in range(whole):
                    out[size + at] = texts[start + at]
                for at in range(size + whole, stop, REPLACEMENT_LENGTH):
                    out[at], out[at + 1], out[at + 2] = 0xEF, 0xBF, 0xBD
                out_ends[count] = stop
                count += 1
            size = stop
        start = int(ends[text])
    return size


@kernel
def set_apart(
    leads: NDArray[np.int64], places: NDArray[np.int64], cuts: NDArray[np.int64], n_begun: NDArray[np.int64]
) -> None:
    """Make numbers positive where there is a cut before U+FFFD, and no character before it that is broken."""
    cut = 0
    for index in range(len(leads)):
        while cut < len(cuts) and cuts[cut] < places[index]:
            cut += 1
        at = int(leads[index])
        if cut == len(cuts) or cuts[cut] != places[index] or n_begun[at - 1] != 0:
            continue
        while at < len(n_begun) and n_begun[at] == leads[index] - at - 1:
            n_begun[at] = -n_begun[at]
            at += 1


@kernel
def put_together(
    ends: NDArray[np.int64],
    n_begun: NDArray[np.int64],
    numbers: NDArray[np.int32],
    of_whole: NDArray[np.int64],
    of_joined: NDArray[np.int64],
    of_begun: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Write the tokens of all prefixes of the texts that end at `ends`.

    of_whole   of the prefixes that do not end within a character, by `numbers`
    of_joined  of those with numbers below 0 in `n_begun`, in order
    of_begun   of so many bytes of a character, where that stands apart
    """
    start, n_joined = 0, 0
    for text in range(len(ends)):
        for last in range(start, int(ends[text])):
            n_bytes = int(n_begun[last])
            if n_bytes == 0:
                counts[last] = of_whole[numbers[last]]
            elif n_bytes < 0:
                counts[last] = of_joined[n_joined]
                n_joined += 1
            else:
                before = counts[last - n_bytes] if last - n_bytes >= start else 0
                counts[last] = before + of_begun[n_bytes]
        start = int(ends[text])
