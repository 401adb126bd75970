"""How far two texts are alike from both ends: what an edit between them leaves as it is."""

from __future__ import annotations

from typing import Any, AnyStr

import numpy as np
from numpy.typing import NDArray


def n_equal_from_start(first: NDArray[Any], second: NDArray[Any]) -> int:
    """How many entries two arrays have in common before the first that differs."""
    shorter = min(len(first), len(second))
    differs = first[:shorter] != second[:shorter]
    return int(differs.argmax()) if differs.any() else shorter


def common_ends(one: AnyStr, other: AnyStr) -> tuple[int, int]:
    """How many characters or bytes both begin with, and how many of the others both end with."""
    first, second = _codes(one), _codes(other)
    start = n_equal_from_start(first, second)
    return start, n_equal_from_start(first[start:][::-1], second[start:][::-1])


def _codes(text: str | bytes) -> NDArray[Any]:
    if isinstance(text, bytes):
        return np.frombuffer(text, np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
