"""The steps of training: which pairs competed, which won, how ties were resolved, and how words changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from guiapp.analysis.explain.spelling import Spelling, code
from guiapp.analysis.train import unigram
from guiapp.analysis.train.corpus import (
    END_OF_WORD,
    Pair,
    TrainingCorpus,
    merged_pairs,
)
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.byte_alphabet import unspell

N_TOLD_PAIRS = 16  # including the winner
N_TOLD_PIECES = 60
N_TOLD_WORDS = 150
Cut = tuple[str, ...]
Recut = tuple[int, Cut]
"""The index of one of the first words, and its new cut."""
Write = Callable[[str], str]
"""Writes a symbol for the user."""


@dataclass(frozen=True)
class MergeStep:
    """One merge that was learned.

    worth    the count of the pair; for WordPiece its score
    ties     other pairs of equal worth, which sort later by code points
    rivals   the next best pairs with their worth
    recuts   the new cuts of the first words of the text that changed
    """

    left: str
    right: str
    worth: float
    ties: tuple[Pair, ...]
    rivals: tuple[tuple[Pair, float], ...]
    recuts: tuple[Recut, ...]

    @property
    def made(self) -> str:
        """The symbol that the pair becomes."""
        return self.left + self.right

    @property
    def competitors(self) -> Iterator[tuple[Pair, float]]:
        """The competing pairs with their worth, the merged one first."""
        yield (self.left, self.right), self.worth
        yield from ((pair, self.worth) for pair in self.ties)
        yield from self.rivals

    def sentence(self, write: Write) -> str:
        """A sentence about the merge."""

        def joined(pair: Pair) -> str:
            return " + ".join(code(write(symbol)) for symbol in pair)

        made = code(write(self.made))
        merged = f"{joined((self.left, self.right))} → {made}, {amount(self.worth)}"
        if self.ties:
            others = ", ".join(map(joined, self.ties[:3]))
            more = " and more" if len(self.ties) > 3 else ""
            return f"{merged}: tied with {others}{more}, but first in code point order."
        if self.rivals:
            rival, worth = self.rivals[0]
            return f"{merged}: more than {joined(rival)}, {amount(worth)}."
        return f"{merged}: the last pair."


@dataclass(frozen=True)
class EstimateStep:
    """Probabilities were estimated again; the log-likelihood of the text is from before that.

    best    the most probable pieces with their log-probabilities
    recuts  the best cuts of the first words that changed
    """

    made = ""
    n_pieces: int
    log_likelihood: float
    best: tuple[tuple[str, float], ...]
    recuts: tuple[Recut, ...]

    def sentence(self, write: Write) -> str:
        """A sentence about the estimate."""
        likelihood, pieces = f"{self.log_likelihood:,.1f}".replace("-", "−"), counted(self.n_pieces, "piece")
        return f"Estimated the probabilities of {pieces}. Before that, the log-likelihood was {likelihood}."


@dataclass(frozen=True)
class PruningStep:
    """The least useful pieces were dropped.

    n_dropped  their number; `dropped` has the first ones, each with the loss in log-likelihood of the text
    best       the most probable remaining pieces, with their log-probabilities
    """

    made = ""
    n_pieces: int
    n_dropped: int
    dropped: tuple[tuple[str, float], ...]
    best: tuple[tuple[str, float], ...]
    recuts: tuple[Recut, ...]

    def sentence(self, write: Write) -> str:
        """A sentence about the pruning."""
        named = ", ".join(code(write(piece)) for piece, _ in self.dropped[:5])
        more = " and more" if self.n_dropped > 5 else ""
        dropped = f"Dropped {counted(self.n_dropped, 'piece')} that the text needs least: {named}{more}"
        return f"{dropped}. Pieces left: {self.n_pieces:,}."


TrainingStep = MergeStep | EstimateStep | PruningStep
KINDS: dict[str, Callable[..., TrainingStep]] = {
    "merge": MergeStep,
    "estimate": EstimateStep,
    "prune": PruningStep,
}


def to_json(training_step: TrainingStep) -> str:
    """A step as one line of JSON."""
    kind = next(name for name, made in KINDS.items() if made is type(training_step))
    return json.dumps({"kind": kind, **asdict(training_step)}, ensure_ascii=False)


def from_json(line: str | bytes) -> TrainingStep:
    """Read a line from `to_json`."""
    row = json.loads(line)
    return KINDS[row.pop("kind")](**{name: _as_tuples(value) for name, value in row.items()})


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def textbook_corpus(text: str) -> TrainingCorpus:
    """Words between white space as characters with an end-of-word mark, as in Sennrich et al."""
    return TrainingCorpus(Counter((*word, END_OF_WORD) for word in text.split()))


def merges(algorithm: str, corpus: TrainingCorpus, min_count: int = 2) -> Iterator[MergeStep]:
    """Yield the merges of byte-pair or WordPiece training; `corpus` includes the merge just yielded."""
    words = _first_words(corpus)
    for (pair, worth), *others in merged_pairs(corpus, algorithm, min_count, N_TOLD_PAIRS):
        ties = tuple(entry for entry, other in others if other == worth)
        rivals = tuple((entry, other) for entry, other in others if other < worth)
        before, words = words, _first_words(corpus)
        yield MergeStep(*pair, worth, ties, rivals, _recuts(before, words))


def rounds(
    words: Mapping[str, int], n_pieces: int
) -> Iterator[tuple[EstimateStep | PruningStep, unigram.Model]]:
    """Yield the steps of Unigram training, each with the model after it."""
    first_words = list(islice(unigram.shorten(words), N_TOLD_WORDS))
    cuts = [tuple(word) for word in first_words]
    for step in unigram.steps(words, n_pieces):
        before, cuts = cuts, [tuple(unigram.best_cut(word, step.model)) for word in first_words]
        best = tuple(sorted(step.model.items(), key=lambda entry: (-entry[1], entry[0]))[:N_TOLD_PIECES])
        n_left, recuts = len(step.model), _recuts(before, cuts)
        if isinstance(step, unigram.Estimate):
            yield EstimateStep(n_left, step.log_likelihood, best, recuts), step.model
        else:
            dropped = step.dropped[:N_TOLD_PIECES]
            yield PruningStep(n_left, len(step.dropped), dropped, best, recuts), step.model


def _first_words(corpus: TrainingCorpus) -> list[Cut]:
    return [tuple(word) for word in corpus.words[:N_TOLD_WORDS]]


def _recuts(before: list[Cut], after: list[Cut]) -> tuple[Recut, ...]:
    both = enumerate(zip(before, after, strict=True))
    return tuple((index, new) for index, (old, new) in both if old != new)


def amount(worth: float) -> str:
    """The count of a pair, or its score, in words."""
    return counted(int(worth), "time") if worth.is_integer() else f"score {worth:.4g}"


@dataclass(frozen=True)
class Symbols:
    """Converts the symbols of a training to text; with `spelling` FILE, to the spelling in the file.

    is_byte_level  whether symbols are in GPT-2's byte alphabet, else text with U+2581 for spaces
    """

    is_byte_level: bool
    spelling: Spelling = Spelling.SIGNS

    def plain(self, symbol: str) -> bytes:
        """The text that a symbol stands for."""
        if self.is_byte_level:
            return unspell(symbol)
        return symbol.removesuffix(END_OF_WORD).replace("▁", " ").encode()

    def write(self, symbol: str) -> str:
        """A symbol as shown to the user, including the end-of-word mark."""
        if self.spelling is Spelling.FILE:
            return visible_text(symbol.encode())
        has_mark = not self.is_byte_level and symbol.endswith(END_OF_WORD)
        return visible_text(self.plain(symbol)) + END_OF_WORD * has_mark
