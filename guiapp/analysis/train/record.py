"""The steps of a training so far, and what there was after any of them."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from pathlib import Path

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.train.breakpoints import TrainingValues
from guiapp.analysis.train.corpus import END_OF_WORD
from guiapp.analysis.train.runs import Start, parse_start
from guiapp.analysis.train.steps import Cut, EstimateStep, MergeStep, TrainingStep, from_json
from guiapp.analysis.train.symbols import Symbols
from guiapp.analysis.train.vocabularies import mark_as_space


class TrainingRecord:
    """Grows line by line; after step k means after the first k steps, 0 being the start.

    A step is kept as the line that it came as: that takes a tenth of the memory.
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
        """Take the next step."""
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
        """Write symbols like this from now on."""
        self.values.symbols = replace(self.values.symbols, spelling=spelling)

    def write(self, symbol: str) -> str:
        """A symbol as people see it."""
        return self.values.symbols.write(symbol)

    def sentence(self, number: int) -> str:
        """The step that leads to `number` in plain words."""
        return self.step(number).sentence(self.write)

    def _learn(self, *parts: str) -> None:
        """Take a symbol, unless another one is the same token of a file."""
        text = "".join(map(mark_as_space, parts) if self._has_end_marks else parts)
        if text not in self._known:
            self._known.add(text)
            self._symbols.append("".join(parts))

    def lines(self) -> list[bytes]:
        """All there is so far, as `load` reads it from a file."""
        return [self.start.line(), *(line.strip() for line in self._lines)]

    @staticmethod
    def load(path: Path, spelling: Spelling = Spelling.SIGNS) -> TrainingRecord:
        """What was saved line by line."""
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
        """The first words as they are cut after a step, how often each occurs, and if the step did it."""
        matches = []
        for history, (_, count) in zip(self._cuts, self.start.words, strict=True):
            since, cut = history[bisect_right(history, number, key=lambda entry: entry[0]) - 1]
            matches.append((cut, count, since == number > 0))
        return matches

    def n_tokens(self, number: int) -> int:
        """The size of the vocabulary after a step: the tokens that its model file would have."""
        return self.n_symbols(number) + self.start.n_other_tokens

    def n_symbols(self, number: int) -> int:
        """How many of the tokens are symbols or pieces of the text after a step."""
        return self._sizes[number]

    @property
    def n_repeated(self) -> int:
        """How many merges made a symbol that was there already."""
        if self.start.algorithm == "unigram":
            return 0
        return self._sizes[0] + self.n_steps - self._sizes[-1]

    def newest_symbols(self, number: int, limit: int) -> list[str]:
        """What merging has made, the newest first, and then the alphabet."""
        size = self._sizes[number]
        return self._symbols[max(0, size - limit) : size][::-1]

    def likelihoods(self, number: int) -> list[tuple[int, float]]:
        """Each estimate up to a step with the log-likelihood that it told."""
        return [entry for entry in self._likelihoods if entry[0] <= number]
