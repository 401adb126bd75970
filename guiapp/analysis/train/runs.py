"""Run a training: yield its steps one by one, then make the model file.

The window runs this module as a program, because training in its own process would block it.  Standard input
has one request as a JSON line; standard output gets a line about the start, one for each step, and one at
the end with the model file or an error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from guiapp.analysis.train import unigram
from guiapp.analysis.train.corpus import Pair, TrainingCorpus
from guiapp.analysis.train.models import (
    BPE_SPECIAL,
    BYTE_ALPHABET,
    N_END_MARK_ROWS,
    UNIGRAM_SPECIAL,
    WORDPIECE_SPECIAL,
    ModelFile,
    TrainingError,
    bpe_file,
    byte_level_corpus,
    byte_level_rows,
    check_text,
    end_mark_file,
    too_small,
    unigram_file,
    unigram_rows,
    unigram_words,
    wordpiece_corpus,
    wordpiece_file,
    wordpiece_rows,
    write_gguf,
)
from guiapp.analysis.train.steps import (
    N_TOLD_WORDS,
    Cut,
    EstimateStep,
    MergeStep,
    PruningStep,
    merges,
    rounds,
    textbook_corpus,
    to_json,
)
from guiapp.errors import TokenloupeError


@dataclass(frozen=True)
class Start:
    """The start of a training.

    alphabet  the symbols before the first merge; empty for Unigram
    words     the first words of the text, each cut into symbols, with its count
    n_words   the number of different words
    n_steps   the maximum number of steps, 0 if unknown
    n_other_tokens   the number of special and byte tokens in the model file
    """

    algorithm: str
    alphabet: tuple[str, ...]
    words: tuple[tuple[Cut, int], ...]
    n_words: int
    n_steps: int
    n_other_tokens: int

    def line(self) -> bytes:
        """The start as a JSON line."""
        return json.dumps(asdict(self), ensure_ascii=False).encode()


def parse_start(line: bytes) -> Start:
    """Read a line from `Start.line`."""
    row = json.loads(line)
    words = tuple((tuple(cut), count) for cut, count in row["words"])
    return Start(**row | {"alphabet": tuple(row["alphabet"]), "words": words})


class MergeRun:
    """Byte-pair or WordPiece training; `has_end_marks`: BPE of characters with end-of-word marks.

    Raises TrainingError if the size is too small.
    """

    def __init__(self, algorithm: str, text: str, n_tokens: int, has_end_marks: bool = False) -> None:
        self._algorithm = algorithm
        self._corpus, alphabet, n_other = _beginning(algorithm, text, has_end_marks)
        self._learned: list[Pair] = []
        self._has_end_marks = has_end_marks
        n_steps = n_tokens - n_other - len(alphabet)
        if n_steps < 0:
            raise TrainingError(too_small(n_other + len(alphabet)))
        words = zip(map(tuple, self._corpus.words), self._corpus.counts, strict=True)
        first_words = tuple(islice(words, N_TOLD_WORDS))
        self.start = Start(algorithm, alphabet, first_words, len(self._corpus.words), n_steps, n_other)

    def steps(self) -> Iterator[MergeStep]:
        """Yield the merges; call only once."""
        for learned in islice(merges(self._algorithm, self._corpus), self.start.n_steps):
            self._learned.append((learned.left, learned.right))
            yield learned

    def model(self) -> ModelFile:
        """The model file of the merges so far."""
        if self._has_end_marks:
            return end_mark_file(self.start.alphabet, self._learned)
        if self._algorithm == "wordpiece":
            return wordpiece_file(wordpiece_rows(self.start.alphabet, self._learned, WORDPIECE_SPECIAL))
        return bpe_file(*byte_level_rows(self._learned, BPE_SPECIAL))


class UnigramRun:
    """Unigram training; raises TrainingError if the size is too small for the text's characters."""

    def __init__(self, text: str, n_tokens: int) -> None:
        self._words = unigram_words(text)
        n_other = len(UNIGRAM_SPECIAL)
        self._n_pieces = n_tokens - n_other
        self._model: unigram.Model = {}
        n_characters = len(set().union(*self._words))
        if self._n_pieces < n_characters:
            raise TrainingError(too_small(n_characters + n_other))
        short = unigram.shorten(self._words)
        words = tuple((tuple(word), count) for word, count in islice(short.items(), N_TOLD_WORDS))
        self.start = Start("unigram", (), words, len(short), 0, n_other)

    def steps(self) -> Iterator[EstimateStep | PruningStep]:
        """Yield estimates and prunings; call only once."""
        for learned, model in rounds(self._words, self._n_pieces):
            self._model = model
            yield learned

    def model(self) -> ModelFile:
        """The model file of the pieces so far."""
        return unigram_file(unigram_rows(self._model, UNIGRAM_SPECIAL))


def begin(algorithm: str, text: str, n_tokens: int, has_end_marks: bool = False) -> MergeRun | UnigramRun:
    """A training with the given algorithm; raises TrainingError."""
    check_text(text)
    if algorithm == "unigram":
        return UnigramRun(text, n_tokens)
    return MergeRun(algorithm, text, n_tokens, has_end_marks)


def train(algorithm: str, text: str, n_tokens: int) -> ModelFile:
    """Train on a text; raises TrainingError if the text is empty or the size too small."""
    run = begin(algorithm, text, n_tokens)
    for _ in run.steps():
        pass
    return run.model()


def _beginning(algorithm: str, text: str, has_end_marks: bool) -> tuple[TrainingCorpus, tuple[str, ...], int]:
    """The corpus, the initial symbols, and the number of other tokens in the file."""
    if has_end_marks:
        corpus = textbook_corpus(text)
        return corpus, tuple(corpus.symbol_counts), N_END_MARK_ROWS
    if algorithm == "wordpiece":
        corpus = wordpiece_corpus(text)
        return corpus, tuple(sorted(corpus.symbol_counts)), len(WORDPIECE_SPECIAL)
    return byte_level_corpus(text), BYTE_ALPHABET, len(BPE_SPECIAL)


# The process


@dataclass(frozen=True)
class TrainRequest:
    """What to train on, and the path of the model file."""

    algorithm: str
    text: str
    n_tokens: int
    has_end_marks: bool
    output: str

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


@dataclass(frozen=True)
class Finished:
    """The end of a training: a model file, or an error message to show unchanged."""

    output: str = ""
    n_tokens: int = 0
    error: str = ""


def work(request: TrainRequest) -> Finished:
    """Train, and report each step on standard output."""
    try:
        run = begin(request.algorithm, request.text, request.n_tokens, request.has_end_marks)
    except TokenloupeError as error:
        return Finished(error=str(error))
    _send(run.start.line())
    for learned in run.steps():
        _send(to_json(learned).encode())
    model = run.model()
    try:
        write_gguf(Path(request.output), model)
    except OSError as error:
        return Finished(error=f"{request.output} cannot be written: {error.strerror}.")
    return Finished(request.output, len(model.tokens))


def _send(line: bytes) -> None:
    sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    request = TrainRequest(**json.loads(sys.stdin.readline()))
    _send(json.dumps({"finished": asdict(work(request))}).encode())


if __name__ == "__main__":
    main()
