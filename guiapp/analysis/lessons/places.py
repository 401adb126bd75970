"""Places in runs: where lessons stop, what there is then, and the answers that are found there.

n_tokens, tokens, ids   of the whole text
next                    what happens next at the step's own place
operation back hit 2    or another place: what the program says there
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from itertools import islice

from guiapp.analysis.explain.code_marks import code
from guiapp.analysis.trace.breakpoints import parse_breakpoint
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import TraceTokens
from guiapp.analysis.train.steps import Symbols, TrainingStep
from guiapp.core.text.figures import counted

ENDS = ("start", "end")
MOST_LISTED = 60


def place_of(debugger: Debugger, place: str) -> int | None:
    """Where a lesson wants to be: the start, the end, or the first stop at its own breakpoint."""
    if place in ENDS:
        return 0 if place == "start" else debugger.n_steps
    breakpoints = debugger.breakpoints
    debugger.set_breakpoints([parse_breakpoint(place)])
    stop = debugger.stops.after(-1)
    debugger.set_breakpoints(breakpoints)
    return None if stop is None else stop[0]


def go_to_place(debugger: Debugger, place: str) -> None:
    """Go there, or to the end where there is no such place."""
    found = place_of(debugger, place)
    debugger.go_to(debugger.n_steps if found is None else found)


def labels_now(debugger: Debugger) -> list[str]:
    """The tokens of the present piece, outside of pieces those of the text, as they are written."""
    piece, states = debugger.trace.piece_at(debugger.position), debugger.states
    tokens = states.piece_tokens(debugger.position, piece) if piece >= 0 else states.tokens(debugger.position)
    return _labels(debugger, tokens)


ANSWERS: dict[str, Callable[[Debugger], str]] = {
    "n_tokens": lambda debugger: f"{counted(len(debugger.trace.result.ids), 'token')}.",
    "tokens": lambda debugger: _listed(map(code, _labels(debugger, debugger.trace.result))),
    "ids": lambda debugger: _listed(map(str, debugger.trace.result.ids.tolist())),
    "next": lambda debugger: debugger.sentence(),
}


def computed_answer(answer_is: str, debugger: Debugger, place: str) -> str | None:
    """The answer at a place of a run, whose debugger stays where it is; None where the answer is nowhere."""
    looking = copy(debugger)
    if answer_is in ANSWERS:
        go_to_place(looking, place)
        return ANSWERS[answer_is](looking)
    found = place_of(looking, answer_is)
    if found is None:
        return None
    looking.go_to(found)
    return looking.sentence()


def training_answer(learned: Sequence[TrainingStep], n_merges: int) -> str:
    """What training does after so many merges; all that it learns are known, or one more than these."""
    if n_merges >= len(learned):
        return "Nothing: no pair occurs twice."
    return learned[n_merges].sentence(Symbols(is_byte_level=False).write)


def _labels(debugger: Debugger, tokens: TraceTokens) -> list[str]:
    columns = (column.tolist() for column in tokens)
    return [debugger.describer.label(*token) for token in zip(*columns, strict=True)]


def _listed(words: Iterable[str]) -> str:
    rest = iter(words)
    shown = list(islice(rest, MOST_LISTED))
    n_more = sum(1 for _ in rest)
    more = [f"and {n_more:,} more"] if n_more else []
    return f"{', '.join(shown + more) or 'None'}."
