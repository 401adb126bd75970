"""How far texts are alike from their ends: of two, what an edit between them leaves as it is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.character_starts import code_points
from guiapp.native.checkpoint import stoppable

Entries = str | bytes | NDArray[Any]


def n_equal_from_start(first: NDArray[Any], second: NDArray[Any]) -> int:
    """How many entries two arrays have in common before the first that differs."""
    shorter = min(len(first), len(second))
    differs = first[:shorter] != second[:shorter]
    return int(differs.argmax()) if differs.any() else shorter


def common_ends(one: Entries, other: Entries) -> tuple[int, int]:
    """How many characters, bytes or entries both begin with, and how many of the others both end with."""
    first, second = _codes(one), _codes(other)
    start = n_equal_from_start(first, second)
    return start, n_equal_from_start(first[start:][::-1], second[start:][::-1])


def common_beginnings(texts: Iterable[bytes]) -> list[bytes]:
    """For each byte that some begin with, what all of these have in common; no text is empty."""
    by_first: dict[int, list[bytes]] = {}
    for text in stoppable(texts):
        by_first.setdefault(text[0], []).append(text)
    outermost = ((min(stoppable(each)), max(stoppable(each))) for each in by_first.values())
    return [first[: common_ends(first, last)[0]] for first, last in outermost]


def _codes(entries: Entries) -> NDArray[Any]:
    if isinstance(entries, str):
        return code_points(entries)
    return np.frombuffer(entries, np.uint8) if isinstance(entries, bytes) else entries
