"""Splitting text into pieces by tables."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.native.binding import Array, Bytes, Handle, WideInts, arrays, function


class _SplitTables(ctypes.Structure):
    _fields_ = arrays("classes", "transitions", "levels", "starts", "numbers", "words", "windows", "cuts")


_splitter_new = function("splitter_new(structure) -> handle")
_split = function("split(handle, bytes, wide_ints, >wide_ints)")
_split_matches = function("split_matches(handle, bytes, wide_ints, >wide_ints, >flags)")
_last_cut = function("last_cut(handle, bytes, wide_int)")
_first_cut = function("first_cut(handle, bytes, wide_int)")


class SplitterHandle(Handle, free="splitter_free"):
    """Cuts text by tables (see `guiapp.core.pretokenize`)."""

    def __init__(self, **tables: NDArray[Any]) -> None:
        contiguous = {name: np.ascontiguousarray(table) for name, table in tables.items()}
        views = {name: Array.of(table) for name, table in contiguous.items()}
        super().__init__(_splitter_new(_SplitTables(**views)), contiguous)

    def split(self, text: Bytes, text_ends: WideInts) -> WideInts:
        """The ends of the pieces of well-formed texts, which lie side by side and end at `text_ends`."""
        ends = np.empty(len(text), np.int64)
        return ends[: _split(self, text, text_ends, ends)].copy()

    def split_matches(self, text: Bytes, text_ends: WideInts) -> tuple[WideInts, NDArray[np.bool_]]:
        """The same for tables of one pattern, and of each piece whether the pattern matches it."""
        ends, are_matches = np.empty(len(text), np.int64), np.empty(len(text), np.bool_)
        count = _split_matches(self, text, text_ends, ends, are_matches)
        return ends[:count].copy(), are_matches[:count].copy()

    def last_cut(self, text: Bytes, position: int) -> int:
        """The last place whose characters lie before `position` where pieces always meet; or 0."""
        return int(_last_cut(self, text, position))

    def first_cut(self, text: Bytes, position: int) -> int:
        """The first such place whose characters lie at or behind `position`; or the size of the text."""
        return int(_first_cut(self, text, position))
