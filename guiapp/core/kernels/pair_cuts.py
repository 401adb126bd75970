"""Where no token can reach across: between two characters that no token holds side by side.

Merging only ever makes strings that some rule makes.  So if none of them holds character d behind
character c, nothing merges across c|d, and what stands before is encoded independently of what follows.

In byte-level vocabularies tokens may begin and end within a character.  A partial character at an end
of a token counts by its byte next to the cut, as a neighbour of its own kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine

ONE, NO_BITS = np.uint64(1), np.uint64(0)
PAIR_MIX = 0x9E3779B1
MARKED_SPACE_CODE = 0x8196E2  # the bytes of U+2581 as a number, the first one lowest
SPACE = 0x20
MARGIN = 12  # bytes of well-formed text after which characters begin where they seem to, whatever was before


class PairCuts(NamedTuple):
    """Which characters stand side by side in some token.

    ascii         uint64[256]   of ASCII characters c and d: bit d & 63 of word 2c + (d >> 6)
    others        uint64[2^k]   a hashed set of bits for all others; a bit set by chance costs a cut
    spread        an odd number, drawn anew for each vocabulary
    marked_space  the code of a character that is the same as a space, or -1
    splits_characters  whether tokens may hold parts of characters
    """

    ascii: NDArray[np.uint64]
    others: NDArray[np.uint64]
    spread: int
    marked_space: int
    splits_characters: bool


@routine
def character_length(lead: int) -> int:
    """The bytes of a character by its first one, as pair merging sees it."""
    return 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0)


@routine
def character_code(cuts: PairCuts, data: NDArray[np.uint8], start: int, end: int) -> int:
    """A character as a number, one below 0x80 for ASCII."""
    code = 0
    for at in range(start, end):
        code |= int(data[at]) << (8 * (at - start))
    return SPACE if code == cuts.marked_space else code


@routine
def _is_marked_space(data: NDArray[np.uint8], at: int, length: int) -> bool:
    return length == 3 and data[at] == 0xE2 and data[at + 1] == 0x96 and data[at + 2] == 0x81


@routine
def _bit_of(cuts: PairCuts, mixed: np.int64) -> int:
    """The number of a pair's bit in the hashed set; `mixed` is the first code * PAIR_MIX + the second."""
    return int(mixed * cuts.spread >> 32) & (64 * len(cuts.others) - 1)


@routine
def _others_bit(cuts: PairCuts, mixed: np.int64) -> np.uint64:
    """That bit, the lowest one of what is returned."""
    bit = _bit_of(cuts, mixed)
    return np.uint64(cuts.others[bit >> 6] >> np.uint64(bit & 63))


@routine
def _has_pair(cuts: PairCuts, before: int | np.int64, after: int | np.int64) -> bool:
    if before < 0x80 and after < 0x80:
        return bool((cuts.ascii[2 * before + (after >> 6)] >> np.uint64(after & 63)) & ONE)
    return bool(_others_bit(cuts, np.int64(before) * PAIR_MIX + np.int64(after)) & ONE)


@routine
def _meet_nowhere(cuts: PairCuts, data: NDArray[np.uint8], start: int, middle: int, end: int) -> bool:
    """Whether no token reaches from the character data[start:middle] into the next, data[middle:end]."""
    before, after = character_code(cuts, data, start, middle), character_code(cuts, data, middle, end)
    if _has_pair(cuts, before, after):
        return False
    last, first = int(data[middle - 1]), int(data[middle])
    return not cuts.splits_characters or not (
        _has_pair(cuts, before, first) or _has_pair(cuts, last, after) or _has_pair(cuts, last, first)
    )


@routine
def whole_character(data: NDArray[np.uint8], at: int, end: int) -> int:
    """The length of the well-formed UTF-8 character at `at`, or 0."""
    lead = int(data[at])
    length = character_length(lead)
    if length == 1:
        return int(lead < 0x80)
    if lead < 0xC2 or lead > 0xF4 or at + length > end:
        return 0
    for following in range(at + 1, at + length):
        if data[following] & 0xC0 != 0x80:
            return 0
    second = int(data[at + 1])
    too_long = (lead == 0xE0 and second < 0xA0) or (lead == 0xF0 and second < 0x90)
    return 0 if too_long or (lead == 0xF4 and second > 0x8F) else length


@kernel
def last_cut(cuts: PairCuts, data: NDArray[np.uint8], end: int) -> int:
    """The last cut before data[:end] ends that does not depend on what follows; 0 if there is none.

    A broken character would swallow what follows it, so well-formed text must come before a cut.
    """
    middle = end - 1
    while middle > 0:
        following = whole_character(data, middle, end)
        if following:
            start = middle - 1
            while start > 0 and start > middle - 4 and data[start] & 0xC0 == 0x80:
                start -= 1
            whole = whole_character(data, start, middle) == middle - start
            if whole and _meet_nowhere(cuts, data, start, middle, middle + following):
                at = max(0, start - MARGIN)
                while at > 0 and at < start and data[at] & 0xC0 == 0x80:
                    at += 1
                while at < start and whole_character(data, at, start):
                    at += whole_character(data, at, start)
                if at == start:
                    return middle
        middle -= 1
    return 0


@kernel
def first_cut(cuts: PairCuts, data: NDArray[np.uint8], position: int) -> int:
    """The first cut behind `position` that does not depend on what precedes it; else len(data)."""
    start, n_whole, at = -1, 0, position
    while at < len(data):
        length = whole_character(data, at, len(data))
        if length == 0:
            start, n_whole = -1, 0
            at += 1
            continue
        if n_whole >= MARGIN and _meet_nowhere(cuts, data, start, at, at + length):
            return at
        start = at
        n_whole += length
        at += length
    return len(data)


@kernel
def enter_pairs(cuts: PairCuts, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
    """Note all neighbours in the strings data[offsets[i] : offsets[i + 1]]."""
    for row in range(len(offsets) - 1):
        at, end = offsets[row], offsets[row + 1]
        before = -1
        if cuts.splits_characters and at < end and data[at] & 0xC0 == 0x80:
            while at < end and data[at] & 0xC0 == 0x80:
                at += 1
            before = int(data[at - 1])
        while at < end:
            stop = at + character_length(int(data[at]))
            if stop > end and cuts.splits_characters:
                after = int(data[at])
            else:
                after = character_code(cuts, data, at, min(stop, end))
            if before >= 0:
                if before < 0x80 and after < 0x80:
                    cuts.ascii[2 * before + (after >> 6)] |= ONE << np.uint64(after & 63)
                else:
                    bit = _bit_of(cuts, np.int64(before) * PAIR_MIX + np.int64(after))
                    cuts.others[bit >> 6] |= ONE << np.uint64(bit & 63)
            before = after
            at = stop


@kernel
def unspell(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    stand_ins: NDArray[np.int32],
    marks_spaces: bool,
    out: NDArray[np.uint8],
    out_offsets: NDArray[np.int64],
) -> None:
    """The bytes of a text that each symbol stands for; nothing where it can stand for none.

    stand_ins  in byte-level vocabularies the byte of each code point or -1, in others empty
    """
    size = 0
    out_offsets[0] = 0
    for row in range(len(offsets) - 1):
        at, end, begin = offsets[row], offsets[row + 1], size
        while at < end:
            length = min(character_length(int(data[at])), end - at)
            if len(stand_ins):
                code = int(data[at])
                if length > 1:
                    code = (code & 0x1F) << 6 | (int(data[at + 1]) & 0x3F)
                if length > 2 or code >= len(stand_ins) or stand_ins[code] < 0:
                    size = begin
                    break
                out[size] = stand_ins[code]
                size += 1
            elif marks_spaces and _is_marked_space(data, at, length):
                out[size] = SPACE
                size += 1
            else:
                for index in range(length):
                    out[size + index] = data[at + index]
                size += length
            at += length
        out_offsets[row + 1] = size
