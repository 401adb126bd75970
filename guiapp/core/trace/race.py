"""Two encoders on one text, side by side: where they first differ, and why, in words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from guiapp.core.trace.breakpoints import first_different_byte
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import FORMS, NUMBERS


@dataclass(frozen=True)
class Difference:
    """Where two runs part.

    byte           of the text, from which on the tokens differ
    steps          of each run, the one that made its first differing token
    reason         in plain words
    """

    byte: int
    steps: tuple[int, int]
    reason: str


def first_difference(ours: Debugger, theirs: Debugger) -> Difference | None:
    """None where both give the same tokens."""
    byte = first_different_byte(ours.trace.result, theirs.trace.result)
    if byte is None:
        return None
    steps = _decider(ours, theirs, byte), _decider(theirs, ours, byte)
    told = " ".join(_deed(debugger, step) for debugger, step in zip((ours, theirs), steps, strict=True))
    return Difference(byte, steps, f"From byte {byte:,} on they differ. {told}")


def follow(leader: Debugger, follower: Debugger) -> int:
    """Go in lock-step: to as many decisions of the same piece as the leader has taken, or to the same end.

    Between pieces, and in pieces that it does not have, the follower waits behind those that are done.
    """
    piece = leader.trace.piece_at(leader.position)
    if piece < 0 or piece >= follower.trace.n_pieces:
        n_done = int(np.searchsorted(leader.trace.pieces.done_step, leader.position, side="right"))
        if n_done == leader.trace.n_pieces:
            return follower.go_to(follower.n_steps)
        ends = [0, *(follower.trace.pieces.done_step[:n_done] + 1).tolist()]
        return follower.go_to(ends[-1])
    taken = leader.position - int(leader.trace.pieces.first_step[piece])
    first, done = (
        int(column[piece]) for column in (follower.trace.pieces.first_step, follower.trace.pieces.done_step)
    )
    if leader.position == leader.trace.pieces.done_step[piece]:
        return follower.go_to(done)
    return follower.go_to(min(first + taken, done))


def _decider(debugger: Debugger, other: Debugger, byte: int) -> int:
    """The step that left the byte out, or formed a token over an end of the other's tokens, if any did."""
    if (missed := _last_miss(debugger, byte)) is not None:
        return missed
    columns = debugger.trace.columns
    ends = np.unique(other.trace.result.ends)
    n_inside = np.searchsorted(ends, columns.end) - np.searchsorted(ends, columns.position, side="right")
    forms = FORMS[columns.operation] & (columns.operation != NUMBERS["reach"])
    again = _same_again(debugger, other, byte)
    crossing = np.flatnonzero(forms & (n_inside > 0) & (columns.end > byte) & (columns.position < again))
    if not len(crossing):
        return _maker(debugger, byte)
    return int(crossing[np.lexsort((crossing, columns.position[crossing]))[0]])


def _same_again(debugger: Debugger, other: Debugger, byte: int) -> int:
    """The first end behind a byte that tokens of both share: what comes later does not explain it."""
    ends = np.intersect1d(debugger.trace.result.ends, other.trace.result.ends)
    at = int(np.searchsorted(ends, byte, side="right"))
    return int(ends[at]) if at < len(ends) else len(debugger.trace.text) + 1


def _last_miss(debugger: Debugger, byte: int) -> int | None:
    """The step that left out what begins at a byte; None where a token holds it, or nothing was left out."""
    result, columns = debugger.trace.result, debugger.trace.columns
    if np.any((result.starts <= byte) & (byte < result.ends)):
        return None
    missed = np.isin(columns.operation, [NUMBERS["miss"], NUMBERS["lost"]])
    steps = np.flatnonzero(missed & (columns.position <= byte) & (byte < columns.end))
    return int(steps[-1]) if len(steps) else None


def _maker(debugger: Debugger, byte: int) -> int:
    """The step that formed the final token which begins at a byte or reaches over it."""
    result, columns = debugger.trace.result, debugger.trace.columns
    at = int(np.searchsorted(result.ends, byte, side="right"))
    if at >= len(result.ids):
        return max(0, len(debugger.trace) - 1)
    forms = FORMS[columns.operation] & (columns.operation != NUMBERS["reach"])
    makes = forms & (columns.position == result.starts[at]) & (columns.end == result.ends[at])
    steps = np.flatnonzero(makes & (columns.result == result.ids[at]))
    if len(steps):
        return int(steps[-1])
    done = np.flatnonzero((columns.operation == NUMBERS["done"]) & (columns.end > byte))
    return int(done[0]) if len(done) else len(debugger.trace) - 1


def _deed(debugger: Debugger, step: int) -> str:
    """What a run did at the step that decided."""
    trace = debugger.trace
    made, covered = debugger.teller.result(step), debugger.teller.covered(step)
    operation = trace.operation(step)
    if operation in ("miss", "lost"):
        return f"{trace.encoder} left {covered} out: it is no token."
    if operation == "merge":
        return f"{trace.encoder} merged {made}, rank {debugger.teller.worth(step)}."
    if operation == "done":
        return f"{trace.encoder} left {covered} in parts: nothing joins them."
    verb = {"take": "took", "choose": "chose", "whole": "took the whole piece"}.get(operation, "made")
    return f"{trace.encoder} {verb} {made}, {debugger.teller.span(step)}."
