from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train.corpus import TrainingCorpus, bpe_steps

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8).map(tuple), st.integers(1, 5), max_size=6)


@pytest.fixture
def textbook() -> TrainingCorpus:
    text = "This is insane! This is impossible"
    return TrainingCorpus(Counter((*word, "</w>") for word in text.split()))


def test_the_textbook_run_ends_when_every_pair_is_seen_once(textbook):
    merges = [f"{merge.left} {merge.right}" for merge in bpe_steps(textbook)]
    assert merges == ["i s", "is </w>", "T h", "Th is</w>"]
    assert textbook.words == [
        ["This</w>"],
        ["is</w>"],
        [*"insane!", "</w>"],
        [*"impossible", "</w>"],
    ]


def test_the_corpus_shows_the_state_after_the_merge_just_yielded(textbook):
    run = bpe_steps(textbook)
    next(run)
    assert textbook.words[0] == ["T", "h", "is", "</w>"]
    assert textbook.pair_counts["is", "</w>"] == 4


def test_of_equal_counts_the_pair_that_sorts_first_is_merged():
    merges = bpe_steps(TrainingCorpus({("z", "y"): 2, ("b", "a"): 2, ("a", "b"): 2}))
    assert [merge.result for merge in merges] == ["ab", "ba", "zy"]


@given(WORDS, st.integers(1, 3))
def test_every_merge_is_the_best_there_is(words, min_count):
    corpus, seen = TrainingCorpus(words), TrainingCorpus(words)
    for merge in bpe_steps(corpus, min_count):
        best = min(seen.pair_counts, key=lambda pair: (-seen.pair_counts[pair], pair))
        assert (merge.left, merge.right) == best
        assert merge.count == seen.pair_counts[best] >= min_count
        merge.apply(seen)
        assert seen.words == corpus.words
    assert all(count < min_count for count in corpus.pair_counts.values())
