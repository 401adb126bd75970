"""What kernels know about a code point: major category, whitespace, lower case, first decomposed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import routine

UNASSIGNED, LETTER, NUMBER, PUNCTUATION, SYMBOL, MARK, SEPARATOR, CONTROL = range(8)

CATEGORY_BITS = 7
WHITESPACE_BIT = 8


class UnicodeTables(NamedTuple):
    """Facts about all code points in two levels: `code` is at row pages[code >> 8], column code & 255.

    class_pages  uint8[4352]    row of each 256 code points
    classes      uint8[n, 256]  category in the low bits, WHITESPACE_BIT
    lower_pages, lower  uint8[4352], int32[n, 256]  what to add for the lower-case code point
    nfd_pages, nfd      uint8[4352], int32[n, 256]  what to add for the first decomposed code point
    """

    class_pages: NDArray[np.uint8]
    classes: NDArray[np.uint8]
    lower_pages: NDArray[np.uint8]
    lower: NDArray[np.int32]
    nfd_pages: NDArray[np.uint8]
    nfd: NDArray[np.int32]


@routine
def category(tables: UnicodeTables, code: int) -> int:
    """One of UNASSIGNED … CONTROL."""
    return int(tables.classes[tables.class_pages[code >> 8], code & 255] & CATEGORY_BITS)


@routine
def is_whitespace(tables: UnicodeTables, code: int) -> bool:
    """True for the 25 spaces and line ends of Unicode; not for U+001C…1F, nor U+200B."""
    return bool(tables.classes[tables.class_pages[code >> 8], code & 255] & WHITESPACE_BIT)


@routine
def lower(tables: UnicodeTables, code: int) -> int:
    """The lower-case code point, where there is exactly one."""
    return int(code + tables.lower[tables.lower_pages[code >> 8], code & 255])


@routine
def first_decomposed(tables: UnicodeTables, code: int) -> int:
    """The first code point of the canonical decomposition; accents and the like are dropped."""
    return int(code + tables.nfd[tables.nfd_pages[code >> 8], code & 255])
