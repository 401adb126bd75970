"""Training byte-pair encoding: join the two neighbours that meet most often, and look again.

Source: Sennrich, Haddow & Birch 2016, section 3.2, https://aclanthology.org/P16-1162.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

from guiapp.analysis.train.corpus import TrainingCorpus


@dataclass(frozen=True)
class Merge:
    """A rule that was learned: `left` and `right`, side by side `count` times, become one symbol."""

    left: str
    right: str
    count: int

    @property
    def result(self) -> str:
        return self.left + self.right

    def apply(self, corpus: TrainingCorpus) -> None:
        corpus.merge((self.left, self.right))


def steps(corpus: TrainingCorpus, min_count: int = 2) -> Iterator[Merge]:
    """Yield the rules in the order they are learned; the corpus shows the state after the rule just yielded.

    Of pairs that are equally frequent, the one goes first whose (left, right) sorts first by code points: the
    order of the words in the text has no say.  Ends when no pair occurs `min_count` times.
    """
    queue = [(-count, pair) for pair, count in corpus.pair_counts.items()]
    heapq.heapify(queue)
    while queue:
        negative_count, pair = heapq.heappop(queue)
        count = corpus.pair_counts.get(pair, 0)
        if count != -negative_count:
            continue  # out of date: the present count, if there is one, has its own entry
        if count < min_count:
            return
        for changed in corpus.merge(pair):
            if corpus.pair_counts.get(changed, 0) >= min_count:
                heapq.heappush(queue, (-corpus.pair_counts[changed], changed))
        yield Merge(*pair, count)
