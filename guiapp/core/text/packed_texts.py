"""Texts that lie side by side in one array, as those of a vocabulary do."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def sliced(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[bytes]:
    """All texts data[offsets[i] : offsets[i + 1]]: slicing bytes costs a tenth of slicing an array."""
    joined = data.tobytes()
    return [joined[start:end] for start, end in pairwise(offsets.tolist())]
