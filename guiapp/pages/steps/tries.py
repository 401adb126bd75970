"""What was taken and tried before a step, and what the last steps made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import FORMS, NUMBERS

TRIES = ("miss", "fail", "reject", "dead end", "rule out", "back")


class TriedToken(NamedTuple):
    """Something that was tried at this place; `verdict` says what came of it."""

    text: str
    verdict: str


class Stack(NamedTuple):
    """The tokens taken so far, the last one last, and what was tried for the next."""

    taken: list[TriedToken]
    tries: list[TriedToken]


VERDICTS = {
    "miss": "no token",
    "fail": "goes no further",
    "reject": "cannot follow",
    "dead end": "nothing can follow",
    "rule out": "left out",
    "back": "taken back",
    "take": "taken",
}


def stack(debugger: Debugger, n_taken: int = 12) -> Stack:
    """What an encoder that takes tokens one by one has done in this piece."""
    trace, position = debugger.trace, debugger.position
    piece = trace.piece_at(position)
    if piece < 0:
        return Stack([], [])
    tokens = debugger.states.piece_tokens(position, piece)
    columns = (column[-n_taken:].tolist() for column in tokens)
    taken = [
        TriedToken(debugger.describer.label(token_id, start, end), f"{start:,}–{end:,}")
        for token_id, start, end in zip(*columns, strict=True)
    ]
    first = position
    while first > 0 and trace.operation(first - 1) in TRIES:
        first -= 1
    last = position + 1 if position < len(trace) and trace.operation(position) in VERDICTS else position
    tries = [
        TriedToken(debugger.describer.made(step), VERDICTS[trace.operation(step)])
        for step in range(max(first, last - n_taken), last)
    ]
    return Stack(taken, tries)


class Made(NamedTuple):
    """A token or symbol that an earlier step made."""

    step: int
    text: str
    worth: str


def made_so_far(debugger: Debugger, limit: int = 9) -> list[Made]:
    """The last steps before the present one that made something, the newest last."""
    columns, position = debugger.trace.columns, debugger.position
    first = max(0, position - 5000)
    steps = np.flatnonzero(FORMS[columns.operation[first:position]])[-limit:] + first
    found = []
    is_merge = (columns.operation[steps] == NUMBERS["merge"]).tolist()
    for step, joins in zip(steps.tolist(), is_merge, strict=True):
        text, worth = debugger.describer.made(step), debugger.describer.worth(step)
        if joins:
            text = f"{' + '.join(debugger.describer.joined(step))} → {text}"
        found.append(Made(step, text, "" if worth == "nan" else worth))
    return found
