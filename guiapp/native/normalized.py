"""Text that is not UTF-8, and text that a normaliser changed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_bool, c_int32, c_int64, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.errors import EncodeError
from guiapp.native.binding import Array, Bytes, Handle, Ints, WideInts, arrays, checked, function
from guiapp.native.model_files import packed
from guiapp.native.token_tree import TokenTreeHandle

_share_spans = function("share_spans(handle, >wide_ints, >wide_ints)")
MOST_SPAN_COLUMNS = 255
SpanArrays = tuple[WideInts, WideInts, NDArray[np.bool_]]
TOO_LONG = "This text becomes more than 256 MB before it is encoded. Encode less text at once."
AS_THEY_ARE, MARKED, COMPACT = range(3)  # spelling of spaces: see piece_text.h
_normalized_size = function("normalized_size(handle)")
_normalized_copy = function("normalized_copy(handle, >bytes, >wide_ints, >wide_ints) -> nothing")
_normalized_free = function("normalized_free(handle) -> nothing")
_repair = function("repair(bytes) -> handle")

Normalized = tuple[Bytes, WideInts, WideInts]


def normalized(address: int) -> Normalized:
    """The result of a normaliser of the library, as arrays: data, starts, ends; frees it."""
    size = _normalized_size(address)
    columns = np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.int64)
    _normalized_copy(address, *columns)
    _normalized_free(address)
    return columns


def repair(text: Bytes) -> Normalized | None:
    """The text as llama.cpp reads it; None if the bytes are the same."""
    address = _repair(text)
    return None if address is None else normalized(address)


class CodeTable(ctypes.Structure):
    """A number for each code point in two levels: `code` has rows[pages[code >> 8], code & 255]."""

    _fields_ = arrays("pages", "rows")

    def __init__(self, values: Ints) -> None:
        """`values` is int32[0x110000]; equal pages of 256 values are stored once."""
        numbers: dict[bytes, int] = {}
        pages = [numbers.setdefault(row.tobytes(), len(numbers)) for row in values.reshape(-1, 256)]
        self.arrays = np.array(pages, np.uint16), np.frombuffer(b"".join(numbers), np.int32)
        super().__init__(*(Array.of(array) for array in self.arrays))


# Text in SentencePiece's view


class _PieceTextParts(ctypes.Structure):
    _fields_ = (
        *arrays("units", "replacements", "kinds", "is_settled"),
        *((name, c_void_p) for name in ("user_defined", "spelled_user_defined")),
        ("spaces", c_int32),
        *((name, c_bool) for name in ("adds_space", "adds_at_end", "removes_spaces", "keeps_space")),
    )


_piece_text_new = function("piece_text_new(structure) -> handle")
_piece_text_leaves_alone = function("piece_text_leaves_alone(handle, bytes)")
_piece_text_normalize = function("piece_text_normalize(handle, bytes, flag) -> handle")
_piece_text_user_defined = function("piece_text_user_defined(handle, bytes, >wide_ints)")


class PieceTextHandle(Handle, free="piece_text_free"):
    """Changes text as a SentencePiece model asks."""

    def __init__(
        self,
        tables: dict[str, NDArray[Any]],
        user_defined: tuple[Sequence[bytes], Sequence[bytes]],
        spaces: int,
        switches: dict[str, bool],
    ) -> None:
        """The arrays of a character map must be checked, as by `open_charsmap`.

        tables        units, replacements, kinds, is_settled: as for a Unigram
        user_defined  the pieces as spelled in a text, and in a normalised text
        spaces        AS_THEY_ARE, MARKED or COMPACT
        switches      adds_space, adds_at_end (not at the beginning), removes_spaces, and keeps_space: a space
                      is a space wherever it occurs
        """
        trees = [TokenTreeHandle.of(*packed(texts)) for texts in user_defined]
        parts = _PieceTextParts(
            **{name: Array.of(table) for name, table in tables.items()},
            user_defined=trees[0].address,
            spelled_user_defined=trees[1].address,
            spaces=spaces,
            **switches,
        )
        super().__init__(_piece_text_new(parts), tables, trees)

    def leaves_alone(self, text: Bytes) -> tuple[bool, bool]:
        """Whether nothing changes except the space around a text, and each byte stands for itself."""
        result = _piece_text_leaves_alone(self, text)
        return result > 0, result > 1

    def normalize(self, text: Bytes, begins: bool) -> Normalized:
        """The normalised form of a text that `begins` a document, or follows something other than a space.

        Raises EncodeError if it is more than 256 MB.
        """
        if (address := _piece_text_normalize(self, text, begins)) is None:
            raise EncodeError(TOO_LONG)
        return normalized(address)

    def user_defined(self, text: Bytes) -> WideInts:
        """The starts and ends of user-defined pieces in a normalised text, alternating."""
        edges = np.empty(64, np.int64)
        if (count := _piece_text_user_defined(self, text, edges)) > len(edges):
            edges = np.empty(count, np.int64)
            _piece_text_user_defined(self, text, edges)
        return edges[:count]


# Spans of several tokenizers over one text


class _SpanColumn(ctypes.Structure):
    _fields_ = arrays("starts", "ends", "are_special", "shares")


def share_spans(columns: Sequence[SpanArrays]) -> tuple[list[Bytes], WideInts]:
    """For n columns of tokens of one text: in how many columns each token's span is, and the differences.

    A column is starts, ends and which tokens are special, to distinguish empty ones at one offset; starts and
    ends never decrease and tokens do not overlap.  The differences are int64[k, 2 + 2n]: start and end of a
    range whose edges no token of any column crosses and which has no such edge inside, then for each column
    the first token of the range and the one after its last.
    """
    shares = [np.empty(len(starts), np.uint8) for starts, _, _ in columns]
    rows = [
        (*map(np.ascontiguousarray, column, (np.int64, np.int64, np.bool_)), share)
        for column, share in zip(columns, shares, strict=True)
    ]
    given = (_SpanColumn * len(rows))(*[_SpanColumn(*map(Array.of, row)) for row in rows])
    room = sum(map(len, shares)) // 8 + 64  # enough for most texts; else it is all done again
    while True:
        result = np.empty((room, 2 + 2 * len(rows)), np.int64)
        count = checked(_share_spans(given, np.zeros(2 * len(rows), np.int64), result))
        if count <= room:
            return shares, result[:count].copy()
        room = count


_tint_spans = function("tint_spans(handle, >wide_ints, wide_int)")
NO_TINT = 255


class _TintedColumn(ctypes.Structure):
    _fields_ = (*arrays("starts", "ends", "tints"), ("before", c_int64), ("behind", c_int64))


def tint_spans(
    columns: Sequence[tuple[WideInts, WideInts]],
    outer_tints: Sequence[tuple[int, int]],
    n_tints: int,
) -> list[Bytes]:
    """Colours for the tokens of n columns over one text, given as starts and ends: numbers below n_tints.

    Equal spans have the same colour in all columns, and neighbours in a column differ if n + 2 <= n_tints.
    The first and last tokens also differ from the tokens beyond them, whose colours `outer_tints` gives for
    each column, NO_TINT for none, if all those after have one span.  Tokens without text have 0.
    """
    tints = [np.empty(len(starts), np.uint8) for starts, _ in columns]
    rows: list[tuple[NDArray[Any], ...]] = [
        (*(np.ascontiguousarray(array, np.int64) for array in column), tint)
        for column, tint in zip(columns, tints, strict=True)
    ]
    given = (_TintedColumn * len(rows))(
        *[_TintedColumn(*map(Array.of, row), *ends) for row, ends in zip(rows, outer_tints, strict=True)]
    )
    checked(_tint_spans(given, np.zeros(len(rows), np.int64), n_tints))
    return tints


# Split text into pieces by tables


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
        """The ends of the pieces of concatenated well-formed texts that end at `text_ends`."""
        ends = np.empty(len(text), np.int64)
        return ends[: _split(self, text, text_ends, ends)].copy()

    def split_matches(self, text: Bytes, text_ends: WideInts) -> tuple[WideInts, NDArray[np.bool_]]:
        """The same for tables of one pattern, and for each piece whether the pattern matches it."""
        ends, are_matches = np.empty(len(text), np.int64), np.empty(len(text), np.bool_)
        count = _split_matches(self, text, text_ends, ends, are_matches)
        return ends[:count].copy(), are_matches[:count].copy()

    def last_cut(self, text: Bytes, position: int) -> int:
        """The last offset, with its characters before `position`, at which pieces always meet; or 0."""
        return int(_last_cut(self, text, position))

    def first_cut(self, text: Bytes, position: int) -> int:
        """The first such offset with its characters at or after `position`; or the size of the text."""
        return int(_first_cut(self, text, position))
