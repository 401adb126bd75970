"""Conditions on steps, such as `rank < 500 and length > 3`, evaluated for many steps at once.

Python's parser reads them (`parse`), `_Reader` rejects what a condition must not contain, and no code is
executed. For a step without a value (no rank, no token) every comparison is false, except `!=`.
`and` and `or` evaluate their right side only for the steps that the left side does not decide:
`candidates > 0 and rank / candidates > 2` never divides by zero.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import re2
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.trace import FORMS, NUMBERS, OPERATIONS, STAGE_NAMES, STAGES, Trace
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import TokenloupeError

Steps: TypeAlias = "NDArray[np.int64]"
Evaluate: TypeAlias = "Callable[[Values, Steps], Any]"
"""Evaluates a part of a condition at some steps: to an array, or to one value for all steps."""

COLUMNS = {
    "step": "number of the step, from 0",
    "operation": "kind of step: " + ", ".join(operation.name for operation in OPERATIONS),
    "stage": ", ".join(STAGE_NAMES),
    "piece": "number of the piece, from 0",
    "position": "first byte of the text that the step covers",
    "end": "first byte after it",
    "length": "end - position",
    "left": "left token: its id, or its text",
    "right": "right token",
    "result": "token that the step makes or tries",
    "rank": "rank of the merge (heap, scan); only merges count unless you name an operation",
    "score": "score or cost of the path (viterbi, plamo2, fewest)",
    "candidates": "pairs that could merge (heap)",
    "depth": "tokens of the piece so far",
    "forms": "1 if the step forms a token",
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
"""The columns that only some reference implementations fill; the steps of others have no such value."""
OF_OPERATIONS: dict[str, NDArray[np.float64]] = {
    "operation": np.arange(len(OPERATIONS), dtype=np.float64),
    "stage": STAGES.astype(np.float64),
    "forms": FORMS.astype(np.float64),
}


class Schema(NamedTuple):
    """The columns that conditions on some sort of steps can name.

    columns  all columns, with their meanings
    tokens   the columns that hold tokens, which are compared with texts
    names    the columns that hold names, with the possible names
    """

    columns: Mapping[str, str]
    tokens: tuple[str, ...]
    names: Mapping[str, tuple[str, ...]]


TRACE_SCHEMA = Schema(COLUMNS, TOKENS, {"operation": tuple(NUMBERS), "stage": STAGE_NAMES})
KNOWN_PATTERNS = 64


@lru_cache(KNOWN_PATTERNS)
def _compiled(pattern: str) -> Any:
    """A pattern of RE2, which searches in linear time and bounded memory for any pattern."""
    options = re2.Options()
    options.log_errors = False  # they become messages to the user instead
    return re2.compile(pattern.encode("utf-8", "replace"), options)


TEXT_TESTS: dict[str, Callable[[str, str], bool]] = {
    "contains": lambda text, part: part in text,
    "starts": str.startswith,
    "ends": str.endswith,
    "matches": lambda text, pattern: _compiled(pattern).search(text.encode("utf-8", "replace")) is not None,
}
OPERATORS: dict[type[ast.operator | ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide, ast.Mod: np.mod,
    ast.Eq: np.equal, ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}  # fmt: skip
OPPOSITES: dict[type[ast.cmpop], ast.cmpop] = {ast.NotEq: ast.Eq(), ast.NotIn: ast.In()}
COMPARISONS = {*OPERATORS, *OPPOSITES, ast.In}
LONGEST = 1000  # characters
DEEPEST = 100  # levels of a tree
TOO_DEEP = "The condition is nested too deeply. Use fewer brackets or signs."


class ConditionError(TokenloupeError):
    """An invalid condition; `position` is the offset of the error in `condition`, in characters."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position
        self.condition = ""


def parse(text: str) -> ast.expr:
    """Parse a condition; each `col_offset` counts characters of the text.  Raises ConditionError."""
    if len(text) > LONGEST:
        raise ConditionError(f"A condition has at most {LONGEST:,} characters.", LONGEST)
    source = re.sub(r"\s", " ", text)
    shift = len(source) - len(source.lstrip())
    try:
        with warnings.catch_warnings():  # about backslashes in patterns, and the like
            warnings.simplefilter("ignore")
            tree = ast.parse(source[shift:], mode="eval").body
    except SyntaxError as error:
        position = min(shift + max((error.offset or 1) - 1, 0), len(text))
        word = re.match(r"\w+|\S", text[position:])
        expected = "Expected a comparison, such as rank < 500"
        description = f"{expected}, near “{word[0]}”." if word else "The condition is incomplete."
        raise ConditionError(description, position) from error
    except (RecursionError, MemoryError) as error:
        raise ConditionError(TOO_DEEP, 0) from error
    except ValueError as error:  # such as a null byte
        raise ConditionError("The condition contains an invalid character.", 0) from error
    level, data = list[ast.AST]([tree]), source[shift:].encode()
    for _ in range(DEEPEST):
        for node in level:
            if isinstance(node, ast.expr):
                node.col_offset = shift + len(data[: node.col_offset].decode())
        level = [child for node in level for child in ast.iter_child_nodes(node)]
    if level:
        raise ConditionError(TOO_DEEP, 0)
    return tree


class Values(Protocol):
    """Access to the columns of steps for conditions."""

    schema: Schema

    @property
    def n_steps(self) -> int: ...

    def column(self, name: str, steps: Steps) -> NDArray[np.float64]:
        """A column as numbers, NaN if a step has no such value."""

    def is_token(self, column: str, test: str, text: str, steps: Steps) -> NDArray[np.bool_]:
        """Whether the text of each step's token passes a test, one of TEXT_TESTS or `==`."""

    def description(self, column: str, step: int) -> str | None:
        """A step's token or name, formatted for display; None for columns of numbers."""

    @property
    def formed(self) -> NDArray[np.bool_]:
        """Which steps form a token."""

    def is_operation(self, name: str) -> NDArray[np.bool_]: ...

    def made_of(self, column: str, target: str) -> NDArray[np.bool_]:
        """Which steps have the token of a breakpoint: an id, a text with or without quotes, or bytes."""


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

    def description(self, column: str, step: int) -> str | None:
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
        """A column as numbers, NaN if a step has no such value."""
        columns = self.trace.columns
        if name == "step":
            return np.arange(len(self.trace), dtype=np.float64)[steps]
        if name == "length":
            return (columns.end[steps] - columns.position[steps]).astype(np.float64)
        if name in ("operation", "stage", "forms"):
            return OF_OPERATIONS[name][columns.operation[steps]]
        results = getattr(columns, "rank" if name == "score" else name)[steps]
        if name in ("rank", "score") and self.trace.reference_name not in TWINS_WITH[name]:
            return np.full(len(results), np.nan)
        values: NDArray[np.float64] = results.astype(np.float64)
        if name in (*TOKENS, "piece", "candidates"):
            values[results < 0] = np.nan
        return values

    def is_token(self, column: str, test: str, text: str, steps: Steps) -> NDArray[np.bool_]:
        """Whether the text of each step's token passes a test; only tokens in the trace are tested."""
        key = (test, text)
        if key not in self._id_sets:
            self._id_sets[key] = self.ids_that(test, text)
        ids = getattr(self.trace.columns, column)[steps]
        results: NDArray[np.bool_] = self._id_sets[key][np.clip(ids, -1, len(self._id_sets[key]) - 2)]
        return results

    def ids_that(self, test: str, text: str) -> NDArray[np.bool_]:
        """bool[n + 1] by token id; the last entry is for steps without a token."""
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

    def made_of(self, column: str, target: str) -> NDArray[np.bool_]:
        ids, results = getattr(self.trace.columns, column), self.ids_of(target)
        return np.equal(ids, results[0]) if len(results) == 1 else np.isin(ids, results)

    def ids_of(self, target: str) -> NDArray[np.int64]:
        """The ids that match an id, "a text" in any spelling, or bytes such as 0xE2 0x82."""
        if target.isdecimal():
            return np.array([int(target)] if int(target) < len(self.vocabulary) else [], np.int64)
        if is_hexadecimal(target):
            data = bytes.fromhex(target.replace("0x", ""))
            return self.used_ids[[self.vocabulary.token_bytes(i) == data for i in self.used_ids.tolist()]]
        return np.flatnonzero(self.ids_that("==", unquoted(target))[:-1])

    @cached_property
    def used_ids(self) -> NDArray[np.int64]:
        used = np.zeros(len(self.vocabulary) + 1, np.bool_)
        columns = self.trace.columns
        for ids in (columns.left, columns.right, columns.result):
            used[np.clip(ids, -1, len(used) - 1)] = True
        return np.flatnonzero(used[:-1])


class Condition:
    """A parsed and checked condition; the constructor raises ConditionError if it is invalid.

    names  the columns that it uses
    """

    def __init__(self, text: str, schema: Schema = TRACE_SCHEMA) -> None:
        self.text = text
        reader = _Reader(schema)
        with self._shown():
            self._evaluate = reader.read(parse(text))
        self.names = frozenset(reader.names)

    @contextmanager
    def _shown(self) -> Iterator[None]:
        """Add the text of the condition to errors while it is parsed or evaluated."""
        try:
            with np.errstate(all="ignore"):
                yield
        except ConditionError as error:
            error.condition = self.text
            raise

    def holds(self, values: Values, steps: Steps) -> NDArray[np.bool_]:
        """Whether each of the steps meets the condition."""
        with self._shown():
            return _truth(self._evaluate(values, steps), steps)


class StepExpression(Condition):
    """An expression whose value at a step is shown."""

    def value(self, values: Values, step: int) -> float:
        """The value at a step, NaN if it has none."""
        with self._shown():
            results = self._evaluate(values, np.array([step]))
        return float(np.asarray(results, np.float64).reshape(-1)[0])


class _Reader:
    """Turns a syntax tree into functions; raises ConditionError for syntax that is not allowed."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self.names: set[str] = set()

    def read(self, node: ast.expr) -> Evaluate:
        match node:
            case ast.Constant(int() | float() as number) if not isinstance(number, bool):
                try:
                    constant = float(number)
                except OverflowError:
                    constant = np.inf
                return lambda values, steps: constant
            case ast.Constant(str()):
                message = "Compare text with a column only by ==, != or in."
                raise ConditionError(message, node.col_offset)
            case ast.Name(name):
                return self._column(name, node.col_offset)
            case ast.Call(ast.Name(name), arguments, []):
                return self._call(name, arguments, node.col_offset)
            case ast.UnaryOp(ast.Not(), operand):
                return _negated(self.read(operand))
            case ast.UnaryOp(ast.USub(), operand):
                part = self.read(operand)
                return lambda values, steps: np.negative(_numbers(part(values, steps)))
            case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
                return _calculated(operator, self.read(left), self.read(right), right.col_offset)
            case ast.BoolOp(word, parts):
                return _in_turn([self.read(each) for each in parts], isinstance(word, ast.And))
            case ast.Compare(left, operators, rights) if COMPARISONS.issuperset(map(type, operators)):
                pairs = zip([left, *rights], operators, rights, strict=False)
                return _in_turn([self._comparison(*pair) for pair in pairs], True)
        message = "This is not allowed here. Use columns, numbers, comparisons, and, or, not, in, + - * / %."
        raise ConditionError(message, node.col_offset)

    def _column(self, name: str, position: int) -> Evaluate:
        columns = self._schema.columns
        if name not in columns:
            message = f"There is no column “{name}”. Columns: {', '.join(columns)}."
            raise ConditionError(message, position)
        self.names.add(name)
        return lambda values, steps: values.column(name, steps)

    def _call(self, name: str, arguments: Sequence[ast.expr], position: int) -> Evaluate:
        if name == "abs" and len(arguments) == 1:
            part = self.read(arguments[0])
            return lambda values, steps: np.abs(part(values, steps))
        if name not in TEXT_TESTS:
            message = f"There is no function “{name}”. Functions: abs, {', '.join(TEXT_TESTS)}."
            raise ConditionError(message, position)
        match arguments:
            case [ast.Name(column), ast.Constant(str(text))] if column in self._schema.tokens:
                if name == "matches":
                    check_pattern(text, arguments[1].col_offset)
                self.names.add(column)
                return lambda values, steps: values.is_token(column, name, text, steps)
        raise ConditionError(f'Write {name}(result, "…"), with left, right or result.', position)

    def _comparison(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> Evaluate:
        if type(operator) in OPPOSITES:
            return _negated(self._comparison(left, OPPOSITES[type(operator)], right))
        if isinstance(operator, ast.In):  # the same as `==` joined by `or`
            choices = right.elts if isinstance(right, ast.Tuple | ast.List) and right.elts else [right]
            return _in_turn([self._comparison(left, ast.Eq(), each) for each in choices], False)
        match operator, left, right:
            case ast.Eq(), ast.Name(name), ast.Constant(str(text)) if name in self._schema.tokens:
                self.names.add(name)
                return lambda values, steps: values.is_token(name, "==", text, steps)
            case ast.Eq(), ast.Name(name), ast.Constant(str(text)) if name in self._schema.names:
                known = self._schema.names[name]
                if text not in known:
                    message = f"There is no {name} “{text}”. Choose from: {', '.join(known)}."
                    raise ConditionError(message, right.col_offset)
                right = ast.Constant(float(known.index(text)))
        compare, first, second = OPERATORS[type(operator)], self.read(left), self.read(right)
        return lambda values, steps: compare(first(values, steps), second(values, steps))


def check_pattern(text: str, at: int = 0) -> None:
    """Raise ConditionError for a pattern that is not valid."""
    try:
        _compiled(text)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
        raise ConditionError(f"The pattern is not valid: {reason}.", at) from error


def _in_turn(parts: Sequence[Evaluate], is_and: bool) -> Evaluate:
    """`and` or `or`: each part is evaluated only for the steps that the previous parts do not decide."""

    def evaluate(values: Values, steps: Steps) -> NDArray[np.bool_]:
        truth = np.full(len(steps), is_and)
        for part in parts:
            undecided = np.flatnonzero(truth == is_and)
            truth[undecided] = _truth(part(values, steps[undecided]), undecided)
        return truth

    return evaluate


def _negated(part: Evaluate) -> Evaluate:
    return lambda values, steps: ~_truth(part(values, steps), steps)


def _calculated(operator: ast.operator, left: Evaluate, right: Evaluate, divisor_position: int) -> Evaluate:
    def evaluate(values: Values, steps: Steps) -> Any:
        numbers, divisor = _numbers(left(values, steps)), _numbers(right(values, steps))
        zeros = steps[np.broadcast_to(divisor == 0, len(steps))]
        if len(zeros) and isinstance(operator, ast.Div | ast.Mod):
            raise ConditionError(f"Division by zero at step {zeros[0]:,}.", divisor_position)
        return OPERATORS[type(operator)](numbers, divisor)

    return evaluate


def _numbers(results: Any) -> NDArray[np.float64]:
    return np.asarray(results, np.float64)


def _truth(results: Any, steps: Steps) -> NDArray[np.bool_]:
    """Numbers count as true unless they are 0 or missing."""
    array = np.asarray(results)
    if array.dtype != np.bool_:
        array = (array != 0) & ~np.isnan(array)
    return np.broadcast_to(array, len(steps))


# How a token is written in a breakpoint or a condition


def unquoted(text: str) -> str:
    is_quoted = len(text) >= 2 and text[0] == text[-1] == '"'
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if is_quoted else text


def is_hexadecimal(text: str) -> bool:
    return re.fullmatch(r"(?:0x[0-9A-Fa-f]{2}\s*)+", text) is not None
