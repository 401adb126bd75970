"""What a Unigram vocabulary makes of a text before it encodes it; readable twin: text/normalizers.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import child
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.text.charsmap import Charsmap

VALUE_AND_LABEL = 0x800000FF
VALUE = 0x7FFFFFFF
LEAF = 0x100
SPACE = 0x20
ANYTHING, PLAIN, IN_USER_DEFINED, TWO_BYTES, THREE_BYTES = range(5)


def lead_kinds(is_plain: NDArray[np.bool_], user_defined: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8[256]: what may begin with a byte.

    PLAIN            no space, and stays as it is where ASCII or nothing follows: `is_plain`
    IN_USER_DEFINED  a user-defined token, all of which begin with one of the bytes `user_defined`
    TWO_BYTES, THREE_BYTES  a character of this size
    """
    kinds = np.where(is_plain, PLAIN, ANYTHING).astype(np.uint8)
    kinds[SPACE] = ANYTHING
    kinds[0xC0:0xE0] = TWO_BYTES
    kinds[0xE0:0xF0] = THREE_BYTES
    kinds[user_defined] = IN_USER_DEFINED
    return kinds


@borrowing
def write_normalized(
    text: NDArray[np.uint8],
    units: NDArray[np.uint32],
    replacements: NDArray[np.uint8],
    user_defined: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    is_settled: NDArray[np.bool_],
    add_space_prefix: bool,
    remove_extra_whitespaces: bool,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the normalised text as far as there is room; returns the room that all of it needs.

    starts, ends  where its bytes come from; empty where nobody wants to know
    units, replacements  of the character map
    user_defined  edges of a trie of the user-defined tokens
    kinds         uint8[256]: what may begin with a byte, by `lead_kinds`
    is_settled    bool[65536]: see `settled_characters`
    """
    at, size, in_word, has_prefix = 0, 0, False, False
    while at < len(text):
        stop = _end_of_settled(text, at, kinds, is_settled)
        if stop > at:
            if not in_word:
                in_word = True
                if remove_extra_whitespaces or (add_space_prefix and not has_prefix):
                    has_prefix = True
                    _put_space_symbol(data, starts, ends, size, at, at)
                    size += 3
            if size + stop - at <= len(data):
                _copy(text, at, stop, data, starts, ends, size)
            size += stop - at
            at = stop
            continue
        length, replacement = 0, -1
        if kinds[text[at]] == IN_USER_DEFINED:
            length = user_defined_length(text, at, user_defined)
        n_output = length
        if length == 0:
            match = _longest_match(text, at, units)
            if match > 0:
                length = match & VALUE
                replacement = match >> 31
                n_output = 0
                while replacements[replacement + n_output]:
                    n_output += 1
            else:
                length = character_length(text, at)
                n_output = length if length else 3
        is_broken = length == 0
        if is_broken:
            length = 1
        for k in range(n_output):
            start = at + min(k, length)
            end = at + length if k == n_output - 1 else at + min(k + 1, length)
            if replacement >= 0:
                byte = int(replacements[replacement + k])
            elif is_broken:
                byte = 0xEF if k == 0 else 0xBF if k == 1 else 0xBD
            else:
                byte = int(text[at + k])
            if byte == SPACE:
                in_word = False
                if not remove_extra_whitespaces:
                    _put_space_symbol(data, starts, ends, size, start, end)
                    size += 3
                continue
            if not in_word:
                in_word = True
                if remove_extra_whitespaces or (add_space_prefix and not has_prefix):
                    has_prefix = True
                    _put_space_symbol(data, starts, ends, size, start, start)
                    size += 3
            if size < len(data):
                data[size] = byte
                if len(starts):
                    starts[size] = start
                    ends[size] = end
            size += 1
        at += length
    return size


@routine
def _end_of_settled(
    text: NDArray[np.uint8], start: int, kinds: NDArray[np.uint8], is_settled: NDArray[np.bool_]
) -> int:
    """How far the text stays as it is from `start` on."""
    at, last, size = start, start, len(text)
    while at < size:
        lead = int(text[at])
        kind = kinds[lead]
        if kind == PLAIN:
            last = at
            at += 1
            continue
        if lead < 0x80:
            return at
        length = 2 if kind == TWO_BYTES else 3
        if kind < TWO_BYTES or at + length > size or int(text[at + 1]) & 0xC0 != 0x80:
            return last
        code = lead << 6 | (int(text[at + 1]) & 0x3F)
        if length == 3:
            if int(text[at + 2]) & 0xC0 != 0x80:
                return last
            code = code << 6 | (int(text[at + 2]) & 0x3F)
        if not is_settled[code & (0x7FF if length == 2 else 0xFFFF)]:
            return last
        last = at
        at += length
    return at


@routine
def _copy(
    text: NDArray[np.uint8],
    start: int,
    stop: int,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    at: int,
) -> None:
    """Write text[start:stop], which stays as it is."""
    for k in range(stop - start):
        data[at + k] = text[start + k]
    if len(starts):
        for k in range(stop - start):
            starts[at + k] = start + k
            ends[at + k] = start + k + 1


@kernel
def normalize(
    text: NDArray[np.uint8],
    charsmap: Charsmap,
    user_defined: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    is_settled: NDArray[np.bool_],
    add_space_prefix: bool,
    remove_extra_whitespaces: bool,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """`write_normalized`, for those who are not a kernel."""
    return write_normalized(
        text,
        charsmap.units,
        charsmap.replacements,
        user_defined,
        kinds,
        is_settled,
        add_space_prefix,
        remove_extra_whitespaces,
        data,
        starts,
        ends,
    )


@routine
def _put_space_symbol(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64], at: int, start: int, end: int
) -> None:
    """Write U+2581 for a stretch of the text, where there is room."""
    if at + 3 > len(data):
        return
    data[at], data[at + 1], data[at + 2] = 0xE2, 0x96, 0x81
    if len(starts) == 0:
        return
    for k in range(3):
        starts[at + k] = min(start + k, end)
        ends[at + k] = min(start + k + 1, end)
    ends[at + 2] = end


@routine
def user_defined_length(text: NDArray[np.uint8], at: int, edges: NDArray[np.int64]) -> int:
    """How many bytes of the text are the beginning of a user-defined token."""
    position = at
    node = child(edges, len(edges), int(text[at]))
    while node >= 0:
        position += 1
        if position == len(text):
            break
        node = child(edges, node, int(text[position]))
    return position - at


@routine
def _longest_match(text: NDArray[np.uint8], at: int, units: NDArray[np.uint32]) -> int:
    """Length of the longest key here plus 2**31 times its replacement's offset; 0 if there is none."""
    return match_in_prefix(text, at, len(text), units) >> 1


@routine
def match_in_prefix(text: NDArray[np.uint8], at: int, size: int, units: NDArray[np.uint32]) -> int:
    """Twice `_longest_match` in text[:size], and 1 more if bytes to come may make a longer key of it."""
    if len(units) == 0:
        return 0
    match = 0
    node = _base(int(units[0]))
    for position in range(at, size):
        byte = int(text[position])
        node ^= byte
        unit = int(units[node])
        if byte == 0 or unit & VALUE_AND_LABEL != byte:
            return 2 * match
        node ^= _base(unit)
        if unit & LEAF:
            match = (int(units[node]) & VALUE) << 31 | (position - at + 1)
    return 2 * match + 1


@routine
def _base(unit: int) -> int:
    return (unit >> 10) << ((unit & 0x200) >> 6)


@routine
def character_length(text: NDArray[np.uint8], at: int) -> int:
    """The bytes of the character at a position, whatever its value; 0 if none is complete there."""
    lead = int(text[at])
    if lead < 0x80:
        return 1
    length = 2 + int(lead >= 0xE0) + int(lead >= 0xF0)
    if lead < 0xC0 or lead >= 0xF8 or at + length > len(text):
        return 0
    for k in range(1, length):
        if int(text[at + k]) & 0xC0 != 0x80:
            return 0
    return length
