from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.train.corpus import (
    BYTE_LEVEL_WORDS,
    SENTENCEPIECE_WORDS,
    TrainingCorpus,
    count_words,
    join_pairs,
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


def test_pairs_are_joined_from_the_left():
    assert join_pairs(list("aaab"), ("a", "a")) == ["aa", "a", "b"]


@given(WORDS, PAIRS)
def test_counts_stay_those_of_the_words(words, pairs):
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
