"""What a Unigram vocabulary makes of a text before it encodes it; readable twin: text/normalizers.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import child
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.text.charsmap import Charsmap

VALUE_AND_LABEL = 0x800000FF
VALUE = 0x7FFFFFFF
LEAF = 0x100
SPACE = 0x20
ANYTHING, PLAIN, IN_USER_DEFINED, THREE_BYTES = range(4)


def lead_kinds(is_plain: NDArray[np.bool_], user_defined: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """uint8[256]: what may begin with a byte.

    PLAIN            ASCII that stays as it is where ASCII or nothing follows: `is_plain`
    IN_USER_DEFINED  a user-defined token, all of which begin with one of the bytes `user_defined`
    THREE_BYTES      a character of three bytes
    """
    kinds = np.where(is_plain, PLAIN, ANYTHING).astype(np.uint8)
    kinds[0xE0:0xF0] = THREE_BYTES
    kinds[user_defined] = IN_USER_DEFINED
    return kinds


@routine
def write_normalized(
    text: NDArray[np.uint8],
    units: NDArray[np.uint32],
    replacements: NDArray[np.uint8],
    user_defined: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    is_kept: NDArray[np.bool_],
    add_space_prefix: bool,
    remove_extra_whitespaces: bool,
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the normalised text as far as there is room; returns the room that all of it needs.

    units, replacements  of the character map
    user_defined  edges of a trie of the user-defined tokens
    kinds         uint8[256]: what may begin with a byte, by `lead_kinds`
    is_kept       bool[65536]: characters of three bytes that no key of the map begins with
    """
    at, size, in_word, has_prefix = 0, 0, False, False
    while at < len(text):
        length, replacement, kind = 0, -1, kinds[text[at]]
        if kind == PLAIN and (at + 1 == len(text) or text[at + 1] < 0x80):
            length = 1
        elif kind == IN_USER_DEFINED:
            length = _user_defined_length(text, at, user_defined)
        elif kind == THREE_BYTES and character_length(text, at) == 3:
            code = (int(text[at]) & 0x0F) << 12 | (int(text[at + 1]) & 0x3F) << 6 | (int(text[at + 2]) & 0x3F)
            length = 3 * int(is_kept[code])
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
                starts[size] = start
                ends[size] = end
            size += 1
        at += length
    return size


@kernel
def normalize(
    text: NDArray[np.uint8],
    charsmap: Charsmap,
    user_defined: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    is_kept: NDArray[np.bool_],
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
        is_kept,
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
    for k in range(3):
        starts[at + k] = min(start + k, end)
        ends[at + k] = min(start + k + 1, end)
    ends[at + 2] = end


@routine
def _user_defined_length(text: NDArray[np.uint8], at: int, edges: NDArray[np.int64]) -> int:
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
    if len(units) == 0:
        return 0
    match = 0
    node = _base(int(units[0]))
    for position in range(at, len(text)):
        byte = int(text[position])
        node ^= byte
        unit = int(units[node])
        if byte == 0 or unit & VALUE_AND_LABEL != byte:
            break
        node ^= _base(unit)
        if unit & LEAF:
            match = (int(units[node]) & VALUE) << 31 | (position - at + 1)
    return match


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
