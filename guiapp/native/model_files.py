"""The texts of tokens in model files, and the long parts of these files, which Python would read slowly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.native.binding import (
    Bytes,
    Handle,
    Ints,
    NotCopied,
    WideInts,
    array_as,
    checked,
    cut,
    function,
    long_function,
    secret,
)

_strings_new = long_function("strings_new(bytes, wide_ints, unsigned) -> handle")
_strings_find = function("strings_find(handle, bytes, wide_ints, >ints)")
_strings_duplicate = function("strings_duplicate(handle, >ints)")
_take_strings = function("take_strings(bytes, wide_ints, wide_ints, >bytes, >wide_ints)")

Packed = tuple[Bytes, WideInts]
"""Concatenated texts: uint8[…], and the start of each, int64[n + 1]."""
_decode = function("decode(ints, bytes, wide_ints, >bytes)")
_fill_in = function("fill_in(ints, wide_ints, ints, bytes, wide_ints, >bytes)")
_write_rows = function("lay_out(ints, wide_ints, ints, ints, wide_int, int, >ints, >bytes)")

clean_spaces = function("clean_spaces(>bytes)")
"""Drops spaces as some models' detokenisers do, in place; returns the number of bytes that are left."""
# Strings of a GGUF file

_gguf_skip = function("gguf_skip(bytes, wide_int, wide_int, >wide_ints)")
_gguf_pack = long_function("gguf_pack(bytes, wide_int, flag, >wide_ints, >bytes)")
count_unsplittable = long_function("count_unsplittable(bytes, wide_ints)")

NAME_BYTES = 27  # room for `[EMPTY_<row>]`, and after the last string


def skip_gguf_strings(data: Bytes, at: int, count: int) -> tuple[int, int]:
    """The number of whole strings, at most `count`, from byte `at` on, and the end of the last one."""
    end = np.empty(1, np.int64)
    return _gguf_skip(data, at, count, end), int(end[0])


def pack_gguf_strings(data: Bytes, at: int, count: int, name_empty: bool) -> tuple[Bytes, WideInts, int]:
    """The strings from byte `at` on, cut at the first NUL: uint8[…], offsets int64[count + 1].

    The last item is the number of cut or empty ones; `name_empty` renames the latter to `[EMPTY_<row>]`.
    """
    offsets = np.empty(count + 1, np.int64)
    packed = np.empty(len(data) - at + NAME_BYTES * (count + 1), np.uint8)
    n_odd = _gguf_pack(data, at, name_empty, offsets, packed)
    if n_odd < 0:
        raise ValueError("strings that are not whole")
    return cut(packed, int(offsets[-1])), offsets, n_odd


# Fields of a SentencePiece model

_model_count = function("model_count(bytes, wide_int, >wide_ints)")
_model_read = function("model_read(bytes, >bytes, >wide_ints, >floats, >ints, >wide_ints)")


class ModelFields(NamedTuple):
    """The fields of a SentencePiece model.

    texts    uint8[…] and int64[n + 1], packed: of each piece
    scores   float32[n]
    kinds    int32[n]     1 if the file gives none, or an unknown one
    others   int64[m, 3]  number, start and size of each other message in it
    """

    texts: Packed
    scores: NDArray[np.float32]
    kinds: Ints
    others: WideInts


def read_model_fields(data: Bytes, most: int) -> ModelFields | int:
    """The fields of a model, or the offset where it is broken; for more than `most` pieces, no texts."""
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


# The bytes that tokens stand for

MARKED_SPACES, BYTE_STAND_INS, ESCAPES, PLAIN = range(4)  # how they are spelled, see token_bytes.cpp

_spell_out = long_function("spell_out(bytes, wide_ints, shorts, wide_int, ints, flag, >bytes, >wide_ints)")


def spell_out(
    texts: Packed,
    attributes: NDArray[np.uint16],
    spelling: int,
    byte_of_code: Ints,
    name_unknown: bool,
    size: int,
) -> tuple[Bytes, WideInts, int]:
    """The first `size` bytes that all tokens stand for: data, int64[n + 1], and the full size."""
    out, ends = np.empty(size, np.uint8), np.empty(len(texts[1]), np.int64)
    full = _spell_out(*texts, attributes, spelling, byte_of_code, name_unknown, out, ends)
    return out, ends, checked(full)


_spell_bytes = function("spell_bytes(bytes, wide_ints, >bytes, >wide_ints)")


def spell_bytes(texts: Packed) -> Packed:
    """Texts with GPT-2's printable character for each of their bytes."""
    data, offsets = np.empty(2 * len(texts[0]), np.uint8), np.empty(len(texts[1]), np.int64)
    return cut(data, checked(_spell_bytes(*texts, data, offsets))), offsets


# The long parts of a tokenizer.json and of a tekken.json, and the lines of tiktoken's files

_json_texts = function("json_texts(bytes, wide_int, >bytes, >wide_ints, >wide_ints, >wide_ints)")
_json_ranks = function("json_ranks(bytes, wide_int, >bytes, >wide_ints, >wide_ints, >wide_ints)")
_rank_lines = function("rank_lines(bytes, >bytes, >wide_ints, >wide_ints)")
MOST_JSON_TEXTS = 1 << 23
QUOTE, BRACE = ord('"'), ord("{")


def json_texts(text: Bytes, start: int) -> tuple[Packed, WideInts, int, int] | None:
    """The object of texts and whole numbers, or the list of texts or pairs of them, that begins at `start`.

    Returns the texts as `packed` does, the numbers, its end, and the number of pairs; None for other forms.
    The text is UTF-8 without surrogates.
    """
    most = min(int(np.count_nonzero(text[start:] == QUOTE)) // 2, MOST_JSON_TEXTS)
    n_numbers, ends = most if text[start] == BRACE else 0, np.empty(2, np.int64)
    read = partial(_json_texts, text, start)
    texts = _filled(read, len(text) - start, most, n_numbers, ends)
    return None if isinstance(texts, int) else (*texts, int(ends[0]), int(ends[1]))


def json_ranks(text: Bytes, start: int) -> tuple[Packed, WideInts, int] | None:
    """The list of objects with a "rank" and "token_bytes" in base64 that begins at `start` of such a text.

    Returns the tokens' bytes as `packed` does, the ranks, and its end; None for any other form.
    """
    most, end = 1 + min(int(np.count_nonzero(text[start:] == BRACE)), MOST_JSON_TEXTS), np.empty(1, np.int64)
    texts = _filled(partial(_json_ranks, text, start), len(text) - start, most, most, end)
    return None if isinstance(texts, int) else (*texts, int(end[0]))


def rank_lines(text: Bytes, n_lines: int) -> tuple[Packed, WideInts] | int:
    """The tokens, as `packed` gives them, and ranks of `n_lines` lines of base64 and a number.

    If a line is something else: the number of lines before the first such line.
    """
    texts = _filled(partial(_rank_lines, text), len(text), n_lines, n_lines)
    return -1 - texts if isinstance(texts, int) else texts


def _filled(
    read: Callable[..., int], size: int, most: int, n_numbers: int, *ends: WideInts
) -> tuple[Packed, WideInts] | int:
    """The texts that a function reads, and their numbers, if there are any; or its result if negative.

    size, most, n_numbers  room: bytes of all texts, texts and numbers
    ends                   other arrays that it fills
    """
    data, offsets = np.empty(size, np.uint8), np.empty(most + 1, np.int64)
    numbers = np.empty(n_numbers, np.int64)
    count = int(read(data, offsets, numbers, *ends))
    if count < 0:
        return count
    data, offsets = cut(data, int(offsets[count])), cut(offsets, count + 1)
    return (data, offsets), cut(numbers, min(count, len(numbers)))


# From token ids to bytes, and to rows of a batch


class TokenDecoder(NotCopied):
    """Joins the bytes of tokens; token i is data[offsets[i] : offsets[i + 1]], the offsets never decrease."""

    def __init__(self, data: Bytes, offsets: WideInts) -> None:
        self._owners = data, offsets
        self._tokens = array_as("bytes", data), array_as("wide_ints", offsets)

    def decode(self, ids: Ints, guess: int) -> Bytes:
        """The bytes of some tokens; `guess` is their expected number."""
        out = np.empty(guess, np.uint8)
        size = _decode(ids, *self._tokens, out)
        if size < 0:
            raise IndexError("ids outside of the vocabulary")
        return self.decode(ids, size) if size > guess else out[:size]


def fill_in(rows: Ints, numbers: WideInts, widths: Ints, texts: Packed) -> Bytes:
    """Rows of n numbers each, from 0 on, written out in decimal between n + 1 texts: row i has texts from
    (n + 1) * rows[i] on.

    widths  of each number, padded with spaces; 0: the previous width is for both together.  Empty: no padding
    """
    write = partial(_fill_in, rows, numbers, widths, *texts)
    out = np.empty(0, np.uint8)
    while (size := checked(write(out))) > len(out):
        out = np.empty(size, np.uint8)
    return out[:size]


def write_rows(
    ids: Ints,
    counts: WideInts,
    affixes: tuple[Ints, Ints],
    most: int,
    filler: int,
    rows: Ints,
    mask: Bytes,
) -> None:
    """Write the ids of many texts, counts[i] those of text i, to rows[i], and `filler` after them.

    affixes  the ids before and after each text
    most    maximum length of a row, at least the ids after: the last ids before these are left out
    mask    uint8 of the shape of rows, all zero; 1 is written where a token is
    """
    checked(_write_rows(ids, counts, *affixes, most, filler, rows, mask))


# Many strings in one array, and finding a string among them


def packed(texts: Sequence[bytes]) -> Packed:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer(b"".join(texts), np.uint8), offsets


def take_texts(texts: Packed, rows: WideInts) -> Packed:
    """The texts of some rows, each named at most once, in that order."""
    data, offsets = np.empty(len(texts[0]), np.uint8), np.empty(len(rows) + 1, np.int64)
    return cut(data, checked(_take_strings(*texts, rows, data, offsets))), offsets


class StringTable(Handle, free="strings_free"):
    """Finds strings; string i is data[offsets[i] : offsets[i + 1]]; of equal ones, the first."""

    def __init__(self, data: Bytes, offsets: WideInts) -> None:
        self.data, self.offsets = data, offsets
        super().__init__(_strings_new(data, offsets, secret()))

    def text(self, row: int) -> bytes:
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()

    def find(self, texts: Sequence[bytes]) -> Ints:
        """int32[n]: the row of each text, -1 for those that are not in the table."""
        return self._find(*packed(texts))

    def find_each(self, data: Bytes, ends: WideInts) -> Ints:
        """int32[n]: the row of each of some concatenated texts that end at `ends`, or -1."""
        return self._find(data, np.concatenate([[0], ends]))

    def _find(self, data: Bytes, offsets: WideInts) -> Ints:
        rows = np.empty(len(offsets) - 1, np.int32)
        _strings_find(self, data, offsets, rows)
        return rows

    def first_duplicates(self) -> tuple[int, int] | None:
        """The rows of two equal strings, the pair whose second row is lowest, or None."""
        earlier = np.empty(1, np.int32)
        later = _strings_duplicate(self, earlier)
        return None if later < 0 else (int(earlier[0]), later)


_sort_longest_first = long_function("sort_longest_first(>ints, wide_ints)")


def sort_longest_first(rows: Ints, lengths: WideInts) -> None:
    """Sort rows by `lengths` in place; equal ones are in the order of GNU's std::sort."""
    checked(_sort_longest_first(rows, lengths))


# Concatenated texts in one array, as in a vocabulary


def sliced(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> list[bytes]:
    """All texts data[offsets[i] : offsets[i + 1]] as bytes, whose slicing costs a tenth of an array's."""
    joined = data.tobytes()
    return [joined[start:end] for start, end in pairwise(offsets.tolist())]
