"""The words of a text by script, and the tokens that they take: fertility.

A word is a run of letters of one script, with the marks on them and apostrophes between them.  In scripts
that put no spaces between words, finding them takes a dictionary: there each letter counts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.picture import FIRST_SCRIPT, OTHER_LETTERS, SCRIPT_NAMES, scripts_of_codes
from guiapp.core.encode.encoding import Offsets
from guiapp.core.text.character_starts import code_points, decode, sizes_in_bytes
from guiapp.core.text.unicode_tables import LETTER, MARK, categories
from guiapp.native.checkpoint import checkpoint

UNSPACED = ("Han", "Kana", "Thai", "Lao", "Khmer", "Burmese")
N_SCRIPTS = len(SCRIPT_NAMES)
IS_UNSPACED = np.isin(np.arange(256), [SCRIPT_NAMES.index(name) for name in UNSPACED])
JOINERS = [ord(sign) for sign in "'’\u200c\u200d"]  # of don't, of Persian and of Indian words
NO_LETTER = 255
WHITE_SPACE = re.compile(rb"[ \t\r\n]")
STRETCH_BYTES = 1 << 16
KEPT, LONGEST_KEPT = 24, STRETCH_BYTES + (1 << 14)  # stretches; the words of one take 1 MB


@dataclass(frozen=True, eq=False)
class TextWords:
    """The letters of a text, marks included, and how many words they make.

    starts   int64[k]  letter i is the bytes [starts[i], ends[i])
    ends     int64[k]
    scripts  uint8[k]  its script, an index into `tree.scripts.NAMES`
    counts   int64[len(SCRIPT_NAMES)]  the words of each script
    """

    starts: Offsets
    ends: Offsets
    scripts: NDArray[np.uint8]
    counts: NDArray[np.int64]

    def first_scripts(self, starts: Offsets, ends: Offsets) -> NDArray[np.uint8]:
        """For each token the script of the first letter that it holds, or holds a part of, or NO_LETTER."""
        if not len(self.starts):
            return np.full(len(starts), NO_LETTER, np.uint8)
        rows = np.searchsorted(self.ends, starts, side="right")
        known = np.minimum(rows, len(self.ends) - 1)
        has_letter = (rows < len(self.ends)) & (self.starts[known] < ends)
        return np.where(has_letter, self.scripts[known], np.uint8(NO_LETTER))


def count_words(
    text: bytes, encodings: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """The words of a text, and for each int64[n, 2] of token spans the tokens with letters.

    Both as int64[len(SCRIPT_NAMES)]; a token counts for the script of its first letter.  Looks at one stretch
    of the text after another: the whole of a long one would take 40 times its size, and other threads would
    wait.
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


@lru_cache(KEPT)
def _cached_words_of(segment: bytes) -> TextWords:
    """The words are found once for all models that count the same text after another."""
    return words_of(segment)


class _Tokens:
    """Counts the tokens with letters in one stretch after another.

    counts  int64[len(SCRIPT_NAMES)]
    """

    def __init__(self, spans: NDArray[np.int64]) -> None:
        starts = spans[:, 0]
        in_order = np.all(starts[1:] >= starts[:-1])  # but for BOS and the like
        self._spans = spans if in_order else spans[np.argsort(starts, kind="stable")]
        self._waiting = self._spans[:0]  # they begin in an earlier stretch, and hold none of its letters
        self.counts = np.zeros(N_SCRIPTS, np.int64)

    def count(self, words: TextWords, start: int, end: int) -> None:
        first, last = np.searchsorted(self._spans[:, 0], (start, end))
        spans = np.concatenate((self._waiting, self._spans[first:last]))
        scripts = words.first_scripts(np.maximum(spans[:, 0] - start, 0), spans[:, 1] - start)
        has_letter = scripts != NO_LETTER
        self.counts += np.bincount(scripts[has_letter], minlength=N_SCRIPTS)
        self._waiting = spans[~has_letter & (spans[:, 1] > end)]


def _segments(text: bytes) -> Iterator[tuple[int, int]]:
    """Parts of a text that no word reaches out of: all but the first begin with white space."""
    start = 0
    while start < len(text):
        found = WHITE_SPACE.search(text, start + STRETCH_BYTES)
        end = len(text) if found is None else found.start()
        yield start, end
        start = end


def words_of(text: bytes) -> TextWords:
    """Find the words of a text, which may be no valid UTF-8."""
    codes = code_points(decode(text))
    scripts, is_mark = _letter_scripts(codes)
    is_letter = scripts != NO_LETTER
    begins = is_letter & (np.append(np.uint8(NO_LETTER), scripts[:-1]) != scripts)
    counted = np.where(IS_UNSPACED[scripts], ~is_mark, begins)
    lengths = sizes_in_bytes(codes)
    ends = np.cumsum(lengths)
    starts = ends - lengths
    counts = np.bincount(scripts[counted & is_letter], minlength=N_SCRIPTS)
    return TextWords(starts[is_letter], ends[is_letter], scripts[is_letter], counts)


def _letter_scripts(codes: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The script of each letter, and of what belongs to one, else NO_LETTER; and what is a mark."""
    kinds = np.frombuffer(categories(), np.uint8)[codes]
    is_mark = kinds == MARK
    scripts = scripts_of_codes()[codes]
    scripts[(kinds != LETTER) & ~is_mark | (scripts < FIRST_SCRIPT)] = NO_LETTER
    if len(codes):
        follows = is_mark & (scripts == SCRIPT_NAMES.index(OTHER_LETTERS))
        scripts = scripts[np.maximum.accumulate(np.where(follows, 0, np.arange(len(codes))))]
    inner = np.flatnonzero(np.isin(codes[1:-1], JOINERS)) + 1
    inner = inner[(scripts[inner - 1] != NO_LETTER) & (scripts[inner + 1] == scripts[inner - 1])]
    scripts[inner] = scripts[inner - 1]
    return scripts, is_mark


def names_apart(models: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Short names of models that were opened by these, each with what was chosen for it, "" for nothing."""
    paths = [os.path.basename(os.path.normpath(each)) if os.sep in each else each for each in models]
    short = [path.removesuffix(".gguf") for path in paths]
    for bases in (short, models, [f"{number}. {base}" for number, base in enumerate(short, 1)]):
        names = [f"{base} ({more})" if more else base for base, more in zip(bases, chosen, strict=True)]
        if len(set(names)) == len(names):
            break
    return names
