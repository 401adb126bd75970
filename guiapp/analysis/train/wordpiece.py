"""Training WordPiece: join the two neighbours that belong together most, not those that meet most often.

A pair's score is count(ab) / (count(a) · count(b)): high where the parts are rarely seen apart.  The pieces
follow the spelling that model files use: a word starts with U+2581, and nothing marks its other pieces.
Source: Schuster & Nakajima 2012, section 3.1, in the form that teaching texts give it.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from guiapp.analysis.train.corpus import Pair, TrainingCorpus

WORD_START = "▁"
IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORDS = re.compile(rf"[{IDEOGRAPHS}]|[^\s\w]|_|[^\W_{IDEOGRAPHS}]+")


@dataclass(frozen=True)
class Merge:
    """A piece that was made of two, and the three counts that its score came from."""

    left: str
    right: str
    pair_count: int
    left_count: int
    right_count: int

    @property
    def result(self) -> str:
        return self.left + self.right

    @property
    def score(self) -> float:
        return self.pair_count / (self.left_count * self.right_count)

    def apply(self, corpus: TrainingCorpus) -> None:
        corpus.merge((self.left, self.right))


def normalise(text: str) -> str:
    """Lower case without accents, as BERT's uncased models read it.

    As in llama.cpp, only the first character of each decomposition is kept, and marks on their own are lost.
    """
    letters = (unicodedata.normalize("NFD", character)[0] for character in text)
    return "".join(letter.lower() for letter in letters if not unicodedata.category(letter).startswith("M"))


def split_word(word: str) -> tuple[str, ...]:
    """The symbols a word starts as: its first character is marked.

    >>> split_word("cat")
    ('▁c', 'a', 't')
    """
    return (WORD_START + word[0], *word[1:])


def steps(corpus: TrainingCorpus, min_count: int = 2) -> Iterator[Merge]:
    """Yield the merges in the order they are made; the corpus shows the state after the one just yielded.

    Only pairs that occur `min_count` times compete: two characters that are seen once, and together, would
    have the best of all scores.  Of equal scores, the pair goes first that sorts first by code points.
    """
    queue = [(-_measure(corpus, pair).score, pair) for pair in corpus.pair_counts]
    heapq.heapify(queue)
    while queue:
        negative_score, pair = heapq.heappop(queue)
        if corpus.pair_counts.get(pair, 0) < min_count:
            continue
        merge = _measure(corpus, pair)
        if merge.score != -negative_score:
            continue  # out of date: the present score has its own entry
        corpus.merge(pair)
        for other in corpus.pairs_with(
            (*pair, merge.result)
        ):  # their counts, and so their scores, have changed
            if corpus.pair_counts.get(other, 0) >= min_count:
                heapq.heappush(queue, (-_measure(corpus, other).score, other))
        yield merge


def _measure(corpus: TrainingCorpus, pair: Pair) -> Merge:
    left, right = pair
    return Merge(
        left, right, corpus.pair_counts[pair], corpus.symbol_counts[left], corpus.symbol_counts[right]
    )
