"""The token tree, against looking at every pair of tokens."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pace import slowness
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, VocabType, token_tree
from guiapp.errors import VocabError
from guiapp.native.model_files import packed
from guiapp.native.token_tree import MOST_TREE_BYTES, TokenTreeHandle

TEXTS = st.lists(st.text("ab\0", min_size=1, max_size=6).map(str.encode), unique=True, max_size=20)


def tree_of(tokens):
    return token_tree(toy_vocabulary(dict.fromkeys(tokens, 0.0)))


@given(TEXTS)
def test_parents_are_the_longest_proper_prefixes(tokens):
    tree = tree_of(tokens)
    for token_id, token in enumerate(tokens):
        prefixes = [other for other in tokens if token.startswith(other) and other != token]
        parent = tree.parent(token_id)
        assert (b"" if parent is None else tokens[parent]) == max(prefixes, key=len, default=b"")
        assert [tokens[step] for step in tree.path(token_id)] == [*sorted(prefixes, key=len), token]
        assert tree.columns.depths[token_id] == len(prefixes) + 1
        assert b"".join(map(tree.added_bytes, tree.path(token_id))) == token


@given(TEXTS)
def test_children_and_subtrees_are_sorted_by_bytes(tokens):
    tree = tree_of(tokens)
    assert [tokens[row] for row in tree.order] == sorted(tokens)
    for parent in (None, *range(len(tokens))):
        expected = [token for at, token in enumerate(tokens) if tree.parent(at) == parent]
        assert [tokens[child] for child in tree.children(parent)] == sorted(expected)
    for token_id, token in enumerate(tokens):
        below = [other for other in tokens if other.startswith(token)]
        assert [tokens[row] for row in tree.subtree(token_id)] == sorted(below)


@given(TEXTS, st.text("ab\0", max_size=4).map(str.encode))
def test_tokens_are_found_by_prefix(tokens, prefix):
    result = tree_of(tokens).starting_with(prefix)
    assert [tokens[row] for row in result] == sorted(token for token in tokens if token.startswith(prefix))


@given(TEXTS, st.text("ab\0", max_size=12).map(str.encode))
def test_the_longest_match_is_the_longest_token_that_fits(tokens, text):
    tree = tree_of(tokens)
    for start in range(len(text) + 1):
        result = tree.longest_match(text, start)
        fitting = [token for token in tokens if text.startswith(token, start)]
        assert (b"" if result is None else tokens[result]) == max(fitting, key=len, default=b"")


def test_each_of_many_tokens_is_matched():
    """As many as take several blocks of rows, below nodes with few children and with all there can be."""
    tokens = {bytes([byte]) for byte in range(256)}
    tokens |= {bytes([7, byte]) for byte in range(256)}
    tokens |= {(number * number).to_bytes(4, "big").lstrip(b"\0") for number in range(1, 1500)}
    tree = tree_of(sorted(tokens))
    for token_id, token in enumerate(sorted(tokens)):
        assert tree.longest_match(token) == token_id


def test_tokens_stand_by_the_bytes_that_they_stand_for():
    spm = token_tree(
        toy_vocabulary({"▁a": 0.0, "<0x20>": Attribute.BYTE, "é": 0.0, "<0xC3>": Attribute.BYTE})
    )
    assert [spm.token_bytes(row) for row in spm.order] == [b" ", b" a", b"\xc3", b"\xc3\xa9"]
    assert (spm.parent(0), spm.parent(2)) == (1, 3)
    bpe = token_tree(
        toy_vocabulary({"Ġ": 0.0, "Ġa": 0.0, "▁": 0.0}, VocabType.BPE, rules=Rules(byte_encoding=True))
    )
    assert [bpe.token_bytes(row) for row in bpe.order[:2]] == [b" ", b" a"]


def test_control_tokens_are_leaves_that_no_text_leads_to():
    tree = token_tree(toy_vocabulary({"<": 0.0, "<s>": Attribute.CONTROL, "<s>x": 0.0}))
    assert (tree.parent(1), tree.parent(2)) == (0, 0)
    assert tree.longest_match(b"<s>") == 0
    assert tree.is_matched.tolist() == [True, False, True]


def test_of_tokens_for_the_same_bytes_one_is_matched():
    tree = token_tree(
        toy_vocabulary({"<0x41>": Attribute.BYTE, "A": 0.0, "AB": 0.0, "<unk>": Attribute.UNKNOWN})
    )
    assert tree.longest_match(b"A") == 1
    assert [tree.parent(row) for row in range(3)] == [None, None, 1]
    assert tree.is_matched.tolist() == [False, True, True, False]
    assert tree.children(None).tolist() == [3, 0, 1]


def test_an_empty_token_is_a_leaf_under_the_root():
    tree = tree_of([b"", b"a"])
    assert tree.children(None).tolist() == [0, 1]
    assert tree.longest_match(b"") is None


def test_an_empty_vocabulary_has_an_empty_tree():
    assert len(tree_of([])) == 0
    assert len(tree_of([]).starting_with(b"a")) == 0


def test_what_completes_a_character_is_shown_as_that_character():
    tokens = [
        b"\xe4\xb8",
        b"\xe4\xb8\x8d",
        b"a",
        b"a\xe4\xb8",
        b"a\xe4\xb8\x8db",
        b"\xe4\xb8\x8d\x8d",
        b"\x8d",
    ]
    tree = token_tree(toy_vocabulary(dict.fromkeys(tokens, 0.0), rules=Rules()))
    shown = [tree.shown_bytes(token) for token in range(len(tokens))]
    assert shown == [b"\xe4\xb8", "不".encode(), b"a", b"\xe4\xb8", "不b".encode(), b"\x8d", b"\x8d"]


TOKENS = st.lists(st.tuples(st.text("ab\0ÿ", max_size=10), st.booleans()), max_size=25)


def tree_of_of_native_tree(tokens, ids=None, may_match=None):
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
def test_a_tree_matches_a_comparison_of_all_token_pairs(tokens, data):
    texts, may_match = [text.encode("latin-1") for text, _ in tokens], [matches for _, matches in tokens]
    ids = data.draw(st.permutations(range(len(texts))))[: data.draw(st.integers(0, len(texts)))]
    tree = tree_of_of_native_tree(texts, ids, may_match)
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


def test_tokens_too_large_for_a_tree_are_refused():
    with pytest.raises(VocabError, match="67,108,865 bytes"):
        tree_of_of_native_tree([b"a" * (MOST_TREE_BYTES + 1)])


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
    tree = tree_of_of_native_tree(tokens)
    tree.columns()
    assert time.thread_time() - started < 0.8 * slowness()  # a tenth of it on an idle machine
    assert len(tree.order) == len(tokens)
