from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train.corpus import (
    WORDPIECE_WORDS,
    TrainingCorpus,
    WordPieceMerge,
    normalise,
    split_word,
    wordpiece_steps,
)

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), max_size=6).map(
    lambda words: {split_word(word): count for word, count in words.items()}
)


def score(corpus: TrainingCorpus, pair: tuple[str, str]) -> float:
    left, right = pair
    return corpus.pair_counts[pair] / (corpus.symbol_counts[left] * corpus.symbol_counts[right])


def test_the_pair_that_belongs_together_beats_the_pair_that_meets_often():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    corpus = TrainingCorpus({split_word(word): count for word, count in words.items()})
    assert corpus.pair_counts["u", "g"] == 20
    first = next(wordpiece_steps(corpus))
    assert first == WordPieceMerge("g", "s", pair_count=5, left_count=20, right_count=5)
    assert first.score == 1 / 20


def test_pairs_below_the_limit_are_left_alone():
    corpus = TrainingCorpus({("▁q", "x"): 1, ("▁a", "b"): 3})
    assert [merge.result for merge in wordpiece_steps(corpus, min_count=2)] == ["▁ab"]


def test_text_loses_case_and_accents():
    assert normalise("Élan VITAL, नि") == "elan vital, न"


def test_ideographs_and_signs_are_words_of_their_own():
    assert WORDPIECE_WORDS.findall("don't 世界 a_b") == ["don", "'", "t", "世", "界", "a", "_", "b"]


@given(WORDS, st.integers(1, 3))
def test_every_merge_has_the_best_score_of_the_frequent_pairs(words, min_count):
    corpus, seen = TrainingCorpus(words), TrainingCorpus(words)
    for merge in wordpiece_steps(corpus, min_count):
        frequent = [pair for pair, count in seen.pair_counts.items() if count >= min_count]
        best = min(frequent, key=lambda pair: (-score(seen, pair), pair))
        assert (merge.left, merge.right) == best
        assert merge.score == score(seen, best)
        merge.apply(seen)
        assert seen.words == corpus.words
    assert all(count < min_count for count in corpus.pair_counts.values())
