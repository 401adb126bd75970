"""Join the bytes of tokens; the rules around it are in core/detokenizing.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel


@kernel
def gather(
    token_ids: NDArray[np.int32],
    shown: NDArray[np.uint8],
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> int:
    """Write the bytes of all tokens whose `shown` is 1 to `out`; returns how many."""
    n_written = 0
    for token_id in token_ids:
        if shown[token_id] == 0:
            continue
        for at in range(offsets[token_id], offsets[token_id + 1]):
            out[n_written] = data[at]
            n_written += 1
    return n_written
