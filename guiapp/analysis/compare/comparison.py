"""One text, tokenized by several models or in several ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.spans import SpanComparison, column_of, compare_spans
from guiapp.analysis.compare.words import N_SCRIPTS, UNSPACED, count_words
from guiapp.analysis.explain.characters import n_characters
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.core.encode.encoding import Encoding, as_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.spans import MOST_SPAN_COLUMNS

LONGEST_CONTEXT = 1 << 40  # more than this stands for “no limit” in files of `transformers`


@dataclass(frozen=True)
class ModelSide:
    """One of those that are compared: a model, and how it encodes; `name` is for people."""

    name: str
    tokenizer: Tokenizer
    encoder: str | None = None
    add_special: bool = True
    parse_special: bool = True

    def encode(self, text: bytes) -> Encoding:
        return self.tokenizer.encode(text, self.add_special, self.parse_special, self.encoder)


@dataclass(frozen=True, eq=False)
class Comparison:
    """What each side made of one text.

    encodings  one for each side
    spans      which spans they share; its differences have the places where not all cut alike
    """

    sides: tuple[ModelSide, ...]
    encodings: tuple[Encoding, ...]
    spans: SpanComparison

    @cached_property
    def counts(self) -> list[Counts]:
        """For each side what the text comes to."""
        models = [(side.name, side.tokenizer.vocabulary) for side in self.sides]
        return counts_of(models, [("", self.encodings)])

    @property
    def has_same_ids(self) -> bool:
        """Whether all sides give the same ids."""
        first, *others = self.encodings
        return all(np.array_equal(first.token_ids, other.token_ids) for other in others)

    @property
    def text_bytes(self) -> bytes:
        return self.encodings[0].text_bytes

    def difference_ids(self, row: int) -> list[list[int]]:
        """The token ids of each side in a difference."""
        places = self.spans.tokens[row].tolist()
        pairs = zip(self.encodings, places, strict=True)
        return [encoding.token_ids[first:last].tolist() for encoding, (first, last) in pairs]


def compare_text(sides: Sequence[ModelSide], text: str | bytes) -> Comparison:
    """Tokenize a text with each of 1 to 255 sides.  Raises EncodeError where one cannot, or for others."""
    if not 1 <= len(sides) <= MOST_SPAN_COLUMNS:
        raise EncodeError(f"{len(sides):,} models cannot be compared. Choose 1 to {MOST_SPAN_COLUMNS}.")
    data = as_bytes(text)
    encodings = tuple(side.encode(data) for side in sides)
    columns = [
        column_of(side.tokenizer, encoding.token_ids, *encoding.spans.T)
        for side, encoding in zip(sides, encodings, strict=True)
    ]
    return Comparison(tuple(sides), encodings, compare_spans(columns))


# What texts come to in tokens of several models: a table with a row for each


@dataclass(frozen=True, eq=False)
class Tally:
    """Some texts and their tokens.

    n_words        int64[s]  the words of each script, an index into `tree.scripts.NAMES`
    n_word_tokens  int64[s]  the tokens with letters, by the script of the first
    """

    n_tokens: int
    n_bytes: int
    n_characters: int
    n_words: NDArray[np.int64]
    n_word_tokens: NDArray[np.int64]

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.n_tokens + other.n_tokens,
            self.n_bytes + other.n_bytes,
            self.n_characters + other.n_characters,
            self.n_words + other.n_words,
            self.n_word_tokens + other.n_word_tokens,
        )

    @property
    def characters_per_token(self) -> float | None:
        return self.n_characters / self.n_tokens if self.n_tokens else None

    @property
    def bytes_per_token(self) -> float | None:
        return self.n_bytes / self.n_tokens if self.n_tokens else None

    @property
    def fertility(self) -> float | None:
        """Tokens a word, over all scripts that put spaces between words; None where there are none."""
        spaced = ~np.isin(np.arange(N_SCRIPTS), [SCRIPT_NAMES.index(name) for name in UNSPACED])
        n_words = int(self.n_words[spaced].sum())
        return int(self.n_word_tokens[spaced].sum()) / n_words if n_words else None

    def script_fertility(self, script: int) -> float | None:
        """Tokens a word of one script, a letter of those without spaces between words."""
        n_words = int(self.n_words[script])
        return int(self.n_word_tokens[script]) / n_words if n_words else None


NOTHING = Tally(0, 0, 0, np.zeros(N_SCRIPTS, np.int64), np.zeros(N_SCRIPTS, np.int64))


@dataclass(frozen=True, eq=False)
class Counts:
    """A row of the table.

    file_types      the texts by what they are, as their file's name ends
    context_length  of the model, in tokens; None where its file does not say
    """

    name: str
    file_types: dict[str, Tally]
    context_length: int | None

    @property
    def whole(self) -> Tally:
        return sum(self.file_types.values(), NOTHING)

    def ratio_to(self, other: Counts) -> float | None:
        """How many times the tokens of another one."""
        n_others = other.whole.n_tokens
        return self.whole.n_tokens / n_others if n_others else None


def counts_of(
    models: Sequence[tuple[str, Vocabulary]], texts: Iterable[tuple[str, Sequence[Encoding]]]
) -> list[Counts]:
    """Count texts, each of a file type and with an encoding for each model, one after the other."""
    tallies: list[dict[str, Tally]] = [{} for _ in models]
    for file_type, encodings in texts:
        text = encodings[0].text_bytes
        length = len(text), n_characters(text)
        n_words, n_word_tokens = count_words(text, [encoding.spans for encoding in encodings])
        for found, encoding, n_with_letters in zip(tallies, encodings, n_word_tokens, strict=True):
            tally = Tally(len(encoding), *length, n_words, n_with_letters)
            found[file_type] = found.get(file_type, NOTHING) + tally
    return [
        Counts(name, found, context_length_of(vocabulary))
        for (name, vocabulary), found in zip(models, tallies, strict=True)
    ]


def context_length_of(vocabulary: Vocabulary) -> int | None:
    """How many tokens the model takes, where its file, or one beside it, says so."""
    for key, value in vocabulary.metadata.items():
        is_length = key.endswith(".context_length") or key == "model_max_length"
        if is_length and type(value) is int and 0 < value <= LONGEST_CONTEXT:
            return value
    return None
