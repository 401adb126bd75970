"""An engine of hunts whose states a test tells one by one, and states as they come."""

from __future__ import annotations

import queue
from pathlib import Path

from guiapp.core.compare.reasons import Cause, Reason
from guiapp.core.hunt.engine import HuntPlan
from guiapp.core.hunt.finds import Batch, Find, Hunt, Kind, Line, OfKind, Place, Subject

START = Hunt((Subject("first.gguf"), Subject("second.gguf")), seed=0)


class FakeEngine:
    """Gives the states that it is told; ends when stopped, or at the one that is over."""

    def __init__(self) -> None:
        self.plans: list[HuntPlan] = []
        self.texts: list[bytes] = []
        self._states: queue.Queue[Hunt | Exception] = queue.Queue()

    def tell(self, *states: Hunt | Exception) -> None:
        for state in states:
            self._states.put(state)

    def __call__(self, plan, shall_stop):
        self.plans.append(plan)
        self.texts += [Path(name).read_bytes() for name in plan.files]
        state = START
        while not state.is_over and not shall_stop():
            try:
                told = self._states.get(timeout=0.01)
            except queue.Empty:
                continue
            if isinstance(told, Exception):
                raise told
            state = told
            yield state


DIGITS: Kind = (Cause.PIECES, "digits")
MERGE: Kind = (Cause.MERGE, "order")


def find_of(text: bytes, kind: Kind = DIGITS, sentence: str = "`first.gguf` cuts `1` | `2`.") -> Find:
    spans = ((0, 1), (1, len(text))), ((0, len(text)),)
    return Find(text, ((1, 2), (3,)), 0, Reason(*kind, sentence), "digits", spans=spans)


def batch_of(*finds: Find, generator: str = "signs") -> Batch:
    kinds = {find.reason.kind: sum(each.reason.kind == find.reason.kind for each in finds) for find in finds}
    return Batch(1000, len(finds), finds, tuple(OfKind(*row) for row in kinds.items()), generator=generator)


def lines_of(file: str, kind: Kind, *places: tuple[int, int, bytes, int]) -> Batch:
    """Lines of a file, each with number, start and text, and where it differs."""
    found = tuple(Place(Line(file, *line), at) for *line, at in places)
    return Batch(1000, len(found), (), (OfKind(kind, len(found), found),), True, "your own texts")
