"""Training told step by step agrees with training, and with the textbook."""

import pytest
from build_demo_models import bpe_steps, wordpiece_steps
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train.corpus import Ranking
from guiapp.analysis.train.models import byte_level_corpus, wordpiece_corpus
from guiapp.analysis.train.steps import (
    from_json,
    merges,
    to_json,
)

CORPORA = {"bpe": byte_level_corpus, "wordpiece": wordpiece_corpus}
TRAINERS = {"bpe": bpe_steps, "wordpiece": wordpiece_steps}
WORDS = "low lower lowest new newer newest wide wider widest " * 2


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_the_described_merges_are_those_trained(algorithm):
    described = [(merge.left, merge.right) for merge in merges(algorithm, CORPORA[algorithm](WORDS))]
    trained = [(merge.left, merge.right) for merge in TRAINERS[algorithm](CORPORA[algorithm](WORDS))]
    assert described == trained != []


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
@given(text=st.lists(st.text("abc", min_size=1, max_size=6), min_size=1, max_size=6).map(" ".join))
def test_the_winner_and_runners_up_are_the_best_of_all_pairs(algorithm, text):
    corpus = CORPORA[algorithm](text * 2)

    def ranked():
        counts = {pair: count for pair, count in corpus.pair_counts.items() if count >= 2}
        symbols = corpus.symbol_counts
        worths = {
            pair: count / (symbols[pair[0]] * symbols[pair[1]]) if algorithm == "wordpiece" else count
            for pair, count in counts.items()
        }
        return sorted(worths.items(), key=lambda entry: (-entry[1], entry[0]))

    before = ranked()
    for merge in merges(algorithm, corpus):
        rows = [((merge.left, merge.right), merge.worth)]
        rows += [(pair, merge.worth) for pair in merge.ties]
        rows += merge.rivals
        assert rows == before[:16]
        before = ranked()
    assert before == []


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_steps_come_back_from_their_lines(algorithm):
    for described in merges(algorithm, CORPORA[algorithm](WORDS)):
        assert from_json(to_json(described)) == described
        assert described.sentence(str).endswith(".")


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
