"""The native token tree: against a construction in plain Python, and with vocabularies made to do harm."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import slowness

from guiapp.errors import VocabError
from guiapp.native.model_files import packed
from guiapp.native.token_tree import MOST_TREE_BYTES, TokenTreeHandle

TOKENS = st.lists(st.tuples(st.text("ab\0ÿ", max_size=10), st.booleans()), max_size=25)


def tree_of(tokens, ids=None, may_match=None):
    data, offsets = packed(tokens)
    ids = np.arange(len(tokens), dtype=np.int32) if ids is None else np.array(ids, np.int32)
    may_match = np.ones(len(tokens), np.bool_) if may_match is None else np.array(may_match, np.bool_)
    return TokenTreeHandle(data, offsets, ids, may_match)


def plain_tree(tokens, ids, may_match):
    """Which tokens match, in what order all stand, and the parent of each."""
    matched = {tokens[token]: token for token in ids if may_match[token] and tokens[token]}
    order = sorted(
        ids, key=lambda token: (tokens[token], matched.get(tokens[token]) == token, -ids.index(token))
    )
    parents = {
        token: max(
            (
                other
                for text, other in matched.items()
                if tokens[token].startswith(text) and tokens[token] != text
            ),
            key=lambda other: len(tokens[other]),
            default=-1,
        )
        for token in ids
    }
    return set(matched.values()), order, parents


@given(tokens=TOKENS, data=st.data())
def test_a_tree_is_what_looking_at_every_pair_of_tokens_finds(tokens, data):
    texts, may_match = [text.encode("latin-1") for text, _ in tokens], [matches for _, matches in tokens]
    ids = data.draw(st.permutations(range(len(texts))))[: data.draw(st.integers(0, len(texts)))]
    tree = tree_of(texts, ids, may_match)
    matched, order, parents = plain_tree(texts, ids, may_match)
    assert {token for token in ids if tree.is_matched[token]} == matched
    assert tree.order.tolist() == order
    assert [tree.parents[token] for token in ids] == [parents[token] for token in ids]
    columns = tree.columns()
    for token in ids:
        parent = parents[token]
        assert columns.depths[token] == (1 if parent < 0 else columns.depths[parent] + 1)
        assert columns.places[token] == order.index(token)
        subtree = order[columns.places[token] :][: columns.sizes[token]]
        assert all(other == token or texts[other].startswith(texts[token]) for other in subtree)
    for row, above in [*((token, token) for token in ids), (len(texts), -1)]:
        first, last = columns.child_offsets[row : row + 2].tolist()
        assert columns.children[first:last].tolist() == [token for token in order if parents[token] == above]


@pytest.mark.parametrize(
    ("offsets", "ids"),
    [
        ([0, 2, 1], [0]),
        ([0, 1, 9], [0]),
        ([1, 2, 3], [0]),
        ([0, 1, 2], [2]),
        ([0, 1, 2], [-1]),
        ([0, 1, 2], [1, 1]),
    ],
    ids=["falling", "beyond the data", "not from 0", "no such token", "below 0", "twice"],
)
def test_what_is_no_vocabulary_is_refused(offsets, ids):
    arrays = np.frombuffer(b"abc", np.uint8), np.array(offsets, np.int64), np.array(ids, np.int32)
    with pytest.raises(ValueError, match="do not fit"):
        TokenTreeHandle(*arrays, np.ones(2, np.bool_))


def test_more_than_a_tree_can_hold_is_said():
    with pytest.raises(VocabError, match="67,108,865 bytes"):
        tree_of([b"a" * (MOST_TREE_BYTES + 1)])


LONG = 1 << 18
HARMFUL = {
    "a megabyte": [bytes([byte]) + b"a" * LONG for byte in range(4)],
    "differ at the end": [b"a" * LONG + bytes([byte]) for byte in range(4)],
    "chain": [b"a" * size for size in range(1, 1400)],
    "equal": [b"abcdefgh" * 4] * 32_768,
    "empty": [b""] * 200_000,
    "short": [number.to_bytes(2, "big") for number in range(1 << 16)] * 2,
    "far apart": [bytes([number % 251, number // 251, number % 7]) * 4 for number in range(40_000)],
}


@pytest.mark.parametrize("tokens", HARMFUL.values(), ids=HARMFUL)
def test_a_megabyte_of_any_tokens_is_a_tree_at_once(tokens):
    started = time.thread_time()
    tree = tree_of(tokens)
    tree.columns()
    assert time.thread_time() - started < 0.8 * slowness()  # a tenth of it on an idle machine
    assert len(tree.order) == len(tokens)
