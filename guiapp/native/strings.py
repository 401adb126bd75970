"""Many strings in one array, and finding a string among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from guiapp.native.binding import Bytes, Handle, Ints, WideInts, checked, cut, function, long_function, secret

_strings_new = long_function("strings_new(bytes, wide_ints, unsigned) -> handle")
_strings_find = function("strings_find(handle, bytes, wide_ints, >ints)")
_strings_twin = function("strings_twin(handle, >ints)")
_take_strings = function("take_strings(bytes, wide_ints, wide_ints, >bytes, >wide_ints)")

Packed = tuple[Bytes, WideInts]
"""Texts one behind the other: uint8[…], and int64[n + 1] where each begins."""


def packed(texts: Sequence[bytes]) -> Packed:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer(b"".join(texts), np.uint8), offsets


def take_texts(texts: Packed, rows: WideInts) -> Packed:
    """Those of some rows, each named at most once, in that order."""
    data, offsets = np.empty(len(texts[0]), np.uint8), np.empty(len(rows) + 1, np.int64)
    return cut(data, checked(_take_strings(*texts, rows, data, offsets))), offsets


class StringTable(Handle, free="strings_free"):
    """Finds strings; string i is data[offsets[i] : offsets[i + 1]], of equal ones the first."""

    def __init__(self, data: Bytes, offsets: WideInts) -> None:
        self.data, self.offsets = data, offsets
        super().__init__(_strings_new(data, offsets, secret()))

    def find(self, texts: Sequence[bytes]) -> Ints:
        """int32[n]: the row of each text, -1 for those that the table does not hold."""
        return self._find(*packed(texts))

    def find_each(self, data: Bytes, ends: WideInts) -> Ints:
        """int32[n]: the row of each text of some that lie side by side and end at `ends`, or -1."""
        return self._find(data, np.concatenate([[0], ends]))

    def _find(self, data: Bytes, offsets: WideInts) -> Ints:
        rows = np.empty(len(offsets) - 1, np.int32)
        _strings_find(self, data, offsets, rows)
        return rows

    def first_duplicates(self) -> tuple[int, int] | None:
        """The rows of two equal strings, the pair whose second row is lowest."""
        earlier = np.empty(1, np.int32)
        later = _strings_twin(self, earlier)
        return None if later < 0 else (int(earlier[0]), later)
