"""Why a breakpoint cannot be hit in the model and the text at hand, as after another model was opened."""

from __future__ import annotations

from collections.abc import Collection

from guiapp.analysis.trace.breakpoints import Breakpoint, pair_parts
from guiapp.analysis.trace.conditions import TWINS_WITH, WEIGHING, Condition, TraceValues
from guiapp.analysis.trace.operations import NUMBERS
from guiapp.analysis.trace.pseudo_code import STAGES, code_of
from guiapp.analysis.trace.token_names import unquoted
from guiapp.analysis.trace.trace import Trace
from guiapp.core.text.figures import counted


def absence(breakpoint_: Breakpoint, values: TraceValues, encoders: Collection[str]) -> str:
    """A sentence about what is missing, "" where nothing is; `encoders` are those of the model."""
    return _missing_value(breakpoint_, values, encoders) or _missing_column(breakpoint_, values.trace)


def _missing_value(breakpoint_: Breakpoint, values: TraceValues, encoders: Collection[str]) -> str:
    kind, value, trace = breakpoint_.kind, breakpoint_.value, values.trace
    if kind in ("token", "pair"):
        return _missing_id([value] if kind == "token" else pair_parts(value), len(values.vocabulary))
    if kind == "byte" and int(value) >= len(trace.text):
        return f"The text has no byte {int(value):,}: it has {counted(len(trace.text), 'byte')}."
    if kind == "piece" and int(value) >= trace.n_pieces:
        return f"There is no piece {int(value):,}: the text has {trace.n_pieces:,}, counted from 0."
    if kind == "difference" and unquoted(value) not in encoders:
        return f"The model has no encoder “{unquoted(value)}”. It has: {', '.join(encoders)}."
    if kind == "operation":
        return _missing_operation(unquoted(value), trace)
    return ""


def _missing_operation(name: str, trace: Trace) -> str:
    known = {*STAGES.line_of, *code_of(trace).line_of}
    if name in known:
        return ""
    others = ", ".join(operation for operation in NUMBERS if operation in known)
    return f"No step of {_name(trace)} is a “{name}”. There are: {others}."


def _missing_column(breakpoint_: Breakpoint, trace: Trace) -> str:
    """About a column that is empty whatever the text, such as ranks where nothing merges."""
    names = Condition(breakpoint_.condition).names if breakpoint_.condition else frozenset[str]()
    for name, twins in TWINS_WITH.items():
        if (name in names or name == breakpoint_.kind) and trace.twin not in twins:
            if name == "rank" and trace.twin in WEIGHING:
                return f"{_name(trace)} has no ranks. What its ways are worth is the score."
            if name == "score" and trace.twin in TWINS_WITH["rank"]:
                return f"{_name(trace)} has no scores. What its merges are worth is the rank."
            return f"No step of {_name(trace)} has a “{name}”: only those of {' and '.join(twins)} do."
    return ""


def _missing_id(tokens: list[str], n_tokens: int) -> str:
    for token in tokens:
        if token.isdecimal() and int(token) >= n_tokens:
            return f"The model has no token {token}: its last one is {n_tokens - 1:,}."
    return ""


def _name(trace: Trace) -> str:
    return trace.encoder if trace.encoder == trace.twin else f"{trace.encoder}, shown as {trace.twin},"
