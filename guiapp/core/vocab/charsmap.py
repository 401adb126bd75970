"""The precompiled charsmap of Unigram vocabularies: is it whole?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import charsmap_check

HEADER_BYTES = 4


def charsmap_fault(charsmap: NDArray[np.uint8]) -> str | None:
    """What is wrong with a charsmap, as the end of a sentence; `None` if it can be used with every text."""
    if len(charsmap) < HEADER_BYTES:
        return f"is only {len(charsmap)} bytes long"
    size = int(charsmap[:HEADER_BYTES].view("<u4")[0])
    if HEADER_BYTES + size >= len(charsmap):
        return f"claims a table of {size:,} bytes, but is {len(charsmap):,} bytes long"
    n_units = size // 4
    units = charsmap[HEADER_BYTES : HEADER_BYTES + 4 * n_units].view("<u4").astype(np.int64)
    replacements = charsmap[HEADER_BYTES + size :]
    nuls = np.flatnonzero(replacements == 0)
    last_nul = int(nuls[-1]) if len(nuls) else -1
    fault = charsmap_check.find_fault(
        units, last_nul, np.zeros(n_units, np.uint8), np.empty(n_units, np.int64)
    )
    return None if fault < 0 else f"leads outside of itself at unit {fault:,}"
