"""Where the last piece of each prefix of short texts begins, and which shorter prefix stands before that.

Text is cut by a list of patterns; see `pattern_machine.py`.  Other than `piece_growth.py`, this goes on where
the next character changes what was before it, and where a character is not complete.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.match_stack import (
    BASE,
    DEAD,
    EMPTY,
    FAILED,
    MATCH,
    MATCHES,
    N_PARTS,
    NOWHERE,
    ROW,
    STACK,
    START,
    TRIED,
    accepts,
    lowest_that_ends,
    row_after,
    step,
)
from guiapp.core.kernels.pair_cuts import character_length, whole_character
from guiapp.core.kernels.pattern_automaton import PatternMachine
from guiapp.core.kernels.piece_growth import ORIGIN, ROWS, UNKNOWN, WHOLE, grow_on
from guiapp.core.kernels.prefix_bases import (
    IN_PART,
    MOST_BEGUN,
    NOT_ASKED,
    PART,
    STATE,
    Growth,
    enter_part,
    tell,
)
from guiapp.core.kernels.utf8 import REPLACEMENT, code_at

ASCII_END = 0x80
SECOND = MATCHES + MATCH  # of a stack


@kernel
def grow_texts(
    texts: NDArray[np.uint8], ends: NDArray[np.int64], machine: PatternMachine, growth: Growth
) -> int:
    """Tell of all prefixes of the texts that end at `ends`; returns how many parts there are.

    Each text begins where it may be cut, and ends at one of `all_cuts`.
    """
    stack, progress = np.zeros(STACK, np.int64), np.zeros(ROWS + len(machine.levels), np.int64)
    is_simple, start = _is_simple(machine), 0
    growth.origins[0], growth.n_begun[0] = 0, NOT_ASKED
    stack[N_PARTS] = _enter_begun(texts, machine, is_simple, growth.parts)
    if is_simple:
        _grow_by_stack(texts, ends, machine, growth, stack)
    else:
        for text in range(len(ends)):
            _grow_by_levels(texts, start, int(ends[text]), machine, growth, progress)
            start = int(ends[text])
    return int(stack[N_PARTS])


@borrowing
def _is_simple(machine: PatternMachine) -> bool:
    """Whether all levels above the last one match single characters only, and not U+FFFD."""
    transitions, levels, n_classes = machine.transitions, machine.levels, machine.cuts.shape[0]
    replacement, last_level = int(machine.classes[REPLACEMENT]), len(levels) - 1
    for level in range(len(levels)):
        if levels[level] < 0:
            return False
        for seen in range(n_classes * int(level < last_level)):
            row = row_after(transitions, int(levels[level]), seen)
            for after in range((n_classes + 1) * int(row != DEAD)):
                if not accepts(transitions, row, after) or row_after(transitions, row, after) != DEAD:
                    return False
            if row != DEAD and seen == replacement:
                return False
    return last_level >= 0


@borrowing
def _enter_begun(
    texts: NDArray[np.uint8], machine: PatternMachine, is_simple: bool, parts: NDArray[np.int64]
) -> int:
    """Enter what one, two and three bytes of a character become that is not complete, if there may be any."""
    is_ascii = True
    for at in range(len(texts)):
        is_ascii &= texts[at] < ASCII_END
    if is_ascii:
        return 0
    transitions, replacement = machine.transitions, int(machine.classes[REPLACEMENT])
    row, end_class = int(machine.levels[len(machine.levels) - 1]), machine.cuts.shape[0]
    for part in range(MOST_BEGUN):
        if is_simple and (part == 0 or row != DEAD):
            row = row_after(transitions, row, replacement)
        is_one = is_simple and row != DEAD and accepts(transitions, row, end_class)
        enter_part(parts, part, 0, 0, part + 1, 0, 0)
        parts[PART * part + STATE] = 0 if is_one else UNKNOWN
    return MOST_BEGUN


@borrowing
def _grow_by_stack(
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    machine: PatternMachine,
    growth: Growth,
    stack: NDArray[np.int64],
) -> None:
    """Tell of all prefixes of the texts that end at `ends`, one character after the other."""
    classes, transitions, cuts = machine.classes, machine.transitions, machine.cuts
    replacement, end_class, start = int(classes[REPLACEMENT]), cuts.shape[0], 0
    origins, n_begun, bases = growth.origins, growth.n_begun, growth.bases
    only_row = int(machine.levels[0]) if len(machine.levels) == 1 else DEAD
    for text in range(len(ends)):
        at, previous, safe, depth, before, told, end = start, start, start, EMPTY, 0, start, int(ends[text])
        while at < end:
            byte, width = int(texts[at]), 1
            seen = int(classes[byte])
            if byte < ASCII_END and only_row != DEAD:
                # What is met most, without calls: the lowest match begins or goes on, and may end here.
                begins, next_row = depth == EMPTY or cuts[before, seen] != 0, DEAD
                row = only_row if begins else int(stack[MATCHES + ROW])
                after, goes_on = row_after(transitions, row, seen), begins or depth == 1
                if not begins and accepts(transitions, row, seen):
                    is_told = origins[at] == stack[MATCHES + START] and n_begun[at] == 0
                    next_row = row_after(transitions, only_row, seen)
                    goes_on = is_told and bases[at] == stack[MATCHES + BASE] and next_row != DEAD
                if goes_on and after != DEAD and accepts(transitions, after, end_class):
                    if begins:
                        stack[MATCHES + START], stack[MATCHES + BASE] = at, at if at > start else 0
                    stack[MATCHES + ROW], depth = after, 1
                    if next_row != DEAD:  # had the match ended in front of this character
                        stack[SECOND + START], stack[SECOND + ROW], stack[SECOND + BASE] = at, next_row, at
                        depth = 2
                    safe = _safe_start(stack, safe, start)
                    previous, before, at = at, seen, at + 1
                    origins[at], n_begun[at] = stack[MATCHES + START], 0
                    bases[at], told = stack[MATCHES + BASE], at
                    continue
            if byte >= ASCII_END:
                width = whole_character(texts, at, end)
                told = at + (width - 1 if width else _n_begun_bytes(texts, at, end))
                is_apart = depth == EMPTY or cuts[before, replacement] != 0
                _tell_begun(at, previous, told, is_apart, depth, safe, start, machine, growth, stack)
                if width == 0:
                    break
                seen = int(classes[code_at(texts, at)])
            if _stands_alone(machine, seen):
                depth, safe = EMPTY, at + width
                tell(growth, at + width, at, 0, at, start)
            else:
                if depth != EMPTY and cuts[before, seen] != 0:
                    depth = EMPTY
                depth = step(stack, MATCHES, depth, seen, at, previous, start, machine, growth)
                if depth == FAILED:
                    break
                safe = _tell_by_stack(stack, depth, at + width, safe, start, machine, growth)
            previous, before = at, seen
            at += width
            told = at
        for later in range(told + 1, end + 1):
            tell(growth, later, safe, UNKNOWN, safe, start)
        start = end


@borrowing
def _stands_alone(machine: PatternMachine, seen: int) -> bool:
    """Whether a level above the last one makes a piece of each such character."""
    for level in range(len(machine.levels) - 1):
        if row_after(machine.transitions, int(machine.levels[level]), seen) != DEAD:
            return True
    return False


@borrowing
def _n_begun_bytes(texts: NDArray[np.uint8], at: int, end: int) -> int:
    """How many bytes from `at` on may begin a character that they are not all of."""
    most, count = min(character_length(int(texts[at])) - 1, end - at), 0
    while count < most and (count == 0 or texts[at + count] & 0xC0 == 0x80):
        count += 1
    return count


@borrowing
def _tell_by_stack(
    stack: NDArray[np.int64],
    depth: int,
    end: int,
    safe: int,
    text_start: int,
    machine: PatternMachine,
    growth: Growth,
) -> int:
    """Tell of a prefix by the matches it ends with; returns up to where its pieces are those of a prefix."""
    safe = _safe_start(stack, safe, text_start)
    found = lowest_that_ends(stack, MATCHES, depth, machine)
    if found == depth:
        tell(growth, end, safe, UNKNOWN, safe, text_start)
    else:
        match = MATCHES + MATCH * found
        growth.origins[end], growth.n_begun[end] = stack[match + START], 0
        growth.bases[end] = stack[match + BASE]
    return safe


@borrowing
def _safe_start(stack: NDArray[np.int64], safe: int, text_start: int) -> int:
    """Where the lowest match begins, if all before it has the pieces of a prefix; else what was so before."""
    lowest = int(stack[MATCHES + START])
    return lowest if stack[MATCHES + BASE] == (lowest if lowest > text_start else 0) else safe


@borrowing
def _tell_begun(
    at: int,
    previous: int,
    last: int,
    is_apart: bool,
    depth: int,
    safe: int,
    text_start: int,
    machine: PatternMachine,
    growth: Growth,
    stack: NDArray[np.int64],
) -> None:
    """Tell of the prefixes up to `last` that end with some bytes of the character at `at`, U+FFFD each."""
    replacement, place = int(machine.classes[REPLACEMENT]), at
    for field in range(MATCH * depth):
        stack[TRIED + field] = stack[MATCHES + field]
    for end in range(at + 1, last + 1):
        if is_apart:
            tell(growth, end, at, end - at, at, text_start)
            continue
        tell(growth, end, safe, UNKNOWN, safe, text_start)
        if depth != FAILED:
            depth = step(stack, TRIED, depth, replacement, place, previous, text_start, machine, growth)
            place = previous = NOWHERE
        found = lowest_that_ends(stack, TRIED, depth, machine)
        match, number = TRIED + MATCH * found, int(stack[N_PARTS])
        if found < depth and stack[match + START] != NOWHERE:
            start, base = int(stack[match + START]), int(stack[match + BASE])
            enter_part(growth.parts, number, start, at, end - at, base, at)
            growth.n_begun[end], growth.bases[end] = IN_PART, len(growth.bases) + number
            stack[N_PARTS] += 1


@borrowing
def _grow_by_levels(
    texts: NDArray[np.uint8],
    start: int,
    end: int,
    machine: PatternMachine,
    growth: Growth,
    progress: NDArray[np.int64],
) -> None:
    """The same where matches of several characters may wait at several levels; less is sure then."""
    origins, n_begun = growth.origins, growth.n_begun
    for field in range(len(progress)):
        progress[field] = 0
    progress[WHOLE], progress[ORIGIN] = start, start
    reached = grow_on(texts, end, progress, machine, origins, n_begun)
    for at in range(reached + 1, end + 1):
        origins[at], n_begun[at] = progress[ORIGIN], UNKNOWN
    for at in range(start + 1, end + 1):
        is_begun = 0 < n_begun[at] <= MOST_BEGUN
        base = at - int(n_begun[at]) if is_begun else int(origins[at])
        growth.bases[at] = base if base > start else 0
