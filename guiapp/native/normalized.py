"""Text that is not UTF-8, and text that a normaliser changed."""

from __future__ import annotations

import ctypes

import numpy as np

from guiapp.native.binding import Array, Bytes, Ints, WideInts, arrays, function

_normalized_size = function("normalized_size(handle)")
_normalized_copy = function("normalized_copy(handle, >bytes, >wide_ints, >wide_ints) -> nothing")
_normalized_free = function("normalized_free(handle) -> nothing")
_repair = function("repair(bytes) -> handle")

Normalized = tuple[Bytes, WideInts, WideInts]


def normalized(address: int, has_places: bool = True) -> Normalized:
    """What a normaliser of the library returned, as arrays: data, starts, ends; frees it."""
    size = _normalized_size(address)
    n_places = size if has_places else 0
    columns = np.empty(size, np.uint8), np.empty(n_places, np.int64), np.empty(n_places, np.int64)
    _normalized_copy(address, *columns)
    _normalized_free(address)
    return columns


def repair(text: Bytes) -> Normalized | None:
    """The text that llama.cpp sees; None if that is the very same bytes."""
    address = _repair(text)
    return None if address is None else normalized(address)


class CodeTable(ctypes.Structure):
    """A number for each code point in two levels: that of `code` is rows[pages[code >> 8], code & 255]."""

    _fields_ = arrays("pages", "rows")

    def __init__(self, values: Ints) -> None:
        """`values` is int32[0x110000]; equal pages of 256 values are kept once."""
        numbers: dict[bytes, int] = {}
        pages = [numbers.setdefault(row.tobytes(), len(numbers)) for row in values.reshape(-1, 256)]
        self.arrays = np.array(pages, np.uint16), np.frombuffer(b"".join(numbers), np.int32)
        super().__init__(*(Array.of(array) for array in self.arrays))
