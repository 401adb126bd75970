"""Compare the tokens of one text by several models or with several settings."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.compare.spans import SpanComparison, column_of, compare_spans
from guiapp.analysis.explain.characters import n_characters
from guiapp.analysis.tree.picture import FIRST_SCRIPT, OTHER_LETTERS, SCRIPT_NAMES, scripts_of_codes
from guiapp.core.encode.encoding import Encoding, Offsets, as_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources.locate import short_name
from guiapp.core.text.normalized import code_points, decode, sizes_in_bytes
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.token_html import titled, tokens_html
from guiapp.core.text.unicode_tables import LETTER, MARK, categories
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import checkpoint
from guiapp.native.normalized import MOST_SPAN_COLUMNS

UNSPACED = ("Han", "Kana", "Thai", "Lao", "Khmer", "Burmese")
N_SCRIPTS = len(SCRIPT_NAMES)
IS_UNSPACED = np.isin(np.arange(256), [SCRIPT_NAMES.index(name) for name in UNSPACED])
JOINERS = [ord(sign) for sign in "'’\u200c\u200d"]  # in don't, in Persian and in Indian words
NO_LETTER = 255
WHITE_SPACE = re.compile(rb"[ \t\r\n]")
STRETCH_BYTES = 1 << 16
KEPT, LONGEST_KEPT = 24, STRETCH_BYTES + (1 << 14)  # segments; the words of one take 1 MB
LONGEST_CONTEXT = 1 << 40  # more than this means “no limit” in files of `transformers`


@dataclass(frozen=True)
class ModelSide:
    """One side of a comparison: a model and its encode options; `name` is for display."""

    name: str
    tokenizer: Tokenizer
    encoder: str | None = None
    add_special: bool = True
    parse_special: bool = True

    def encode(self, text: bytes) -> Encoding:
        return self.tokenizer.encode(text, self.add_special, self.parse_special, self.encoder)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The encodings of one text by all sides.

    encodings  one for each side
    spans      which spans the sides share, and the differences
    """

    sides: tuple[ModelSide, ...]
    encodings: tuple[Encoding, ...]
    spans: SpanComparison

    def __repr__(self) -> str:
        sides = zip(self.sides, self.encodings, strict=True)
        models = ", ".join(f"{quoted(side.name)} {counted(len(each), 'token')}" for side, each in sides)
        return f"<Comparison: {models}; {counted(len(self.spans.differences), 'difference')}>"

    def _repr_html_(self) -> str:
        """For notebooks: the tokens of each side, with a line around tokens that some side lacks."""
        parts = []
        for side, encoding, shares in zip(self.sides, self.encodings, self.spans.shares, strict=True):
            is_marked = shares < len(self.sides)
            block = tokens_html(self.text_bytes, encoding.token_ids, encoding.spans, is_marked)
            parts.append(titled(f"{side.name}: {counted(len(encoding), 'token')}", block))
        return "".join(parts)

    @cached_property
    def counts(self) -> list[Counts]:
        """The counts of each side."""
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
        """The token ids of each side in one of the differences."""
        ranges = self.spans.tokens[row].tolist()
        pairs = zip(self.encodings, ranges, strict=True)
        return [encoding.token_ids[first:last].tolist() for encoding, (first, last) in pairs]


def compare_text(sides: Sequence[ModelSide], text: str | bytes) -> Comparison:
    """Tokenize a text with 1 to 255 sides.  Raises EncodeError if a side cannot, or for another number."""
    check_number(sides)
    data = as_bytes(text)
    return compare_encodings(sides, tuple(side.encode(data) for side in sides))


def check_number(sides: Sequence[ModelSide]) -> None:
    """Raise EncodeError unless there are 1 to 255 sides."""
    if not 1 <= len(sides) <= MOST_SPAN_COLUMNS:
        raise EncodeError(f"{len(sides):,} models cannot be compared. Choose from 1 to {MOST_SPAN_COLUMNS}.")


def compare_encodings(sides: Sequence[ModelSide], encodings: tuple[Encoding, ...]) -> Comparison:
    """Compare the encodings of one text, one for each side."""
    columns = [
        column_of(side.tokenizer, encoding.token_ids, *encoding.spans.T)
        for side, encoding in zip(sides, encodings, strict=True)
    ]
    return Comparison(tuple(sides), encodings, compare_spans(columns))


# Counts of texts in tokens of several models: a table with a row for each model


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts of some texts and their tokens.

    n_words        int64[s]  words of each script, an index into SCRIPT_NAMES
    n_word_tokens  int64[s]  tokens with letters, by the script of the first letter
    n_unknown      unknown tokens: for text that the vocabulary cannot express
    """

    n_tokens: int
    n_bytes: int
    n_characters: int
    n_words: NDArray[np.int64]
    n_word_tokens: NDArray[np.int64]
    n_unknown: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(*(vars(self)[name] + vars(other)[name] for name in vars(self)))

    @property
    def characters_per_token(self) -> float | None:
        return self.n_characters / self.n_tokens if self.n_tokens else None

    @property
    def bytes_per_token(self) -> float | None:
        return self.n_bytes / self.n_tokens if self.n_tokens else None

    @property
    def unknown_share(self) -> float:
        return self.n_unknown / self.n_tokens if self.n_tokens else 0.0

    @property
    def fertility(self) -> float | None:
        """Tokens per word, over all scripts with spaces between words; None if there are no such words."""
        spaced = ~np.isin(np.arange(N_SCRIPTS), [SCRIPT_NAMES.index(name) for name in UNSPACED])
        n_words = int(self.n_words[spaced].sum())
        return int(self.n_word_tokens[spaced].sum()) / n_words if n_words else None

    def script_fertility(self, script: int) -> float | None:
        """Tokens per word of one script; per letter for scripts without spaces between words."""
        n_words = int(self.n_words[script])
        return int(self.n_word_tokens[script]) / n_words if n_words else None


NOTHING = Tally(0, 0, 0, np.zeros(N_SCRIPTS, np.int64), np.zeros(N_SCRIPTS, np.int64))


@dataclass(frozen=True, eq=False)
class Counts:
    """A row of the table: the counts of one model.

    file_types      counts by the file name's suffix
    context_length  of the model, in tokens; None if its file does not contain it
    """

    name: str
    file_types: dict[str, Tally]
    context_length: int | None

    @property
    def whole(self) -> Tally:
        return sum(self.file_types.values(), NOTHING)

    def ratio_to(self, other: Counts) -> float | None:
        """The number of tokens relative to another model; None if the other has no tokens."""
        n_others = other.whole.n_tokens
        return self.whole.n_tokens / n_others if n_others else None


def counts_of(
    models: Sequence[tuple[str, Vocabulary]], texts: Iterable[tuple[str, Sequence[Encoding]]]
) -> list[Counts]:
    """Count texts one after another, each with its file type and an encoding for each model."""
    tallies: list[dict[str, Tally]] = [{} for _ in models]
    for file_type, encodings in texts:
        text = encodings[0].text_bytes
        length = len(text), n_characters(text)
        n_words, n_word_tokens = count_words(text, [encoding.spans for encoding in encodings])
        rows = zip(tallies, models, encodings, n_word_tokens, strict=True)
        for found, (_, vocabulary), encoding, n_with_letters in rows:
            n_unknown = count_unknown(vocabulary, encoding.token_ids)
            tally = Tally(len(encoding), *length, n_words, n_with_letters, n_unknown)
            found[file_type] = found.get(file_type, NOTHING) + tally
    return [
        Counts(name, found, context_length_of(vocabulary))
        for (name, vocabulary), found in zip(models, tallies, strict=True)
    ]


def count_unknown(vocabulary: Vocabulary, token_ids: NDArray[np.int32]) -> int:
    """How many tokens stand for text that the vocabulary cannot express, such as [UNK]."""
    return int(np.count_nonzero(are_unknown(vocabulary, token_ids)))


def are_unknown(vocabulary: Vocabulary, token_ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[n]: which tokens are unknown tokens."""
    unknown = unknown_tokens(vocabulary)
    return np.isin(token_ids, unknown) if len(unknown) else np.zeros(len(token_ids), np.bool_)


def unknown_tokens(vocabulary: Vocabulary) -> NDArray[np.int64]:
    """The ids of the tokens that stand for text that the vocabulary cannot express."""
    return np.flatnonzero(vocabulary.effective_attributes & Attribute.UNKNOWN.value)


def fewest_tokens(counts: Iterable[tuple[int, int]]) -> int:
    """The least number of tokens, from pairs of numbers of tokens and of unknown tokens.

    Pairs with unknown tokens count only if all have some; 0 if there are no pairs.
    """
    rows = list(counts)
    known = [n_tokens for n_tokens, n_unknown in rows if not n_unknown]
    return min(known or [n_tokens for n_tokens, _ in rows], default=0)


def context_length_of(vocabulary: Vocabulary) -> int | None:
    """The context length of the model in tokens, if its file or a sidecar file contains it."""
    for key, value in vocabulary.metadata.items():
        is_length = key.endswith(".context_length") or key == "model_max_length"
        if is_length and type(value) is int and 0 < value <= LONGEST_CONTEXT:
            return value
    return None


# Fertility: the words of a text by script, and their tokens


@dataclass(frozen=True, eq=False)
class TextWords:
    """The letters of a text, marks included, and the number of words.

    starts   int64[k]  letter i is the bytes [starts[i], ends[i])
    ends     int64[k]
    scripts  uint8[k]  the script of each letter, an index into SCRIPT_NAMES
    begins   bool[k]   whether each letter begins a word
    counts   int64[len(SCRIPT_NAMES)]  words of each script
    """

    starts: Offsets
    ends: Offsets
    scripts: NDArray[np.uint8]
    begins: NDArray[np.bool_]
    counts: NDArray[np.int64]

    def bounds(self) -> tuple[Offsets, Offsets]:
        """The start and end of each word."""
        first = np.flatnonzero(self.begins)
        return self.starts[first], self.ends[np.append(first, len(self.ends))[1:] - 1]

    def first_scripts(self, starts: Offsets, ends: Offsets) -> NDArray[np.uint8]:
        """The script of the first letter, whole or partial, of each token; NO_LETTER if it has none."""
        if not len(self.starts):
            return np.full(len(starts), NO_LETTER, np.uint8)
        rows = np.searchsorted(self.ends, starts, side="right")
        known = np.minimum(rows, len(self.ends) - 1)
        has_letter = (rows < len(self.ends)) & (self.starts[known] < ends)
        return np.where(has_letter, self.scripts[known], np.uint8(NO_LETTER))


def count_words(
    text: bytes, encodings: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Count the words of a text, and for each int64[n, 2] of token spans the tokens with letters.

    Both as int64[len(SCRIPT_NAMES)]; a token counts for the script of its first letter.  Works on one segment
    of the text after another: a long text at once would take 40 times its size in memory, and block other
    threads.
    """
    n_words = np.zeros(N_SCRIPTS, np.int64)
    tokens = [_Tokens(spans) for spans in encodings]
    for start, end in _segments(text):
        checkpoint()
        words = (_cached_words_of if end - start <= LONGEST_KEPT else words_of)(text[start:end])
        n_words += words.counts
        for each in tokens:
            each.count(words, start, end)
    return n_words, [each.counts for each in tokens]


def count_whole_words(
    text: bytes, spans: NDArray[np.int64], is_unknown: NDArray[np.bool_]
) -> tuple[int, int]:
    """Count the words of a text, and those that lie in a single known token, which may contain more.

    spans       int64[n, 2], of the tokens
    is_unknown  bool[n]
    """
    n_words = n_whole = 0
    has_text = spans[:, 0] < spans[:, 1]
    known, unknown = (np.sort(spans[has_text & each].T, kind="stable") for each in (~is_unknown, is_unknown))
    for start, end in _segments(text):
        checkpoint()
        words = (_cached_words_of if end - start <= LONGEST_KEPT else words_of)(text[start:end])
        starts, ends = (start + each for each in words.bounds())
        n_known, n_unknown = (
            np.searchsorted(tokens[0], ends) - np.searchsorted(tokens[1], starts, "right")
            for tokens in (known, unknown)
        )
        n_words += len(starts)
        n_whole += int(np.count_nonzero((n_known == 1) & (n_unknown == 0)))
    return n_words, n_whole


@lru_cache(KEPT)
def _cached_words_of(segment: bytes) -> TextWords:
    """`words_of`, cached for models that count the same text one after another."""
    return words_of(segment)


class _Tokens:
    """Counts the tokens with letters in one segment after another.

    counts  int64[len(SCRIPT_NAMES)]
    """

    def __init__(self, spans: NDArray[np.int64]) -> None:
        starts = spans[:, 0]
        in_order = np.all(starts[1:] >= starts[:-1])  # usually, except for BOS and the like
        self._spans = spans if in_order else spans[np.argsort(starts, kind="stable")]
        self._waiting = self._spans[:0]  # begin in an earlier segment, but have none of its letters
        self.counts = np.zeros(N_SCRIPTS, np.int64)

    def count(self, words: TextWords, start: int, end: int) -> None:
        first, last = np.searchsorted(self._spans[:, 0], (start, end))
        spans = np.concatenate((self._waiting, self._spans[first:last]))
        scripts = words.first_scripts(np.maximum(spans[:, 0] - start, 0), spans[:, 1] - start)
        has_letter = scripts != NO_LETTER
        self.counts += np.bincount(scripts[has_letter], minlength=N_SCRIPTS)
        self._waiting = spans[~has_letter & (spans[:, 1] > end)]


def _segments(text: bytes) -> Iterator[tuple[int, int]]:
    """Segments of a text that cut no word: all but the first begin with white space."""
    start = 0
    while start < len(text):
        found = WHITE_SPACE.search(text, start + STRETCH_BYTES)
        end = len(text) if found is None else found.start()
        yield start, end
        start = end


def words_of(text: bytes) -> TextWords:
    """Find the words of a text, which may be invalid UTF-8."""
    codes = code_points(decode(text))
    scripts, is_mark = _letter_scripts(codes)
    is_letter = scripts != NO_LETTER
    begins = is_letter & (np.append(np.uint8(NO_LETTER), scripts[:-1]) != scripts)
    counted = np.where(IS_UNSPACED[scripts], ~is_mark, begins)
    lengths = sizes_in_bytes(codes)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    counts = np.bincount(scripts[counted & is_letter], minlength=N_SCRIPTS)
    return TextWords(starts[is_letter], ends[is_letter], scripts[is_letter], counted[is_letter], counts)


def _letter_scripts(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The script of each character that is part of a letter, else NO_LETTER; and whether it is a mark."""
    kinds = np.frombuffer(categories(), np.uint8)[codes]
    is_mark = kinds == MARK
    scripts = scripts_of_codes()[codes]
    scripts[(kinds != LETTER) & ~is_mark | (scripts < FIRST_SCRIPT)] = NO_LETTER
    follows = is_mark & (scripts == SCRIPT_NAMES.index(OTHER_LETTERS))
    if follows.any():
        scripts = scripts[np.maximum.accumulate(np.where(follows, 0, np.arange(len(codes))))]
    inner = np.flatnonzero(reduce(np.logical_or, (codes[1:-1] == sign for sign in JOINERS))) + 1
    inner = inner[(scripts[inner - 1] != NO_LETTER) & (scripts[inner + 1] == scripts[inner - 1])]
    scripts[inner] = scripts[inner - 1]
    return scripts, is_mark


def names_apart(models: Sequence[str], chosen: Sequence[str], titles: Sequence[str] = ()) -> list[str]:
    """Distinct names of models, from the paths that opened them and the user's choice for each, or "".

    A name is the title, if any, or the file name, with the choice; equal names use the path or a number.
    """
    paths = [os.path.basename(os.path.normpath(each)) if os.sep in each else each for each in models]
    short = [short_name(path.removesuffix(".gguf")) for path in paths]
    numbered = [f"{number}. {base}" for number, base in enumerate(titles or short, 1)]
    names: list[str] = []
    for bases in (titles or short, short, models, numbered):
        others = [f"{base} ({more})" if more else base for base, more in zip(bases, chosen, strict=True)]
        times = Counter(names)
        names = [
            name if times[name] == 1 else other for name, other in zip(names or others, others, strict=True)
        ]
    return names
