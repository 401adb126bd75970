"""A trace as JSON records and as lines: what `step --json` and `tokenize --format log` print."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import Trace, TraceTokens
from guiapp.core.encode.tokenizer import Tokenizer


def debugger_for(tokenizer: Tokenizer, trace: Trace, spelling: Spelling = Spelling.SIGNS) -> Debugger:
    """A debugger at the start of a trace."""
    rules = None if tokenizer.merging is None else tokenizer.merging.rules
    return Debugger(trace, tokenizer.vocabulary, rules, spelling=spelling)


def compare_with(
    debugger: Debugger, tokenizer: Tokenizer, encoder: str, add_special: bool, parse_special: bool
) -> None:
    """Let breakpoints know what another encoder makes of the text; raises EncodeError for an unknown one."""
    encoding = tokenizer.encode(debugger.trace.text, add_special, parse_special, encoder)
    starts, ends = encoding.spans.astype(np.int32).T
    debugger.compare_with(encoder, TraceTokens(encoding.token_ids, starts, ends))


def step_record(debugger: Debugger, step: int) -> dict[str, object]:
    """One entry of `steps` in `step --json`; what a step does not have is null."""
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
    """The record of `step --json` with the steps given."""
    trace = debugger.trace
    return {
        "encoder": trace.encoder,
        "text": trace.text.decode("utf-8", "replace"),
        "token_ids": trace.result.ids.tolist(),
        "n_steps": len(trace),
        "steps": [step_record(debugger, step) for step in steps],
    }


def log_lines(debugger: Debugger) -> Iterator[str]:
    """All steps, one a line."""
    width = len(f"{debugger.n_steps:,}")
    for step in range(debugger.n_steps):
        debugger.go_to(step)
        yield f"{step:>{width},}  {debugger.trace.operation(step):9}  {debugger.sentence()}"


def _known(value: int) -> int | None:
    return int(value) if value >= 0 else None
