"""Breakpoints, whose hits are found for a whole trace at once, and walks from stop to stop, forwards and
backwards through the steps of an encoding or of a training."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.conditions import (
    TRACE_SCHEMA,
    TWINS_WITH,
    WEIGHING,
    Condition,
    Schema,
    StepExpression,
    TraceValues,
    Values,
    check_pattern,
    unquoted,
)
from guiapp.analysis.trace.pseudo_code import STAGES, code_of
from guiapp.analysis.trace.trace import FORMS, NUMBERS, Trace, TraceTokens
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.core.text.numbers_in_words import counted
from guiapp.errors import TokenloupeError

Ends = Mapping[str, TraceTokens]
"""The tokens of the same text from other encoders, by the name of the encoder."""


NAMES_STEPS = {"operation", "forms"}
"""Columns that select steps: a condition on ranks that names none of them applies to merges only."""


class BreakpointError(TokenloupeError):
    """An invalid breakpoint; the message explains why."""


@dataclass(frozen=True)
class Breakpoint:
    """A condition at which runs stop or log a message.

    kind       one of KINDS
    value      its argument as typed: an id, a text, a range …
    condition  must hold as well; "" for none
    hit_count  number of the first hit to stop at, from 1
    log        a message to log instead of stopping, with {column} placeholders; "" to stop
    once       whether it is disabled after it has stopped a run
    """

    kind: str
    value: str = ""
    condition: str = ""
    hit_count: int = 1
    log: str = ""
    is_enabled: bool = True
    once: bool = False

    @property
    def title(self) -> str:
        """The breakpoint as text that `parse_breakpoint` reads."""
        head = f"{self.kind} {self.value}".strip()
        if self.kind == "if":
            head = f"if {self.condition}" if _begins_with_kind(self.condition, KINDS) else self.condition
        if self.kind != "if" and self.condition:
            head += f" if {self.condition}"
        if self.hit_count > 1:
            head += f" hit {self.hit_count}"
        if self.once:
            head += " once"
        return f"{head} log {self.log}" if self.log else head


def parse_breakpoint(text: str, dialect: Dialect | None = None) -> Breakpoint:
    """Parse `token "·York" if piece > 2`, `rank 0..500`, or just a condition such as `rank < 500`.

    `hit N`, `once` and `log MESSAGE` may follow.  Raises BreakpointError or ConditionError.
    `dialect` defines the kinds and columns; the default is the steps of encoding.
    """
    spoken = dialect or TRACE_DIALECT
    location, log = split_off(text.strip(), "log")
    location, once = split_off(location, "once")
    location, hit = split_off(location, "hit")
    if hit is not None and not hit.isdecimal():
        raise BreakpointError(f"“{hit}” is not a number of hits, such as 3.")
    parsed = _parse_location(location, spoken)
    parsed = replace(parsed, log=log or "", once=once is not None, hit_count=int(hit or 1))
    check(parsed, spoken)
    return parsed


def split_off(text: str, word: str) -> tuple[str, str | None]:
    """The text before and after the last ` word ` outside of quotes; the second is None if there is none."""
    bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"", lambda match: "x" * len(match[0]), text)
    matches = [match.span() for match in re.finditer(rf"\s+{word}(?:\s+|$)", bare)]
    if not matches:
        return text, None
    return text[: matches[-1][0]], text[matches[-1][1] :]


def _parse_location(stripped: str, dialect: Dialect) -> Breakpoint:
    kind, _, rest = stripped.partition(" ")
    if not _begins_with_kind(stripped, dialect.kinds):
        condition = rest if kind == "if" else stripped
        Condition(condition, dialect.schema)
        return Breakpoint("if", condition=condition)
    quoted = re.match(r"\s*((?:\"(?:[^\"\\]|\\.)*\"\s*)+|.*?)(?:\s+if\s+(.*))?$", rest, re.DOTALL)
    value, condition = ("", "") if quoted is None else (quoted[1].strip(), (quoted[2] or "").strip())
    return Breakpoint(kind, value, condition)


def _begins_with_kind(text: str, kinds: Collection[str]) -> bool:
    """Whether the text begins with a kind, and is not a condition on a column of the same name."""
    kind, _, rest = text.partition(" ")
    compares = re.match(r"\s*(?:[=!<>*/+%]|(?:not|in|and|or)\b)", rest) is not None
    return kind in kinds and kind != "if" and not compares


def check(breakpoint_: Breakpoint, dialect: Dialect | None = None) -> None:
    """Raise BreakpointError or ConditionError for a breakpoint that is invalid in every trace."""
    kinds, schema = dialect or TRACE_DIALECT
    if breakpoint_.kind not in kinds:
        raise BreakpointError(f"“{breakpoint_.kind}” is not a kind of breakpoint. Use: {', '.join(kinds)}.")
    if breakpoint_.hit_count < 1:
        raise BreakpointError("Hits are counted from 1.")
    if breakpoint_.condition:
        Condition(breakpoint_.condition, schema)
    if breakpoint_.kind in CHECKS:
        CHECKS[breakpoint_.kind](breakpoint_.value)
    if breakpoint_.kind in schema.names:
        _check_name(breakpoint_, schema.names[breakpoint_.kind])
    for name in re.findall(r"{(.*?)}", breakpoint_.log):
        StepExpression(name, schema)


def hits(
    breakpoint_: Breakpoint, values: Values, ends: Ends, dialect: Dialect | None = None
) -> NDArray[np.int64]:
    """The steps at which the breakpoint stops, in order; empty if the model lacks the value."""
    kinds, schema = dialect or TRACE_DIALECT
    results = kinds[breakpoint_.kind](breakpoint_.value, values, ends)
    if breakpoint_.condition or breakpoint_.kind == "if":
        condition = Condition(breakpoint_.condition, schema)
        if breakpoint_.kind == "if" and "rank" in condition.names and not condition.names & NAMES_STEPS:
            results = np.flatnonzero(values.is_operation("merge"))  # not what enters or leaves a queue
        results = results[condition.holds(values, results)]
    return results[breakpoint_.hit_count - 1 :]


def note(breakpoint_: Breakpoint, values: Values, step: int) -> str:
    """The message of a log point at a step."""

    def fill(match: re.Match[str]) -> str:
        description = values.description(match[1], step)
        if description is not None:
            return description
        value = StepExpression(match[1], values.schema).value(values, step)
        return "–" if np.isnan(value) else f"{value:,g}"

    return re.sub(r"{(.*?)}", fill, breakpoint_.log)


# The hits of each kind


def _token(value: str, values: Values, ends: Ends) -> NDArray[np.int64]:
    return np.flatnonzero(values.made_of("result", value) & values.formed)


def _pattern(value: str, values: Values, ends: Ends) -> NDArray[np.int64]:
    steps = np.arange(values.n_steps)
    return np.flatnonzero(values.is_token("result", "matches", unquoted(value), steps) & values.formed)


def _pair(value: str, values: Values, ends: Ends) -> NDArray[np.int64]:
    left, right = pair_parts(value)
    is_pair = values.made_of("left", left) & values.made_of("right", right)
    return np.flatnonzero(values.is_operation("merge") & is_pair)


def _within(column: str, value: str, values: Values, ends: Ends) -> NDArray[np.int64]:
    low, high = number_range(value)
    worth = values.column(column, np.arange(values.n_steps))
    return np.flatnonzero((worth >= low) & (worth <= high) & values.formed)


def _byte(value: str, values: TraceValues, ends: Ends) -> NDArray[np.int64]:
    """The steps that form a token covering a byte; if there is none, the step that finishes its piece."""
    columns, at = values.trace.columns, int(value)
    covering = (columns.position <= at) & (columns.end > at)
    formed = np.flatnonzero(covering & values.formed)
    return formed if len(formed) else np.flatnonzero(covering & (columns.operation == NUMBERS["done"]))


def _piece(value: str, values: TraceValues, ends: Ends) -> NDArray[np.int64]:
    first_steps = values.trace.pieces.first_step
    piece = int(value)
    return first_steps[piece : piece + 1].astype(np.int64)


def _operation(value: str, values: Values, ends: Ends) -> NDArray[np.int64]:
    return np.flatnonzero(values.is_operation(unquoted(value)))


def _difference(value: str, values: TraceValues, ends: Ends) -> NDArray[np.int64]:
    """The first step that forms a token across the end of one of the other encoder's tokens.

    At the latest the step that finishes the first piece that differs: its tokens may only end more often.
    """
    trace, other = values.trace, ends.get(unquoted(value))
    if other is None:
        return np.empty(0, np.int64)
    columns = trace.columns
    other_ends = np.unique(other.ends)
    n_ends = np.searchsorted(other_ends, columns.end) - np.searchsorted(other_ends, columns.position, "right")
    crossing = np.flatnonzero(FORMS[columns.operation] & (n_ends > 0))
    first_difference = first_different_byte(trace.result, other)
    if first_difference is None:
        return np.empty(0, np.int64)
    finished = np.flatnonzero((columns.operation == NUMBERS["done"]) & (columns.end > first_difference))
    return np.sort(np.concatenate([crossing[:1], finished[:1]]))[:1]


def first_different_byte(ours: TraceTokens, theirs: TraceTokens) -> int | None:
    """The byte from which two encodings of a text differ; None if they do not."""
    n = min(len(ours.ids), len(theirs.ids))
    is_other = (ours.ids[:n] != theirs.ids[:n]) | (ours.ends[:n] != theirs.ends[:n])
    at = int(is_other.argmax()) if is_other.any() else n
    return min((int(each.starts[at]) for each in (ours, theirs) if at < len(each.ids)), default=None)


def _any(value: str, values: Values, ends: Ends) -> NDArray[np.int64]:
    return np.arange(values.n_steps)


KINDS: dict[str, Callable[[str, Any, Ends], NDArray[np.int64]]] = {
    "token": _token,
    "pattern": _pattern,
    "pair": _pair,
    "rank": partial(_within, "rank"),
    "score": partial(_within, "score"),
    "byte": _byte,
    "piece": _piece,
    "operation": _operation,
    "difference": _difference,
    "if": _any,
}


class Dialect(NamedTuple):
    """The kinds of breakpoints on some sort of steps, and the columns that conditions can name."""

    kinds: Mapping[str, Callable[[str, Any, Ends], NDArray[np.int64]]]
    schema: Schema


TRACE_DIALECT = Dialect(KINDS, TRACE_SCHEMA)


# The syntax of values


def quoted(text: str) -> str:
    """Quote a text for `unquoted`, escaping quotes and backslashes."""
    return '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'


def pair_parts(value: str) -> list[str]:
    """Split the value of a pair into its two tokens: words or quoted texts."""
    return re.findall(r"\"(?:[^\"\\]|\\.)*\"|[^\s\"]+", value)


def number_range(value: str) -> tuple[float, float]:
    """Parse `3..500`, `..500`, `3..` or a single number into (lowest, highest)."""
    low, dots, high = value.partition("..")
    first = float(low) if low.strip() else -np.inf
    return first, (float(high) if high.strip() else np.inf) if dots else first


def _check_number(value: str) -> None:
    if not value.isdecimal():
        raise BreakpointError(f"“{value}” is not a number. Write a whole number, such as 12.")


def _check_range(value: str) -> None:
    try:
        number_range(value)
    except ValueError:
        raise BreakpointError(f"“{value}” is not a range, such as 0..500, ..500 or -8.5..") from None
    if not value.strip(" ."):
        raise BreakpointError("A range needs at least one end, such as ..500.")
    if (ends := number_range(value))[0] > ends[1]:
        raise BreakpointError(f"The range {ends[0]:g}..{ends[1]:g} is empty. Write the lower end first.")


def _check_name(breakpoint_: Breakpoint, known: tuple[str, ...]) -> None:
    if unquoted(breakpoint_.value) not in known:
        message = f"There is no {breakpoint_.kind} “{breakpoint_.value}”. Choose from: {', '.join(known)}."
        raise BreakpointError(message)


def _check_pair(value: str) -> None:
    if len(pair_parts(value)) != 2:
        raise BreakpointError('Write two tokens, such as " " "Y".')


def _check_filled(value: str) -> None:
    if not value:
        raise BreakpointError("Write a token: an id, a text in quotes, or bytes such as 0x20.")


def _check_encoder(value: str) -> None:
    if unquoted(value) not in ALGORITHMS:
        raise BreakpointError(f"There is no encoder “{value}”. Choose from: {', '.join(ALGORITHMS)}.")


CHECKS: dict[str, Callable[[str], None]] = {
    "token": _check_filled,
    "pattern": lambda value: check_pattern(unquoted(value)),
    "pair": _check_pair,
    "rank": _check_range,
    "score": _check_range,
    "byte": _check_number,
    "piece": _check_number,
    "difference": _check_encoder,
}


def column_help(schema: Schema = TRACE_SCHEMA) -> str:
    """The columns that conditions can name, one on each line."""
    return "\n".join(f"{name:12} {meaning}" for name, meaning in schema.columns.items())


# Why a breakpoint cannot be hit with this model and text


def absence(breakpoint_: Breakpoint, values: TraceValues, encoders: Collection[str]) -> str:
    """A sentence about what is missing, "" if nothing; `encoders` are the names that the model supports."""
    return _missing_value(breakpoint_, values, encoders) or _missing_column(breakpoint_, values.trace)


def _missing_value(breakpoint_: Breakpoint, values: TraceValues, encoders: Collection[str]) -> str:
    kind, value, trace = breakpoint_.kind, breakpoint_.value, values.trace
    if kind in ("token", "pair"):
        return _missing_id([value] if kind == "token" else pair_parts(value), len(values.vocabulary))
    if kind == "byte" and int(value) >= len(trace.text):
        return f"The text has no byte {int(value):,}: it has {counted(len(trace.text), 'byte')}."
    if kind == "piece" and int(value) >= trace.n_pieces:
        pieces = counted(trace.n_pieces, "piece")
        return f"There is no piece {int(value):,}: the text has {pieces}, counted from 0."
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
    return f"{trace.name} has no operation “{name}”. It has: {others}."


def _missing_column(breakpoint_: Breakpoint, trace: Trace) -> str:
    """The sentence for a column that is empty for any text, such as rank if the encoder does not merge."""
    names = Condition(breakpoint_.condition).names if breakpoint_.condition else frozenset[str]()
    for name, references in TWINS_WITH.items():
        if (name in names or name == breakpoint_.kind) and trace.reference_name not in references:
            if name == "rank" and trace.reference_name in WEIGHING:
                return f"{trace.name} has no ranks. Use score instead."
            if name == "score" and trace.reference_name in TWINS_WITH["rank"]:
                return f"{trace.name} has no scores. Use rank instead."
            return f"{trace.name} has no “{name}”. It exists only in {' and '.join(references)}."
    return ""


def _missing_id(tokens: list[str], n_tokens: int) -> str:
    for token in tokens:
        if token.isdecimal() and int(token) >= n_tokens:
            return f"The model has no token {token}: its last id is {n_tokens - 1:,}."
    return ""


# Walks


class Walk:
    """A position among steps, and the breakpoints that stop runs.

    position     the number of steps taken: 0 to n_steps
    breakpoints  in the order in which they were set
    stopped_at   the breakpoint that ended the last run, None if none did
    log          (step, message) of the log points that the last step or run passed
    log_limit    how many messages are kept, the last ones; None for all
    """

    dialect: Dialect = TRACE_DIALECT
    lag = 0  # a run stops this many positions after the number of the step that hits

    def __init__(self, values: Values) -> None:
        self._columns = values
        self._ends: dict[str, TraceTokens] = {}  # see `Ends`
        self.position = 0
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.stopped_at: Breakpoint | None = None
        self.log: list[tuple[int, str]] = []
        self.log_limit: int | None = None
        self.stops = self._stops_of(())

    @property
    def n_steps(self) -> int:
        return self._columns.n_steps

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Replace all breakpoints; if one cannot be evaluated, keep the old ones and raise ConditionError."""
        stops = self._stops_of(breakpoints)
        self.breakpoints, self.stops = tuple(breakpoints), stops

    def _stops_of(self, breakpoints: Sequence[Breakpoint]) -> Stops:
        return Stops(breakpoints, self._columns, self._ends, self.dialect, self.lag)

    # Moving; each returns the new position

    def go_to(self, position: int) -> int:
        self.position = max(0, min(position, self.n_steps))
        self.stopped_at, self.log = None, []
        return self.position

    def run(self) -> int:
        """Go on to the next stop, or to the end."""
        return self.until(self.n_steps)

    def reverse(self) -> int:
        """Go back to the previous stop, or to the start."""
        return self.back_until(0)

    def until(self, position: int) -> int:
        """Go forwards to a position, or to a stop before it."""
        stop = self.stops.after(self.position)
        return self._run_to(stop if stop is not None and stop[0] <= position else None, position)

    def back_until(self, position: int) -> int:
        """Go back to a position, or to a stop after it."""
        stop = self.stops.before(self.position)
        return self._run_to(stop if stop is not None and stop[0] >= position else None, position)

    def _run_to(self, stop: tuple[int, int] | None, otherwise: int) -> int:
        """Go to the stop or position; when going forwards, collect the messages of log points."""
        start = self.position
        self.go_to(otherwise if stop is None else stop[0])
        if self.position > start:
            self.log = list(self.stops.logged(start + 1, self.position + 1, self.log_limit))
        if stop is not None:
            self.stopped_at = self.breakpoints[stop[1]]
            if self.stopped_at.once:
                rows = list(self.breakpoints)
                rows[stop[1]] = replace(self.stopped_at, is_enabled=False)
                self.set_breakpoints(rows)
        return self.position


class Stops:
    """The hits of several breakpoints, as positions: step numbers plus `lag`."""

    def __init__(
        self,
        breakpoints: Sequence[Breakpoint],
        values: Values,
        ends: Ends,
        dialect: Dialect | None = None,
        lag: int = 0,
    ) -> None:
        """Raises ConditionError if a condition cannot be evaluated, such as one that divides by zero."""
        self.breakpoints = tuple(breakpoints)
        self._values = values
        self._lag = lag
        self.hits = [
            hits(row, values, ends, dialect) + lag if row.is_enabled else np.empty(0, np.int64)
            for row in breakpoints
        ]

    def after(self, position: int) -> tuple[int, int] | None:
        """The first stop after a position, and the index of its breakpoint; None if there is none."""
        candidates = [
            (int(steps[at]), index)
            for index, steps in self._stopping()
            if (at := int(np.searchsorted(steps, position, side="right"))) < len(steps)
        ]
        return min(candidates, default=None)

    def before(self, position: int) -> tuple[int, int] | None:
        """The last stop before a position, likewise."""
        candidates = [
            (int(steps[at - 1]), index)
            for index, steps in self._stopping()
            if (at := int(np.searchsorted(steps, position))) > 0
        ]
        return max(candidates, default=None)

    def logged(self, start: int, end: int, limit: int | None = None) -> Iterator[tuple[int, str]]:
        """Yield (position, message) of the log points in [start, end), in order; only the last `limit`."""
        passed = [
            steps[np.searchsorted(steps, start) : np.searchsorted(steps, end)] if row.log else steps[:0]
            for row, steps in zip(self.breakpoints, self.hits, strict=True)
        ]
        owners = np.repeat(np.arange(len(passed)), [len(steps) for steps in passed])
        steps = np.concatenate([np.empty(0, np.int64), *passed])
        order = np.lexsort((owners, steps))
        for at in order[-limit:] if limit else order:
            yield int(steps[at]), note(self.breakpoints[owners[at]], self._values, int(steps[at]) - self._lag)

    def _stopping(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        return ((i, steps) for i, steps in enumerate(self.hits) if not self.breakpoints[i].log)
