"""Whether a precompiled charsmap stays within its bounds, whatever text meets it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel

VALUE_BITS = 0x7FFFFFFF
LABEL_BITS = 0x800000FF
LEAF_BIT = 0x100


@kernel
def find_fault(
    units: NDArray[np.int64], last_nul: int, seen: NDArray[np.uint8], stack: NDArray[np.int64]
) -> int:
    """Walk all of the trie; returns -1 where nothing is wrong, else the first unit that leads outside.

    units     of the double array, as unsigned numbers
    last_nul  offset of the last NUL among the replacements, -1 without any
    seen, stack  zeroed, as long as `units`, to work in
    """
    count = len(units)
    if count == 0:
        return 0
    stack[0] = 0
    seen[0] = 1
    n_stacked = 1
    while n_stacked > 0:
        n_stacked -= 1
        node = stack[n_stacked]
        unit = units[node]
        base = node ^ ((unit >> 10) << ((unit & 0x200) >> 6))
        if base >= count or (base | 0xFF) >= count:
            return int(node)
        if node > 0 and unit & LEAF_BIT and (units[base] & VALUE_BITS) > last_nul:
            return int(node)
        for label in range(1, 256):
            child = base ^ label
            if units[child] & LABEL_BITS == label and seen[child] == 0:
                seen[child] = 1
                stack[n_stacked] = child
                n_stacked += 1
    return -1
