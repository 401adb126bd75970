"""Steps by what they are about, so that they are found in any trace that has the same text."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from guiapp.analysis.trace.operations import NUMBERS
from guiapp.analysis.trace.trace import Trace


class StepKey(NamedTuple):
    """A step: its operation, the bytes of the whole text that it is about, and what it makes, -1 for nothing.

    Without an operation it is the start of a trace.
    """

    operation: str = ""
    start: int = 0
    end: int = 0
    result: int = -1


START = StepKey()
INSTEAD = {"text": "", "normalise": "piece"}  # of stages that leave no step where they do nothing


def step_at(trace: Trace, place: StepKey, text_start: int = 0) -> int | None:
    """The step of a trace whose text begins at `text_start` of the whole one; None where it has no such.

    Of several over these bytes it is the one over the fewest: pieces and stretches may be cut elsewhere.
    """
    operation: str | None = place.operation
    while operation:
        step = _step_of(trace, operation, place, text_start)
        if step is not None:
            return step
        operation = INSTEAD.get(operation)
    return 0 if operation == "" else None


def _step_of(trace: Trace, operation: str, place: StepKey, text_start: int) -> int | None:
    columns = trace.columns
    steps = np.flatnonzero(columns.operation == NUMBERS[operation])
    starts, ends = columns.position[steps], columns.end[steps]
    is_it = (starts <= place.start - text_start) & (ends >= place.end - text_start)
    if place.result >= 0:
        is_it &= columns.result[steps] == place.result
    sizes = (ends - starts)[is_it]
    return int(steps[is_it][sizes.argmin()]) if len(sizes) else None
