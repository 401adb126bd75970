"""Cut text into pieces by the automata of its patterns; readable twin in core/text/readable_split.py.

A list of patterns is a list of levels: each cuts the pieces of the level above.  Only the way down to
the present piece is kept, so pieces come in order and a caller may take them in blocks of any size.  A piece
that no lower level can cut is final where it is found; that saves most of the ways down.

An attempt to match follows the automaton until no longer match is possible, and takes the last place where
a match could end.  What it reads beyond that place is read again; `barren` keeps this linear: it remembers
a stretch where the automaton stayed in one state and found no end, and no attempt goes through it twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.eight_bytes import (
    HIGH_BITS,
    count_letters,
    first_set_byte,
    load_eight,
    lowest_bit,
    marks,
)
from guiapp.core.kernels.pattern_windows import ALL, BEFORE, CUT, ONE, WIDTH, mark_ends
from guiapp.core.kernels.utf8 import code_at

NUMBERS_BY_THREE, DIGITS_BY_THREE = -1, -2

# In an entry of the transition table, below the offset of the next row:
ACCEPTS = np.uint64(1)  # a match ends before this character
TO_LETTERS = np.uint64(2)  # the next state stays what it is through a…z, and a match may end anywhere
TO_IDLE = np.uint64(4)  # the next state may stay what it is while no match ends
OPEN = np.uint64(8)  # the match that ends here may be cut by the levels below
ROW_SHIFT = np.uint64(4)
DEAD = np.uint64(0)
NO_BITS = np.uint64(0)

# Of a byte at one level: no match begins with it; the levels below may cut a piece with such characters.
NO_START, UNSETTLED = 1, 2

POSITION, LEVEL, FIRST_LEVEL = 0, 1, 2
# Of a level: the end of what it cuts, of a match ahead, whether that is open, the end of a run of numbers.
LIMIT, PENDING, PENDING_OPEN, RUN_END, FIELDS = 0, 1, 2, 3, 4

# In a level's table of words, by the first byte of a piece: a mask for the number of letters behind it, the
# row of the piece if there are none, and if there are some.  Rows say which bytes behind them end the piece.
REACH, ALONE, LED, FOLD, ROWS = 0, 256, 512, 768, 1024
WORD_ROOM = 18  # bytes from a piece's start that must exist to look for letters

FAR = 64  # bytes that are read again without ado

BELOW_A, AFTER_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)  # to 0x80 from "a", from "{"
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)


class PatternMachine(NamedTuple):
    """The automata of a list of patterns, over common classes of characters.

    classes      uint8[0x110000]  class of each code point
    transitions  uint32[…]        rows of c + 1 entries, for each class and for the end of the text
    levels       int64[k]         offset of the initial row, or NUMBERS_BY_THREE, DIGITS_BY_THREE
    starts       uint8[k, 256]    NO_START, UNSETTLED of the first bytes of characters; others are NO_START
    numbers      uint8[c]         1 for classes of numbers
    words        uint8[k, …]      pieces that are letters or one character, see `pattern_words`
    windows      uint8[…]         see `pattern_windows.py`; empty if there are several levels
    cuts         uint8[c, c]      1 where two characters are always in different pieces, see `pattern_cuts`
    """

    classes: NDArray[np.uint8]
    transitions: NDArray[np.uint32]
    levels: NDArray[np.int64]
    starts: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    numbers: NDArray[np.uint8]
    words: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    windows: NDArray[np.uint8]
    cuts: np.ndarray[tuple[int, int], np.dtype[np.uint8]]


@routine
def begin(n_levels: int, start: int, end: int) -> NDArray[np.int64]:
    """The progress of splitting data[start : end], for `next_ends`."""
    progress = np.zeros(FIRST_LEVEL + FIELDS * max(n_levels, 1), np.int64)
    progress[POSITION] = start
    progress[LEVEL] = 0 if start < end else -1
    progress[FIRST_LEVEL + LIMIT] = end
    return progress


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
def _after_small_letters(data: NDArray[np.uint8], at: int, limit: int) -> int:
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
                while at + 8 <= limit:  # `_after_small_letters`, in place
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
    indices: NDArray[np.uint16],
    flags: NDArray[np.uint8],
) -> int:
    """Add the same ends as `plain_ends`, most of them by `windows` where there are any."""
    size, start, at = len(ends), position, position
    while len(windows) and count < size and at + WIDTH < limit:
        if at < BEFORE or (start == at and data[at] >= 0x80):
            done = plain_ends(
                data, ends, count, size, start, limit, classes, transitions, first_row, end_class, words, True
            )
            if done == count:
                return count
            count = done
            start = at = int(ends[count - 1])
            continue
        unsure = mark_ends(data, at, windows, indices, flags)
        left = unsure | marks(flags, np.uint8(CUT))
        if start == at:
            left &= ~ONE
        following = at + WIDTH
        while left != NO_BITS and count < size:
            end = at + lowest_bit(left)
            is_unsure = unsure >> np.uint64(end - at) & ONE
            left &= left - ONE
            if not is_unsure:
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
            if start >= at + WIDTH or data[start] >= 0x80:
                following = start
                break
            left &= ALL << np.uint64(start - at) << ONE
        at = following
    if count < size and start < limit:
        count = plain_ends(
            data, ends, count, size, start, limit, classes, transitions, first_row, end_class, words, False
        )
    return count


@borrowing
def next_ends(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    progress: NDArray[np.int64],
    machine: PatternMachine,
    indices: NDArray[np.uint16],
    marked: NDArray[np.uint8],
) -> int:
    """Write the ends of the next pieces, as many as `ends` holds; fewer only after the last one.

    `indices` and `marked` have room for WIDTH.
    """
    classes, transitions, starts = machine.classes, machine.transitions, machine.starts
    end_class = np.uint64(machine.cuts.shape[0])
    last_level = len(machine.levels) - 1
    position, level = int(progress[POSITION]), int(progress[LEVEL])
    barren_row, barren_from, barren_to = DEAD, 0, 0
    count = 0
    while level >= 0 and count < len(ends):
        fields = FIRST_LEVEL + FIELDS * level
        limit, pending = int(progress[fields + LIMIT]), int(progress[fields + PENDING])
        pending_open = progress[fields + PENDING_OPEN] != 0
        kind = int(machine.levels[level])
        first_row = np.uint64(max(kind, 0))
        end, is_open = limit, False
        while position < limit and count < len(ends) and not is_open:
            if kind == NUMBERS_BY_THREE:
                end, is_open = _end_of_numbers(data, position, progress, fields, machine), level < last_level
            elif kind == DIGITS_BY_THREE:
                end, is_open = _end_of_digits(data, position, progress, fields), level < last_level
            elif pending > position:
                end, is_open = pending, pending_open
            else:
                words = machine.words[level]
                done = window_ends(
                    data,
                    ends,
                    count,
                    position,
                    limit,
                    classes,
                    transitions,
                    first_row,
                    end_class,
                    words,
                    machine.windows,
                    indices,
                    marked,
                )
                if done > count:
                    count, position = done, int(ends[done - 1])
                    continue
                end, attempt, gap = limit, position, 0
                while attempt < limit:
                    flags = starts[level, data[attempt]]
                    if flags & NO_START:
                        gap |= flags
                        attempt += 1
                        continue
                    row, idle_row, accepted, at, since = first_row, DEAD, -1, attempt, attempt
                    while True:
                        width, seen = 1, end_class
                        if at < limit:
                            byte = data[at]
                            seen = np.uint64(classes[byte])
                            if byte >= 0x80:
                                width = width_at(data, at)
                                seen = np.uint64(classes[code_at(data, at)])
                        entry = np.uint64(transitions[row + seen])
                        next_row = entry >> ROW_SHIFT
                        if entry & ACCEPTS:
                            accepted, pending_open = at, entry & OPEN != 0
                        if next_row == DEAD:
                            break
                        at += width
                        if entry & TO_LETTERS:
                            at = _after_small_letters(data, at, limit)
                        elif entry & TO_IDLE and next_row != row:
                            if next_row == barren_row and barren_from <= at <= barren_to:
                                break
                            idle_row, since = next_row, at
                        row = next_row
                    if next_row == DEAD and row == idle_row and accepted < since:
                        barren_row, barren_from, barren_to = row, since, at
                    if accepted >= 0:
                        end = accepted
                        break
                    gap |= flags
                    attempt += width_at(data, attempt)
                is_open = pending_open
                if attempt > position:
                    is_open = gap & UNSETTLED != 0 and attempt > position + 1
                    end, pending = attempt, end
            if not is_open:
                ends[count] = position = end
                count += 1
        progress[fields + PENDING], progress[fields + PENDING_OPEN] = pending, pending_open
        if is_open:
            level += 1
            for field in range(FIELDS):
                progress[fields + FIELDS + field] = 0
            progress[fields + FIELDS + LIMIT] = end
        while level >= 0 and progress[FIRST_LEVEL + FIELDS * level + LIMIT] == position:
            level -= 1
    progress[POSITION], progress[LEVEL] = position, level
    return count


@borrowing
def _end_of_numbers(
    data: NDArray[np.uint8], position: int, progress: NDArray[np.int64], fields: int, machine: PatternMachine
) -> int:
    """The end of the piece at `position`: a run of numbers is cut into what is over, then threes."""
    limit, at = int(progress[fields + LIMIT]), position
    size = 3
    if position >= progress[fields + RUN_END]:
        n_numbers = 0
        while at < limit and machine.numbers[machine.classes[code_at(data, at)]]:
            at += width_at(data, at)
            n_numbers += 1
        if n_numbers == 0:
            while at < limit and not machine.numbers[machine.classes[code_at(data, at)]]:
                at += width_at(data, at)
            return at
        progress[fields + RUN_END] = at
        size, at = (n_numbers - 1) % 3 + 1, position
    for _ in range(size):
        at += width_at(data, at)
    return at


@borrowing
def _end_of_digits(data: NDArray[np.uint8], position: int, progress: NDArray[np.int64], fields: int) -> int:
    """The end of the piece at `position`: cut where a multiple of three digits is left of a run."""
    limit, run_end = int(progress[fields + LIMIT]), int(progress[fields + RUN_END])
    if position + 3 < run_end:
        return position + 3
    at = max(position, run_end)
    while at < limit:
        run = at
        while at < limit and 48 <= data[at] <= 57:
            at += 1
        if at - run >= 3:
            cut = run + (at - run) % 3
            if cut == position:
                cut += 3
            progress[fields + RUN_END] = at
            if cut < at:
                return cut
        while at < limit and not 48 <= data[at] <= 57:
            at += 1
    return limit


@kernel
def split_block(
    data: NDArray[np.uint8], ends: NDArray[np.int64], progress: NDArray[np.int64], machine: PatternMachine
) -> int:
    """`next_ends` for Python."""
    indices, marked = np.empty(WIDTH, np.uint16), np.empty(WIDTH, np.uint8)
    return next_ends(data, ends, progress, machine, indices, marked)


@routine
def _start_of_character(data: NDArray[np.uint8], at: int) -> int:
    while at > 0 and at < len(data) and 0x80 <= data[at] < 0xC0:
        at -= 1
    return at


@kernel
def last_cut(data: NDArray[np.uint8], position: int, machine: PatternMachine) -> int:
    """The last certain cut whose two characters lie before `position`, or 0."""
    after = _start_of_character(data, position)
    right = -1
    while after > 0:
        at = after - 1
        while at > 0 and 0x80 <= data[at] < 0xC0:
            at -= 1
        left = int(machine.classes[code_at(data, at)])
        if right >= 0 and machine.cuts[left, right]:
            return after
        right, after = left, at
    return 0


@kernel
def first_cut(data: NDArray[np.uint8], position: int, machine: PatternMachine) -> int:
    """The first certain cut whose two characters lie at or after `position`, or len(data)."""
    at = position
    while at < len(data) and 0x80 <= data[at] < 0xC0:
        at += 1
    left = -1
    while at < len(data):
        right = int(machine.classes[code_at(data, at)])
        if left >= 0 and machine.cuts[left, right]:
            return at
        left = right
        at += width_at(data, at)
    return len(data)
