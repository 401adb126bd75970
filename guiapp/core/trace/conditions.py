"""Evaluates conditions on the steps of a trace, for many steps at once.

A step that has no such value (no rank, no token) makes every comparison with it false, except `!=`.
`and` and `or` look at their right side only for the steps that the left side leaves open, so that
`candidates > 0 and rank / candidates > 2` never divides by zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import re2
from numpy.typing import NDArray

from guiapp.core.explain.spelling import Spelling
from guiapp.core.trace.condition_syntax import (
    COMPARISONS,
    Call,
    ConditionError,
    Name,
    Node,
    Operator,
    Value,
    parse,
)
from guiapp.core.trace.operations import FORMS, NUMBERS, OPERATIONS, STAGE_NAMES, STAGES
from guiapp.core.trace.token_names import is_hexadecimal, unquoted
from guiapp.core.trace.trace import Trace
from guiapp.core.vocab.vocabulary import Vocabulary

Steps: TypeAlias = "NDArray[np.int64] | slice"

COLUMNS = {
    "step": "number of the step, from 0",
    "operation": "what happens: " + ", ".join(operation.name for operation in OPERATIONS),
    "stage": ", ".join(STAGE_NAMES),
    "piece": "number of the piece, from 0",
    "position": "first byte of the text that it is about",
    "end": "first byte behind it",
    "length": "end - position",
    "left": "left token: its id, or its text",
    "right": "right token",
    "result": "token that is made or tried",
    "rank": "rank of the merge (heap, scan)",
    "score": "score or cost of the way (viterbi, plamo2, fewest)",
    "candidates": "pairs that could merge (heap)",
    "depth": "tokens of the piece so far",
    "forms": "1 where a token is formed",
}
TOKENS = ("left", "right", "result")
MERGING, WEIGHING = ("heap", "scan"), ("viterbi", "plamo2", "fewest")
TWINS_WITH = {
    "rank": MERGING,
    "score": WEIGHING,
    "candidates": ("heap",),
    "left": MERGING,
    "right": MERGING,
}
"""The columns that only the steps of some algorithms fill: elsewhere no step has such a value."""
OF_OPERATIONS: dict[str, NDArray[np.float64]] = {
    "operation": np.arange(len(OPERATIONS), dtype=np.float64),
    "stage": STAGES.astype(np.float64),
    "forms": FORMS.astype(np.float64),
}


class Schema(NamedTuple):
    """What conditions on some kind of steps can name.

    columns  each with its meaning
    tokens   those that hold tokens, which are compared with texts
    names    those that hold one of a few names
    """

    columns: Mapping[str, str]
    tokens: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]


TRACE_SCHEMA = Schema(COLUMNS, TOKENS, {"operation": tuple(NUMBERS), "stage": STAGE_NAMES})
KNOWN_PATTERNS = 64


@lru_cache(KNOWN_PATTERNS)
def _compiled(pattern: str) -> Any:
    """A pattern of RE2, which searches in linear time and bounded memory, whatever somebody types."""
    options = re2.Options()
    options.log_errors = False  # they are told, not printed
    return re2.compile(pattern.encode("utf-8", "replace"), options)


TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda text, part: part in text,
    "starts": str.startswith,
    "ends": str.endswith,
    "matches": lambda text, pattern: _compiled(pattern).search(text.encode("utf-8", "replace")) is not None,
}
NUMBER_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


class Values(Protocol):
    """The columns of steps as conditions see them."""

    schema: Schema

    @property
    def n_steps(self) -> int: ...

    def column(self, name: str, steps: Steps) -> NDArray[np.float64]:
        """A column as numbers, NaN where a step has nothing of the kind."""

    def is_token(self, column: str, test: str, text: str, steps: Steps) -> NDArray[np.bool_]:
        """Where the text of a token passes a test, one of TEXT_TESTS or `==`."""

    def told(self, column: str, step: int) -> str | None:
        """How a step's token or name is written; None for columns of numbers."""

    @property
    def formed(self) -> NDArray[np.bool_]:
        """Which steps form a token."""

    def is_operation(self, name: str) -> NDArray[np.bool_]: ...

    def made_of(self, column: str, wanted: str) -> NDArray[np.bool_]:
        """Which steps have the token that a breakpoint names: an id, a text in quotes or as it is, bytes."""


class TraceValues:
    """The columns of one trace, with the texts of its tokens; see `Values`."""

    schema = TRACE_SCHEMA

    def __init__(self, trace: Trace, vocabulary: Vocabulary, spelling: Spelling = Spelling.SIGNS) -> None:
        self.trace = trace
        self.vocabulary = vocabulary
        self.spelling = spelling
        self._id_sets: dict[tuple[str, str], NDArray[np.bool_]] = {}

    @property
    def n_steps(self) -> int:
        return len(self.trace)

    def told(self, column: str, step: int) -> str | None:
        if column == "operation":
            return self.trace.operation(step)
        if column == "stage":
            return self.trace.stage(step)
        if column not in TOKENS:
            return None
        token_id = int(getattr(self.trace.columns, column)[step])
        is_token = 0 <= token_id < len(self.vocabulary)
        return self.spelling.token(self.vocabulary, token_id) if is_token else "–"

    def column(self, name: str, steps: Steps) -> NDArray[np.float64]:
        """A column as numbers, NaN where a step has nothing of the kind."""
        columns = self.trace.columns
        if name == "step":
            return np.arange(len(self.trace), dtype=np.float64)[steps]
        if name == "length":
            return (columns.end[steps] - columns.position[steps]).astype(np.float64)
        if name in ("operation", "stage", "forms"):
            return OF_OPERATIONS[name][columns.operation[steps]]
        found = getattr(columns, "rank" if name == "score" else name)[steps]
        if name in ("rank", "score") and self.trace.twin not in TWINS_WITH[name]:
            return np.full(len(found), np.nan)
        values: NDArray[np.float64] = found.astype(np.float64)
        if name in (*TOKENS, "piece", "candidates"):
            values[found < 0] = np.nan
        return values

    def is_token(self, column: str, test: str, text: str, steps: Steps) -> NDArray[np.bool_]:
        """Where the text of a token passes a test; only tokens that the trace has are looked at."""
        key = (test, text)
        if key not in self._id_sets:
            self._id_sets[key] = self.ids_that(test, text)
        ids = getattr(self.trace.columns, column)[steps]
        found: NDArray[np.bool_] = self._id_sets[key][np.clip(ids, -1, len(self._id_sets[key]) - 2)]
        return found

    def ids_that(self, test: str, text: str) -> NDArray[np.bool_]:
        """bool[n + 1] by token id; the last one is for steps without a token."""
        passes = np.zeros(len(self.vocabulary) + 1, np.bool_)
        for token_id in self.used_ids.tolist():
            raw = self.vocabulary.raw_text(token_id).decode("utf-8", "replace")
            plain = self.vocabulary.token_bytes(token_id).decode("utf-8", "replace")
            if test == "==":
                passes[token_id] = text in (raw, plain, Spelling.SIGNS.token(self.vocabulary, token_id))
            else:
                passes[token_id] = TEXT_TESTS[test](raw, text) or TEXT_TESTS[test](plain, text)
        return passes

    @property
    def formed(self) -> NDArray[np.bool_]:
        formed: NDArray[np.bool_] = FORMS[self.trace.columns.operation]
        return formed

    def is_operation(self, name: str) -> NDArray[np.bool_]:
        return np.equal(self.trace.columns.operation, NUMBERS[name])

    def made_of(self, column: str, wanted: str) -> NDArray[np.bool_]:
        ids, found = getattr(self.trace.columns, column), self.ids_of(wanted)
        return np.equal(ids, found[0]) if len(found) == 1 else np.isin(ids, found)

    def ids_of(self, wanted: str) -> NDArray[np.int64]:
        """Ids for an id, "a text" in any spelling, or bytes such as 0xE2 0x82."""
        if wanted.isdecimal():
            return np.array([int(wanted)] if int(wanted) < len(self.vocabulary) else [], np.int64)
        if is_hexadecimal(wanted):
            data = bytes.fromhex(wanted.replace("0x", ""))
            return self.used_ids[[self.vocabulary.token_bytes(i) == data for i in self.used_ids.tolist()]]
        return np.flatnonzero(self.ids_that("==", unquoted(wanted))[:-1])

    @cached_property
    def used_ids(self) -> NDArray[np.int64]:
        used = np.zeros(len(self.vocabulary) + 1, np.bool_)
        columns = self.trace.columns
        for ids in (columns.left, columns.right, columns.result):
            used[np.clip(ids, -1, len(used) - 1)] = True
        return np.flatnonzero(used[:-1])


class Condition:
    """A condition that was parsed and checked; to make one that makes no sense raises ConditionError."""

    def __init__(self, text: str, schema: Schema = TRACE_SCHEMA) -> None:
        self.text = text
        with self._shown():
            self._node = parse(text)
            _Checker(schema).check(self._node)

    @contextmanager
    def _shown(self) -> Iterator[None]:
        """Let an error say in which condition its place is, whether that is read or evaluated."""
        try:
            with np.errstate(all="ignore"):
                yield
        except ConditionError as error:
            error.condition = self.text
            raise

    @cached_property
    def names(self) -> frozenset[str]:
        """The columns that it looks at."""
        return frozenset(_names(self._node))

    def holds(self, values: Values, steps: NDArray[np.int64]) -> NDArray[np.bool_]:
        """For each of the steps whether it meets the condition."""
        with self._shown():
            return _as_truth(_evaluate(self._node, values, steps), len(steps))

    def everywhere(self, values: Values) -> NDArray[np.int64]:
        """All steps that meet the condition."""
        n_steps = values.n_steps
        with self._shown():
            return np.flatnonzero(_as_truth(_evaluate(self._node, values, slice(0, n_steps)), n_steps))


class Expression(Condition):
    """A value of one step, to be watched."""

    def value(self, values: Values, step: int) -> float:
        """NaN where the step has none."""
        with self._shown():
            found = _evaluate(self._node, values, np.array([step]))
        return float(np.asarray(found, np.float64).reshape(-1)[0])


class _Checker:
    """Raises ConditionError for names, functions and texts that mean nothing."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def check(self, node: Node) -> None:
        columns = self._schema.columns
        if isinstance(node, Name):
            if node.name not in columns:
                message = f"There is no column “{node.name}”. There are: {', '.join(columns)}."
                raise ConditionError(message, node.at)
        elif isinstance(node, Value):
            if isinstance(node.value, str):
                raise ConditionError("A text can only be compared with a column by ==, != or in.", node.at)
        elif isinstance(node, Call):
            self._check_call(node)
        elif node.sign in ("==", "!=", "in") and self._is_name_of_texts(node.parts[0]):
            for part in node.parts[1:]:
                if isinstance(part, Value) and isinstance(part.value, str):
                    self._check_text(node.parts[0], part)
                else:
                    self.check(part)
        else:
            for part in node.parts:
                self.check(part)

    def _is_name_of_texts(self, node: Node) -> bool:
        return isinstance(node, Name) and (
            node.name in self._schema.tokens or node.name in self._schema.names
        )

    def _check_text(self, column: Node, text: Value) -> None:
        assert isinstance(column, Name)
        known = self._schema.names.get(column.name)
        if known is not None and text.value not in known:
            message = f"“{text.value}” is no {column.name}. There are: {', '.join(known)}."
            raise ConditionError(message, text.at)

    def _check_call(self, node: Call) -> None:
        if node.name == "abs" and len(node.arguments) == 1:
            self.check(node.arguments[0])
            return
        if node.name not in TEXT_TESTS:
            message = f"There is no function “{node.name}”. There are: abs, {', '.join(TEXT_TESTS)}."
            raise ConditionError(message, node.at)
        column, *texts = node.arguments
        is_token = isinstance(column, Name) and column.name in self._schema.tokens
        text = texts[0] if len(texts) == 1 else None
        if not is_token or not isinstance(text, Value) or not isinstance(text.value, str):
            raise ConditionError(f'Write {node.name}(result, "…"), with left, right or result.', node.at)
        if node.name == "matches":
            check_pattern(text.value, text.at)


def check_pattern(text: str, at: int = 0) -> None:
    """Raise ConditionError for a pattern that is not valid."""
    try:
        _compiled(text)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
        raise ConditionError(f"The pattern is not valid: {reason}.", at) from error


def _names(node: Node) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.name
    parts = node.arguments if isinstance(node, Call) else node.parts if isinstance(node, Operator) else ()
    for part in parts:
        yield from _names(part)


def _evaluate(node: Node, values: Values, steps: Steps) -> Any:
    if isinstance(node, Value):
        return node.value
    if isinstance(node, Name):
        return values.column(node.name, steps)
    if isinstance(node, Call):
        if node.name == "abs":
            return np.abs(_evaluate(node.arguments[0], values, steps))
        column, text = node.arguments
        assert isinstance(column, Name)
        assert isinstance(text, Value)
        return values.is_token(column.name, node.name, str(text.value), steps)
    if node.sign in ("and", "or"):
        return _evaluate_both(node, values, steps)
    if node.sign == "not":
        return ~_as_truth(_evaluate(node.parts[0], values, steps), _count(values, steps))
    if node.sign == "negative":
        return np.negative(_as_numbers(_evaluate(node.parts[0], values, steps)))
    if node.sign == "in":
        found = np.zeros(_count(values, steps), np.bool_)
        for choice in node.parts[1:]:
            found |= _as_truth(_compare("==", node.parts[0], choice, values, steps), len(found))
        return found
    if node.sign in COMPARISONS:
        return _compare(node.sign, node.parts[0], node.parts[1], values, steps)
    left, right = (_as_numbers(_evaluate(part, values, steps)) for part in node.parts)
    if node.sign in ("/", "%"):
        return _divide(node, left, right, values, steps)
    return NUMBER_SIGNS[node.sign](left, right)


def _compare(sign: str, left: Node, right: Node, values: Values, steps: Steps) -> Any:
    if isinstance(left, Name) and isinstance(right, Value) and isinstance(right.value, str):
        if left.name in values.schema.tokens:
            found = values.is_token(left.name, "==", right.value, steps)
        else:
            names = values.schema.names[left.name]
            found = values.column(left.name, steps) == names.index(right.value)
        return ~found if sign == "!=" else found
    return NUMBER_SIGNS[sign](_evaluate(left, values, steps), _evaluate(right, values, steps))


def _evaluate_both(node: Operator, values: Values, steps: Steps) -> NDArray[np.bool_]:
    """`and` and `or`: the right side only where the left one does not decide."""
    n_steps = _count(values, steps)
    truth = _as_truth(_evaluate(node.parts[0], values, steps), n_steps).copy()
    is_open = truth if node.sign == "and" else ~truth
    places = np.flatnonzero(is_open)
    if len(places):
        rest = places if isinstance(steps, slice) else steps[places]
        truth[places] = _as_truth(_evaluate(node.parts[1], values, rest), len(places))
    return truth


def _divide(
    node: Operator,
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    values: Values,
    steps: Steps,
) -> Any:
    zeros = np.flatnonzero(np.broadcast_to(right == 0, _count(values, steps)))
    if len(zeros):
        step = zeros[0] if isinstance(steps, slice) else steps[zeros[0]]
        raise ConditionError(f"This divides by zero at step {step:,}.", node.at)
    return np.divide(left, right) if node.sign == "/" else np.mod(left, right)


def _count(values: Values, steps: Steps) -> int:
    return values.n_steps if isinstance(steps, slice) else len(steps)


def _as_numbers(found: Any) -> NDArray[np.float64]:
    return np.asarray(found, np.float64)


def _as_truth(found: Any, n_steps: int) -> NDArray[np.bool_]:
    """Numbers count as true unless they are 0 or missing."""
    array = np.asarray(found)
    if array.dtype != np.bool_:
        array = (array != 0) & ~np.isnan(array)
    return np.broadcast_to(array, n_steps)
