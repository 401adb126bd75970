"""Cut text into pieces by the automata of its patterns; readable twin in core/split/readable.py.

A list of patterns is a list of levels: each cuts the pieces of the level above.  Only the way down to
the present piece is kept, so pieces come in order and a caller may take them in blocks of any size.  A piece
that no lower level can cut is final where it is found; that saves most of the ways down.

An attempt to match follows the automaton until no longer match is possible, and takes the last place where
a match could end.  What it reads beyond that place is read again; `barren` keeps this linear: it remembers
a stretch where the automaton stayed in one state and found no end, and no attempt goes through it twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.pattern_automaton import (
    ACCEPTS,
    DEAD,
    OPEN,
    ROW_SHIFT,
    TO_IDLE,
    TO_LETTERS,
    after_small_letters,
    plain_ends,
    width_at,
    window_ends,
)
from guiapp.core.kernels.pattern_windows import WIDTH, Marks, new_marks
from guiapp.core.kernels.utf8 import code_at
from guiapp.core.split.tables import (
    DIGITS_BY_THREE,
    NO_START,
    NUMBERS_BY_THREE,
    UNSETTLED,
    PatternMachine,
)

POSITION, LEVEL, FIRST_LEVEL = 0, 1, 2
# Of a level: the end of what it cuts, of a match ahead, whether that is open, the end of a run of numbers.
LIMIT, PENDING, PENDING_OPEN, RUN_END, FIELDS = 0, 1, 2, 3, 4


@routine
def begin(n_levels: int, start: int, end: int) -> NDArray[np.int64]:
    """The progress of splitting data[start : end], for `next_ends`."""
    progress = np.zeros(FIRST_LEVEL + FIELDS * max(n_levels, 1), np.int64)
    progress[POSITION] = start
    progress[LEVEL] = 0 if start < end else -1
    progress[FIRST_LEVEL + LIMIT] = end
    return progress


@borrowing
def next_ends(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    progress: NDArray[np.int64],
    machine: PatternMachine,
    known: Marks,
) -> int:
    """Write the ends of the next pieces, as many as `ends` holds; fewer only after the last one."""
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
                    known,
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
                            at = after_small_letters(data, at, limit)
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
    """The end of the piece at `position`: a run of numbers is cut into what is over, then threes.

    The text before a run belongs to its first piece.
    """
    limit, at = int(progress[fields + LIMIT]), position
    size = 3
    if position >= progress[fields + RUN_END]:
        while at < limit and not machine.numbers[machine.classes[code_at(data, at)]]:
            at += width_at(data, at)
        run, n_numbers = at, 0
        while at < limit and machine.numbers[machine.classes[code_at(data, at)]]:
            at += width_at(data, at)
            n_numbers += 1
        if n_numbers == 0:
            return limit
        progress[fields + RUN_END] = at
        size, at = (n_numbers - 1) % 3 + 1, run
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
    return next_ends(data, ends, progress, machine, new_marks())


@kernel
def split_each(
    data: NDArray[np.uint8], text_ends: NDArray[np.int64], ends: NDArray[np.int64], machine: PatternMachine
) -> int:
    """Write the ends of the pieces of many texts, one behind the other in `data`; returns how many.

    Short ones are left to `plain_ends` as far as that can tell: to hand a machine over takes longer.
    """
    count, start, known, few = 0, 0, new_marks(), np.empty(WIDTH, np.int64)
    progress = begin(len(machine.levels), 0, 0)
    is_plain = len(machine.levels) == 1 and machine.levels[0] >= 0
    classes, transitions, words = machine.classes, machine.transitions, np.empty(0, np.uint8)
    first_row, end_class = DEAD, np.uint64(machine.cuts.shape[0])
    if is_plain:
        first_row, words = np.uint64(machine.levels[0]), machine.words[0]
    for text in range(len(text_ends)):
        text_end = int(text_ends[text])
        if is_plain and start < text_end and text_end - start <= WIDTH:
            n_pieces = plain_ends(
                data, few, 0, WIDTH, start, text_end, classes, transitions, first_row, end_class, words, False
            )
            if n_pieces and few[n_pieces - 1] == text_end:
                for piece in range(n_pieces):
                    ends[count + piece] = few[piece]
                count += n_pieces
                start = text_end
                continue
        seen, room, shift = data, few, 0
        if text_end - start > WIDTH:  # so many bytes that what stands before them would be looked at
            seen, room, shift = data[start:text_end], ends[count:], start
        progress[POSITION], progress[LEVEL] = start - shift, 0 if start < text_end else -1
        for field in range(FIELDS):
            progress[FIRST_LEVEL + field] = 0
        progress[FIRST_LEVEL + LIMIT] = text_end - shift
        n_pieces = next_ends(seen, room, progress, machine, known)
        for piece in range(n_pieces):
            ends[count + piece] = room[piece] + shift
        count += n_pieces
        start = text_end
    return count


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
