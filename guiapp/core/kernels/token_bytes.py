"""What every token of a vocabulary stands for, as bytes: llama.cpp's token_to_piece for all ids at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine

# How tokens spell the text that they stand for.
MARKED_SPACES = 0  # U+2581 is a space
BYTE_STAND_INS = 1  # GPT-2's printable characters
ESCAPES = 2  # \n, \xHH (RWKV)
PLAIN = 3  # as it is (PLaMo 2)

UNKNOWN, NORMAL, CONTROL, USER_DEFINED, BYTE = 1, 4, 8, 16, 32  # bits of vocabulary.Attribute
TAKEN_AS_WRITTEN = UNKNOWN | CONTROL | USER_DEFINED

NAME_PREFIX = np.array(list(b"[UNK_BYTE_0x"), np.uint8)
HEX_DIGITS = np.array(list(b"0123456789abcdef"), np.uint8)


@kernel
def spell_out(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    attributes: NDArray[np.uint16],
    spelling: int,
    stand_ins: NDArray[np.int32],
    name_unknown: bool,
    out: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> int:
    """Write the bytes of token i to out[ends[i] : ends[i + 1]]; returns how many bytes all have.

    With an empty `out` only the lengths are computed.  `name_unknown`: characters of byte-level
    tokens that stand for no byte become llama.cpp's `[UNK_BYTE_0x…]`, else they stay as they are.
    """
    at = 0
    ends[0] = 0
    for row in range(len(attributes)):
        start = offsets[row]
        end = offsets[row + 1]
        bits = attributes[row]
        if spelling == ESCAPES:
            at = _unescape(data, start, end, out, at)
        elif spelling == PLAIN:
            if bits & BYTE:
                at = _put(out, at, _hex_byte(data, start, end))
            else:
                at = _copy(data, start, end, out, at)
        elif bits & TAKEN_AS_WRITTEN:
            at = _copy(data, start, end, out, at)
        elif bits & NORMAL:
            if spelling == MARKED_SPACES:
                at = _unmark_spaces(data, start, end, out, at)
            else:
                at = _unspell(data, start, end, stand_ins, name_unknown, out, at)
        elif bits & BYTE:
            at = _put(out, at, _hex_byte(data, start, end))
        ends[row + 1] = at
    return at


@routine
def _put(out: NDArray[np.uint8], at: int, byte: int) -> int:
    if at < len(out):
        out[at] = byte
    return at + 1


@routine
def _copy(data: NDArray[np.uint8], start: int, end: int, out: NDArray[np.uint8], at: int) -> int:
    if at + end - start <= len(out):
        for index in range(end - start):
            out[at + index] = data[start + index]
    return at + end - start


@routine
def _unmark_spaces(data: NDArray[np.uint8], start: int, end: int, out: NDArray[np.uint8], at: int) -> int:
    source = start
    while source < end:
        if (
            source + 2 < end
            and data[source] == 0xE2
            and data[source + 1] == 0x96
            and data[source + 2] == 0x81
        ):
            at = _put(out, at, 0x20)
            source += 3
        else:
            at = _put(out, at, data[source])
            source += 1
    return at


@routine
def _unspell(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    stand_ins: NDArray[np.int32],
    name_unknown: bool,
    out: NDArray[np.uint8],
    at: int,
) -> int:
    """Decode byte stand-ins; `stand_ins[code point]` is the byte, or -1."""
    source = start
    while source < end:
        width = _character_width(data, source, end)
        code_point = int(data[source])
        if width == 0:  # not UTF-8: this byte counts as U+FFFD
            code_point = 0xFFFD
        elif width > 1:
            code_point = code_point & (0x7F >> width)
            for following in range(source + 1, source + width):
                code_point = (code_point << 6) | (int(data[following]) & 0x3F)
        if code_point < len(stand_ins) and stand_ins[code_point] >= 0:
            at = _put(out, at, stand_ins[code_point])
        elif name_unknown:
            at = _name_unknown(data, start, end, code_point, out, at)
        else:
            at = _copy(data, source, source + max(width, 1), out, at)
        source += max(width, 1)
    return at


@routine
def _character_width(data: NDArray[np.uint8], at: int, end: int) -> int:
    """Bytes of the character at `at`, 0 where none begins; overlong forms and surrogates count too."""
    first = int(data[at])
    if first < 0x80:
        return 1
    if first < 0xC0 or first >= 0xF8:
        return 0
    width = 2 + (first >= 0xE0) + (first >= 0xF0)
    if at + width > end:
        return 0
    for following in range(at + 1, at + width):
        if data[following] & 0xC0 != 0x80:
            return 0
    if first > 0xF4 or (first == 0xF4 and data[at + 1] > 0x8F):  # beyond U+10FFFF
        return 0
    return width


@routine
def _name_unknown(
    data: NDArray[np.uint8], start: int, end: int, code_point: int, out: NDArray[np.uint8], at: int
) -> int:
    """Write `[UNK_BYTE_0x`, the character's UTF-8 in hexadecimal, the whole token and `]`."""
    for index in range(len(NAME_PREFIX)):
        at = _put(out, at, NAME_PREFIX[index])
    if code_point < 0x80:
        at = _put_hex(out, at, code_point)
    else:
        width = 2 + (code_point >= 0x800) + (code_point >= 0x10000)
        at = _put_hex(out, at, ((0xF00 >> width) & 0xFF) | (code_point >> (6 * (width - 1))))
        for left in range(width - 2, -1, -1):
            at = _put_hex(out, at, 0x80 | ((code_point >> (6 * left)) & 0x3F))
    at = _copy(data, start, end, out, at)
    return _put(out, at, 0x5D)


@routine
def _put_hex(out: NDArray[np.uint8], at: int, byte: int) -> int:
    at = _put(out, at, HEX_DIGITS[byte >> 4])
    return _put(out, at, HEX_DIGITS[byte & 15])


@routine
def _hex_byte(data: NDArray[np.uint8], start: int, end: int) -> int:
    """The byte named by `<0xHH>`: what C's strtol makes of the fourth and fifth character."""
    first = _hex_digit(data[start + 3]) if start + 3 < end else -1
    second = _hex_digit(data[start + 4]) if start + 4 < end else -1
    if first >= 0:
        return first * 16 + second if second >= 0 else first
    if second < 0:
        return 0
    sign = data[start + 3]
    if sign == 0x2D:
        return (256 - second) & 0xFF
    return second if sign == 0x2B or sign == 0x20 or 0x09 <= sign <= 0x0D else 0


@routine
def _hex_digit(character: int) -> int:
    if 0x30 <= character <= 0x39:
        return int(character) - 0x30
    if 0x41 <= character <= 0x46:
        return int(character) - 0x37
    if 0x61 <= character <= 0x66:
        return int(character) - 0x57
    return -1


@routine
def _unescape(data: NDArray[np.uint8], start: int, end: int, out: NDArray[np.uint8], at: int) -> int:
    r"""Write the bytes behind `\t`, `\n`, `\r`, `\xHH` and `\` before any other character."""
    source = start
    while source < end:
        character = int(data[source])
        source += 1
        if character != 0x5C:
            at = _put(out, at, character)
            continue
        if source == end:
            break
        escaped = int(data[source])
        source += 1
        if escaped == 0x78:
            if source + 2 > end:
                break
            at = _put(out, at, (_rwkv_digit(data[source]) * 16 + _rwkv_digit(data[source + 1])) & 0xFF)
            source += 2
        elif escaped == 0x74:
            at = _put(out, at, 0x09)
        elif escaped == 0x6E:
            at = _put(out, at, 0x0A)
        elif escaped == 0x72:
            at = _put(out, at, 0x0D)
        else:
            at = _put(out, at, escaped)
    return at


@routine
def _rwkv_digit(character: int) -> int:
    """A letter counts from `a` as ten and anything below it from `0`, valid or not."""
    return int(character) - 0x57 if 0x61 <= character < 0x80 else int(character) - 0x30
