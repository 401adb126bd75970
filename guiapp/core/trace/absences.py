"""Why a breakpoint cannot be hit in the model and the text at hand, as after another model was opened."""

from __future__ import annotations

from collections.abc import Collection

from guiapp.core.trace.breakpoints import Breakpoint, pair_parts, unquoted
from guiapp.core.trace.conditions import TraceValues


def absence(breakpoint_: Breakpoint, values: TraceValues, encoders: Collection[str]) -> str:
    """A sentence about what is missing, "" where nothing is; `encoders` are those of the model."""
    kind, value, trace = breakpoint_.kind, breakpoint_.value, values.trace
    if kind in ("token", "pair"):
        return _missing_id([value] if kind == "token" else pair_parts(value), len(values.vocabulary))
    if kind == "byte" and int(value) >= len(trace.text):
        return f"The text has no byte {int(value):,}: it has {len(trace.text):,} bytes."
    if kind == "piece" and int(value) >= trace.n_pieces:
        return f"There is no piece {int(value):,}: the text has {trace.n_pieces:,}, counted from 0."
    if kind == "difference" and unquoted(value) not in encoders:
        return f"The model has no encoder “{unquoted(value)}”. It has: {', '.join(encoders)}."
    return ""


def _missing_id(tokens: list[str], n_tokens: int) -> str:
    for token in tokens:
        if token.isdecimal() and int(token) >= n_tokens:
            return f"The model has no token {token}: its last one is {n_tokens - 1:,}."
    return ""
