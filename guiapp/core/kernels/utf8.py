"""Code points in UTF-8."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import routine


@borrowing
def code_at(data: NDArray[np.uint8], at: int) -> int:
    """The code point that begins at `at`, in text that `repair` leaves alone."""
    lead = int(data[at])
    if lead < 0x80:
        return lead
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (int(data[at + 1]) & 0x3F)
    middle = int(data[at + 1]) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | middle << 6 | (int(data[at + 2]) & 0x3F)
    return (lead & 0x07) << 18 | middle << 12 | (int(data[at + 2]) & 0x3F) << 6 | (int(data[at + 3]) & 0x3F)


@routine
def map_stretch(
    starts: NDArray[np.int64], ends: NDArray[np.int64], at: int, n_output: int, start: int, end: int
) -> None:
    """Write which source bytes the output bytes at : at + n_output stand for; they replaced start : end."""
    for k in range(n_output):
        starts[at + k] = min(start + k, end)
        ends[at + k] = min(start + k + 1, end)
    if n_output:
        ends[at + n_output - 1] = end
