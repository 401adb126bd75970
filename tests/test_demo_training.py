"""Trainers that only the demo models use."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from longest_match_training import SINGLE_BYTES, cut, train

WORDS = st.dictionaries(
    st.text("abé世", min_size=1, max_size=8).map(str.encode), st.integers(1, 5), min_size=1, max_size=6
)


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
