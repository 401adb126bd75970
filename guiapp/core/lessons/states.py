"""The state of the real program that a step of a lesson is about."""

from __future__ import annotations

from guiapp.core.lessons.lesson import LessonStep
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.trace.breakpoints import parse_breakpoint
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for


def debugger_at(step: LessonStep, tokenizer: Tokenizer) -> Debugger:
    """A debugger at the place of a step."""
    trace = record(tokenizer, step.text, step.encoder or None, True, step.parse_special)
    debugger = debugger_for(tokenizer, trace)
    go_to_place(debugger, step.place)
    return debugger


def go_to_place(debugger: Debugger, place: str) -> None:
    """Go where a lesson wants to be: the start, the end, or the first stop at its own breakpoint."""
    if place in ("start", "end"):
        debugger.go_to(0 if place == "start" else debugger.n_steps)
        return
    breakpoints = debugger.breakpoints
    debugger.set_breakpoints([parse_breakpoint(place)])
    stop = debugger.stops.after(-1)
    debugger.set_breakpoints(breakpoints)
    debugger.go_to(debugger.n_steps if stop is None else stop[0])


def tokens_now(debugger: Debugger) -> list[str]:
    """The tokens of the present piece, outside of pieces those of the text, as they are written."""
    piece = debugger.trace.piece_at(debugger.position)
    states = debugger.states
    tokens = states.piece_tokens(debugger.position, piece) if piece >= 0 else states.tokens(debugger.position)
    columns = (column.tolist() for column in tokens)
    return [
        debugger.teller.label(token_id, start, end) for token_id, start, end in zip(*columns, strict=True)
    ]
