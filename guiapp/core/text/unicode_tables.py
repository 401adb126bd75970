"""Unicode 15.1 as llama.cpp sees it, whatever version Python itself has.

The data are made by make_unicode_data.py.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.unicode_classes import WHITESPACE_BIT, UnicodeTables

Value = TypeVar("Value", np.uint8, np.int32)

N_CODES = 0x110000
HANGUL_SYLLABLES = np.arange(0xAC00, 0xD7A4)
HANGUL_PER_FIRST_JAMO = 588
FIRST_JAMO = 0x1100

WHITESPACE_RANGES = (
    (0x09, 0x0D), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip

HAN_RANGES = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0x2CEB0, 0x2EBEF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class CategoryRuns(NamedTuple):
    """Code points by major category: run i reaches from starts[i] to the next start."""

    starts: NDArray[np.int32]
    categories: NDArray[np.uint8]


@cache
def category_runs() -> CategoryRuns:
    data = _data()
    return CategoryRuns(data["category_starts"], data["categories"].astype(np.uint8))


@cache
def categories() -> bytes:
    """The major category of every code point, one of `kernels.unicode_classes` UNASSIGNED … CONTROL."""
    runs = category_runs()
    return np.repeat(runs.categories, np.diff(runs.starts, append=N_CODES)).tobytes()


@cache
def whitespace() -> frozenset[int]:
    return frozenset(code for first, last in WHITESPACE_RANGES for code in range(first, last + 1))


@cache
def han() -> frozenset[int]:
    """Chinese characters, by ranges: some of these code points are not assigned."""
    return frozenset(code for first, last in HAN_RANGES for code in range(first, last + 1))


@cache
def unicode_tables() -> UnicodeTables:
    """The tables that kernels read."""
    data = _data()
    classes = np.frombuffer(bytearray(categories()), np.uint8)
    classes[list(whitespace())] |= WHITESPACE_BIT
    jamo = FIRST_JAMO + (HANGUL_SYLLABLES - HANGUL_SYLLABLES[0]) // HANGUL_PER_FIRST_JAMO
    nfd_from = np.concatenate([data["nfd_from"], HANGUL_SYLLABLES])
    nfd_to = np.concatenate([data["nfd_to"], jamo])
    class_pages, class_rows = _in_two_levels(classes)
    lower_pages, lower_rows = _in_two_levels(_shifts(data["lower_from"], data["lower_to"]))
    nfd_pages, nfd_rows = _in_two_levels(_shifts(nfd_from, nfd_to))
    return UnicodeTables(class_pages, class_rows, lower_pages, lower_rows, nfd_pages, nfd_rows)


@cache
def _data() -> dict[str, NDArray[np.int32]]:
    with np.load(Path(__file__).with_name("unicode_15_1.npz"), allow_pickle=False) as archive:
        return dict(archive)


def _shifts(source: NDArray[np.int32], target: NDArray[np.int32]) -> NDArray[np.int32]:
    shifts = np.zeros(N_CODES, np.int32)
    shifts[source] = target - source
    return shifts


def _in_two_levels(values: NDArray[Value]) -> tuple[NDArray[np.uint8], NDArray[Value]]:
    """Equal pages of 256 values once, and which of them each page is."""
    pages: dict[bytes, int] = {}
    numbers = [pages.setdefault(page.tobytes(), len(pages)) for page in values.reshape(-1, 256)]
    distinct = np.frombuffer(bytearray(b"".join(pages)), values.dtype).reshape(-1, 256)
    return np.array(numbers, np.uint8), distinct
