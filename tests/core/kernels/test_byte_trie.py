"""The longest token at each position, against trying every token."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guiapp.core.kernels import byte_trie, rwkv
from guiapp.core.kernels.byte_trie import NONE, build_matcher, build_trie

TOKENS = st.lists(st.text("abc", min_size=1, max_size=5), unique=True, max_size=12)


def laid_out(tokens):
    data = np.frombuffer(bytearray("".join(tokens).encode()), np.uint8)
    return data, np.cumsum([0, *map(len, tokens)], dtype=np.int64)


def all_ids(tokens):
    return np.arange(len(tokens), dtype=np.int32)


def greedy(tokens, text):
    """Ids by greedy longest match, with -1 for bytes that no token covers."""
    data = np.frombuffer(bytearray(text), np.uint8)
    size = len(data)
    found, ids = np.empty(size, np.int32), np.empty(size, np.int32)
    starts, ends = np.empty(size, np.int64), np.empty(size, np.int64)
    matcher = build_matcher(*laid_out(tokens), all_ids(tokens))
    count = rwkv.encode(data, matcher, NONE, found, ids, starts, ends)
    return found.tolist(), ids[:count].tolist()


@settings(deadline=None)  # the first run compiles
@given(tokens=TOKENS, text=st.text("abcd", max_size=40))
def test_the_longest_token_is_found_at_every_position(tokens, text):
    found, _ = greedy(tokens, text.encode())
    for position, token in enumerate(found):
        fitting = [other for other in tokens if text.startswith(other, position)]
        assert (tokens[token] if token != NONE else "") == max(fitting, key=len, default="")


@settings(deadline=None)  # the first run compiles
@given(tokens=TOKENS)
def test_shorter_is_the_longest_prefix_that_is_a_token(tokens):
    shorter = build_matcher(*laid_out(tokens), all_ids(tokens)).shorter
    for token_id, token in enumerate(tokens):
        prefixes = [other for other in tokens if token.startswith(other) and other != token]
        expected = max(prefixes, key=len, default=None)
        assert shorter[token_id] == (NONE if expected is None else tokens.index(expected))


def test_of_equal_tokens_the_last_counts():
    assert greedy(["a", "b", "a"], b"ab")[1] == [2, 1]


def test_tokens_that_are_not_asked_for_are_not_found():
    matcher = build_matcher(*laid_out(["ab", "a"]), np.array([1], np.int32))
    assert 0 not in matcher.longest.tolist()


def test_a_trie_grows_beyond_its_first_size():
    tokens = [f"{number:x}" for number in range(5000)]
    trie = build_trie(*laid_out(tokens), all_ids(tokens), False)
    assert sorted(trie.tokens[trie.tokens >= 0].tolist()) == list(range(5000))


def test_there_is_room_for_a_huge_token_at_once(monkeypatch):
    tries = []
    insert_all = byte_trie.insert_all
    monkeypatch.setattr(byte_trie, "insert_all", lambda *given: tries.append(1) or insert_all(*given))
    trie = build_trie(*laid_out(["a" * 200_000, "b"]), np.arange(2, dtype=np.int32), True)
    assert len(trie.nodes) == 200_001
    assert len(tries) == 1


@pytest.mark.parametrize("text", [b"a" * 199_999, b"a" * 199_999 + b"b"])
def test_a_text_made_of_beginnings_of_a_huge_token_takes_linear_time(text):
    greedy(["a"], b"a")
    started = time.process_time()
    _, ids = greedy(["a", "a" * 200_000], text)
    assert ids == [0] * 199_999 + [NONE] * text.count(b"b")
    assert time.process_time() - started < 20
