"""Where the last piece of a text begins that grows character by character, and whether it is the rest of it.

Text is cut by a list of patterns; see `pattern_machine.py`.  A piece that has become long, like a word of a
thousand letters, mostly stays one piece with each letter more.  That is told here from the state of each
level's automaton, so that nobody has to cut all of the text again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.pair_cuts import character_length, whole_character
from guiapp.core.kernels.pattern_automaton import (
    ACCEPTS,
    DIGITS_BY_THREE,
    NUMBERS_BY_THREE,
    ROW_SHIFT,
    PatternMachine,
)
from guiapp.core.kernels.utf8 import REPLACEMENT, code_at
from guiapp.core.kernels.word_merges import FLAG_BITS, WordMerges

# Of `progress`: the bytes that are whole characters, where the piece and its second character begin, the
# class of the last character; behind that, for each level, the row of its automaton, or NO_MATCH.
WHOLE, ORIGIN, SECOND, BEFORE, ROWS = range(5)
ASCII_END = 0x80
NO_MATCH = 0  # has begun, nor can one begin with any character of the piece
NO_ENTRY = np.uint64(0)
UNKNOWN = 4  # in place of a number of begun bytes
NOT_APART = -1  # in place of a number of tokens that is to be found elsewhere


@borrowing
def grow_on(
    data: NDArray[np.uint8],
    size: int,
    progress: NDArray[np.int64],
    machine: PatternMachine,
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
) -> int:
    """Tell for each new prefix of data[:size] where its last piece begins; returns how far that is told.

    The text begins at a cut that is one of all its prefixes, too.  It is told no further than a character
    that is broken, or that ends a match in a way which changes what is before it.
    origins  of the prefix of each length; there is room for one more than bytes
    n_begun  how many bytes of a character that is not complete end the prefix, which become pieces of their
             own; 0 if all from the origin on is one piece; UNKNOWN if neither is sure
    """
    classes, transitions, cuts, levels = machine.classes, machine.transitions, machine.cuts, machine.levels
    numbers = machine.numbers
    at, origin, second = int(progress[WHOLE]), int(progress[ORIGIN]), int(progress[SECOND])
    before, n_levels = int(progress[BEFORE]), len(levels)
    replacement, end_class = int(classes[REPLACEMENT]), cuts.shape[0]
    while at < size:
        length, seen, is_one = 1, int(data[at]), True
        if seen >= ASCII_END:
            length = character_length(seen)
            is_apart = at == origin or cuts[before, replacement] != 0
            for n_bytes in range(1, min(length - 1, size - at) + 1):
                if n_bytes > 1 and data[at + n_bytes - 1] & 0xC0 != 0x80:
                    return at + n_bytes - 1
                origins[at + n_bytes], n_begun[at + n_bytes] = origin, n_bytes if is_apart else UNKNOWN
            if at + length > size:
                break
            if whole_character(data, at, size) == 0:
                return at + length - 1
            seen = code_at(data, at)
        seen = int(classes[seen])
        if at > origin and cuts[before, seen] != 0:
            origin = at
        elif n_levels == 1 and at > origin and progress[ROWS] != NO_MATCH:
            if np.uint64(transitions[progress[ROWS] + seen]) == ACCEPTS:
                origin = at
        if at == origin:
            second = at + length
        level, is_gap = 0, True
        while level < n_levels:
            kind = int(levels[level])
            if kind == NUMBERS_BY_THREE or kind == DIGITS_BY_THREE:
                if numbers[seen] != 0 or 48 <= data[at] <= 57:
                    return at + length - 1
                level += 1
                continue
            row, begun = int(progress[ROWS + level]), int(np.uint64(transitions[kind + seen]) >> ROW_SHIFT)
            following = begun
            if at > origin:
                entry = np.uint64(transitions[row + seen]) if row != NO_MATCH else NO_ENTRY
                following = int(entry >> ROW_SHIFT)
                ends_here = row != NO_MATCH and (at != second or entry & ACCEPTS != NO_ENTRY)
                if following == NO_MATCH and (ends_here or begun != NO_MATCH):
                    if ends_here or not is_gap or not _accepts_all(transitions, begun, end_class):
                        return at + length - 1
                    origin, second, level, is_one = at, at + length, 0, True
                    continue
                accepts = np.uint64(transitions[following + end_class]) & ACCEPTS != NO_ENTRY
                is_one &= following == NO_MATCH or accepts
            progress[ROWS + level] = following
            is_gap &= following == NO_MATCH
            level += 1
        before = seen
        at += length
        origins[at], n_begun[at] = origin, 0 if is_one else UNKNOWN
        progress[WHOLE], progress[ORIGIN], progress[SECOND], progress[BEFORE] = at, origin, second, before
    return size


@borrowing
def _accepts_all(transitions: NDArray[np.uint32], row: int, end_class: int) -> bool:
    """Whether a match may end here whatever follows."""
    for seen in range(end_class + 1):
        if np.uint64(transitions[row + seen]) & ACCEPTS == NO_ENTRY:
            return False
    return True


@kernel
def grow(
    data: NDArray[np.uint8],
    progress: NDArray[np.int64],
    machine: PatternMachine,
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
) -> int:
    """`grow_on` for Python."""
    return grow_on(data, len(data), progress, machine, origins, n_begun)


@kernel
def grow_characters(
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    words: WordMerges,
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
) -> None:
    """Tell the same of all prefixes of texts that are one piece each, but for what is no start symbol.

    Their bytes, as those of a character that is not complete, stand for themselves: `n_begun` tells how many.
    It stays UNKNOWN from a broken character or one of four bytes on.
    """
    of_byte, of_character, start = words.of_byte, words.of_character, 0
    for text in range(len(ends)):
        end, origin, at = int(ends[text]), start, start
        while at < end:
            length, has_symbol = character_length(int(texts[at])), int(of_byte[texts[at]]) >= 0
            if length == 4 or (texts[at] >= ASCII_END and length == 1):
                break
            n_bytes = 1
            while n_bytes < length and at + n_bytes < end and texts[at + n_bytes] & 0xC0 == 0x80:
                origins[at + n_bytes], n_begun[at + n_bytes] = origin, n_bytes
                n_bytes += 1
            if n_bytes < length:
                if at + n_bytes == end:
                    origins[end], n_begun[end] = origin, n_bytes
                break
            if length > 1:
                if whole_character(texts, at, end) == 0:
                    break
                has_symbol = int(of_character[code_at(texts, at)]) >> FLAG_BITS != 0
            at += length
            origins[at], n_begun[at] = origin, 0 if has_symbol else length
            if not has_symbol:
                origin = at
        for last in range(at + 1, end + 1):
            origins[last] = origin
        start = end


@kernel
def add_counts(
    first: int,
    end: int,
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
    in_table: NDArray[np.int32],
    of_begun: NDArray[np.int64],
    own: NDArray[np.int64],
    counts: NDArray[np.int32],
) -> None:
    """Write the tokens of the prefixes of lengths first, first + 1, … end - 1.

    in_table  by the length of a prefix, its tokens and those of other pieces that end with it
    of_begun  those of so many bytes of a character that is not complete
    own       of each of these prefixes, the tokens from its origin on where neither tells; or NOT_APART
    """
    for length in range(first, end):
        origin, n_bytes = int(origins[length]), int(n_begun[length])
        more = int(own[length - first])
        if more == NOT_APART and n_bytes > 0:
            origin, more = length - n_bytes, int(of_begun[n_bytes])
        elif more == NOT_APART:
            more = int(in_table[length]) - int(in_table[origin])
        counts[length] = counts[origin] + more
