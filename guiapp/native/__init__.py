"""The native library, bound by ctypes; nothing else in the program knows of either.

Arrays go in as they are and are checked for type and layout; each function says which it fills.  What a
function needs for longer than its call is kept alive by the object that it belongs to.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_bool, c_double, c_int32, c_int64, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from guiapp.core.errors import EncodeError, NativeLibraryError, VocabError
from guiapp.core.system.checkpoint import checkpoint, is_watched
from guiapp.native import library

ABI_VERSION = 11  # raised with each change of a function or a structure, here and in api.h


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

NONE = -1  # in the place of a token


class _Array(ctypes.Structure):
    _fields_ = (("data", c_void_p), ("size", c_int64))


def _array_of(dtype: DTypeLike, is_written: bool = False) -> Any:
    """An argument type: contiguous arrays of a dtype, of any shape; writable those that are filled."""
    expected = np.dtype(dtype)

    class Checked:
        @classmethod
        def from_param(cls, array: NDArray[Any] | _Array) -> _Array:
            if isinstance(array, _Array):  # checked before
                return array
            flags = array.flags
            if array.dtype != expected or not flags.c_contiguous or (is_written and not flags.writeable):
                raise TypeError(f"not a contiguous array of {expected}: {array.dtype}, {flags}")
            return _Array(array.ctypes.data, array.size)

    return Checked


BYTES, FLAGS, INTS, WIDE_INTS = (_array_of(dtype) for dtype in (np.uint8, np.bool_, np.int32, np.int64))
TO_BYTES, TO_FLAGS, TO_INTS, TO_WIDE_INTS = (
    _array_of(dtype, True) for dtype in (np.uint8, np.bool_, np.int32, np.int64)
)
SHORTS, COLORS, DOUBLES = (_array_of(dtype) for dtype in (np.uint16, np.uint32, np.float64))
TO_COLORS, TO_FLOATS, TO_DOUBLES = (_array_of(dtype, True) for dtype in (np.uint32, np.float32, np.float64))


def _function(name: str, result: Any, *arguments: Any) -> Any:
    """A function of the library, which runs without Python's lock."""
    function = getattr(_LIBRARY, f"loupe_{name}")
    function.restype, function.argtypes = result, arguments
    return function


_HOLDING_LOCK = _LIBRARY if isinstance(_LIBRARY, _Unbuilt) else ctypes.PyDLL(_LIBRARY._name)


def _quick_function(name: str, result: Any) -> Any:
    """One that is done before it would pay to give up Python's lock, or to check arguments.

    It takes c_void_p for addresses, bytes, and int for int32_t.
    """
    function = getattr(_HOLDING_LOCK, f"loupe_{name}")
    function.restype = result
    return function


_utf8_of = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, ctypes.POINTER(ctypes.c_ssize_t))(
    ("PyUnicode_AsUTF8AndSize", ctypes.pythonapi)
)


def _utf8(text: str) -> tuple[int, int]:
    """Address and size of the UTF-8 of a text, which lives as long as that, and is no copy where it is ASCII.

    Raises UnicodeEncodeError for lone surrogates.
    """
    size = ctypes.c_ssize_t()
    return _utf8_of(text, size), size.value


_MAY_GO_ON = ctypes.CFUNCTYPE(c_bool)
_NOBODY_TO_ASK = _MAY_GO_ON()


def _long_function(name: str, result: Any, *arguments: Any) -> Any:
    """A function that may take long: the library asks again and again whether `checkpoint` lets it go on."""
    function = _function(name, result, *arguments, _MAY_GO_ON)

    def call(*given: Any) -> Any:
        if not is_watched():
            return function(*given, _NOBODY_TO_ASK)
        raised: list[BaseException] = []

        def may_go_on() -> bool:
            try:
                checkpoint()
            except BaseException as error:  # raised again when the library has come back
                raised.append(error)
            return not raised

        found = function(*given, _MAY_GO_ON(may_go_on))
        if raised:
            raise raised.pop()
        return found

    return call


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

_strings_new = _long_function("strings_new", c_void_p, BYTES, WIDE_INTS, c_uint64)
_strings_find = _function("strings_find", c_int64, c_void_p, BYTES, WIDE_INTS, TO_INTS)
_strings_twin = _function("strings_twin", c_int64, c_void_p, TO_INTS)
_take_strings = _function("take_strings", c_int64, BYTES, WIDE_INTS, WIDE_INTS, TO_BYTES, TO_WIDE_INTS)


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

    def find_each(self, data: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """int32[n]: the row of each text of some that lie side by side and end at `ends`, or -1."""
        rows = np.empty(len(ends), np.int32)
        _strings_find(self._address, data, np.concatenate([[0], ends]), rows)
        return rows

    def twins(self) -> tuple[int, int] | None:
        """The rows of two equal strings, the pair whose second row is lowest."""
        earlier = np.empty(1, np.int32)
        later = _strings_twin(self._address, earlier)
        return None if later < 0 else (int(earlier[0]), later)


Packed = tuple[NDArray[np.uint8], NDArray[np.int64]]
"""Texts one behind the other: uint8[…], and int64[n + 1] where each begins."""


def packed(texts: Sequence[bytes]) -> Packed:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer(b"".join(texts), np.uint8), offsets


def take_texts(texts: Packed, rows: NDArray[np.int64]) -> Packed:
    """Those of some rows, each named at most once, in that order."""
    data, offsets = np.empty(len(texts[0]), np.uint8), np.empty(len(rows) + 1, np.int64)
    if (size := _take_strings(*texts, rows, data, offsets)) < 0:
        raise ValueError("rows that there are not")
    data.resize(size, refcheck=False)
    return data, offsets


# Text that is not UTF-8, and text that a normaliser changed

_normalized_size = _function("normalized_size", c_int64, c_void_p)
_normalized_copy = _function("normalized_copy", None, c_void_p, TO_BYTES, TO_WIDE_INTS, TO_WIDE_INTS)
_normalized_free = _function("normalized_free", None, c_void_p)
_repair = _function("repair", c_void_p, BYTES)

Normalized = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]


def normalized(address: int, has_places: bool = True) -> Normalized:
    """What a normaliser of the library returned, as arrays: data, starts, ends; frees it."""
    size = _normalized_size(address)
    n_places = size if has_places else 0
    arrays = np.empty(size, np.uint8), np.empty(n_places, np.int64), np.empty(n_places, np.int64)
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


# Tokens of a text

TokenColumns = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]


def _token_columns(room: int) -> TokenColumns:
    """Room for ids, starts and ends of so many tokens."""
    return np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)


def _cut(columns: TokenColumns, count: int) -> TokenColumns:
    """The tokens that were written; the room for others is given back."""
    for column in columns:
        column.resize(count, refcheck=False)
    return columns


# Tokens that start at a place

MOST_TOKEN_BYTES = 1 << 26

_matcher_new = _long_function("matcher_new", c_void_p, BYTES, WIDE_INTS, INTS)
_matcher_find = _function("matcher_find", c_int64, c_void_p, BYTES, TO_INTS)
_matcher_shorter = _function("matcher_shorter", c_int64, c_void_p, TO_INTS)
_plamo2_normalize = _function("plamo2_normalize", c_void_p, BYTES)
_plamo2_encode = _function(
    "plamo2_encode", c_int64, c_void_p, BYTES, INTS, INTS, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)
_rwkv_encode = _function(
    "rwkv_encode", c_int64, c_void_p, BYTES, c_int32, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)


class TokenMatcher(_Handle):
    """Finds the longest of some tokens at each place of a text; token i is data[offsets[i] : offsets[i + 1]].

    Of tokens with equal bytes the one with the highest id is found.
    """

    _free = staticmethod(_function("matcher_free", None, c_void_p))

    def __init__(
        self, data: NDArray[np.uint8], offsets: NDArray[np.int64], token_ids: NDArray[np.int32]
    ) -> None:
        super().__init__(_matcher_new(data, offsets, token_ids))
        if self._address is None and len(data) > MOST_TOKEN_BYTES:
            raise VocabError(
                f"The tokens of this vocabulary have {len(data):,} bytes. Text is encoded with up to "
                f"{MOST_TOKEN_BYTES:,}."
            )
        if self._address is None:
            raise ValueError("offsets or ids that do not fit the data")
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

    def encode_rwkv(self, text: NDArray[np.uint8], unknown: int) -> TokenColumns:
        """The longest token, or a byte as `unknown`, again and again: ids, starts, ends."""
        columns = _token_columns(len(text))
        return _cut(columns, _rwkv_encode(self._address, text, unknown, *columns))

    def encode_plamo2(
        self, text: NDArray[np.uint8], costs: NDArray[np.int32], byte_ids: NDArray[np.int32]
    ) -> TokenColumns:
        """The cheapest tokens of a text that `normalize_plamo2` made: ids, starts, ends.

        costs     int32[tokens]
        byte_ids  int32[256]  what an unknown character is made of
        """
        columns = _token_columns(len(text))
        return _cut(columns, _plamo2_encode(self._address, text, costs, byte_ids, *columns))


def normalize_plamo2(text: NDArray[np.uint8]) -> Normalized | None:
    """Characters in shortest form without a byte order mark in front; None if that is the very same bytes."""
    address = _plamo2_normalize(text)
    return None if address is None else normalized(address)


# Token trees

_tree_new = _long_function("tree_new", c_void_p, BYTES, WIDE_INTS, INTS, TO_FLAGS, TO_INTS, TO_INTS)
_tree_columns = _function("tree_columns", c_int64, c_void_p, *[TO_INTS] * 5)
_tree_longest_match = _function("tree_longest_match", c_int64, c_void_p, BYTES, c_int64)


MOST_TREE_BYTES = 1 << 26


class TreeColumns(NamedTuple):
    """A tree as it is drawn.

    depths         int32[n]      1 for tokens without a parent, 0 for what is not in the tree
    sizes          int32[n]      tokens in the subtree, itself included
    places         int32[n]      where each token stands in the order of the tree, or -1
    child_offsets  int32[n + 2]  the children of token i, or of the root in row n, sorted by their bytes, are
    children       int32[k]      children[child_offsets[i] : child_offsets[i + 1]]
    """

    depths: NDArray[np.int32]
    sizes: NDArray[np.int32]
    places: NDArray[np.int32]
    child_offsets: NDArray[np.int32]
    children: NDArray[np.int32]


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
        if self._address is None and len(data) > MOST_TREE_BYTES:
            raise VocabError(
                f"The tokens of this vocabulary have {len(data):,} bytes. A tree is made of up to "
                f"{MOST_TREE_BYTES:,}."
            )
        if self._address is None:
            raise ValueError("offsets or ids that do not fit the data")

    def longest_match(self, text: NDArray[np.uint8], start: int = 0) -> int:
        """The longest token that text[start:] begins with, or -1; the shorter ones are its ancestors."""
        found: int = _tree_longest_match(self._address, text, start)
        return found

    def columns(self) -> TreeColumns:
        """What drawing the tree needs to know."""
        n_tokens = len(self.parents)
        columns = TreeColumns(
            depths=np.zeros(n_tokens, np.int32),
            sizes=np.zeros(n_tokens, np.int32),
            places=np.full(n_tokens, -1, np.int32),
            child_offsets=np.zeros(n_tokens + 2, np.int32),
            children=np.empty(len(self.order), np.int32),
        )
        _tree_columns(self._address, *columns)
        return columns


# Splitting


class _SplitTables(ctypes.Structure):
    _fields_ = tuple(
        (name, _Array)
        for name in ("classes", "transitions", "levels", "starts", "numbers", "words", "windows", "cuts")
    )


_split = _function("split", c_int64, c_void_p, BYTES, WIDE_INTS, TO_WIDE_INTS)
_split_matches = _function("split_matches", c_int64, c_void_p, BYTES, WIDE_INTS, TO_WIDE_INTS, TO_FLAGS)
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

    def split_matches(
        self, text: NDArray[np.uint8], text_ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The same for tables of one pattern, and of each piece whether the pattern matches it."""
        ends, are_matches = np.empty(len(text), np.int64), np.empty(len(text), np.bool_)
        count = _split_matches(self._address, text, text_ends, ends, are_matches)
        return ends[:count].copy(), are_matches[:count].copy()

    def last_cut(self, text: NDArray[np.uint8], position: int) -> int:
        """The last place whose characters lie before `position` where pieces always meet; or 0."""
        return int(_last_cut(self._address, text, position))

    def first_cut(self, text: NDArray[np.uint8], position: int) -> int:
        """The first such place whose characters lie at or behind `position`; or the size of the text."""
        return int(_first_cut(self._address, text, position))


# Pair merging

NO_PIECES, NEWLINES, ALL_PIECES, AS_RANKED = range(4)  # which pieces that are tokens are not merged
NO_BYTE_TOKENS, NAMED, NAMED_OR_RAW = range(3)  # which tokens stand for bytes
STAYS_WHOLE = -1  # in the place of a rank
NO_RANK = 0x7FFFFFFF  # see `PairOptions.token_ranks`
SPARE_IDS = 4  # that may be written behind the last one
SHORT_TEXT = 4096  # bytes or characters: ids of such are written to memory that is kept
MOST_PER_CHARACTER = 4  # bytes
MOST_AROUND = 8  # ids that may stand before a text, and behind it, that is encoded in one call


class _PairSource(ctypes.Structure):
    _fields_ = (
        ("merge_data", _Array),
        ("merge_offsets", _Array),
        ("token_ranks", _Array),
        ("is_unused", _Array),
        ("unknown", c_int32),
        ("is_byte_level", c_int32),
        ("marks_spaces", c_int32),
        ("byte_tokens", c_int32),
        ("separator", c_int32),
        ("n_dropped", c_int32),
        ("last_stays", c_int32),
        ("secret", c_uint64),
    )


_pairs_new = _long_function(
    "pairs_new", c_void_p, c_void_p, ctypes.POINTER(_PairSource), c_void_p, c_int32, c_int32
)
_pairs_find = _function("pairs_find", c_int64, c_void_p, c_int32, c_int32)
_pairs_rules = _function("pairs_rules", c_int64, c_void_p, TO_INTS)
_pairs_start_symbol = _function("pairs_start_symbol", c_int64, c_void_p, BYTES)
_pairs_n_symbols = _function("pairs_n_symbols", c_int64, c_void_p)
_pairs_symbols = _function("pairs_symbols", c_int64, c_void_p, c_int32, TO_BYTES, TO_WIDE_INTS)
_pairs_fallbacks = _function("pairs_fallbacks", c_int64, c_void_p, TO_INTS, TO_INTS, TO_BYTES)
_pairs_lengths = _function("pairs_lengths", c_int64, c_void_p, c_int32, TO_INTS)
_pairs_last_cut = _function("pairs_last_cut", c_int64, c_void_p, BYTES, c_int64)
_pairs_first_cut = _function("pairs_first_cut", c_int64, c_void_p, BYTES, c_int64)
_pair_encoder_new = _function("pair_encoder_new", c_void_p, c_void_p, c_void_p)
_pairs_encode_text = _function(
    "encode_text", c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_bool, c_void_p
)
_pairs_encode_short = _quick_function("encode_short", c_int64)
_pairs_has_marked_space = _function("pairs_has_marked_space", c_int64, c_void_p, BYTES)
_pairs_encode_each = _function("encode_each", c_int64, c_void_p, BYTES, WIDE_INTS, TO_INTS, TO_WIDE_INTS)
_pairs_encode_pieces = _function("encode_pieces", c_int64, c_void_p, c_int32, BYTES, WIDE_INTS, TO_INTS)
_pairs_merge = _function(
    "merge_pieces", c_int64, c_void_p, c_int32, c_int32, BYTES, WIDE_INTS, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)
_merge_symbols = _function(
    "merge_symbols", c_int64, c_void_p, c_int32, INTS, WIDE_INTS, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)


class PairOptions(NamedTuple):
    """How a vocabulary's texts spell and merge.

    merges           its rules by rank, each two texts with a separator between, packed; None where any two
                     symbols merge whose texts make a token
    token_ranks      int32[n]: in that case the rank of each token, NO_RANK where nothing becomes it, and
                     STAYS_WHOLE where besides a piece that is such a token is not merged
    unknown          the token for bytes without one, -1 to mark them in the output, None to leave them out
    is_byte_level    tokens spell bytes with GPT-2's printable characters
    marks_spaces     tokens spell a space as U+2581
    byte_tokens      NO_BYTE_TOKENS, NAMED (like <0x0A>), NAMED_OR_RAW: also tokens of one byte stand for that
    whole_pieces     NO_PIECES, NEWLINES, ALL_PIECES or AS_RANKED
    cuts_short       pieces are lines or whole texts rather than words
    separator        a byte; the first one that has something before it counts
    n_dropped        bytes at the start of a rule's right side that are not in what it makes
    last_stays       of several rules for one pair, rather than the first
    is_unused        bool[n]: tokens that are taken apart again, into the two that last could become each
    """

    merges: tuple[NDArray[np.uint8], NDArray[np.int64]] | None
    token_ranks: NDArray[np.int32]
    unknown: int | None
    is_byte_level: bool
    marks_spaces: bool
    byte_tokens: int
    whole_pieces: int
    cuts_short: bool
    separator: bytes = b" "
    n_dropped: int = 0
    last_stays: bool = False
    is_unused: NDArray[np.bool_] | None = None


class Envelope:
    """What is around a text that is encoded in one call, and what must not be in it.

    before, after  at most MOST_AROUND ids each
    special        the address of what special tokens begin with, if there are any
    most_bytes     of a text that is not too long for one call
    """

    __slots__ = ("_kept", "after", "before", "most_bytes", "special")

    def __init__(
        self, before: list[int], after: list[int], beginnings: Beginnings | None, most_bytes: int
    ) -> None:
        self.before, self.after, self.most_bytes = before, after, most_bytes
        self._kept, self.special = beginnings, None if beginnings is None else c_void_p(beginnings._address)


class PairModel(_Handle):
    """Merge rules of a vocabulary, and encoders by them.  Threads may share it.

    Symbols are tokens, and behind these strings that occur in rules but are none; see pair_rules.h.
    """

    _free = staticmethod(_function("pairs_free", None, c_void_p))

    def __init__(self, tokens: StringTable, options: PairOptions, splitter: Splitter | None) -> None:
        data, offsets = options.merges or (np.empty(0, np.uint8), np.empty(0, np.int64))
        is_unused = np.empty(0, np.bool_) if options.is_unused is None else options.is_unused
        arrays = data, offsets, options.token_ranks, is_unused
        source = _PairSource(
            *(_Array(array.ctypes.data, array.size) for array in arrays),
            -2 if options.unknown is None else options.unknown,
            options.is_byte_level,
            options.marks_spaces,
            options.byte_tokens,
            options.separator[0],
            options.n_dropped,
            options.last_stays,
            secret(),
        )
        address = None if splitter is None else splitter._address
        whole, short = options.whole_pieces, int(options.cuts_short)
        super().__init__(_pairs_new(tokens._address, source, address, whole, short), tokens, splitter)
        if self._address is None:
            raise ValueError("arrays that do not fit each other, or too many rules")
        self._idle: list[_PairEncoder] = []

    def __len__(self) -> int:
        """The number of symbols."""
        return int(_pairs_n_symbols(self._address))

    def find(self, left: int, right: int) -> tuple[int, int] | None:
        """Rank and result of the rule for two symbols."""
        found = _pairs_find(self._address, left, right)
        return None if found < 0 else (found >> 32, found & 0xFFFFFFFF)

    def rules(self) -> NDArray[np.int32]:
        """int32[n, 4]: left, right, rank and result of all rules, in no order."""
        rules = np.empty(_pairs_rules(self._address, np.empty(0, np.int32)), np.int32)
        _pairs_rules(self._address, rules)
        return rules.reshape(-1, 4)

    def start_symbol(self, symbol: bytes) -> int:
        """The symbol of a byte or a character, -1 where no rule knows it."""
        return int(_pairs_start_symbol(self._address, np.frombuffer(symbol, np.uint8)))

    def symbols(self, are_spelled: bool) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """The texts of all symbols as tokens are spelled, or the bytes that they stand for, packed."""
        offsets = np.zeros(len(self) + 1, np.int64)
        size = _pairs_symbols(self._address, are_spelled, np.empty(0, np.uint8), offsets)
        data = np.empty(size, np.uint8)
        _pairs_symbols(self._address, are_spelled, data, offsets)
        return data, offsets

    def fallbacks(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """Which tokens stand for a byte of a symbol that is none: offsets int32[257], ids, and which of them
        stand for the byte, not behind one that does.
        """
        offsets, none = np.zeros(257, np.int32), np.empty(0, np.int32)
        count = _pairs_fallbacks(self._address, offsets, none, np.empty(0, np.uint8))
        ids, leads = np.empty(count, np.int32), np.empty(count, np.uint8)
        _pairs_fallbacks(self._address, offsets, ids, leads)
        return offsets, ids, leads.astype(np.bool_)

    def token_lengths(self, of_marked: bool) -> NDArray[np.int32]:
        """How many bytes of a text each token stands for, of one whose spaces are U+2581, if asked for."""
        lengths = np.empty(_pairs_lengths(self._address, 0, np.empty(0, np.int32)), np.int32)
        _pairs_lengths(self._address, of_marked, lengths)
        return lengths

    def last_cut(self, text: NDArray[np.uint8], end: int) -> int:
        """The last place in text[:end], whatever follows, that no merge reaches across; or 0."""
        return int(_pairs_last_cut(self._address, text, end))

    def first_cut(self, text: NDArray[np.uint8], position: int) -> int:
        """The first place in text[position:], whatever precedes, that no merge crosses; or the size."""
        return int(_pairs_first_cut(self._address, text, position))

    def has_marked_space(self, text: NDArray[np.uint8]) -> bool:
        """Whether a space byte cannot stand for U+2581 in a text, because that holds it as such."""
        return bool(_pairs_has_marked_space(self._address, text))

    def encode_text(self, text: str | bytes, envelope: Envelope) -> NDArray[np.int32] | None:
        """The ids of a text cut by the splitter, in an envelope; None where they do not tell spans, where a
        special token may be in the text, and where it is too long.
        """
        if len(text) > SHORT_TEXT:
            return self._encode_long(text, envelope)
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        try:
            encoder = self._idle.pop()  # as `_borrowed`, of which the call is felt here
        except IndexError:
            encoder = _PairEncoder(self)
        if encoder.envelope is not envelope:
            encoder.put_in(envelope)
        count = _pairs_encode_short(encoder.handle, envelope.special, data, len(data))
        ids = None if count < 0 else encoder.views[count].copy()
        self._idle.append(encoder)
        if envelope.after and ids is not None:
            ids[len(ids) - len(envelope.after) :] = envelope.after
        return ids

    def _encode_long(self, text: str | bytes, envelope: Envelope) -> NDArray[np.int32] | None:
        if len(text) > envelope.most_bytes:  # before its UTF-8 is made, which a str keeps
            return None
        is_plain = isinstance(text, str)
        try:
            data, size = _utf8(text) if isinstance(text, str) else (text, len(text))
        except UnicodeEncodeError:
            return None
        if size > envelope.most_bytes:
            return None
        n_before, n_after = len(envelope.before), len(envelope.after)
        ids = np.empty(n_before + size + max(SPARE_IDS, n_after), np.int32)
        room = ids.ctypes.data + ids.itemsize * n_before
        with self._encoder() as encoder:
            count = _pairs_encode_text(encoder._address, envelope.special, data, size, is_plain, room)
        if count < 0:
            return None
        ids.resize(n_before + count + n_after, refcheck=False)
        ids[:n_before], ids[n_before + count :] = envelope.before, envelope.after
        return ids

    def encode_each(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ids of texts side by side, and how many each has; up to one whose spans ids do not tell."""
        ids, counts = np.empty(len(texts) + SPARE_IDS, np.int32), np.zeros(len(ends), np.int64)
        with self._encoder() as encoder:
            n_texts = _pairs_encode_each(encoder._address, texts, ends, ids, counts)
        counts = counts[:n_texts]
        ids.resize(counts.sum(), refcheck=False)
        return ids, counts

    def encode_pieces(
        self, text: NDArray[np.uint8], ends: NDArray[np.int64], may_have_marked_spaces: bool
    ) -> NDArray[np.int32] | None:
        """The ids of a repaired text whose pieces end at `ends`, if empty where the splitter says; None where
        they do not tell spans.
        """
        ids = np.empty(len(text) + SPARE_IDS, np.int32)
        with self._encoder() as encoder:
            count = _pairs_encode_pieces(encoder._address, may_have_marked_spaces, text, ends, ids)
        if count < 0:
            return None
        ids.resize(count, refcheck=False)
        return ids

    def merge_pieces(
        self, text: NDArray[np.uint8], ends: NDArray[np.int64], by_heap: bool, takes_whole: bool, room: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Ids, starts and ends of the tokens of all pieces, each merged; there is `room` for so many."""
        ids, starts, stops = np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room, np.int64)
        with self._encoder() as encoder:
            count = _pairs_merge(encoder._address, by_heap, takes_whole, text, ends, ids, starts, stops)
        return ids[:count].copy(), starts[:count].copy(), stops[:count].copy()

    def merge_symbols(
        self, symbols: NDArray[np.int32], ends: NDArray[np.int64], by_heap: bool
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Ids, starts and ends of the tokens that pieces of start symbols become; offsets count symbols."""
        size = len(symbols)
        ids, starts, stops = np.empty(size, np.int32), np.empty(size, np.int64), np.empty(size, np.int64)
        with self._encoder() as encoder:
            count = _merge_symbols(encoder._address, by_heap, symbols, ends, ids, starts, stops)
        return ids[:count].copy(), starts[:count].copy(), stops[:count].copy()

    @contextmanager
    def _encoder(self) -> Iterator[_PairEncoder]:
        encoder = self._borrowed()
        yield encoder
        self._idle.append(encoder)

    def prepare(self) -> None:
        """Make now what the first encoding would make."""
        with self._encoder():
            pass

    def _borrowed(self) -> _PairEncoder:
        """An encoder that nobody else has; taken in one go, because another thread may be faster."""
        try:
            return self._idle.pop()
        except IndexError:
            return _PairEncoder(self)


class _PairEncoder(_Handle):
    """Encodes one text after the other, for one thread at a time.

    handle    its address as quick functions take it
    envelope  of the last short text
    views     by the number of its ids: these, in memory that the next text is written to
    """

    _free = staticmethod(_function("pair_encoder_free", None, c_void_p))

    def __init__(self, model: PairModel) -> None:
        self._ids = np.empty(2 * MOST_AROUND + MOST_PER_CHARACTER * SHORT_TEXT + SPARE_IDS, np.int32)
        first = self._ids.ctypes.data + self._ids.itemsize * MOST_AROUND
        super().__init__(
            _pair_encoder_new(model._address, first)
        )  # the model keeps it, not the other way round
        self.handle = c_void_p(self._address)
        self.envelope: Envelope | None = None

    def put_in(self, envelope: Envelope) -> None:
        """Write the ids that stand before those of a short text: the same before most of them."""
        start = MOST_AROUND - len(envelope.before)
        self._ids[start:MOST_AROUND] = envelope.before
        self.envelope = envelope
        self.views = _Views(self._ids[start:], len(envelope.before) + len(envelope.after))


class _Views(dict[int, NDArray[np.int32]]):
    """By a count, so many items of an array and some more.  To make one takes as long as some words."""

    def __init__(self, array: NDArray[np.int32], n_more: int) -> None:
        self._array, self._n_more = array, n_more

    def __missing__(self, count: int) -> NDArray[np.int32]:
        self[count] = view = self._array[: self._n_more + count]
        return view


# Words

_words_encode = _function(
    "words_encode", c_int64, c_void_p, BYTES, c_int32, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)


def encode_words(tree: TokenTree, text: NDArray[np.uint8], unknown: int) -> TokenColumns:
    """The token of each word between white space, else `unknown`, or nothing where that is -1."""
    columns = _token_columns(len(text) // 2 + 1)
    return _cut(columns, _words_encode(tree._address, text, unknown, *columns))


# Strings of a GGUF file

_gguf_skip = _function("gguf_skip", c_int64, BYTES, c_int64, c_int64, TO_WIDE_INTS)
_gguf_pack = _long_function("gguf_pack", c_int64, BYTES, c_int64, c_bool, TO_WIDE_INTS, TO_BYTES)
count_unsplittable = _long_function("count_unsplittable", c_int64, BYTES, WIDE_INTS)


NAME_BYTES = 27  # room for `[EMPTY_<row>]`, and behind the last string


def skip_gguf_strings(data: NDArray[np.uint8], at: int, count: int) -> tuple[int, int]:
    """How many whole strings, at most `count`, begin at byte `at`, and where the last of them ends."""
    end = np.empty(1, np.int64)
    return _gguf_skip(data, at, count, end), int(end[0])


def pack_gguf_strings(
    data: NDArray[np.uint8], at: int, count: int, name_empty: bool
) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """The strings that begin at byte `at`, cut at the first NUL: uint8[…], offsets int64[count + 1].

    The last item is how many were cut or are empty; `name_empty` calls the latter `[EMPTY_<row>]`.
    """
    offsets = np.empty(count + 1, np.int64)
    packed = np.empty(len(data) - at + NAME_BYTES * (count + 1), np.uint8)
    n_odd = _gguf_pack(data, at, name_empty, offsets, packed)
    if n_odd < 0:
        raise ValueError("strings that are not whole")
    packed.resize(int(offsets[-1]), refcheck=False)
    return packed, offsets, n_odd


# Fields of a SentencePiece model

_model_count = _function("model_count", c_int64, BYTES, c_int64, TO_WIDE_INTS)
_model_read = _function(
    "model_read", c_int64, BYTES, TO_BYTES, TO_WIDE_INTS, TO_FLOATS, TO_INTS, TO_WIDE_INTS
)


class ModelFields(NamedTuple):
    """What lies in a SentencePiece model.

    texts    uint8[…] and int64[n + 1], packed: of each piece
    scores   float32[n]
    kinds    int32[n]     1 where the file does not say, or names an unknown one
    others   int64[m, 3]  number, start and size of each other message in it
    """

    texts: tuple[NDArray[np.uint8], NDArray[np.int64]]
    scores: NDArray[np.float32]
    kinds: NDArray[np.int32]
    others: NDArray[np.int64]


def read_model_fields(data: NDArray[np.uint8], most: int) -> ModelFields | int:
    """The fields of a model, or how far it is sound if it is broken; of more than `most` pieces, no texts."""
    counts = np.zeros(3, np.int64)
    if (fault := _model_count(data, most, counts)) < 0:
        return int(-1 - fault)
    n_pieces, size, n_others = counts.tolist()
    if n_pieces > most:
        size = n_others = 0
    texts, offsets = np.empty(size, np.uint8), np.zeros(n_pieces + 1, np.int64)
    scores, kinds = np.empty(n_pieces, np.float32), np.empty(n_pieces, np.int32)
    others = np.empty((n_others, 3), np.int64)
    if n_pieces <= most:
        _model_read(data, texts, offsets, scores, kinds, others)
    return ModelFields((texts, offsets), scores, kinds, others)


# What tokens stand for

MARKED_SPACES, BYTE_STAND_INS, ESCAPES, PLAIN = range(4)  # how they spell it, as token_bytes.cpp says

_spell_out = _long_function(
    "spell_out", c_int64, BYTES, WIDE_INTS, SHORTS, c_int64, INTS, c_bool, TO_BYTES, TO_WIDE_INTS
)


def spell_out(
    texts: tuple[NDArray[np.uint8], NDArray[np.int64]],
    attributes: NDArray[np.uint16],
    spelling: int,
    byte_of_code: NDArray[np.int32],
    name_unknown: bool,
    size: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int64], int]:
    """What each token stands for, the first `size` bytes of it: data, int64[n + 1], and the full size."""
    out, ends = np.empty(size, np.uint8), np.empty(len(texts[1]), np.int64)
    full = _spell_out(*texts, attributes, spelling, byte_of_code, name_unknown, out, ends)
    if full < 0:
        raise ValueError("offsets or attributes that do not fit the data")
    return out, ends, full


_spell_bytes = _function("spell_bytes", c_int64, BYTES, WIDE_INTS, TO_BYTES, TO_WIDE_INTS)


def spell_bytes(texts: Packed) -> Packed:
    """Texts with GPT-2's printable character for each of their bytes."""
    data, offsets = np.empty(2 * len(texts[0]), np.uint8), np.empty(len(texts[1]), np.int64)
    if (size := _spell_bytes(*texts, data, offsets)) < 0:
        raise ValueError("offsets that do not fit the data")
    data.resize(size, refcheck=False)
    return data, offsets


# The long parts of a tokenizer.json and of a tekken.json, and the lines of tiktoken's files

_json_texts = _function(
    "json_texts", c_int64, BYTES, c_int64, TO_BYTES, TO_WIDE_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)
_json_ranks = _function(
    "json_ranks", c_int64, BYTES, c_int64, TO_BYTES, TO_WIDE_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)
_rank_lines = _function("rank_lines", c_int64, BYTES, TO_BYTES, TO_WIDE_INTS, TO_WIDE_INTS)
MOST_JSON_TEXTS = 1 << 23
QUOTE, BRACE = ord('"'), ord("{")


def json_texts(text: NDArray[np.uint8], start: int) -> tuple[Packed, NDArray[np.int64], int, int] | None:
    """The object of texts and whole numbers, or the list of texts or pairs of them, that begins at a place.

    Gives the texts as `packed` does, the numbers, where it ends, and how many pairs it has; None for what is
    of another form.  The text is UTF-8 without surrogates.
    """
    most = min(int(np.count_nonzero(text[start:] == QUOTE)) // 2, MOST_JSON_TEXTS)
    data, offsets = np.empty(len(text) - start, np.uint8), np.empty(most + 1, np.int64)
    numbers, ends = np.empty(most if text[start] == BRACE else 0, np.int64), np.empty(2, np.int64)
    count = _json_texts(text, start, data, offsets, numbers, ends)
    if count < 0:
        return None
    return *_filled(data, offsets, numbers, count), int(ends[0]), int(ends[1])


def json_ranks(text: NDArray[np.uint8], start: int) -> tuple[Packed, NDArray[np.int64], int] | None:
    """The list of objects with a "rank" and "token_bytes" in base64 that begins at a place of such a text.

    Gives the tokens' bytes as `packed` does, the ranks, and where it ends; None for what is of another form.
    """
    most = min(int(np.count_nonzero(text[start:] == BRACE)), MOST_JSON_TEXTS)
    data, offsets = np.empty(len(text) - start, np.uint8), np.empty(most + 2, np.int64)
    ranks, end = np.empty(most + 1, np.int64), np.empty(1, np.int64)
    count = _json_ranks(text, start, data, offsets, ranks, end)
    if count < 0:
        return None
    return *_filled(data, offsets, ranks, count), int(end[0])


def rank_lines(text: NDArray[np.uint8], n_lines: int) -> tuple[Packed, NDArray[np.int64]] | int:
    """The tokens, as `packed` gives them, and ranks of lines of base64 and a number; there are `n_lines`.

    Where a line is something else: the number of those in front of the first that is.
    """
    data, offsets = np.empty(len(text), np.uint8), np.empty(n_lines + 1, np.int64)
    ranks = np.empty(n_lines, np.int64)
    count = _rank_lines(text, data, offsets, ranks)
    if count < 0:
        return int(-1 - count)
    return _filled(data, offsets, ranks, count)


def _filled(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], numbers: NDArray[np.int64], count: int
) -> tuple[Packed, NDArray[np.int64]]:
    """So many texts and their numbers, if there are any; room for others is given back."""
    data.resize(int(offsets[count]), refcheck=False)
    offsets.resize(count + 1, refcheck=False)
    numbers.resize(min(count, len(numbers)), refcheck=False)
    return (data, offsets), numbers


# Special tokens

STRIPS_LEFT, STRIPS_RIGHT = 1, 2

_beginnings_new = _function("beginnings_new", c_void_p, BYTES, WIDE_INTS)
_beginnings_may_be_in = _function("beginnings_may_be_in", c_int64, c_void_p, ctypes.c_char_p, c_int64)
_special_new = _long_function("special_new", c_void_p, BYTES, WIDE_INTS, BYTES)
_special_occurrences = _function("special_occurrences", c_void_p, c_void_p, BYTES)
_special_partition = _function("special_partition", c_void_p, c_void_p, BYTES)
_parts_size = _function("parts_size", c_int64, c_void_p)
_parts_copy = _function("parts_copy", None, c_void_p, TO_WIDE_INTS)
_parts_free = _function("parts_free", None, c_void_p)
_sort_longest_first = _long_function("sort_longest_first", c_int64, TO_INTS, WIDE_INTS)


class Beginnings(_Handle):
    """What special tokens begin with, by which a look tells that a text has none of them."""

    _free = staticmethod(_function("beginnings_free", None, c_void_p))

    def __init__(self, texts: Sequence[bytes]) -> None:
        super().__init__(_beginnings_new(*packed(texts)))

    def may_be_in(self, text: bytes) -> bool:
        """False where it is plain to see that none is in a text."""
        return bool(_beginnings_may_be_in(self._address, text, len(text)))


class SpecialTokens(_Handle):
    """Cuts special tokens out of a text; they come in the order in which they claim, the last first.

    strips  uint8[n]: STRIPS_LEFT and STRIPS_RIGHT, the white space that each takes away
    """

    _free = staticmethod(_function("special_free", None, c_void_p))

    def __init__(self, texts: Sequence[bytes], strips: NDArray[np.uint8]) -> None:
        super().__init__(_special_new(*packed(texts), strips))
        if self._address is None:
            raise ValueError("special tokens of more than 256 MB")

    def occurrences(self, text: NDArray[np.uint8]) -> NDArray[np.int64]:
        """int64[3, k]: the longest token at each place where some begin, its start and its end."""
        return _parts(_special_occurrences(self._address, text))[2:]

    def partition(self, text: NDArray[np.uint8]) -> NDArray[np.int64]:
        """int64[5, k + 1]: starts and ends of the stretches around k tokens; these, their starts and ends."""
        return _parts(_special_partition(self._address, text))


def _parts(address: int) -> NDArray[np.int64]:
    numbers = np.empty((_parts_size(address), 5), np.int64)
    _parts_copy(address, numbers)
    _parts_free(address)
    return np.ascontiguousarray(numbers.T)


def sort_longest_first(rows: NDArray[np.int32], lengths: NDArray[np.int64]) -> None:
    """Sort rows of `lengths` in place; of equal ones that comes first which GNU's std::sort puts there."""
    if _sort_longest_first(rows, lengths) < 0:
        raise ValueError("rows that are none")


# Spans of several tokenizers over one text

_share_spans = _function("share_spans", c_int64, c_void_p, TO_WIDE_INTS, TO_WIDE_INTS)
MOST_SPAN_COLUMNS = 255
SpanArrays = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]


class _SpanColumn(ctypes.Structure):
    _fields_ = tuple((name, _Array) for name in ("starts", "ends", "are_special", "shares"))


def share_spans(columns: Sequence[SpanArrays]) -> tuple[list[NDArray[np.uint8]], NDArray[np.int64]]:
    """Of n columns of tokens of one text: of how many columns each token's span is, and where they differ.

    A column is starts, ends and which tokens are special, which tells empty ones at one place apart; starts
    and ends never decrease and tokens do not overlap.  The differences are int64[k, 2 + 2n]: start and end of
    a stretch across whose ends no token of any column reaches and which has such an end nowhere inside, then
    for each column the first token of the stretch and the one behind the last.
    """
    arrays = (np.int64, np.int64, np.bool_)
    shares = [np.empty(len(starts), np.uint8) for starts, _, _ in columns]
    rows = [
        (*map(np.ascontiguousarray, column, arrays), share)
        for column, share in zip(columns, shares, strict=True)
    ]
    given = (_SpanColumn * len(rows))(
        *[_SpanColumn(*[_Array(array.ctypes.data, array.size) for array in row]) for row in rows]
    )
    room = sum(map(len, shares)) // 8 + 64  # enough for most texts; else all is done again
    while True:
        found = np.empty((room, 2 + 2 * len(rows)), np.int64)
        count = _checked(_share_spans(given, np.zeros(2 * len(rows), np.int64), found))
        if count <= room:
            return shares, found[:count].copy()
        room = count


_tint_spans = _function("tint_spans", c_int64, c_void_p, TO_WIDE_INTS, c_int64)
NO_TINT = 255


class _TintedColumn(ctypes.Structure):
    _fields_ = (
        *((name, _Array) for name in ("starts", "ends", "tints")),
        ("before", c_int64),
        ("behind", c_int64),
    )


def tint_spans(
    columns: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
    around: Sequence[tuple[int, int]],
    n_tints: int,
) -> list[NDArray[np.uint8]]:
    """Colours for the tokens of n columns over one text, of each the starts and ends: numbers below n_tints.

    What has the same span has the same colour in all columns, and neighbours in a column have different
    ones as long as n + 2 <= n_tints; so have those at the ends and the tokens `around` a column, whose
    colours are given, NO_TINT for none, if all those behind are of one span.  Tokens without text have 0.
    """
    tints = [np.empty(len(starts), np.uint8) for starts, _ in columns]
    rows: list[tuple[NDArray[Any], ...]] = [
        (*(np.ascontiguousarray(array, np.int64) for array in column), tint)
        for column, tint in zip(columns, tints, strict=True)
    ]
    given = (_TintedColumn * len(rows))(
        *[
            _TintedColumn(*[_Array(array.ctypes.data, array.size) for array in row], *ends)
            for row, ends in zip(rows, around, strict=True)
        ]
    )
    _checked(_tint_spans(given, np.zeros(len(rows), np.int64), n_tints))
    return tints


# Pictures of token trees

_token_scripts = _function("token_scripts", c_int64, BYTES, WIDE_INTS, BYTES, c_int64, TO_BYTES)
_layout_new = _function("layout_new", c_void_p, *[INTS] * 3, BYTES, c_int64, c_void_p, TO_INTS)
_layout_measure = _function("layout_measure", c_int64, c_void_p, c_double, c_double, TO_DOUBLES, TO_DOUBLES)
_layout_list_wide = _function("layout_list_wide", c_int64, c_void_p, c_double, c_double, DOUBLES, TO_INTS)
_node_colors_new = _function("node_colors_new", c_void_p, c_void_p, COLORS)
View = tuple[float, float]
LAYOUT_COLUMNS = ("tokens", "kinds", "parents", "starts", "ends", "level_offsets", "nodes")


def token_scripts(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    scripts_of_codes: NDArray[np.uint8],
    first_script: int,
) -> NDArray[np.uint8]:
    """The script of each token, uint8[n]: of its first letter, else of the strongest character in it.

    Numbers below `first_script` are no scripts, and weaker the smaller they are.  A token without a letter
    that is not whole UTF-8 gets 0.
    """
    scripts = np.empty(len(offsets) - 1, np.uint8)
    _checked(_token_scripts(data, offsets, scripts_of_codes, first_script, scripts))
    return scripts


class _LayoutArrays(ctypes.Structure):
    _fields_ = tuple((name, _Array) for name in LAYOUT_COLUMNS)


class TreeLayout(_Handle):
    """The nodes of a picture of a tree, level by level and from left to right: node 0 is the root.

    A leaf is one unit wide, any other node as wide as its children, which lie side by side below it.
    The children of a node with at least `crowd` of them are put in groups, one for each of `kinds`, a number
    for each token; the largest comes first, and where all are of one kind there are no groups.

    tokens         int32[m]      the token, or -1 for the root and for groups
    kinds          uint8[m]      kind that a group's tokens share; of the token elsewhere
    parents        int32[m]      node one level above, -1 for the root
    starts, ends   int32[m]      a node covers [start, end)
    level_offsets  int32[k + 1]  level i holds the nodes [level_offsets[i], level_offsets[i + 1])
    nodes          int32[n]      the node of each token, or -1
    """

    _free = staticmethod(_function("layout_free", None, c_void_p))

    def __init__(
        self,
        sizes: NDArray[np.int32],
        child_offsets: NDArray[np.int32],
        children: NDArray[np.int32],
        kinds: NDArray[np.uint8],
        crowd: int,
    ) -> None:
        fan_outs = np.diff(child_offsets)
        room = 1 + len(children) + int(np.minimum(fan_outs[fan_outs >= crowd], 256).sum())
        columns: dict[str, Any] = {name: np.empty(room + 1, np.int32) for name in LAYOUT_COLUMNS}
        columns |= {"kinds": np.empty(room, np.uint8), "nodes": np.full(len(kinds), -1, np.int32)}
        arrays = _LayoutArrays(*(_Array(column.ctypes.data, column.size) for column in columns.values()))
        counts = np.empty(2, np.int32)
        address = _layout_new(sizes, child_offsets, children, kinds, crowd, ctypes.byref(arrays), counts)
        super().__init__(address, columns)
        if self._address is None:
            raise ValueError("a tree that cannot be laid out")
        n_nodes, self.n_levels = counts.tolist()
        names = ("tokens", "parents", "starts", "ends")
        self.tokens, self.parents, self.starts, self.ends = (columns[name][:n_nodes] for name in names)
        self.kinds: NDArray[np.uint8] = columns["kinds"][:n_nodes]
        self.level_offsets: NDArray[np.int32] = columns["level_offsets"][: self.n_levels + 1]
        self.nodes: NDArray[np.int32] = columns["nodes"]

    def measure(self, view: View) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How each level fills a view, from left to right: two numbers float64[k] for each.

        The share of the view that has nodes, and the share of a node that is seen where one node covers the
        whole view, else 1.
        """
        shares, insides = np.empty(self.n_levels), np.empty(self.n_levels)
        _checked(_layout_measure(self._address, *view, shares, insides))
        return shares, insides

    def list_wide(self, view: View, least: NDArray[np.float64], most: int) -> NDArray[np.int32]:
        """The nodes of which at least least[level] is seen in a view, by level; up to `most`."""
        found = np.empty(most, np.int32)
        return found[: _checked(_layout_list_wide(self._address, *view, least, found))]


class Frame(ctypes.Structure):
    """What is painted into an image; see `NodePainter.frame`."""

    _fields_ = (
        ("nodes", c_void_p),
        ("left", c_double),
        ("right", c_double),
        ("image", _Array),
        ("width", c_int64),
        ("ground", c_uint32),
        ("has_gaps", c_bool),
    )


_FRAME = ctypes.POINTER(Frame)
_paint_icicle = _function("paint_icicle", c_int64, _FRAME, INTS, c_int64, c_int64)
_paint_quarter = _function("paint_quarter", c_int64, _FRAME, DOUBLES, SHORTS, SHORTS, WIDE_INTS)
_paint_bent = _function("paint_bent", c_int64, _FRAME, INTS, *[c_double] * 4)


class NodePainter(_Handle):
    """Paints the nodes of a layout in their colours, uint32[m], 0xRRGGBB."""

    _free = staticmethod(_function("node_colors_free", None, c_void_p))

    def __init__(self, layout: TreeLayout, colors: NDArray[np.uint32]) -> None:
        self.colors = colors
        super().__init__(_node_colors_new(layout._address, colors), layout, colors)
        if self._address is None:
            raise ValueError("not a colour for each node")

    def frame(self, view: View, ground: int, image: NDArray[np.uint32], has_gaps: bool = True) -> Frame:
        """What the functions below paint: a view into an image, on a ground of this colour.

        has_gaps  whether up to a pixel is left free behind wide nodes
        """
        array, width = TO_COLORS.from_param(image), image.shape[1]
        frame = Frame(self._address, *view, array, width, ground, has_gaps)
        frame.kept = self, image
        return frame


def paint_icicle(frame: Frame, edges: NDArray[np.int32], rows: tuple[int, int]) -> None:
    """Paint the rows from one to another; level i fills those from edges[i] to edges[i + 1]."""
    _checked(_paint_icicle(frame, edges, *rows))


def paint_quarter(
    frame: Frame,
    radii: NDArray[np.float64],
    polar: tuple[NDArray[np.uint16], NDArray[np.uint16]],
    square: tuple[int, int, int, bool],
) -> None:
    """Paint a quarter of a sunburst, in which level i is the ring from radii[i] to radii[i + 1].

    polar   of each pixel of the upper left quarter, how far round it is from the vertical, in 65536ths of a
            full turn, and how far from the middle, in quarters of a pixel
    square  x and y of its corner, the quarter, 0 to 3 counterclockwise from the top, and whether it is coarse
    """
    _checked(_paint_quarter(frame, radii, *polar, np.array([*square, len(polar[0])], np.int64)))


def paint_bent(frame: Frame, edges: NDArray[np.int32], shape: tuple[float, float, float, float]) -> None:
    """Paint an icicle that is bent around a far centre, on its way to a sunburst.

    shape  the centre's x and y, the angle of the whole strip, and the radius that becomes depth 0
    """
    _checked(_paint_bent(frame, edges, *shape))


def _checked(result: int) -> int:
    if result < 0:
        raise ValueError("arrays that do not fit each other")
    return result


# From token ids to bytes, and to rows of a batch

_decode = _function("decode", c_int64, INTS, BYTES, WIDE_INTS, TO_BYTES)
_lay_out = _function("lay_out", c_int64, INTS, WIDE_INTS, INTS, INTS, c_int64, c_int32, TO_INTS, TO_BYTES)

clean_spaces = _function("clean_spaces", c_int64, TO_BYTES)
"""Drops spaces as some models' detokenisers do, in place; returns how many bytes are left."""


class Decoder:
    """Joins the bytes of tokens; token i is data[offsets[i] : offsets[i + 1]], the offsets never decrease."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self._kept = data, offsets
        self._tokens = BYTES.from_param(data), WIDE_INTS.from_param(offsets)

    def decode(self, ids: NDArray[np.int32], guess: int) -> NDArray[np.uint8]:
        """The bytes of some tokens; `guess` is how many there may be."""
        out = np.empty(guess, np.uint8)
        size = _decode(ids, *self._tokens, out)
        if size < 0:
            raise IndexError("ids that are none")
        return self.decode(ids, size) if size > guess else out[:size]


def lay_out(
    ids: NDArray[np.int32],
    counts: NDArray[np.int64],
    around: tuple[NDArray[np.int32], NDArray[np.int32]],
    most: int,
    filler: int,
    rows: NDArray[np.int32],
    mask: NDArray[np.uint8],
) -> None:
    """Write the ids of many texts, counts[i] those of text i, to rows[i], and `filler` behind them.

    around  what stands before and after each
    most    that a row may have, at least those after: the last ones before these are left out
    mask    uint8 of the shape of rows, all zero; 1 is written where a token is
    """
    if _lay_out(ids, counts, *around, most, filler, rows, mask) < 0:
        raise ValueError("arrays that do not fit each other")


# Encoders of pieces that match tokens rather than merge

_MATCHES = (BYTES, WIDE_INTS, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS)
_greedy_encode = _function("greedy_encode", c_int64, c_void_p, c_void_p, *_MATCHES)
_fewest_encode = _function("fewest_encode", c_int64, c_void_p, c_void_p, c_uint64, *_MATCHES)
_backtrack_encode = _function("backtrack_encode", c_int64, c_void_p, c_void_p, *_MATCHES)
_table_encode = _function("table_encode", c_int64, c_void_p, c_void_p, *_MATCHES)
_longest_symbol = _function("pairs_longest_symbol", c_int64, c_void_p)
_derivations_new = _function("derivations_new", c_void_p, c_void_p, TO_FLAGS)
_are_compatible = _function("are_compatible", c_int64, c_void_p, c_int32, c_int32)


class Derivations(_Handle):
    """How merging makes each symbol of a model, which is to have no longer ones than 4096 bytes.

    is_reached  bool[symbols]: whether a symbol comes out of merging its own text
    """

    _free = staticmethod(_function("derivations_free", None, c_void_p))

    def __init__(self, model: PairModel) -> None:
        self.is_reached = np.empty(len(model), np.bool_)
        super().__init__(_derivations_new(model._address, self.is_reached), model)
        if self._address is None:
            raise ValueError("a model with a symbol that is too long or ends within a character")

    def are_compatible(self, left: int, right: int) -> bool:
        """Whether merging leaves two symbols side by side, which are reached."""
        return bool(_are_compatible(self._address, left, right) > 0)


def longest_symbol(model: PairModel) -> int | None:
    """The length of the longest symbol in bytes; None where one ends within a character."""
    longest: int = _longest_symbol(model._address)
    return None if longest < 0 else longest


def encode_greedy(
    model: PairModel, tree: TokenTree, text: NDArray[np.uint8], ends: NDArray[np.int64], room: int
) -> TokenColumns:
    """The longest token, again and again: ids, starts and ends for pieces that end at `ends`.

    tree  of the bytes that the tokens of the model stand for
    room  for as many tokens as can stand for each byte
    """
    columns = _token_columns(room)
    return _cut(columns, _greedy_encode(model._address, tree._address, text, ends, *columns))


def encode_fewest(
    model: PairModel,
    tree: TokenTree,
    dropout: tuple[int, int],
    text: NDArray[np.uint8],
    ends: NDArray[np.int64],
    room: int,
) -> TokenColumns:
    """As few tokens as possible; dropout: how many of 2**32 uses are ruled out, and a random state, not 0."""
    columns = _token_columns(room)
    chance = dropout[0] << 32 | dropout[1]
    return _cut(columns, _fewest_encode(model._address, tree._address, chance, text, ends, *columns))


def encode_linear(
    derivations: Derivations,
    tree: TokenTree,
    by_table: bool,
    text: NDArray[np.uint8],
    ends: NDArray[np.int64],
    room: int,
) -> TokenColumns:
    """The compatible symbols, found with steps back or by a table; the tree is of all that are reached."""
    columns = _token_columns(room)
    encode = _table_encode if by_table else _backtrack_encode
    return _cut(columns, encode(derivations._address, tree._address, text, ends, *columns))


# WordPiece

_wordpiece_new = _long_function(
    "wordpiece_new", c_void_p, ctypes.POINTER(CodeTable), BYTES, WIDE_INTS, c_void_p, c_int32
)
_wordpiece_words = _function("wordpiece_words", c_void_p, c_void_p, BYTES, TO_WIDE_INTS, TO_WIDE_INTS)
_wordpiece_encode = _function(
    "wordpiece_encode", c_int64, c_void_p, BYTES, WIDE_INTS, c_bool, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)
_wordpiece_break = _function("wordpiece_break", c_int64, c_void_p, BYTES, c_int64, c_bool)


class WordPiece(_Handle):
    """Encodes words by the longest of all tokens; token i is data[offsets[i] : offsets[i + 1]].

    actions  int32[0x110000]  what becomes of each code point: what to add to it, times 4, plus an `Action`
    unknown  in the place of words of which some part is no token; may be -1
    """

    _free = staticmethod(_function("wordpiece_free", None, c_void_p))

    def __init__(
        self, actions: CodeTable, data: NDArray[np.uint8], offsets: NDArray[np.int64], unknown: int
    ) -> None:
        n_tokens = len(offsets) - 1
        tree = TokenTree(data, offsets, np.arange(n_tokens, dtype=np.int32), np.ones(n_tokens, np.bool_))
        super().__init__(
            _wordpiece_new(ctypes.byref(actions), data, offsets, tree._address, unknown), actions, tree
        )

    def words(self, text: NDArray[np.uint8]) -> tuple[Normalized, NDArray[np.int64]]:
        """The words of a text side by side, and where each ends."""
        ends, count = np.empty(len(text), np.int64), np.empty(1, np.int64)
        words = normalized(_wordpiece_words(self._address, text, ends, count))
        return words, ends[: count[0]]

    def encode(self, words: NDArray[np.uint8], ends: NDArray[np.int64], is_linked: bool) -> TokenColumns:
        """The tokens of normalised words: in one walk by failure links, or always the longest one."""
        columns = _token_columns(len(words))
        return _cut(columns, _wordpiece_encode(self._address, words, ends, is_linked, *columns))

    def word_break(self, text: NDArray[np.uint8], position: int, is_before: bool) -> int:
        """Where a word ends whatever stands beyond `position`: the last such place up to there, or 0.

        Or, not `is_before`, the first one from there on, or the end of the text.
        """
        return int(_wordpiece_break(self._address, text, position, is_before))


# Unigram


class _UnigramParts(ctypes.Structure):
    _fields_ = (
        *((name, _Array) for name in ("token_data", "token_offsets", "token_ids")),
        *((name, _Array) for name in ("units", "replacements", "kinds", "is_settled", "is_cut", "scores")),
        *((name, c_void_p) for name in ("user_defined", "tree", "matcher")),
        ("secret", c_uint64),
        ("unknown_score", c_double),
        ("unknown", c_int32),
        ("add_space_prefix", c_bool),
        ("removes_spaces", c_bool),
        ("is_single", c_bool),
    )


_unigram_new = _long_function("unigram_new", c_void_p, ctypes.POINTER(_UnigramParts))
_unigram_normalize = _function("unigram_normalize", c_void_p, c_void_p, BYTES)
_unigram_explodes = _function("unigram_explodes", c_int64, c_void_p, BYTES)
_unigram_segment = _function(
    "unigram_segment", c_int64, c_void_p, BYTES, TO_DOUBLES, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)
_unigram_segment_each = _function(
    "unigram_segment_each", c_int64, c_void_p, BYTES, WIDE_INTS, INTS, TO_INTS, TO_WIDE_INTS, TO_WIDE_INTS
)


class Unigram(_Handle):
    """Finds the segmentation with the highest sum of scores."""

    _free = staticmethod(_function("unigram_free", None, c_void_p))

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        user_defined: Sequence[bytes],
        matcher: TokenMatcher | None,
        unknown: tuple[int, float],
        spaces: tuple[bool, bool],
        is_single: bool = False,
    ) -> None:
        """A vocabulary; the arrays of a character map are of one that was checked.

        arrays   token_data, token_offsets   all tokens
                 token_ids     int32[k]      those that text can become
                 scores        float64[n]    of each token
                 units, replacements         uint32[…] and uint8[…], of the character map
                 kinds         uint8[256]    what may begin with a byte; see `text.settled_characters`
                 is_settled    bool[65536]   characters that the map leaves alone
                 is_cut        bool[256]     bytes that become a space wherever they stand
        matcher  of the tokens; only where some are so long that to walk down their tree takes too long
        unknown  the token that stands for other characters, or -1, and the score of each
        spaces   whether one is put before the text, and whether those that do not separate words are removed
        is_single  sums of scores are rounded as SentencePiece's are
        """
        trees = (
            _tree_of(user_defined),
            TokenTree(
                arrays["token_data"],
                arrays["token_offsets"],
                arrays["token_ids"],
                np.ones(len(arrays["scores"]), np.bool_),
            ),
        )
        parts = _UnigramParts(
            **{name: _Array(array.ctypes.data, array.size) for name, array in arrays.items()},
            user_defined=trees[0]._address,
            tree=trees[1]._address,
            matcher=None if matcher is None else matcher._address,
            secret=secret(),
            unknown=unknown[0],
            unknown_score=unknown[1],
            add_space_prefix=spaces[0],
            removes_spaces=spaces[1],
            is_single=is_single,
        )
        super().__init__(_unigram_new(ctypes.byref(parts)), arrays, trees, matcher)
        if self._address is None:
            raise ValueError("parts that do not fit each other")

    def normalize(self, text: NDArray[np.uint8]) -> Normalized:
        """What the text becomes.  Raises EncodeError where that is more than 256 MB."""
        if (address := _unigram_normalize(self._address, text)) is None:
            raise EncodeError("The file's character map turns this text into more than 256 MB. Encode less.")
        return normalized(address)

    def check_growth(self, text: NDArray[np.uint8]) -> None:
        """Raise EncodeError where a text becomes more than 128 times as long."""
        if _unigram_explodes(self._address, text):
            raise EncodeError(
                f"The file's character map turns this text of {len(text):,} bytes into more than 128 times "
                "as many. Such a map was made to do harm: choose another file."
            )

    def segment(self, text: NDArray[np.uint8], score: float) -> tuple[TokenColumns, float]:
        """The tokens of a normalised text, and the sum of scores behind it; `score` is that before it."""
        columns, sums = _token_columns(len(text)), np.array([score])
        count = _unigram_segment(self._address, text, sums, *columns)
        return _cut(columns, count), float(sums[0])

    def segment_each(
        self, text: NDArray[np.uint8], ends: NDArray[np.int64], byte_ids: NDArray[np.int32]
    ) -> TokenColumns:
        """The tokens of pieces that end at `ends`, each by itself: ids, starts, ends.

        What is unknown becomes the token that is its text, if any, else those of its bytes.

        byte_ids  int32[256]; -1 where a byte has none: then text that holds it stays unknown
        """
        columns = _token_columns(len(text))
        return _cut(columns, _unigram_segment_each(self._address, text, ends, byte_ids, *columns))


# Text as SentencePiece sees it

AS_THEY_ARE, MARKED, COMPACT = range(3)  # what becomes of spaces: see piece_text.h


class _PieceTextParts(ctypes.Structure):
    _fields_ = (
        *((name, _Array) for name in ("units", "replacements", "kinds", "is_settled")),
        *((name, c_void_p) for name in ("user_defined", "spelled_user_defined")),
        ("spaces", c_int32),
        *((name, c_bool) for name in ("adds_space", "adds_at_end", "removes_spaces", "keeps_space")),
    )


_piece_text_new = _function("piece_text_new", c_void_p, ctypes.POINTER(_PieceTextParts))
_piece_text_leaves_alone = _function("piece_text_leaves_alone", c_int64, c_void_p, BYTES)
_piece_text_normalize = _function("piece_text_normalize", c_void_p, c_void_p, BYTES, c_bool, c_bool)
_piece_text_user_defined = _function("piece_text_user_defined", c_int64, c_void_p, BYTES, TO_WIDE_INTS)


class PieceText(_Handle):
    """Changes text as a SentencePiece model asks."""

    _free = staticmethod(_function("piece_text_free", None, c_void_p))

    def __init__(
        self,
        arrays: dict[str, NDArray[Any]],
        user_defined: tuple[Sequence[bytes], Sequence[bytes]],
        spaces: int,
        switches: dict[str, bool],
    ) -> None:
        """The arrays of a character map are of one that was checked.

        arrays        units, replacements, kinds, is_settled: as for a Unigram
        user_defined  the pieces as they stand in a text, and in what becomes of one
        spaces        AS_THEY_ARE, MARKED or COMPACT
        switches      adds_space, adds_at_end (not in front), removes_spaces, and keeps_space: one is one
                      wherever it stands
        """
        trees = [_tree_of(texts) for texts in user_defined]
        parts = _PieceTextParts(
            **{name: _Array(array.ctypes.data, array.size) for name, array in arrays.items()},
            user_defined=trees[0]._address,
            spelled_user_defined=trees[1]._address,
            spaces=spaces,
            **switches,
        )
        super().__init__(_piece_text_new(ctypes.byref(parts)), arrays, trees)
        if self._address is None:
            raise ValueError("parts that do not fit each other")

    def leaves_alone(self, text: NDArray[np.uint8]) -> bool:
        """Whether nothing changes but for the space around a text; may say no where that holds."""
        return bool(_piece_text_leaves_alone(self._address, text))

    def normalize(self, text: NDArray[np.uint8], begins: bool, has_places: bool = True) -> Normalized:
        """What a text becomes that `begins` a document, or goes on behind something that is no space.

        Without places, if not asked for.  Raises EncodeError where it is more than 256 MB.
        """
        if (address := _piece_text_normalize(self._address, text, begins, has_places)) is None:
            raise EncodeError("This text becomes more than 256 MB before it is encoded. Encode less at once.")
        return normalized(address, has_places)

    def user_defined(self, text: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Where user-defined pieces begin and end in what became of a text, in turn."""
        places = np.empty(64, np.int64)
        if (count := _piece_text_user_defined(self._address, text, places)) > len(places):
            places = np.empty(count, np.int64)
            _piece_text_user_defined(self._address, text, places)
        return places[:count]


def _tree_of(texts: Sequence[bytes]) -> TokenTree:
    return TokenTree(*packed(texts), np.arange(len(texts), dtype=np.int32), np.ones(len(texts), np.bool_))


_part_encoder_new = _function("part_encoder_new", c_void_p, c_void_p, INTS, INTS)
_part_encoder_encode = _function("part_encoder_encode", c_int64, c_void_p, BYTES, TO_INTS)


class PartEncoders:
    """Encodes text part by part as SentencePiece does; parts that were met before are looked up.

    ids       int32[…]   those that text can become
    byte_ids  int32[256] tokens for the bytes of what is unknown, or none
    Threads may share it.
    """

    def __init__(self, model: Unigram, ids: NDArray[np.int32], byte_ids: NDArray[np.int32]) -> None:
        self._parts = model, ids, byte_ids
        self._idle = [_PartEncoder(*self._parts)]

    def encode(self, text: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The ids of a normalised text."""
        try:
            encoder = self._idle.pop()  # in one go, because another thread may be faster
        except IndexError:
            encoder = _PartEncoder(*self._parts)
        ids = np.empty(len(text) + SPARE_IDS, np.int32)
        ids.resize(_part_encoder_encode(encoder._address, text, ids), refcheck=False)
        self._idle.append(encoder)
        return ids


class _PartEncoder(_Handle):
    """Encodes one text after the other, for one thread at a time."""

    _free = staticmethod(_function("part_encoder_free", None, c_void_p))

    def __init__(self, model: Unigram, ids: NDArray[np.int32], byte_ids: NDArray[np.int32]) -> None:
        super().__init__(_part_encoder_new(model._address, ids, byte_ids), model, byte_ids)
        if self._address is None:
            raise ValueError("parts that do not fit each other")


# Text word by word

_word_encoder_new = _function("word_encoder_new", c_void_p, c_void_p, c_void_p)
_word_encoder_encode = _function("word_encoder_encode", c_int64, c_void_p, BYTES, TO_INTS)
_word_encoder_encode_each = _function(
    "word_encoder_encode_each", c_int64, c_void_p, BYTES, WIDE_INTS, TO_WIDE_INTS
)
_word_encoder_copy = _function("word_encoder_copy", None, c_void_p, TO_INTS)


class WordEncoders:
    """Encodes text word by word; words that were met before are looked up.  Threads may share it."""

    def __init__(self, model: WordPiece | Unigram) -> None:
        self._model = model
        self._idle = [_WordEncoder(model)]

    def encode(self, text: NDArray[np.uint8]) -> NDArray[np.int32]:
        """The ids of a text.  Raises EncodeError where the character map makes too much of a word."""
        encoder = self._borrowed()
        count = _word_encoder_encode(encoder._address, text, encoder.ids)
        ids = encoder.ids[:count].copy() if 0 <= count <= len(encoder.ids) else encoder.copied(count)
        self._idle.append(encoder)
        return ids

    def encode_each(
        self, texts: NDArray[np.uint8], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The ids of texts side by side, and how many each has; errors as for `encode`."""
        encoder, counts = self._borrowed(), np.empty(len(ends), np.int64)
        ids = encoder.copied(_word_encoder_encode_each(encoder._address, texts, ends, counts))
        self._idle.append(encoder)
        return ids, np.diff(counts, prepend=0)

    def _borrowed(self) -> _WordEncoder:
        """An encoder that nobody else has; taken in one go, because another thread may be faster."""
        try:
            return self._idle.pop()
        except IndexError:
            return _WordEncoder(self._model)


class _WordEncoder(_Handle):
    """Encodes one text after the other, for one thread at a time.

    ids  room for those of a short text
    """

    _free = staticmethod(_function("word_encoder_free", None, c_void_p))

    def __init__(self, model: WordPiece | Unigram) -> None:
        is_unigram = isinstance(model, Unigram)
        models = (None, model._address) if is_unigram else (model._address, None)
        super().__init__(_word_encoder_new(*models), model)
        self.ids = np.empty(SHORT_TEXT, np.int32)

    def copied(self, count: int) -> NDArray[np.int32]:
        """The ids of the last text."""
        if count < 0:
            raise EncodeError("The file's character map makes too much of a word. Encode a shorter text.")
        ids = np.empty(count, np.int32)
        _word_encoder_copy(self._address, ids)
        return ids
