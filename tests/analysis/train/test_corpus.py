"""Words of a text, and training pair by pair: each merge is the best there is."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from build_demo_models import Merge, bpe_steps, wordpiece_steps
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train.corpus import (
    BYTE_LEVEL_WORDS,
    SENTENCEPIECE_WORDS,
    TrainingCorpus,
    count_words,
    split_word,
)

WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8).map(tuple), st.integers(1, 5), max_size=6)
PAIRS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "ab", "aa"]), st.sampled_from(["a", "b", "c"])), max_size=6
)


def test_words_are_counted_in_order_of_first_appearance():
    assert list(count_words("it's it is", BYTE_LEVEL_WORDS).items()) == [
        ("it", 1),
        ("'s", 1),
        (" it", 1),
        (" is", 1),
    ]


def test_byte_level_words_take_digits_by_threes_and_leave_one_space_to_the_next_word():
    assert list(count_words("a   bc 12345\n\n d_e", BYTE_LEVEL_WORDS)) == [
        "a", "  ", " bc", " ", "123", "45", "\n\n", " d", "_e",
    ]  # fmt: skip


def test_sentencepiece_words_keep_a_space_in_front_and_digits_alone():
    assert list(count_words("▁▁▁the▁cat,▁42▁हिन्दी", SENTENCEPIECE_WORDS)) == [
        "▁▁", "▁the", "▁cat", ",", "▁4", "2", "▁हिन्दी",
    ]  # fmt: skip


@given(WORDS, PAIRS)
def test_counts_match_the_words_after_merges(words, pairs):
    corpus = TrainingCorpus(words)
    for pair in pairs:
        corpus.merge(pair)
    symbols: Counter[str] = Counter()
    neighbours: Counter[tuple[str, str]] = Counter()
    for word, count in zip(corpus.words, corpus.counts, strict=True):
        for symbol in word:
            symbols[symbol] += count
        for pair in pairwise(word):
            neighbours[pair] += count
    assert +corpus.symbol_counts == symbols
    assert corpus.pair_counts == neighbours
    assert ["".join(word) for word in corpus.words] == ["".join(word) for word in words]
    for symbol in symbols:
        assert set(corpus.pairs_with([symbol])) == {pair for pair in neighbours if symbol in pair}


BPE_WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8).map(tuple), st.integers(1, 5), max_size=6)


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


def test_of_equal_counts_the_pair_that_sorts_first_is_merged():
    merges = bpe_steps(TrainingCorpus({("z", "y"): 2, ("b", "a"): 2, ("a", "b"): 2}))
    assert [merge.result for merge in merges] == ["ab", "ba", "zy"]


@given(BPE_WORDS, st.integers(1, 3))
def test_every_merge_is_the_best_there_is(words, min_count):
    corpus, seen = TrainingCorpus(words), TrainingCorpus(words)
    for merge in bpe_steps(corpus, min_count):
        best = min(seen.pair_counts, key=lambda pair: (-seen.pair_counts[pair], pair))
        assert (merge.left, merge.right) == best
        assert merge.worth == seen.pair_counts[best] >= min_count
        seen.merge((merge.left, merge.right))
        assert seen.words == corpus.words
    assert all(count < min_count for count in corpus.pair_counts.values())


MARKED_WORDS = st.dictionaries(st.text("abc", min_size=1, max_size=8), st.integers(1, 5), max_size=6).map(
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
    assert first == Merge("g", "s", 1 / 20)


@given(MARKED_WORDS, st.integers(1, 3))
def test_every_merge_has_the_best_score_of_the_frequent_pairs(words, min_count):
    corpus, seen = TrainingCorpus(words), TrainingCorpus(words)
    for merge in wordpiece_steps(corpus, min_count):
        frequent = [pair for pair, count in seen.pair_counts.items() if count >= min_count]
        best = min(frequent, key=lambda pair: (-score(seen, pair), pair))
        assert (merge.left, merge.right) == best
        assert merge.worth == score(seen, best)
        seen.merge((merge.left, merge.right))
        assert seen.words == corpus.words
    assert all(count < min_count for count in corpus.pair_counts.values())
