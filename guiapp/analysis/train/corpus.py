"""The text that a vocabulary is trained on: its different words, and how they are cut at the moment.

Trainers that grow a vocabulary pair by pair all walk the same loop: choose a pair of neighbours, make it one
symbol wherever it stands, look again.  Here is what they share; how to choose is theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise

Pair = tuple[str, str]

LETTER = r"[^\W\d_]"  # what `re` knows of letters; combining marks are not among them
OTHER = r"(?:[^\s\w]|_)"

# Like Llama 3's pattern: letters with one sign before them, digits by threes, signs, white space.
BYTE_LEVEL_WORDS = re.compile(
    rf"'(?i:s|t|re|ve|m|ll|d)|(?:[^\r\n\w]|_)?{LETTER}+|\d{{1,3}}| ?{OTHER}+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

END_OF_WORD = "</w>"  # in textbooks, the last symbol of each word

SIGN = r"!-/:-@\[-`{-~«»¿¡„“”‘’–—…·।、。「」，：；！？፤።"
# For texts whose spaces are U+2581: one space and what follows, digits alone, what is left of runs of spaces.
SENTENCEPIECE_WORDS = re.compile(rf"▁?[^▁\s\d{SIGN}]+|▁?[{SIGN}]+|▁?\d|▁+(?=▁)|▁")


def count_words(text: str, pattern: re.Pattern[str]) -> dict[str, int]:
    """How often each match of the pattern occurs, in order of first appearance."""
    return Counter(match.group() for match in pattern.finditer(text))


class TrainingCorpus:
    """Words cut into symbols, and how often symbols and pairs of neighbours occur in the text.

    words          the different words, each a list of symbols; `counts[i]` says how often word i occurs
    symbol_counts  occurrences of each symbol
    pair_counts    occurrences of each pair of neighbours; `aaa` holds (a, a) twice
    """

    def __init__(self, words: Mapping[tuple[str, ...], int]) -> None:
        self.words = [list(word) for word in words]
        self.counts = list(words.values())
        self.symbol_counts: Counter[str] = Counter()
        self.pair_counts: Counter[Pair] = Counter()
        self._words_with: dict[Pair, dict[int, None]] = {}  # dicts as ordered sets: runs must repeat exactly
        self._pairs_with: dict[str, dict[Pair, None]] = {}
        for index in range(len(self.words)):
            self._count_word(index, self.counts[index])

    def merge(self, pair: Pair) -> list[Pair]:
        """Make the pair one symbol wherever it stands, from the left; return the pairs it touched."""
        changed: dict[Pair, None] = {}
        for index in list(self._words_with.get(pair, ())):
            count = self.counts[index]
            changed.update(dict.fromkeys(self._count_word(index, -count)))
            self.words[index] = join_pairs(self.words[index], pair)
            changed.update(dict.fromkeys(self._count_word(index, count)))
        return list(changed)

    def pairs_with(self, symbols: Iterable[str]) -> list[Pair]:
        """All pairs that hold one of these symbols."""
        matches: dict[Pair, None] = {}
        for symbol in symbols:
            matches.update(self._pairs_with.get(symbol, {}))
        return list(matches)

    def _count_word(self, index: int, count: int) -> list[Pair]:
        """Count the symbols and pairs of one word in, or out when `count` is negative; return the pairs."""
        word = self.words[index]
        pairs = list(pairwise(word))
        for symbol in word:
            self.symbol_counts[symbol] += count
        for pair in pairs:
            self.pair_counts[pair] += count
            if count > 0:
                self._words_with.setdefault(pair, {})[index] = None
                for symbol in pair:
                    self._pairs_with.setdefault(symbol, {})[pair] = None
            else:
                self._words_with[pair].pop(index, None)
        if count < 0:
            self._forget_lost_pairs(pairs)
        return pairs

    def _forget_lost_pairs(self, pairs: list[Pair]) -> None:
        for pair in pairs:
            if pair in self.pair_counts and self.pair_counts[pair] == 0:
                del self.pair_counts[pair]
                for symbol in pair:
                    self._pairs_with[symbol].pop(pair, None)


def join_pairs(symbols: list[str], pair: Pair) -> list[str]:
    """The symbols with each occurrence of the pair made one, from the left.

    >>> join_pairs(["a", "a", "a", "b"], ("a", "a"))
    ['aa', 'a', 'b']
    """
    joined: list[str] = []
    at = 0
    while at < len(symbols):
        if at + 1 < len(symbols) and (symbols[at], symbols[at + 1]) == pair:
            joined.append(symbols[at] + symbols[at + 1])
            at += 2
        else:
            joined.append(symbols[at])
            at += 1
    return joined
