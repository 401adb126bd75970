"""Find where matches of a pattern end, by the automaton that the pattern became; see `pattern_machine.py`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.eight_bytes import (
    HIGH_BITS,
    count_letters,
    first_set_byte,
    load_eight,
    lowest_bit,
)
from guiapp.core.kernels.pattern_windows import (
    ALL,
    MOST_WORDS,
    ONE,
    WIDTH,
    Marks,
    known_behind_run,
    mark_ends,
)
from guiapp.core.kernels.utf8 import code_at
from guiapp.core.split import tables
from guiapp.core.split.windows import ALONE, BEFORE, CUT, FOLD, LED, REACH, ROWS

ACCEPTS, TO_LETTERS, TO_IDLE, OPEN, ROW_SHIFT = map(
    np.uint64, (tables.ACCEPTS, tables.TO_LETTERS, tables.TO_IDLE, tables.OPEN, tables.ROW_SHIFT)
)
DEAD = np.uint64(0)
NO_BITS = np.uint64(0)

WORD_ROOM = 18  # bytes from a piece's start that must exist to look for letters

PIECES_PER_WORD = 16  # about so many end among the bytes that are marked together

FAR = 64  # bytes that are read again without ado

BELOW_A, AFTER_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)  # to 0x80 from "a", from "{"
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)


@borrowing
def width_at(data: NDArray[np.uint8], at: int) -> int:
    """The number of bytes of the character that begins at `at`."""
    lead = data[at]
    return 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0)


@borrowing
def code_of_three(data: NDArray[np.uint8], at: int) -> int:
    """The code point of three bytes."""
    return (int(data[at]) & 0x0F) << 12 | (int(data[at + 1]) & 0x3F) << 6 | (int(data[at + 2]) & 0x3F)


@borrowing
def after_small_letters(data: NDArray[np.uint8], at: int, limit: int) -> int:
    """The first place from `at` on where there is no a…z; a few letters may be left before the limit."""
    while at + 8 <= limit:
        word = load_eight(data, at)
        low = word & LOW_BITS
        others = ~((low + BELOW_A) & ~(low + AFTER_Z) & ~word) & HIGH_BITS
        if others != np.uint64(0):
            return at + first_set_byte(others)
        at += 8
    return at


@borrowing
def plain_ends(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    count: int,
    size: int,
    position: int,
    limit: int,
    classes: NDArray[np.uint8],
    transitions: NDArray[np.uint32],
    first_row: np.uint64,
    end_class: np.uint64,
    words: NDArray[np.uint8],
    stops_at_ascii: bool,
) -> int:
    """Add the ends of final matches with at most one character between them; returns the new count.

    No more than `size` in all; with `stops_at_ascii` up to a piece that begins with ASCII, but at least one.

    Nearly all pieces are such, and this is the loop that finds them: what it leaves to the search that
    allows for everything are other gaps, open matches, and those that need a look far ahead.
    """
    start, fold, n_before = position, words[FOLD], count
    while count < size and start < limit:
        if stops_at_ascii and count > n_before and data[start] < 0x80:
            return count
        if start == position and start + WORD_ROOM <= limit:
            lead = int(data[start])
            n_letters = count_letters(data, start + 1, fold) & int(words[REACH + lead])
            at = start + 1 + n_letters
            row_of_lead = int(words[LED + lead]) if n_letters else int(words[ALONE + lead])
            if words[ROWS + (row_of_lead << 8) + int(data[at])]:
                ends[count] = position = start = at
                count += 1
                continue
        row, accepted, at = first_row, -1, start
        while True:
            width, seen = 1, end_class
            if at < limit:
                byte = data[at]
                seen = np.uint64(classes[byte])
                if byte >= 0x80:
                    width = width_at(data, at)
                    seen = np.uint64(classes[code_at(data, at)])
            entry = np.uint64(transitions[row + seen])
            if entry == ACCEPTS:  # so most matches end; apart, so that the processor can guess it
                accepted = at
                break
            if entry & ACCEPTS:
                accepted = at
            is_same = row == entry >> ROW_SHIFT
            row = entry >> ROW_SHIFT
            if entry & OPEN or (entry & TO_IDLE and at > position + FAR):
                return count
            if row == DEAD:
                break
            at += width
            if entry & TO_LETTERS and width == 1:
                while at + 8 <= limit:  # `after_small_letters`, in place
                    word = load_eight(data, at)
                    low = word & LOW_BITS
                    others = ~((low + BELOW_A) & ~(low + AFTER_Z) & ~word) & HIGH_BITS
                    if others != np.uint64(0):
                        at += first_set_byte(others)
                        break
                    at += 8
            elif is_same and width == 1:  # and the same for more of the same byte
                byte = data[at - 1]
                while at < limit and data[at] == byte:
                    at += 1
                if entry & ACCEPTS:
                    accepted = at - 1
            elif is_same and width == 3:  # and the same for more such characters
                while at + 3 <= limit and data[at] & 0xF0 == 0xE0:
                    if classes[code_of_three(data, at)] != seen:
                        break
                    at += 3
                if entry & ACCEPTS:
                    accepted = at - 3
        if accepted < 0:
            if start > position:
                return count
            start += width_at(data, start)
            continue
        if start > position:
            ends[count] = start
            count += 1
            if count == size:
                return count
        ends[count] = position = start = accepted
        count += 1
    return count


@borrowing
def window_ends(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    count: int,
    position: int,
    limit: int,
    classes: NDArray[np.uint8],
    transitions: NDArray[np.uint32],
    first_row: np.uint64,
    end_class: np.uint64,
    words: NDArray[np.uint8],
    windows: NDArray[np.uint8],
    known: Marks,
) -> int:
    """Add the same ends as `plain_ends`, most of them by `windows` where there are any.

    More words are marked at a time while nothing comes in between, but not more than the ends that there
    is room for are likely to need.
    """
    size, start, at, n_words = len(ends), position, position, 1
    cuts, unsure = known.cuts, known.unsure
    while len(windows) and count < size and at + WIDTH < limit:
        if at < BEFORE or (start == at and data[at] >= 0x80):
            done = plain_ends(
                data, ends, count, size, start, limit, classes, transitions, first_row, end_class, words, True
            )
            if done == count:
                return count
            count = done
            start = at = int(ends[count - 1])
            n_words = 1
            continue
        n_words = min(n_words, (limit - at - 1) // WIDTH, 1 + (size - count) // PIECES_PER_WORD)
        mark_ends(data, at, n_words, windows, known.groups, known.indices, known.flags, cuts, unsure)
        for word in range(n_words):
            after = at + WIDTH
            left = cuts[word] | unsure[word]
            if start >= at:
                left &= ALL << np.uint64(start - at) << ONE if start < after else NO_BITS
            if unsure[word] == NO_BITS and left != NO_BITS and count + WIDTH <= size:
                while left != NO_BITS:
                    ends[count] = at + lowest_bit(left)
                    count += 1
                    left &= left - ONE
                start = int(ends[count - 1])
            while left != NO_BITS and count < size:
                end = at + lowest_bit(left)
                is_cut = not unsure[word] >> np.uint64(end - at) & ONE
                left &= left - ONE
                if not is_cut:
                    behind_run = known_behind_run(data, end, limit, windows)
                    if behind_run == 0:
                        continue
                    is_cut = behind_run == CUT
                if is_cut:
                    ends[count] = start = end
                    count += 1
                    continue
                while start < end and count < size:
                    done = plain_ends(
                        data,
                        ends,
                        count,
                        count + 1,
                        start,
                        limit,
                        classes,
                        transitions,
                        first_row,
                        end_class,
                        words,
                        False,
                    )
                    if done == count:
                        return count
                    count = done
                    start = int(ends[count - 1])
                if start >= after or data[start] >= 0x80:
                    break
                left &= ALL << np.uint64(start - at) << ONE
            at = after
            if count == size:
                break
            if start < limit and data[start] >= 0x80:
                at = start
                break
        at = max(at, start)
        n_words = min(2 * n_words, MOST_WORDS)
    if count < size and start < limit:
        count = plain_ends(
            data, ends, count, size, start, limit, classes, transitions, first_row, end_class, words, False
        )
    return count
