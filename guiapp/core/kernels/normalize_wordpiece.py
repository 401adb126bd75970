"""Words of a text for a WordPiece vocabulary, compiled; readable twin: text/normalizers.py."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.utf8 import map_stretch
from guiapp.core.text.normalizers import ALONE_RANGES, Action
from guiapp.core.text.unicode_tables import (
    CONTROL,
    MARK,
    N_CODES,
    PUNCTUATION,
    SYMBOL,
    categories,
    first_decomposed,
    lower_case,
    whitespace,
)

SKIP, END_WORD, STAND_ALONE, EXTEND_WORD = (int(action) for action in Action)
REPLACEMENT = 0xFFFD
LAST_CODE = 0x10FFFF


class ActionTable(NamedTuple):
    """What becomes of each code point: the row of `code` is pages[code >> 8], its column code & 255.

    pages  uint16[4352]
    rows   int32[n, 256]  what to add to the code point, times 4, plus the action
    """

    pages: NDArray[np.uint16]
    rows: np.ndarray[tuple[int, int], np.dtype[np.int32]]


@cache
def action_table(lowercase: bool, strip_accents: bool) -> ActionTable:
    """`normalizers.action_of` for all code points."""
    codes = np.arange(N_CODES, dtype=np.int32)
    plain = replaced(codes, first_decomposed()) if strip_accents else codes
    target = replaced(codes, lower_case())[plain] if lowercase else plain
    category = np.frombuffer(categories(), np.uint8)[plain]
    is_alone = (category == PUNCTUATION) | ((plain < 0x7F) & (category == SYMBOL))
    for first, last in ALONE_RANGES:
        is_alone |= (plain >= first) & (plain <= last)
    is_skipped = (plain == 0) | (plain == REPLACEMENT) | (category == CONTROL)
    if strip_accents:
        is_skipped |= category == MARK
    is_space = np.isin(plain, list(whitespace()))
    actions = np.select([is_space, is_skipped, is_alone], [END_WORD, SKIP, STAND_ALONE], EXTEND_WORD)
    values = ((target - codes) * 4 + actions).astype(np.int32).reshape(-1, 256)
    numbers: dict[bytes, int] = {}
    pages = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in values], np.uint16)
    rows = np.frombuffer(bytearray(b"".join(numbers)), np.int32).reshape(-1, 256)
    return ActionTable(pages, rows)


def replaced(codes: NDArray[np.int32], others: dict[int, int]) -> NDArray[np.int32]:
    """`codes` with some others in their places."""
    found = codes.copy()
    found[list(others)] = list(others.values())
    return found


@routine
def decode(data: NDArray[np.uint8], at: int) -> int:
    """The character at a position as code point * 8 + length; a broken byte is U+FFFD of length 1."""
    lead = int(data[at])
    if lead < 0x80:
        return lead * 8 + 1
    length = 2 + int(lead >= 0xE0) + int(lead >= 0xF0)
    if lead < 0xC0 or lead >= 0xF8 or at + length > len(data):
        return REPLACEMENT * 8 + 1
    code = lead & (0x7F >> length)
    for k in range(1, length):
        byte = int(data[at + k])
        if byte & 0xC0 != 0x80:
            return REPLACEMENT * 8 + 1
        code = code << 6 | (byte & 0x3F)
    if code > LAST_CODE:
        return REPLACEMENT * 8 + 1
    return code * 8 + length


@routine
def write_character(out: NDArray[np.uint8], at: int, code: int) -> int:
    """Write a code point in UTF-8; its length."""
    if code < 0x80:
        out[at] = code
        return 1
    if code < 0x800:
        out[at] = 0xC0 | code >> 6
        out[at + 1] = 0x80 | (code & 0x3F)
        return 2
    if code < 0x10000:
        out[at] = 0xE0 | code >> 12
        out[at + 1] = 0x80 | (code >> 6 & 0x3F)
        out[at + 2] = 0x80 | (code & 0x3F)
        return 3
    out[at] = 0xF0 | code >> 18
    out[at + 1] = 0x80 | (code >> 12 & 0x3F)
    out[at + 2] = 0x80 | (code >> 6 & 0x3F)
    out[at + 3] = 0x80 | (code & 0x3F)
    return 4


@borrowing
def write_words(
    text: NDArray[np.uint8],
    table: ActionTable,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    word_ends: NDArray[np.int64],
) -> int:
    """Write the words, each with U+2581 in front; word i ends at data[word_ends[i]].  Returns their number.

    Room needed: 4 bytes of data for each byte of text, one word for each byte.
    """
    at, size, n_words, in_word = 0, 0, 0, False
    while at < len(text):
        character = decode(text, at)
        length, code = character & 7, character >> 3
        value = int(table.rows[table.pages[code >> 8], code & 255])
        action = value & 3
        if in_word and (action == END_WORD or action == STAND_ALONE):
            word_ends[n_words] = size
            n_words += 1
            in_word = False
        if action >= STAND_ALONE:
            if not in_word:
                data[size], data[size + 1], data[size + 2] = 0xE2, 0x96, 0x81
                for k in range(3):
                    starts[size + k] = at
                    ends[size + k] = at
                size += 3
                in_word = True
            written = write_character(data, size, code + (value >> 2))
            map_stretch(starts, ends, size, written, at, at + length)
            size += written
            if action == STAND_ALONE:
                word_ends[n_words] = size
                n_words += 1
                in_word = False
        at += length
    if in_word:
        word_ends[n_words] = size
        n_words += 1
    return n_words


@kernel
def normalize(
    text: NDArray[np.uint8],
    table: ActionTable,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    word_ends: NDArray[np.int64],
) -> int:
    """`write_words`, for those who are not a kernel."""
    return write_words(text, table, data, starts, ends, word_ends)


@kernel
def word_break_before(text: NDArray[np.uint8], position: int, table: ActionTable) -> int:
    """The last offset up to `position` where a word ends, whatever stands behind `position`; or 0."""
    seen = text[:position]
    for offset in range(position, 0, -1):
        if _ends_word(seen[offset - 1], table) or (offset < position and _begins_apart(seen, offset, table)):
            return offset
    return 0


@kernel
def word_break_after(text: NDArray[np.uint8], position: int, table: ActionTable) -> int:
    """The first offset from `position` on where a word ends, whatever stands before; or the length."""
    for offset in range(position, len(text)):
        if _begins_apart(text, offset, table) or (offset > position and _ends_word(text[offset - 1], table)):
            return offset
    return len(text)


@routine
def _ends_word(byte: int, table: ActionTable) -> bool:
    """Whether a byte is a character that no word extends beyond."""
    action = int(table.rows[table.pages[0], byte]) & 3
    return byte < 0x80 and (action == END_WORD or action == STAND_ALONE)


@routine
def _begins_apart(text: NDArray[np.uint8], at: int, table: ActionTable) -> bool:
    """Whether a character begins here that does not belong to the word before."""
    if int(text[at]) & 0xC0 == 0x80:
        return False
    code = decode(text, at) >> 3
    action = int(table.rows[table.pages[code >> 8], code & 255]) & 3
    return action == END_WORD or action == STAND_ALONE
