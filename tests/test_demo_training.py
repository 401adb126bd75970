"""Trainers that only the demo models use."""

from __future__ import annotations

from build_demo_models import escape, train_longest_match, train_sentencepiece_bpe
from gguf import TokenType
from hypothesis import given
from hypothesis import strategies as st
from longest_match_training import SINGLE_BYTES, cut, rounds, train

from guiapp.analysis.train.models import Token

TEXT = "the cat and the dog and the bird sing the song in the rain\n" * 3
SPECIAL = (Token("<s>", TokenType.CONTROL),)

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


def test_sentencepiece_scores_fall_by_one_and_bytes_have_none():
    tokens = train_sentencepiece_bpe(TEXT, 290, SPECIAL)
    assert [token.kind for token in tokens[:2]] == [TokenType.CONTROL, TokenType.BYTE]
    pieces = tokens[257:]
    assert [token.score for token in pieces] == [-float(rank) for rank in range(len(pieces))]
    characters = set(TEXT.replace(" ", "▁"))
    assert characters - {"\n"} == {token.text for token in pieces if len(token.text) == 1}


def test_longest_match_tokens_are_escaped():
    tokens = [token.text for token in train_longest_match(TEXT, 270, SPECIAL)]
    assert tokens[0] == "<s>"
    assert tokens[1] == r"\x00"
    assert " the" in tokens
    assert escape(b"a\t\n\r\\\x1b\xff'") == r"a\t\n\r\\\x1b\xff'"
