"""Cut text into pieces by the automata of its patterns; readable twin in core/text/readable_split.py.

A list of patterns is a list of levels: each cuts the pieces of the level above.  Only the way down to
the present piece is kept, so pieces come in order and a caller may take them in blocks of any size.

An attempt to match follows the automaton until no longer match is possible, and takes the last place where
a match could end.  What it reads beyond that place is read again; `barren` keeps this linear: it remembers
a stretch where the automaton stayed in one state and found no end, and no attempt goes through it twice.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.eight_bytes import HIGH_BITS, first_set_byte, load_eight
from guiapp.core.kernels.utf8 import code_at

NUMBERS_BY_THREE, DIGITS_BY_THREE = -1, -2

LOOPS, LOOPS_AND_ACCEPTS, SKIPS = 1, 2, 3

POSITION, LEVEL, FIRST_LEVEL = 0, 1, 2
LIMIT, PENDING, FIELDS = 0, 1, 2  # of a level: end of the piece that it cuts; end of what it has found ahead

BELOW_A, AFTER_Z = np.uint64(0x1F1F1F1F1F1F1F1F), np.uint64(0x0505050505050505)  # to 0x80 from "a", from "{"
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)


class PatternMachine(NamedTuple):
    """The automata of a list of patterns, over common classes of characters.

    classes      uint8[0x110000]  class of each code point
    transitions  int32[…]         rows of c + 2: for each class, and for the end of the text, twice the offset
                                  of the next row, plus 1 if a match ends before it; last, what a…z do to the
                                  state: LOOPS, LOOPS_AND_ACCEPTS; in an initial state SKIPS, none begins
    levels       int64[k]         offset of the initial row, or NUMBERS_BY_THREE, DIGITS_BY_THREE
    numbers      uint8[c]         1 for classes of numbers
    cuts         uint8[c, c]      1 where two characters are always in different pieces, see `pattern_cuts`
    """

    classes: NDArray[np.uint8]
    transitions: NDArray[np.int32]
    levels: NDArray[np.int64]
    numbers: NDArray[np.uint8]
    cuts: NDArray[np.uint8]


def begin(n_levels: int, start: int, end: int) -> NDArray[np.int64]:
    """The progress of splitting data[start : end], for `next_ends`."""
    progress = np.zeros(FIRST_LEVEL + FIELDS * n_levels, np.int64)
    progress[POSITION] = start
    progress[LEVEL] = 0 if start < end else -1
    progress[FIRST_LEVEL + LIMIT] = end
    return progress


@routine
def width_at(data: NDArray[np.uint8], at: int) -> int:
    """The number of bytes of the character that begins at `at`."""
    lead = data[at]
    return 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0)


@routine
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


@routine
def next_ends(
    data: NDArray[np.uint8], ends: NDArray[np.int64], progress: NDArray[np.int64], machine: PatternMachine
) -> int:
    """Write the ends of the next pieces, as many as `ends` holds; fewer only after the last one."""
    classes, transitions = machine.classes, machine.transitions
    end_class = machine.cuts.shape[0]
    behaviour = end_class + 1
    last_level = len(machine.levels) - 1
    position, level = int(progress[POSITION]), int(progress[LEVEL])
    barren_row, barren_from, barren_to = -1, 0, 0
    count = 0
    while level >= 0 and count < len(ends):
        fields = FIRST_LEVEL + FIELDS * level
        limit = int(progress[fields + LIMIT])
        first_row = int(machine.levels[level])
        if progress[fields + PENDING] > position and first_row >= 0:
            end = int(progress[fields + PENDING])
        elif first_row == NUMBERS_BY_THREE:
            end = _end_of_numbers(data, position, progress, fields, machine)
        elif first_row == DIGITS_BY_THREE:
            end = _end_of_digits(data, position, progress, fields)
        else:
            end = limit
            attempt = position
            while attempt < limit:
                row, accepted, at, since = first_row, -1, attempt, attempt
                while True:
                    width, seen = 1, end_class
                    if at < limit:
                        byte = data[at]
                        seen = classes[byte]
                        if byte >= 0x80:
                            width = width_at(data, at)
                            seen = classes[code_at(data, at)]
                    entry = transitions[row + seen]
                    if entry & 1:
                        accepted = at
                    next_row = entry >> 1
                    if next_row == 0:
                        break
                    at += width
                    if next_row != row:
                        row, since = next_row, at
                        if row == barren_row and barren_from <= at <= barren_to:
                            break
                    elif transitions[row + behaviour]:
                        after = _after_small_letters(data, at, limit)
                        if after > at and transitions[row + behaviour] == LOOPS_AND_ACCEPTS:
                            accepted = after - 1
                        at = after
                if next_row == 0 and accepted < since:
                    barren_row, barren_from, barren_to = row, since, at
                if accepted >= 0:
                    end = attempt if attempt > position else accepted
                    progress[fields + PENDING] = accepted
                    break
                attempt += width_at(data, attempt)
                if transitions[first_row + behaviour] == SKIPS:
                    attempt = _after_small_letters(data, attempt, limit)
        if level < last_level:
            level += 1
            progress[fields + FIELDS + LIMIT] = end
            progress[fields + FIELDS + PENDING] = 0
            continue
        ends[count] = end
        count += 1
        position = end
        while level >= 0 and progress[FIRST_LEVEL + FIELDS * level + LIMIT] == position:
            level -= 1
    progress[POSITION], progress[LEVEL] = position, level
    return count


@routine
def _end_of_numbers(
    data: NDArray[np.uint8], position: int, progress: NDArray[np.int64], fields: int, machine: PatternMachine
) -> int:
    """The end of the piece at `position`: a run of numbers is cut into what is over, then threes."""
    limit, run_end = int(progress[fields + LIMIT]), int(progress[fields + PENDING])
    size, at = 3, position
    if position >= run_end:
        n_numbers = 0
        while at < limit and machine.numbers[machine.classes[code_at(data, at)]]:
            at += width_at(data, at)
            n_numbers += 1
        if n_numbers == 0:
            while at < limit and not machine.numbers[machine.classes[code_at(data, at)]]:
                at += width_at(data, at)
            return at
        progress[fields + PENDING] = at
        size, at = (n_numbers - 1) % 3 + 1, position
    for _ in range(size):
        at += width_at(data, at)
    return at


@routine
def _end_of_digits(data: NDArray[np.uint8], position: int, progress: NDArray[np.int64], fields: int) -> int:
    """The end of the piece at `position`: cut where a multiple of three digits is left of a run."""
    limit, run_end = int(progress[fields + LIMIT]), int(progress[fields + PENDING])
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
            progress[fields + PENDING] = at
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
    return next_ends(data, ends, progress, machine)


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
        at = _start_of_character(data, after - 1)
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
