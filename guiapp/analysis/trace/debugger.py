"""Steps through a trace by decisions, pieces or stages, and from stop to stop; and writes its steps as the
JSON records of `step --json` and the lines of `tokenize --format log`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.breakpoints import Breakpoint, Walk, hits
from guiapp.analysis.trace.conditions import TOKENS, StepExpression, TraceValues
from guiapp.analysis.trace.replay import Replay, Waiting, waiting
from guiapp.analysis.trace.sentences import StepDescriber
from guiapp.analysis.trace.trace import NUMBERS, STAGES, Stage, Trace, TraceTokens
from guiapp.core.encode.encoding import Encoding
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.vocabulary.merges import MergeRules
from guiapp.core.vocabulary.vocabulary import Vocabulary

NEAR_STEPS = 2000


class Granularity(Enum):
    """The size of a step."""

    DECISION = "decision"
    PIECE = "piece"
    STAGE = "stage"


class Debugger(Walk):
    """A walk through a trace; step number `position` is the next one to run."""

    def __init__(
        self,
        trace: Trace,
        vocabulary: Vocabulary,
        rules: MergeRules | None = None,
        spelling: Spelling = Spelling.SIGNS,
    ) -> None:
        """`rules` are the merge rules; None for a vocabulary that does not merge."""
        self.values = TraceValues(trace, vocabulary, spelling)
        super().__init__(self.values)
        self.trace = trace
        self.vocabulary = vocabulary
        self.states = Replay(trace)
        self.describer = StepDescriber(trace, vocabulary, spelling)
        self._rules = rules

    @property
    def spelling(self) -> Spelling:
        """How tokens are written."""
        return self.values.spelling

    def spell(self, spelling: Spelling) -> None:
        """Write tokens in this spelling from now on."""
        if spelling is not self.spelling:
            self.values.spelling = spelling
            self.describer = StepDescriber(self.trace, self.vocabulary, spelling)

    def compare_with(self, encoder: str, encoding: Encoding) -> None:
        """Use another encoder's result for the text in breakpoints on differences."""
        self._ends[encoder] = TraceTokens(encoding.token_ids, *encoding.spans.astype(np.int32).T)
        self.set_breakpoints(self.breakpoints)

    # Moving; each returns the new position

    def begin(self) -> int:
        """Go to the first merge if it is within NEAR_STEPS, else to the first piece."""
        merges = np.flatnonzero(self.trace.columns.operation[:NEAR_STEPS] == NUMBERS["merge"])
        first = [*merges[:1].tolist(), *self.trace.pieces.first_step[:1].tolist(), 0]
        return self.go_to(int(first[0]))

    def step(self, granularity: Granularity = Granularity.DECISION, count: int = 1) -> int:
        """Go `count` steps of that size, backwards if negative; end early at a stop."""
        landmarks = self.landmarks[granularity]
        at = int(np.searchsorted(landmarks, self.position, side="right" if count > 0 else "left"))
        wished = at + count - 1 if count > 0 else at + count
        target = int(landmarks[max(0, min(wished, len(landmarks) - 1))])
        return self.until(target) if count > 0 else self.back_until(target)

    def out(self) -> int:
        """Finish the piece, or the stage if outside of pieces; end early at a stop."""
        piece = self.trace.piece_at(self.position)
        if piece >= 0 and self.position < self.trace.pieces.done_step[piece]:
            return self.until(int(self.trace.pieces.done_step[piece]))
        return self.step(Granularity.STAGE)

    def to_byte(self, offset: int) -> int:
        """Go to the next step that forms a token covering a byte of the text, else back to the previous one.

        Stay if no other step does.
        """
        matches = hits(Breakpoint("byte", str(offset)), self.values, {})
        later, before = matches[matches > self.position], matches[matches < self.position]
        return self.go_to(int([*later[:1], *before[-1:], self.position][0]))

    @cached_property
    def landmarks(self) -> dict[Granularity, NDArray[np.int64]]:
        """The positions at which steps of each size end, including the end of the trace."""
        stages, ends = STAGES[self.trace.columns.operation], np.array([0, self.n_steps])
        begins_stage = np.flatnonzero(np.diff(stages, prepend=255) != 0)
        around_pieces = np.flatnonzero(stages != Stage.ENCODE)
        return {
            Granularity.DECISION: np.arange(self.n_steps + 1),
            Granularity.PIECE: np.unique(np.r_[ends, around_pieces, self.trace.pieces.first_step]),
            Granularity.STAGE: np.unique(np.r_[ends, begins_stage]),
        }

    # What to show at a position

    def waiting(self, limit: int = 60) -> Waiting:
        """The pairs that compete for the next merge."""
        if self._rules is None or self.position >= self.n_steps:
            return Waiting([], 0, 0)
        return waiting(self.states, self.position, self._rules, limit)

    def description(self, expression: StepExpression) -> str:
        """The value of an expression at the current step, formatted for display; raises ConditionError."""
        if self.position >= self.n_steps:
            return "–"
        name = expression.text.strip()
        description = self.values.description(name, self.position)
        if description is None:
            value = expression.value(self.values, self.position)
            return "–" if math.isnan(value) else f"{value:,.10g}"
        if name not in TOKENS or description == "–":
            return description
        return f"id {getattr(self.trace.columns, name)[self.position]} {description}"

    def sentence(self) -> str:
        """A sentence that describes the next step."""
        if self.position >= self.n_steps:
            return f"Finished: {counted(len(self.trace.result.ids), 'token')}."
        is_counted = self.trace.columns.candidates[self.position] >= 0
        n_pairs = None
        if self.trace.operation(self.position) == "merge" and not is_counted:
            n_pairs = self.waiting().n_live
        return self.describer.sentence(self.position, n_pairs)


def debugger_for(tokenizer: Tokenizer, trace: Trace, spelling: Spelling = Spelling.SIGNS) -> Debugger:
    """A debugger at the start of a trace."""
    rules = None if tokenizer.merging is None else tokenizer.merging.rules
    return Debugger(trace, tokenizer.vocabulary, rules, spelling=spelling)


def compare_with(
    debugger: Debugger, tokenizer: Tokenizer, encoder: str, add_special: bool, parse_special: bool
) -> None:
    """Encode with another encoder for breakpoints on differences; raises EncodeError for an unknown one."""
    debugger.compare_with(encoder, tokenizer.encode(debugger.trace.text, add_special, parse_special, encoder))


def step_record(debugger: Debugger, step: int) -> dict[str, object]:
    """One entry of `steps` in `step --json`; values that a step does not have are null."""
    trace, columns = debugger.trace, debugger.trace.columns
    rank = float(columns.rank[step])
    debugger.go_to(step)
    return {
        "index": step,
        "stage": trace.stage(step),
        "operation": trace.operation(step),
        "piece": _known(columns.piece[step]),
        "position": int(columns.position[step]),
        "end": int(columns.end[step]),
        "right_position": _known(columns.right_position[step]),
        "left": _known(columns.left[step]),
        "right": _known(columns.right[step]),
        "result": _known(columns.result[step]),
        "rank": None if math.isnan(rank) else int(rank) if rank.is_integer() else rank,
        "sentence": debugger.sentence(),
    }


def trace_record(debugger: Debugger, steps: list[int]) -> dict[str, object]:
    """The record of `step --json` with the given steps."""
    trace = debugger.trace
    return {
        "encoder": trace.encoder,
        "text": trace.text.decode("utf-8", "replace"),
        "token_ids": trace.result.ids.tolist(),
        "n_steps": len(trace),
        "steps": [step_record(debugger, step) for step in steps],
    }


def log_lines(debugger: Debugger) -> Iterator[str]:
    """Yield all steps, one on each line."""
    width = len(f"{debugger.n_steps:,}")
    for step in range(debugger.n_steps):
        debugger.go_to(step)
        yield f"{step:>{width},}  {debugger.trace.operation(step):9}  {debugger.sentence()}"


def _known(value: int) -> int | None:
    return int(value) if value >= 0 else None
