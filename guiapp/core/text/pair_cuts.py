"""Where text can be cut because no merge of a vocabulary reaches across; see core/kernels/pair_cuts.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp import native
from guiapp.core.kernels import pair_cuts as kernels
from guiapp.core.kernels.pair_cuts import PairCuts

BITS_PER_BYTE = 2  # of all symbols' texts; few pairs are left to chance then


def cuts_between(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], marked_space: int, splits_characters: bool
) -> PairCuts:
    """The cuts that the texts data[offsets[i] : offsets[i + 1]] allow."""
    n_words = 1 << max(4, (BITS_PER_BYTE * len(data) // 64).bit_length())
    cuts = PairCuts(
        ascii=np.zeros(256, np.uint64),
        others=np.zeros(n_words, np.uint64),
        spread=native.secret() >> 3 | 1 | 1 << 61,
        marked_space=marked_space,
        splits_characters=splits_characters,
    )
    kernels.enter_pairs(cuts, data, offsets)
    return cuts
