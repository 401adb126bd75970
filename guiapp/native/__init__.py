"""The native library, bound by ctypes; nothing else in the program knows of either.

Arrays go in as they are and are checked for type and layout; each function says which it fills.  What a
function needs for longer than its call is kept alive by the object that it belongs to.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from ctypes import c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from guiapp.core.errors import NativeLibraryError
from guiapp.native import library

ABI_VERSION = 1  # raised with each change of a function or a structure, here and in api.h


class _Unbuilt:
    """Takes the declarations below where there may be no library: `-m guiapp.native.build` comes by."""

    def __getattr__(self, name: str) -> _Unbuilt:
        return _Unbuilt()


def _load(path: Path) -> Any:
    """The library at a path.  Raises NativeLibraryError, which says what to do."""
    if "guiapp.native.build" in sys.orig_argv:
        return _Unbuilt()
    if fault := library.fault(path):
        raise NativeLibraryError(fault)
    try:
        loaded = ctypes.CDLL(str(path))
        version = loaded.loupe_abi_version()
    except (OSError, AttributeError) as error:
        raise NativeLibraryError(f"The native library cannot be used ({error}). {library.remedy()}") from None
    if version != ABI_VERSION:
        raise NativeLibraryError(f"The native library is of another version. {library.remedy()}")
    return loaded


_LIBRARY = _load(library.library_path())


class _Array(ctypes.Structure):
    _fields_ = (("data", c_void_p), ("size", c_int64))


def _array_of(dtype: DTypeLike, is_written: bool = False) -> Any:
    """An argument type: contiguous arrays of a dtype, of any shape; writable those that are filled."""
    expected = np.dtype(dtype)

    class Checked:
        @classmethod
        def from_param(cls, array: NDArray[Any]) -> _Array:
            flags = array.flags
            if array.dtype != expected or not flags.c_contiguous or (is_written and not flags.writeable):
                raise TypeError(f"not a contiguous array of {expected}: {array.dtype}, {flags}")
            return _Array(array.ctypes.data, array.size)

    return Checked


BYTES, FLAGS, INTS, WIDE_INTS = (_array_of(dtype) for dtype in (np.uint8, np.bool_, np.int32, np.int64))
TO_BYTES, TO_FLAGS, TO_INTS, TO_WIDE_INTS = (
    _array_of(dtype, True) for dtype in (np.uint8, np.bool_, np.int32, np.int64)
)


def _function(name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library, which runs without Python's lock."""
    function = getattr(_LIBRARY, f"loupe_{name}")
    function.restype, function.argtypes = result, arguments
    return function


def secret() -> int:
    """64 bits that nobody can foresee, as from `secrets`, which takes long to import."""
    return int.from_bytes(os.urandom(8), "little")


class _Handle:
    """An object of the library, freed with its Python object.

    kept  what it points to
    """

    _free: Any

    def __init__(self, address: int | None, *kept: object) -> None:
        self._address = address
        self._kept = kept

    def __del__(self) -> None:
        if getattr(self, "_address", None):
            self._free(self._address)


# Strings

_strings_new = _function("strings_new", c_void_p, BYTES, WIDE_INTS, c_uint64)
_strings_find = _function("strings_find", c_int64, c_void_p, BYTES, WIDE_INTS, TO_INTS)
_strings_twin = _function("strings_twin", c_int64, c_void_p, TO_INTS)


class StringTable(_Handle):
    """Finds strings; string i is data[offsets[i] : offsets[i + 1]], of equal ones the first."""

    _free = staticmethod(_function("strings_free", None, c_void_p))

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data, self.offsets = data, offsets
        super().__init__(_strings_new(data, offsets, secret()), data, offsets)
        if self._address is None:
            raise ValueError("offsets that do not fit the data")

    def find(self, texts: Sequence[bytes]) -> NDArray[np.int32]:
        """int32[n]: the row of each text, -1 for those that the table does not hold."""
        data, offsets = packed(texts)
        rows = np.empty(len(texts), np.int32)
        _strings_find(self._address, data, offsets, rows)
        return rows

    def twins(self) -> tuple[int, int] | None:
        """The rows of two equal strings, the pair whose second row is lowest."""
        earlier = np.empty(1, np.int32)
        later = _strings_twin(self._address, earlier)
        return None if later < 0 else (int(earlier[0]), later)


def packed(texts: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Texts one behind the other: uint8[…], and int64[n + 1] where each begins."""
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer(b"".join(texts), np.uint8), offsets


# Text that is not UTF-8, and text that a normaliser changed

_normalized_size = _function("normalized_size", c_int64, c_void_p)
_normalized_copy = _function("normalized_copy", None, c_void_p, TO_BYTES, TO_WIDE_INTS, TO_WIDE_INTS)
_normalized_free = _function("normalized_free", None, c_void_p)
_repair = _function("repair", c_void_p, BYTES)
plain_prefix = _function("plain_prefix", c_int64, BYTES)

Normalized = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


def normalized(address: int) -> Normalized:
    """What a normaliser of the library returned, as arrays: data, starts, ends; frees it."""
    size = _normalized_size(address)
    arrays = np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.int64)
    _normalized_copy(address, *arrays)
    _normalized_free(address)
    return arrays


def repair(text: NDArray[np.uint8]) -> Normalized | None:
    """The text that llama.cpp sees; None if that is the very same bytes."""
    address = _repair(text)
    return None if address is None else normalized(address)


# A number for each code point


class CodeTable(ctypes.Structure):
    """A number for each code point in two levels: that of `code` is rows[pages[code >> 8], code & 255]."""

    _fields_ = (("pages", _Array), ("rows", _Array))

    def __init__(self, values: NDArray[np.int32]) -> None:
        """`values` is int32[0x110000]; equal pages of 256 values are kept once."""
        numbers: dict[bytes, int] = {}
        pages = [numbers.setdefault(row.tobytes(), len(numbers)) for row in values.reshape(-1, 256)]
        self.arrays = np.array(pages, np.uint16), np.frombuffer(b"".join(numbers), np.int32)
        super().__init__(*(_Array(array.ctypes.data, array.size) for array in self.arrays))


# Tokens that start at a place

_matcher_new = _function("matcher_new", c_void_p, BYTES, WIDE_INTS, INTS)
_matcher_find = _function("matcher_find", c_int64, c_void_p, BYTES, TO_INTS)
_matcher_shorter = _function("matcher_shorter", c_int64, c_void_p, TO_INTS)


class TokenMatcher(_Handle):
    """Finds the longest of some tokens at each place of a text; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with equal bytes the one with the highest id is found.
    """

    _free = staticmethod(_function("matcher_free", None, c_void_p))

    def __init__(
        self, data: NDArray[np.uint8], offsets: NDArray[np.int64], token_ids: NDArray[np.int32]
    ) -> None:
        super().__init__(_matcher_new(data, offsets, token_ids))
        if self._address is None:
            raise ValueError("offsets or ids that do not fit the data, or more than 256 MB of tokens")
        self._n_tokens = len(offsets) - 1

    def find_longest(self, text: NDArray[np.uint8]) -> NDArray[np.int32]:
        """int32[n]: for each place of a text the longest token that starts there, or -1."""
        found = np.empty(len(text), np.int32)
        _matcher_find(self._address, text, found)
        return found

    def shorter(self) -> NDArray[np.int32]:
        """int32[n]: for each token the longest other one that it starts with, or -1."""
        shorter = np.empty(self._n_tokens, np.int32)
        _matcher_shorter(self._address, shorter)
        return shorter


# Token trees

_tree_new = _function("tree_new", c_void_p, BYTES, WIDE_INTS, INTS, TO_FLAGS, TO_INTS, TO_INTS)
_tree_draw = _function("tree_draw", c_int64, c_void_p, *[TO_INTS] * 5)
_tree_rows = _function("tree_rows", c_int64, c_void_p, TO_INTS)
_tree_longest_match = _function("tree_longest_match", c_int64, c_void_p, BYTES, c_int64)


class TokenTree(_Handle):
    """The tree of the tokens `ids`; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with the same bytes only the last among `ids` that may be matched is matched.  The others, and
    empty ones, are leaves.

    is_matched  bool[n]   which tokens matching finds
    parents     int32[n]  the longest proper prefix of a token that is matched, or -1
    order       int32[k]  `ids` sorted by their bytes, parents first
    """

    _free = staticmethod(_function("tree_free", None, c_void_p))

    def __init__(
        self,
        data: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        ids: NDArray[np.int32],
        may_be_matched: NDArray[np.bool_],
    ) -> None:
        self.is_matched = may_be_matched.copy()
        self.parents = np.full(len(offsets) - 1, -1, np.int32)
        self.order = np.empty(len(ids), np.int32)
        arguments = data, offsets, ids, self.is_matched, self.parents, self.order
        super().__init__(_tree_new(*arguments), *arguments)
        if self._address is None:
            raise ValueError("tokens that no tree can hold")

    def longest_match(self, text: NDArray[np.uint8], start: int = 0) -> int:
        """The longest token that text[start:] begins with, or -1; the shorter ones are its ancestors."""
        found: int = _tree_longest_match(self._address, text, start)
        return found

    def draw(self) -> tuple[NDArray[np.int32], ...]:
        """What drawing the tree needs to know.

        depths         int32[n]      1 for tokens without a parent, 0 for what is not in the tree
        sizes          int32[n]      tokens in the subtree, itself included
        places         int32[n]      where each token stands in `order`, or -1
        child_offsets  int32[n + 2]  the children of token i, sorted by their bytes, are
        children       int32[k]      children[child_offsets[i] : child_offsets[i + 1]]; n: the root
        """
        n_tokens = len(self.parents)
        depths, sizes = np.zeros(n_tokens, np.int32), np.zeros(n_tokens, np.int32)
        places, child_offsets = np.full(n_tokens, -1, np.int32), np.zeros(n_tokens + 2, np.int32)
        children = np.empty(len(self.order), np.int32)
        _tree_draw(self._address, depths, sizes, places, child_offsets, children)
        return depths, sizes, places, child_offsets, children

    def rows(self) -> NDArray[np.int32]:
        """The double array: base, row of the parent, token and its length, row by row."""
        rows = np.empty(4 * _tree_rows(self._address, np.empty(0, np.int32)), np.int32)
        _tree_rows(self._address, rows)
        return rows


# Splitting


class _SplitTables(ctypes.Structure):
    _fields_ = tuple(
        (name, _Array)
        for name in ("classes", "transitions", "levels", "starts", "numbers", "words", "windows", "cuts")
    )


_split = _function("split", c_int64, c_void_p, BYTES, WIDE_INTS, TO_WIDE_INTS)
_last_cut = _function("last_cut", c_int64, c_void_p, BYTES, c_int64)
_first_cut = _function("first_cut", c_int64, c_void_p, BYTES, c_int64)
_splitter_new = _function("splitter_new", c_void_p, ctypes.POINTER(_SplitTables))


class Splitter(_Handle):
    """Cuts text by tables (see `guiapp.core.split`)."""

    _free = staticmethod(_function("splitter_free", None, c_void_p))

    def __init__(self, **tables: NDArray[Any]) -> None:
        arrays = {name: np.ascontiguousarray(table) for name, table in tables.items()}
        views = {name: _Array(array.ctypes.data, array.size) for name, array in arrays.items()}
        super().__init__(_splitter_new(ctypes.byref(_SplitTables(**views))), *arrays.values())

    def split(self, text: NDArray[np.uint8], text_ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ends of the pieces of well-formed texts, which lie side by side and end at `text_ends`."""
        ends = np.empty(len(text), np.int64)
        return ends[: _split(self._address, text, text_ends, ends)].copy()

    def last_cut(self, text: NDArray[np.uint8], position: int) -> int:
        """The last place whose characters lie before `position` where pieces always meet; or 0."""
        return int(_last_cut(self._address, text, position))

    def first_cut(self, text: NDArray[np.uint8], position: int) -> int:
        """The first such place whose characters lie at or behind `position`; or the size of the text."""
        return int(_first_cut(self._address, text, position))


# Pair merging


class _PairSource(ctypes.Structure):
    _fields_ = (
        ("merge_data", _Array),
        ("merge_offsets", _Array),
        ("token_ranks", _Array),
        ("unknown", ctypes.c_int32),
        ("is_byte_level", ctypes.c_int32),
        ("marks_spaces", ctypes.c_int32),
        ("takes_raw_bytes", ctypes.c_int32),
        ("secret", c_uint64),
    )


_pairs_new = _function(
    "pairs_new", c_void_p, c_void_p, ctypes.POINTER(_PairSource), c_void_p, ctypes.c_int32, ctypes.c_int32
)
_pair_encoder_new = _function("pair_encoder_new", c_void_p, c_void_p)
_encode_text = _function("encode_text", c_int64, c_void_p, ctypes.c_char_p, c_int64, c_void_p, c_int64)
