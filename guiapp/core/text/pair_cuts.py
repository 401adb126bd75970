"""Where text can be cut because no merge of a vocabulary reaches across; see core/kernels/pair_cuts.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import pair_cuts as kernels
from guiapp.core.kernels.pair_cuts import MARKED_SPACE_CODE, PairCuts
from guiapp.core.kernels.string_table import random_bits
from guiapp.core.vocab.byte_alphabet import BYTES
from guiapp.core.vocab.merges import PairMerging

BITS_PER_BYTE = 2  # of all symbols' texts; few pairs are left to chance then


def symbol_bytes(merging: PairMerging) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The text that each symbol stands for, spaces as such: symbol i is data[offsets[i] : offsets[i + 1]].

    In byte-level vocabularies it is empty for tokens that no text can become.
    """
    texts, offsets = merging.symbol_texts
    stand_ins = BYTES if merging.starts_from_bytes else np.empty(0, np.int32)
    data, data_offsets = np.empty(len(texts), np.uint8), np.empty(len(offsets), np.int64)
    kernels.unspell(texts, offsets, stand_ins, merging.marks_spaces, data, data_offsets)
    return data, data_offsets


def pair_cuts(merging: PairMerging, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> PairCuts:
    """The cuts that the symbols of a vocabulary allow; `data` and `offsets` are its `symbol_bytes`."""
    marked_space = MARKED_SPACE_CODE if merging.marks_spaces else -1
    return cuts_between(data, offsets, marked_space, merging.starts_from_bytes)


def cuts_between(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], marked_space: int, splits_characters: bool
) -> PairCuts:
    """The cuts that the texts data[offsets[i] : offsets[i + 1]] allow."""
    n_words = 1 << max(4, (BITS_PER_BYTE * len(data) // 64).bit_length())
    cuts = PairCuts(
        ascii=np.zeros(256, np.uint64),
        others=np.zeros(n_words, np.uint64),
        spread=random_bits(61) | 1 | 1 << 61,
        marked_space=marked_space,
        splits_characters=splits_characters,
    )
    kernels.enter_pairs(cuts, data, offsets)
    return cuts
