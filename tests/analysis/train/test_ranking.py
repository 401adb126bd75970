"""The best pairs without sorting all of them, as they are worth more or less."""

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train.steps import Ranking

PAIRS = [(left, right) for left in "abc" for right in "abc"]
CHANGES = st.lists(st.dictionaries(st.sampled_from(PAIRS), st.integers(0, 4)), max_size=6)


@given(changes=CHANGES, limit=st.integers(1, 4))
def test_the_best_are_those_that_sorting_would_give(changes, limit):
    worth = dict.fromkeys(PAIRS[:5], 2)
    ranking = Ranking(PAIRS[:5], lambda pair: worth.get(pair, 0))
    for change in [{}, *changes]:
        worth |= change
        ranking.update(change)
        in_order = sorted((-points, pair) for pair, points in worth.items() if points)
        assert ranking.best(limit) == [(pair, -points) for points, pair in in_order[:limit]]
        ranking.update(PAIRS)  # which changes nothing
        assert len(ranking._queue) <= len(PAIRS) * (len(changes) + 2)
