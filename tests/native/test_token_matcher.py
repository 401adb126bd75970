"""The longest token at each place, against trying every token."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.errors import VocabError
from guiapp.native.encoders import TokenMatcher
from guiapp.native.model_files import packed

NONE = -1
TOKENS = st.lists(st.binary(min_size=1, max_size=5) | st.text("abc", min_size=1, max_size=5), max_size=40)
TEXTS = st.text("abcd", max_size=40)


def matcher_of(tokens, token_ids=None):
    token_ids = range(len(tokens)) if token_ids is None else token_ids
    return TokenMatcher(*packed(tokens), np.array(token_ids, np.int32))


def as_bytes(tokens):
    return [token.encode() if isinstance(token, str) else token for token in tokens]


def longest_by_trying(tokens, text, position):
    fitting = [i for i, token in enumerate(tokens) if token and text.startswith(token, position)]
    return max(fitting, key=lambda i: (len(tokens[i]), i), default=NONE)


@given(tokens=TOKENS, text=TEXTS)
def test_the_longest_token_is_matched_at_every_offset(tokens, text):
    tokens, text = as_bytes(tokens), text.encode() + b"".join(as_bytes(tokens))
    matches = matcher_of(tokens).find_longest(np.frombuffer(text, np.uint8))
    assert matches.tolist() == [longest_by_trying(tokens, text, place) for place in range(len(text))]


@given(seed=st.integers(0, 2**32 - 1))
def test_nodes_with_many_children_are_matched_correctly(seed):
    random = np.random.default_rng(seed)
    tokens = [random.integers(0, 40, random.integers(1, 4)).astype(np.uint8).tobytes() for _ in range(2000)]
    text = random.integers(0, 41, 300).astype(np.uint8).tobytes()
    known = {token: i for i, token in enumerate(tokens)}
    matches = matcher_of(tokens).find_longest(np.frombuffer(text, np.uint8))
    for place, token in enumerate(matches.tolist()):
        starts = [known[text[place : place + n]] for n in (3, 2, 1) if text[place : place + n] in known]
        assert token == (starts[0] if starts else NONE)


@given(tokens=TOKENS)
def test_shorter_is_the_longest_start_that_is_a_token(tokens):
    tokens = list(dict.fromkeys(as_bytes(tokens)))
    for token, shorter in zip(tokens, matcher_of(tokens).shorter().tolist(), strict=True):
        starts = [other for other in tokens if token.startswith(other) and other != token]
        assert shorter == (tokens.index(max(starts, key=len)) if starts else NONE)


def test_excluded_and_empty_tokens_are_not_matched():
    matches = matcher_of([b"ab", b"a", b""], [1, 2]).find_longest(np.frombuffer(b"abc", np.uint8))
    assert matches.tolist() == [1, NONE, NONE]


@pytest.mark.parametrize(
    ("offsets", "ids"),
    [([0, 3], [0]), ([1, 2], [0]), ([0, 2, 1], [0]), ([0, 1], [1]), ([0, 1], [-1]), ([], [])],
)
def test_offsets_and_ids_that_do_not_fit_are_refused(offsets, ids):
    with pytest.raises(ValueError, match="do not fit"):
        TokenMatcher(np.zeros(2, np.uint8), np.array(offsets, np.int64), np.array(ids, np.int32))


def test_more_tokens_than_memory_may_hold_are_refused_for_the_user():
    with pytest.raises(VocabError, match="67,108,865 bytes"):
        TokenMatcher(np.zeros((1 << 26) + 1, np.uint8), np.array([0, (1 << 26) + 1]), np.zeros(1, np.int32))


def test_huge_tokens_and_texts_made_of_their_beginnings_take_linear_time():
    size = 2_000_000
    started = time.process_time()
    matcher = matcher_of([b"a", b"a" * size])
    for text in (b"a" * (size - 1), b"a" * (size - 1) + b"b"):
        matches = matcher.find_longest(np.frombuffer(text, np.uint8))
        assert not matches[: size - 1].any()
    assert time.process_time() - started < 5
