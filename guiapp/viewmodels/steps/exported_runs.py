"""What can be copied and saved of a run: of an encoding, or of a training."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from guiapp.core.tokenizer import Tokenizer
from guiapp.core.trace import export as traces
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.drawing import forming_steps
from guiapp.core.training import export as trainings
from guiapp.core.training.record import TrainingRecord
from guiapp.viewmodels.steps.exporter import StepExporter

ALL = "All"


class ExportedRun(Protocol):
    """A run, and a place in it.

    n_steps   how many steps there are
    choices   the parts that can be saved in a format, which its ending names; ALL is the first
    """

    @property
    def n_steps(self) -> int: ...
    def step_markdown(self) -> str: ...
    def step_json(self) -> str: ...
    def choices(self, ending: str) -> dict[str, range]: ...
    def estimated_bytes(self, ending: str) -> int: ...
    def save(self, exporter: StepExporter, path: Path, steps: range | None) -> None: ...


class TraceRun:
    """The encoding that a debugger walks through."""

    def __init__(self, tokenizer: Tokenizer, debugger: Debugger) -> None:
        self._tokenizer = tokenizer
        self._debugger = debugger

    @property
    def n_steps(self) -> int:
        return self._debugger.n_steps

    def step_markdown(self) -> str:
        return traces.step_markdown(self._debugger)

    def step_json(self) -> str:
        return traces.step_json(self._debugger)

    def choices(self, ending: str) -> dict[str, range]:
        """A drawing of a step is that of what was formed last."""
        debugger = self._debugger
        step = min(debugger.position, debugger.n_steps - 1)
        if ending == ".svg":
            formed = forming_steps(debugger, range(step + 1))
            step = int(formed[-1]) if len(formed) else step
        parts = {ALL: range(debugger.n_steps), "This piece": self.piece_steps}
        parts["This step"] = range(step, step + 1)
        return {title: steps for title, steps in parts.items() if len(steps)}

    @property
    def piece_steps(self) -> range:
        """The steps of the present piece; none outside of pieces."""
        trace = self._debugger.trace
        piece = trace.piece_at(self._debugger.position)
        if piece < 0:
            return range(0)
        return range(int(trace.pieces.first_step[piece]), int(trace.pieces.done_step[piece]) + 1)

    def estimated_bytes(self, ending: str) -> int:
        return traces.estimated_bytes(self._debugger, ending)

    def save(self, exporter: StepExporter, path: Path, steps: range | None) -> None:
        exporter.save(self._tokenizer, self._debugger.trace, path, steps)


class TrainingRun:
    """A training so far, and the step that is shown."""

    def __init__(self, record: TrainingRecord, position: int) -> None:
        self._record = record
        self._position = position

    @property
    def n_steps(self) -> int:
        return self._record.n_steps

    def step_markdown(self) -> str:
        return trainings.step_markdown(self._record, self._position)

    def step_json(self) -> str:
        return trainings.step_json(self._record, self._position)

    def choices(self, ending: str) -> dict[str, range]:
        parts = {ALL: trainings.all_steps(self._record)}
        if self._position:
            parts["This step"] = range(self._position, self._position + 1)
        return {title: steps for title, steps in parts.items() if len(steps)}

    def estimated_bytes(self, ending: str) -> int:
        return trainings.estimated_bytes(self._record, ending)

    def save(self, exporter: StepExporter, path: Path, steps: range | None) -> None:
        exporter.save_training(self._record, path, steps)
