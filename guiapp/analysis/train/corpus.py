"""Training by merging: choose a pair of neighbours, merge it into one symbol everywhere, and repeat.

Byte-pair encoding merges the most frequent pair (Sennrich, Haddow & Birch 2016, section 3.2,
https://aclanthology.org/P16-1162).  WordPiece merges the pair with the highest score
count(ab) / (count(a) · count(b)) (Schuster & Nakajima 2012, section 3.1, as simplified in textbooks); its
pieces are spelled as in model files: a word starts with U+2581, and its other pieces have no mark.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise

Pair = tuple[str, str]
END_OF_WORD = "</w>"  # in textbooks, the last symbol of each word
LETTER = r"[^\W\d_]"  # letters in `re`, without combining marks
OTHER = r"(?:[^\s\w]|_)"
# Like Llama 3's pattern: letters with one symbol before them, groups of three digits, symbols, white space.
BYTE_LEVEL_WORDS = re.compile(
    rf"'(?i:s|t|re|ve|m|ll|d)|(?:[^\r\n\w]|_)?{LETTER}+|\d{{1,3}}| ?{OTHER}+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SIGN = r"!-/:-@\[-`{-~«»¿¡„“”‘’–—…·।、。「」，：；！？፤።"
# For texts whose spaces are U+2581: one space and the word after it, single digits, other spaces.
SENTENCEPIECE_WORDS = re.compile(rf"▁?[^▁\s\d{SIGN}]+|▁?[{SIGN}]+|▁?\d|▁+(?=▁)|▁")
WORD_START = "▁"
IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORDPIECE_WORDS = re.compile(rf"[{IDEOGRAPHS}]|[^\s\w]|_|[^\W_{IDEOGRAPHS}]+")


def count_words(text: str, pattern: re.Pattern[str]) -> dict[str, int]:
    """The number of occurrences of each match of the pattern, in order of first appearance."""
    return Counter(match.group() for match in pattern.finditer(text))


class TrainingCorpus:
    """Words cut into symbols, and the counts of symbols and of pairs of neighbours in the text.

    words          the different words, each a list of symbols; word i occurs `counts[i]` times
    symbol_counts  occurrences of each symbol
    pair_counts    occurrences of each pair of neighbours; `aaa` contains (a, a) twice
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
        """Merge each occurrence of the pair, from the left; return the pairs whose counts may change."""
        changed: dict[Pair, None] = {}
        for index in list(self._words_with.get(pair, ())):
            count = self.counts[index]
            changed.update(dict.fromkeys(self._count_word(index, -count)))
            self.words[index] = join_pairs(self.words[index], pair)
            changed.update(dict.fromkeys(self._count_word(index, count)))
        return list(changed)

    def pairs_with(self, symbols: Iterable[str]) -> list[Pair]:
        """All pairs that contain one of these symbols."""
        matches: dict[Pair, None] = {}
        for symbol in symbols:
            matches.update(self._pairs_with.get(symbol, {}))
        return list(matches)

    def _count_word(self, index: int, count: int) -> list[Pair]:
        """Add `count` for the symbols and pairs of a word (negative to subtract); return the pairs."""
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
        for pair in {pair for pair in pairs if not self.pair_counts[pair]}:
            del self.pair_counts[pair]
            for symbol in pair:
                self._pairs_with[symbol].pop(pair, None)
        return pairs


def join_pairs(symbols: list[str], pair: Pair) -> list[str]:
    """The symbols with each occurrence of the pair merged, from the left.

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


def merged_pairs(
    corpus: TrainingCorpus, algorithm: str, min_count: int = 2, n_compared: int = 1
) -> Iterator[list[tuple[Pair, float]]]:
    """Merge the best pair until none occurs `min_count` times; yield it and the next best with their worth.

    Of equal pairs, the one whose (left, right) sorts first by code points wins, so the order of words in the
    text does not matter.  Also for WordPiece, only pairs that occur `min_count` times compete: two characters
    that occur only once, next to each other, would have the highest possible score.
    """
    is_wordpiece = algorithm == "wordpiece"

    def worth(pair: Pair) -> float:
        count = corpus.pair_counts.get(pair, 0)
        if count < min_count:
            return 0.0
        return wordpiece_score(corpus, pair) if is_wordpiece else float(count)

    ranking = Ranking(corpus.pair_counts, worth)
    while best := ranking.best(n_compared):
        pair = best[0][0]
        changed = corpus.merge(pair)
        yield best
        ranking.update(corpus.pairs_with((*pair, "".join(pair))) if is_wordpiece else changed)


class Ranking:
    """A priority queue of pairs by `worth`, which `update` calls again; pairs of worth 0 are left out."""

    def __init__(self, pairs: Iterable[Pair], worth: Callable[[Pair], float]) -> None:
        self._worth = worth
        self._entered: dict[Pair, float] = {}
        self._queue: list[tuple[float, Pair]] = []
        self.update(pairs)

    def update(self, pairs: Iterable[Pair]) -> None:
        """Recompute the worth of these pairs."""
        for pair in pairs:
            worth = self._worth(pair)
            if worth > 0 and self._entered.get(pair) != worth:
                self._entered[pair] = worth
                heapq.heappush(self._queue, (-worth, pair))

    def best(self, limit: int) -> list[tuple[Pair, float]]:
        """The pairs of highest worth; of equal pairs, those that sort first by code points come first."""
        ranked: dict[Pair, float] = {}
        while self._queue and len(ranked) < limit:
            negative_worth, pair = heapq.heappop(self._queue)
            if self._worth(pair) == -negative_worth:
                ranked[pair] = -negative_worth
            elif self._entered.get(pair) == -negative_worth:
                del self._entered[pair]
        for pair, worth in ranked.items():
            heapq.heappush(self._queue, (-worth, pair))
        return list(ranked.items())


def wordpiece_score(corpus: TrainingCorpus, pair: Pair) -> float:
    left, right = pair
    return corpus.pair_counts[pair] / (corpus.symbol_counts[left] * corpus.symbol_counts[right])


def normalise(text: str) -> str:
    """Lower case without accents, as for BERT's uncased models.

    As in llama.cpp, only the first character of each decomposition stays, and separate marks are dropped.
    """
    letters = (unicodedata.normalize("NFD", character)[0] for character in text)
    return "".join(letter.lower() for letter in letters if not unicodedata.category(letter).startswith("M"))


def split_word(word: str) -> tuple[str, ...]:
    """The initial symbols of a word; the first one is marked.

    >>> split_word("cat")
    ('▁c', 'a', 't')
    """
    return (WORD_START + word[0], *word[1:])
