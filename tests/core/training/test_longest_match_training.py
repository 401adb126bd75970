from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.training.longest_match import SINGLE_BYTES, cut, rounds, train

WORDS = st.dictionaries(
    st.text("abé世", min_size=1, max_size=8).map(str.encode), st.integers(1, 5), min_size=1, max_size=6
)


def test_the_longest_token_is_taken_at_each_place():
    assert cut(b"abacb", {b"a", b"b", b"c", b"ab", b"aba", b"acb"}) == [b"aba", b"c", b"b"]


def test_bytes_without_a_token_stand_alone():
    assert cut(b"a?", {b"a"}) == [b"a", b"?"]


def test_the_first_round_adds_the_most_frequent_pairs():
    first = next(rounds({b"the": 5, b"he": 1, b"at": 3}, n_tokens=258, n_rounds=1))
    assert first.added == (b"he", b"th")
    assert first.n_tokens == 5 * 3 + 2 + 3 * 2


def test_pairs_that_occur_once_are_not_added():
    assert train({b"ab": 1}, 300) == list(SINGLE_BYTES)


def test_tokens_that_longer_ones_made_useless_are_dropped():
    assert b"th" not in train({b"the": 9}, 258)
    assert b"the" in train({b"the": 9}, 258)


@given(WORDS, st.integers(256, 270))
def test_tokens_are_whole_characters_or_begin_one(words, n_tokens):
    vocabulary = train(words, n_tokens)
    assert len(vocabulary) == len(set(vocabulary)) <= max(n_tokens, 256)
    assert set(SINGLE_BYTES) <= set(vocabulary)
    for token in vocabulary[256:]:
        whole = token.decode("utf-8", "ignore").encode()
        assert whole in (token, b"")


@given(WORDS)
def test_tokens_join_back_to_the_word(words):
    vocabulary = set(train(words, 265))
    for word in words:
        tokens = cut(word, vocabulary)
        assert b"".join(tokens) == word
        assert set(tokens) <= vocabulary
