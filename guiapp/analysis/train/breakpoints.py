"""Breakpoints in trainings: the steps as columns, for the same conditions as on steps of encoding."""

from __future__ import annotations

import math
from array import array

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.breakpoints import KINDS, Dialect
from guiapp.analysis.trace.conditions import TEXT_TESTS, Schema, Steps
from guiapp.analysis.trace.token_names import is_hexadecimal, unquoted
from guiapp.analysis.trace.walk import Walk
from guiapp.analysis.train.steps import EstimateStep, MergeStep, PruningStep, TrainingStep
from guiapp.analysis.train.symbols import Symbols

OPERATIONS = ("merge", "estimate", "prune")
SYMBOLS = ("left", "right", "result")
SCHEMA = Schema(
    {
        "step": "number of the step, from 1",
        "operation": "what happens: " + ", ".join(OPERATIONS),
        "left": "left symbol of the pair that is merged",
        "right": "right symbol",
        "result": "symbol that is made",
        "length": "bytes of text in it",
        "rank": "number of the merge, from 0",
        "count": "how often the pair occurs",
        "score": "WordPiece's score of the pair",
        "ties": "other pairs that are as good, of those that are told",
        "size": "tokens in the vocabulary after the step",
        "likelihood": "log-likelihood of the text before pieces are estimated anew",
        "dropped": "pieces that are dropped",
    },
    SYMBOLS,
    {"operation": OPERATIONS},
)
NUMBERS = tuple(name for name in SCHEMA.columns if name not in SYMBOLS)


class TrainingValues:
    """The columns of a training under way; see `Values`."""

    schema = SCHEMA

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self._numbers = {name: array("d") for name in NUMBERS}
        self._symbols = {name: array("i") for name in SYMBOLS}
        self._index: dict[str, int] = {}
        self._texts: list[tuple[str, bytes]] = []  # of each symbol its spelling, and what it stands for
        self._passing: dict[tuple[str, str], list[bool]] = {}

    @property
    def n_steps(self) -> int:
        return len(self._numbers["step"])

    def append(self, description: TrainingStep, size: int) -> None:
        """Take the next step; `size` is that of the vocabulary behind it."""
        row = {"step": self.n_steps + 1.0, "size": float(size)}
        symbols = ("", "", "")
        if isinstance(description, MergeStep):
            symbols = description.left, description.right, description.left + description.right
            worth = "count" if description.worth.is_integer() else "score"
            row |= {
                "operation": 0.0,
                "rank": float(self.n_steps),
                worth: description.worth,
                "ties": len(description.ties),
            }
            row["length"] = len(self.symbols.plain(symbols[2]))
        elif isinstance(description, EstimateStep):
            row |= {"operation": 1.0, "likelihood": description.log_likelihood}
        elif isinstance(description, PruningStep):
            row |= {"operation": 2.0, "dropped": description.n_dropped}
        for name, numbers in self._numbers.items():
            numbers.append(row.get(name, math.nan))
        for column, symbol in zip(self._symbols.values(), symbols, strict=True):
            column.append(self._number(symbol) if symbol else -1)

    def column(self, name: str, steps: Steps) -> NDArray[np.float64]:
        if name in SYMBOLS:
            return np.full(len(self._of(name)[steps]), np.nan)
        passing_steps: NDArray[np.float64] = np.array(self._numbers[name])[steps]
        return passing_steps

    def is_token(self, column: str, test: str, text: str, steps: Steps) -> NDArray[np.bool_]:
        passing_steps: NDArray[np.bool_] = self._that(test, text)[self._of(column)[steps]]
        return passing_steps

    def description(self, column: str, step: int) -> str | None:
        if column == "operation":
            return OPERATIONS[int(self._numbers[column][step])]
        if column not in SYMBOLS:
            return None
        number = self._symbols[column][step]
        return self.symbols.write(self._texts[number][0]) if number >= 0 else "–"

    @property
    def formed(self) -> NDArray[np.bool_]:
        return np.ones(self.n_steps, np.bool_)

    def is_operation(self, name: str) -> NDArray[np.bool_]:
        return np.equal(self._numbers["operation"], OPERATIONS.index(name))

    def made_of(self, column: str, target: str) -> NDArray[np.bool_]:
        if not is_hexadecimal(target):
            return self.is_token(column, "==", unquoted(target), np.arange(self.n_steps))
        data = bytes.fromhex(target.replace("0x", ""))
        passing = [plain == data for _, plain in self._texts]
        passing_steps: NDArray[np.bool_] = np.array([*passing, False])[self._of(column)]
        return passing_steps

    def _number(self, symbol: str) -> int:
        if symbol not in self._index:
            self._index[symbol] = len(self._texts)
            self._texts.append((symbol, self.symbols.plain(symbol)))
        return self._index[symbol]

    def _of(self, column: str) -> NDArray[np.int32]:
        return np.array(self._symbols[column], np.int32)

    def _that(self, test: str, text: str) -> NDArray[np.bool_]:
        """By symbol whether its spelling or its text passes; the last entry is for steps without symbols."""
        passing = self._passing.setdefault((test, text), [])
        passes = TEXT_TESTS.get(test, str.__eq__)
        for symbol, plain in self._texts[len(passing) :]:
            passing.append(passes(symbol, text) or passes(plain.decode("utf-8", "replace"), text))
        return np.array([*passing, False])


SHARED_KINDS = "token", "pattern", "pair", "rank", "operation", "if"
TRAINING_DIALECT = Dialect({name: KINDS[name] for name in SHARED_KINDS}, SCHEMA)


class TrainingWalk(Walk):
    """A walk through a training under way; what a step did is seen once it is taken."""

    dialect = TRAINING_DIALECT
    lag = 1
