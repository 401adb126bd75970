"""The steps of a training so far, the state after each step, and breakpoints."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_right
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.breakpoints import KINDS, Dialect, Walk
from guiapp.analysis.trace.conditions import TEXT_TESTS, Schema, Steps, is_hexadecimal, unquoted
from guiapp.analysis.train.corpus import END_OF_WORD
from guiapp.analysis.train.models import mark_as_space
from guiapp.analysis.train.runs import Start, parse_start
from guiapp.analysis.train.steps import (
    Cut,
    EstimateStep,
    MergeStep,
    PruningStep,
    Symbols,
    TrainingStep,
    from_json,
)

START = (
    "At the start, each word is split into its smallest symbols. Count the pairs of neighbours.",
    "At the start, every frequent substring is a piece: far too many.",
)
"""Sentences about the state before the first step: for merges, for Unigram."""


class TrainingRecord:
    """The steps of a training, added line by line; number k means the state after k steps, 0 is the start.

    A step is stored as its JSON line, which takes a tenth of the memory.
    `values` has the steps as columns, for breakpoints.
    """

    def __init__(self, start: Start, spelling: Spelling = Spelling.SIGNS) -> None:
        self.start = start
        self._lines: list[bytes] = []
        self._cuts: list[list[tuple[int, Cut]]] = [[(0, cut)] for cut, _ in start.words]
        self._has_end_marks = END_OF_WORD in start.alphabet
        self._symbols: list[str] = []
        self._known: set[str] = set()
        for symbol in start.alphabet:
            self._learn(symbol)
        self._sizes = [len(self._symbols)]
        self._likelihoods: list[tuple[int, float]] = []
        self.values = TrainingValues(Symbols(start.algorithm == "bpe" and not self._has_end_marks, spelling))

    def append(self, line: bytes) -> None:
        """Add the next step."""
        learned = from_json(line)
        self._lines.append(line)
        for index, cut in learned.recuts:
            self._cuts[index].append((len(self._lines), cut))
        if isinstance(learned, MergeStep):
            self._learn(learned.left, learned.right)
            self._sizes.append(len(self._symbols))
        else:
            self._sizes.append(learned.n_pieces)
        self.values.append(learned, self.n_tokens(self.n_steps))
        if isinstance(learned, EstimateStep):
            self._likelihoods.append((len(self._lines), learned.log_likelihood))

    def spell(self, spelling: Spelling) -> None:
        """Use this spelling for symbols from now on."""
        self.values.symbols = replace(self.values.symbols, spelling=spelling)

    def write(self, symbol: str) -> str:
        """A symbol as shown to the user."""
        return self.values.symbols.write(symbol)

    def sentence(self, number: int) -> str:
        """A sentence about the step that leads to `number`; for 0, about the start."""
        return self.step(number).sentence(self.write) if number else START[self.start.algorithm == "unigram"]

    def _learn(self, *parts: str) -> None:
        """Add a symbol, unless another one is the same token in the model file."""
        text = "".join(map(mark_as_space, parts) if self._has_end_marks else parts)
        if text not in self._known:
            self._known.add(text)
            self._symbols.append("".join(parts))

    def lines(self) -> list[bytes]:
        """The start and all steps so far, as lines of a file for `load`."""
        return [self.start.line(), *(line.strip() for line in self._lines)]

    @staticmethod
    def load(path: Path, spelling: Spelling = Spelling.SIGNS) -> TrainingRecord:
        """Read a record that was saved as `lines`."""
        with path.open("rb") as file:
            record = TrainingRecord(parse_start(file.readline()), spelling)
            for line in file:
                record.append(line)
        return record

    @property
    def n_steps(self) -> int:
        return len(self._lines)

    def step(self, number: int) -> TrainingStep:
        """The step that leads to `number`, from 1."""
        return from_json(self._lines[number - 1])

    def words(self, number: int) -> list[tuple[Cut, int, bool]]:
        """The first words after a step: how each is cut, its count, and whether this step changed it."""
        matches = []
        for history, (_, count) in zip(self._cuts, self.start.words, strict=True):
            since, cut = history[bisect_right(history, number, key=lambda entry: entry[0]) - 1]
            matches.append((cut, count, since == number > 0))
        return matches

    def n_tokens(self, number: int) -> int:
        """The size of the vocabulary after a step: the tokens that its model file would have."""
        return self.n_symbols(number) + self.start.n_other_tokens

    def n_symbols(self, number: int) -> int:
        """The number of tokens that are symbols or pieces of the text after a step."""
        return self._sizes[number]

    @property
    def n_repeated(self) -> int:
        """The number of merges that made a symbol which already existed."""
        if self.start.algorithm == "unigram":
            return 0
        return self._sizes[0] + self.n_steps - self._sizes[-1]

    def newest_symbols(self, number: int, limit: int) -> list[str]:
        """The merged symbols, newest first, then the alphabet; at most `limit`."""
        size = self._sizes[number]
        return self._symbols[max(0, size - limit) : size][::-1]

    def likelihoods(self, number: int) -> list[tuple[int, float]]:
        """The number and log-likelihood of each estimate up to a step."""
        return [entry for entry in self._likelihoods if entry[0] <= number]


# The steps as columns, for the same conditions as in encoding


OPERATIONS = ("merge", "estimate", "prune")
SYMBOLS = ("left", "right", "result")
SCHEMA = Schema(
    {
        "step": "number of the step, from 1",
        "operation": "kind of step: " + ", ".join(OPERATIONS),
        "left": "left symbol of the pair that is merged",
        "right": "right symbol",
        "result": "symbol that the merge makes",
        "length": "bytes of text in the new symbol",
        "rank": "number of the merge, from 0",
        "count": "how often the pair occurs",
        "score": "WordPiece's score of the pair",
        "ties": "listed pairs that are equally good",
        "size": "tokens in the vocabulary after the step",
        "likelihood": "log-likelihood of the text before the new estimate",
        "dropped": "number of dropped pieces",
    },
    SYMBOLS,
    {"operation": OPERATIONS},
)
NUMBERS = tuple(name for name in SCHEMA.columns if name not in SYMBOLS)


class TrainingValues:
    """The columns of a running training; see `Values`."""

    schema = SCHEMA

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self._numbers = {name: array("d") for name in NUMBERS}
        self._symbols = {name: array("i") for name in SYMBOLS}
        self._index: dict[str, int] = {}
        self._texts: list[tuple[str, bytes]] = []  # the spelling of each symbol, and its text
        self._passing: dict[tuple[str, str], list[bool]] = {}

    @property
    def n_steps(self) -> int:
        return len(self._numbers["step"])

    def append(self, description: TrainingStep, size: int) -> None:
        """Add the next step; `size` is the size of the vocabulary after it."""
        row = {"step": self.n_steps + 1.0, "size": float(size)}
        symbols = ("", "", "")
        if isinstance(description, MergeStep):
            symbols = description.left, description.right, description.made
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
        """Whether the spelling or text of each symbol passes; the last entry is for steps without symbols."""
        passing = self._passing.setdefault((test, text), [])
        passes = TEXT_TESTS.get(test, str.__eq__)
        for symbol, plain in self._texts[len(passing) :]:
            passing.append(passes(symbol, text) or passes(plain.decode("utf-8", "replace"), text))
        return np.array([*passing, False])


SHARED_KINDS = "token", "pattern", "pair", "rank", "operation", "if"
TRAINING_DIALECT = Dialect({name: KINDS[name] for name in SHARED_KINDS}, SCHEMA)


class TrainingWalk(Walk):
    """A walk through a running training; the effect of a step is visible after it is taken."""

    dialect = TRAINING_DIALECT
    lag = 1
