"""Join the bytes of tokens, and drop spaces again; the rules are in core/detokenizing.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine


@kernel
def total_size(token_ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> int:
    """How many bytes all tokens have together."""
    size = 0
    for index in range(len(token_ids)):
        token_id = int(token_ids[index])
        size += int(offsets[token_id + 1] - offsets[token_id])
    return size


@kernel
def gather(
    token_ids: NDArray[np.int32],
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> int:
    """Write the bytes of all tokens to `out`, which has room for them; returns how many."""
    n_written = 0
    for index in range(len(token_ids)):
        token_id = int(token_ids[index])
        for at in range(offsets[token_id], offsets[token_id + 1]):
            out[n_written] = data[at]
            n_written += 1
    return n_written


@kernel
def clean_spaces(text: NDArray[np.uint8]) -> int:
    """Drop spaces in place, as `readable_clean_spaces` does; returns how many bytes are left."""
    size = _drop_before_punctuation(text, len(text))
    size = _drop_around_apostrophes(text, size)
    return _drop_before_endings(text, size)


@routine
def _drop_before_punctuation(text: NDArray[np.uint8], size: int) -> int:
    n_kept, previous = 0, np.uint8(0)
    for at in range(size):
        byte = text[at]
        if previous == 32 and (byte == 63 or byte == 33 or byte == 46 or byte == 44):  # ? ! . ,
            n_kept -= 1
        text[n_kept] = byte
        n_kept += 1
        previous = byte
    return n_kept


@routine
def _drop_around_apostrophes(text: NDArray[np.uint8], size: int) -> int:
    n_kept, previous, at = 0, np.uint8(0), 0
    while at < size:
        byte = text[at]
        if byte == 39 and previous == 32 and at + 1 < size and text[at + 1] == 32:
            n_kept -= 1
            at += 1  # the space behind it counts for nothing more
            previous = np.uint8(0)
        else:
            previous = byte
        text[n_kept] = byte
        n_kept += 1
        at += 1
    return n_kept


@routine
def _drop_before_endings(text: NDArray[np.uint8], size: int) -> int:
    n_kept, previous = 0, np.uint8(0)
    for at in range(size):
        byte = text[at]
        if previous == 32 and byte == 39 and at + 1 < size:
            following = text[at + 1]
            is_short = following == 115 or following == 109  # 's 'm
            is_long = (
                (following == 114 or following == 118) and at + 2 < size and text[at + 2] == 101
            )  # 're 've
            if is_short or is_long:
                n_kept -= 1
        text[n_kept] = byte
        n_kept += 1
        previous = byte
    return n_kept
