"""Texts as arrays, and tokens as lists."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def as_array(text: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(bytearray(text), np.uint8)


def as_lists(columns: Iterable[NDArray[np.generic]]) -> list[list[int]]:
    return [column.tolist() for column in columns]
