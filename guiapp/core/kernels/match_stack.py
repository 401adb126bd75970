"""The matches that wait for more text at its end, as a stack.

While a text grows, matches wait for what comes: two spaces are one piece until a letter comes and takes the
second, and the piece of a line break ends with it or, where another one follows behind spaces, with that.  So
each match of a stack begins where the one below would end if it went no further.  The piece that a prefix
ends with is that of the lowest match that may end there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.pattern_automaton import ACCEPTS, ROW_SHIFT, PatternMachine
from guiapp.core.kernels.prefix_bases import Growth, enter_part

DEAD = 0
EMPTY, FAILED, NOWHERE = 0, 0, -1

# Of a stack: the number of parts so far, then for each match where it begins, its row and its base; behind
# these, as much to try what a character that is not complete would do.
N_PARTS, MATCHES, MATCH, DEEPEST = 0, 1, 3, 8
START, ROW, BASE = range(MATCH)
TRIED = MATCHES + MATCH * DEEPEST
STACK = TRIED + MATCH * DEEPEST


@borrowing
def row_after(transitions: NDArray[np.uint32], row: int, seen: int) -> int:
    """The row that a character leads to."""
    return int(np.int64(np.uint64(transitions[row + seen]) >> ROW_SHIFT))


@borrowing
def accepts(transitions: NDArray[np.uint32], row: int, seen: int) -> bool:
    """Whether a match may end before a character."""
    return bool(np.uint64(transitions[row + seen]) & ACCEPTS)


@borrowing
def step(
    stack: NDArray[np.int64],
    first: int,
    depth: int,
    seen: int,
    at: int,
    previous: int,
    text_start: int,
    machine: PatternMachine,
    growth: Growth,
) -> int:
    """Let all matches of a stack take a character, or end before it; returns the new depth, or FAILED.

    at        where the character begins, or NOWHERE if it is only thought of
    previous  where the one before begins
    """
    transitions, level, ends_here, start, base = machine.transitions, 0, False, 0, 0
    while level < depth and not ends_here:
        match = first + MATCH * level
        start, base = int(stack[match + START]), int(stack[match + BASE])
        ends_here = accepts(transitions, int(stack[match + ROW]), seen)
        row = row_after(transitions, int(stack[match + ROW]), seen)
        stack[match + ROW] = row
        if ends_here:
            depth = level + int(row != DEAD)
        elif row != DEAD:
            level += 1
        else:
            depth -= 1
            for field in range(match, first + MATCH * depth):
                stack[field] = stack[field + MATCH]
            if level == depth:  # there was no match: its first character is a gap up to the next one
                if start == NOWHERE or start != previous or not _may_end_behind(machine, seen):
                    return FAILED
                ends_here = True
    if ends_here:
        return _begin_behind(stack, first, depth, seen, at, start, base, machine, growth)
    if depth > EMPTY:
        return depth
    return _begin(stack, first, depth, seen, at, at if at > text_start else 0, machine)


@borrowing
def _begin_behind(
    stack: NDArray[np.int64],
    first: int,
    depth: int,
    seen: int,
    at: int,
    start: int,
    base: int,
    machine: PatternMachine,
    growth: Growth,
) -> int:
    """Let a match begin behind the piece from `start` on, whose base is given; the new depth, or FAILED."""
    if start == NOWHERE:
        return FAILED
    if at == NOWHERE:
        return _begin(stack, first, depth, seen, at, 0, machine)
    if growth.origins[at] == start and growth.n_begun[at] == 0 and growth.bases[at] == base:
        return _begin(stack, first, depth, seen, at, at, machine)
    enter_part(growth.parts, int(stack[N_PARTS]), start, at, 0, base, at)
    stack[N_PARTS] += 1
    return _begin(stack, first, depth, seen, at, len(growth.bases) + int(stack[N_PARTS]) - 1, machine)


@borrowing
def _begin(
    stack: NDArray[np.int64],
    first: int,
    depth: int,
    seen: int,
    at: int,
    base: int,
    machine: PatternMachine,
) -> int:
    """Put a match on the stack; the new depth, or FAILED."""
    row = row_after(machine.transitions, int(machine.levels[len(machine.levels) - 1]), seen)
    if row == DEAD or depth == DEEPEST:
        return FAILED
    match = first + MATCH * depth
    stack[match + START], stack[match + ROW], stack[match + BASE] = at, row, base
    return depth + 1


@borrowing
def _may_end_behind(machine: PatternMachine, seen: int) -> bool:
    """Whether a match that begins with a character may end behind it, whatever follows."""
    row = row_after(machine.transitions, int(machine.levels[len(machine.levels) - 1]), seen)
    for after in range((machine.cuts.shape[0] + 1) * int(row != DEAD)):
        if not accepts(machine.transitions, row, after):
            return False
    return row != DEAD


@borrowing
def lowest_that_ends(stack: NDArray[np.int64], first: int, depth: int, machine: PatternMachine) -> int:
    """The lowest match of a stack that may end where the text does, or `depth`."""
    found, end_class = 0, machine.cuts.shape[0]
    while found < depth and not accepts(
        machine.transitions, int(stack[first + MATCH * found + ROW]), end_class
    ):
        found += 1
    return found
