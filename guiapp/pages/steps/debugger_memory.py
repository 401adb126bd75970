"""What the debugger keeps from one start of the program to the next."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace

from guiapp.analysis.sessions.session_file import SessionFile
from guiapp.analysis.trace.breakpoints import Breakpoint, check
from guiapp.analysis.trace.conditions import StepExpression
from guiapp.analysis.trace.debugger import Granularity
from guiapp.analysis.train.record import TRAINING_DIALECT
from guiapp.core.system.outside_json import read_json
from guiapp.errors import TokenloupeError


@dataclass(frozen=True)
class Remembered:
    """All that comes back at the next start."""

    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[str, ...] = ()
    granularity: Granularity = Granularity.DECISION
    training: tuple[Breakpoint, ...] = ()

    def of_session(self, session: SessionFile) -> SessionFile:
        """A session with these, where no page has been at work with it."""
        return replace(
            session, breakpoints=self.breakpoints, watches=self.watches, step_size=self.granularity
        )

    def to_json(self) -> str:
        return json.dumps(
            {
                "breakpoints": [asdict(row) for row in self.breakpoints],
                "watches": list(self.watches),
                "granularity": self.granularity.value,
                "training": [asdict(row) for row in self.training],
            }
        )


def recall(text: str) -> Remembered:
    """Read what an earlier session wrote; anything spoiled counts as not there."""
    try:
        state = read_json(text or "{}")
        rows = [Breakpoint(**row) for row in state.get("breakpoints", [])]
        of_training = [Breakpoint(**row) for row in state.get("training", [])]
        for row in rows:
            check(row)
        for row in of_training:
            check(row, TRAINING_DIALECT)
        watches = tuple(map(str, state.get("watches", [])))
        for watch in watches:
            StepExpression(watch)
        granularity = Granularity(state.get("granularity", "decision"))
        return Remembered(tuple(rows), watches, granularity, tuple(of_training))
    except (ValueError, TypeError, AttributeError, TokenloupeError):
        return Remembered()
