"""A hunt engine to which a test gives states one by one, and typical states."""

from __future__ import annotations

import queue
from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QApplication

from guiapp.analysis.compare.reasons import Cause, Reason
from guiapp.analysis.hunt.engine import HuntPlan
from guiapp.analysis.hunt.mismatches import Batch, Find, Hunt, HuntSubject, Kind, LineOffset, OfKind, UserLine

START = Hunt((HuntSubject("first.gguf"), HuntSubject("second.gguf")), seed=0)


class FakeEngine:
    """Yields the states given to `tell`; ends when stopped, or after a state that is over."""

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
                queued = self._states.get(timeout=0.01)
            except queue.Empty:
                continue
            if isinstance(queued, Exception):
                raise queued
            state = queued
            yield state


DIGITS: Kind = (Cause.PIECES, "digits")
MERGE: Kind = (Cause.MERGE, "order")


def find_of(text: bytes, kind: Kind = DIGITS, sentence: str = "`first.gguf` splits `1` | `2`.") -> Find:
    spans = ((0, 1), (1, len(text))), ((0, len(text)),)
    return Find(text, ((1, 2), (3,)), 0, Reason(*kind, sentence), "digits", spans=spans)


def batch_of(*entries: Find, generator: str = "signs") -> Batch:
    kinds = {
        find.reason.kind: sum(each.reason.kind == find.reason.kind for each in entries) for find in entries
    }
    return Batch(
        1000, len(entries), entries, tuple(OfKind(*row) for row in kinds.items()), generator=generator
    )


def lines_of(file: str, kind: Kind, *places: tuple[int, int, bytes, int]) -> Batch:
    """A batch of lines of a file; each place has number, start, text and the offset of the difference."""
    offsets = tuple(LineOffset(UserLine(file, *line), at) for *line, at in places)
    return Batch(1000, len(offsets), (), (OfKind(kind, len(offsets), offsets),), True, "your own texts")


def tell(qtbot, page, engine, state):
    """Send a state, and wait until the page has it."""
    engine.tell(state)
    qtbot.waitUntil(lambda: page.model.state == state)
    QApplication.processEvents()


def some_mismatches(page, engine, is_over=False):
    """Mismatches of two causes, and two lines of the user's text with the first cause."""
    file = engine.plans[0].files[0]
    state = replace(START, seconds=3.0, is_over=is_over).with_batch(
        batch_of(find_of(b"12"), find_of(b"345"), find_of(b"ab", MERGE), generator="digits")
    )
    return state.with_batch(lines_of(file, DIGITS, (1, 0, b"one 1984", 4), (2, 9, b"two 12", 4)))
