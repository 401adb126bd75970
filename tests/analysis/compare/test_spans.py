"""Shared spans equal those that plain sets of tokens give, for random columns and real vocabularies."""

import random
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from conftest import CORPORA, VOCABS
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.compare.spans import (
    SpanColumn,
    column_of,
    compare_spans,
    line_starts_of,
    windows,
)
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.native.normalized import share_spans


def column(*tokens):
    """From (start, end) or (start, end, is_special)."""
    rows = np.array([(*token, 0)[:3] for token in tokens], np.int64).reshape(-1, 3)
    return SpanColumn(rows[:, 0].copy(), rows[:, 1].copy(), rows[:, 2] > 0)


def keys(column):
    """What makes two tokens share a span: for empty ones also their kind, and how many such came before."""
    seen = Counter()
    for token in zip(*(array.tolist() for array in column), strict=True):
        start, end, is_special = token
        key = (start, end, is_special and start == end)
        seen[key] += 1
        yield (*key, seen[key] if start == end else 1)


def naive_shares(columns):
    sets = [set(keys(each)) for each in columns]
    return [[sum(key in each for each in sets) for key in keys(column)] for column in columns]


def naive_differences(columns):
    """Stretches between places that all columns leave whole; empty tokens lie in a place."""
    tokens = [list(keys(each)) for each in columns]
    every = [token for each in tokens for token in each]
    places = sorted({place for start, end, *_ in every for place in (start, end)})
    ends = [at for at in places if not any(start < at < end for start, end, *_ in every)]
    stretches = sorted({*pairwise(ends), *((at, at) for at in ends)})
    for start, end in stretches:
        parts = [
            [
                row
                for row, token in enumerate(each)
                if (token[:2] == (start, end) if start == end else lies_in(token, start, end))
            ]
            for each in tokens
        ]
        held = [Counter(each[row] for row in part) for each, part in zip(tokens, parts, strict=True)]
        if any(each != held[0] for each in held):
            yield (start, end), parts


def lies_in(token, start, end):
    """An empty token at an end belongs to that place."""
    inside = start <= token[0] and token[1] <= end
    return inside and (token[0] < token[1] or start < token[0] < end)


def assert_equals_the_naive_twin(columns):
    found = compare_spans(columns)
    shares = naive_shares(columns)
    assert [share.tolist() for share in found.shares] == shares
    for row, share in enumerate(shares):
        assert found.n_equal(row) == share.count(len(columns))
        assert found.n_own(row) == (share.count(1) if len(columns) > 1 else 0)
    expected = list(naive_differences(columns))
    assert found.differences.tolist() == [list(span) for span, _ in expected]
    for (_, parts), rows in zip(expected, found.tokens.tolist(), strict=True):
        assert [list(range(first, last)) for first, last in rows] == parts


@st.composite
def tokenizations(draw):
    """Tokens that may leave bytes out and be empty."""
    at, tokens = 0, []
    for step in draw(st.lists(st.tuples(st.sampled_from([0, 0, 0, 1]), st.integers(0, 3), st.booleans()))):
        skipped, length, is_special = step
        tokens.append((at + skipped, at + skipped + length, is_special))
        at += skipped + length
    return column(*tokens)


@given(st.lists(tokenizations(), min_size=1, max_size=4))
def test_sharing_and_differences_equal_those_of_plain_sets(columns):
    assert_equals_the_naive_twin(columns)


def test_a_bos_that_only_one_has_is_a_difference_without_text():
    found = compare_spans([column((0, 0, 1), (0, 5)), column((0, 5))])
    assert found.differences.tolist() == [[0, 0]]
    assert found.tokens.tolist() == [[[0, 1], [0, 0]]]
    assert [share.tolist() for share in found.shares] == [[1, 2], [2]]


def test_a_bos_and_a_space_prefix_are_not_the_same():
    bos, prefix = column((0, 0, 1), (0, 3)), column((0, 0, 0), (0, 3))
    assert compare_spans([bos, prefix]).differences.tolist() == [[0, 0]]
    assert compare_spans([bos, bos]).differences.tolist() == []


def test_empty_tokens_of_a_tokenizer_are_told_apart_by_what_they_are_for():
    tokenizer = guiapp.open_model("demo:spm")
    encoding = tokenizer.encode("汉")  # the space in front of it is a token of its own
    found = column_of(tokenizer, encoding.token_ids, *encoding.spans.T)
    assert encoding.spans[:2].tolist() == [[0, 0], [0, 0]]
    assert found.are_special.tolist() == [True] + [False] * (len(encoding) - 1)


def test_text_that_only_one_drops_is_a_difference():
    found = compare_spans([column((0, 5), (6, 9)), column((0, 5), (5, 6), (6, 9))])
    assert found.differences.tolist() == [[5, 6]]
    assert found.tokens.tolist() == [[[1, 1], [1, 2]]]


def test_one_column_agrees_with_itself_and_none_with_nothing():
    alone = compare_spans([column((0, 2), (2, 2), (3, 4))])
    assert alone.differences.tolist() == []
    assert (alone.n_equal(0), alone.n_own(0)) == (3, 0)
    assert compare_spans([column(), column()]).differences.tolist() == []


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="fit"):
        share_spans([(np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(2, np.bool_))])
    with pytest.raises(ValueError, match="fit"):
        compare_spans([column((0, 1))] * 256)


def test_many_empty_tokens_at_one_place_take_no_longer_than_others():
    many = column(*[(0, 0, number % 2) for number in range(200_000)], (0, 1))
    found = compare_spans([many, column((0, 0), (0, 1)), many])
    assert found.differences.tolist() == [[0, 0]]
    assert (found.n_own(0), found.n_equal(1)) == (0, 2)


TEXT = "Hello world, naïve  don't 12345 汉字かな 👩‍👩‍👧 ﬁ ½ \r\n\tdef f(x):\n    return x\n<s>[INST]" * 3
MODELS = ("llama-bpe", "qwen2", "gemma-4", "llama-spm", "bert-bge", "gpt-2")


@pytest.fixture(scope="module")
def tokenizers():
    return {name: guiapp.open_model(VOCABS / f"ggml-vocab-{name}.gguf") for name in MODELS}


def column_in(tokenizer, text):
    encoding = tokenizer.encode(text)
    return column_of(tokenizer, encoding.token_ids, *encoding.spans.T)


def stretches_of(name, n_stretches, size):
    text = (CORPORA / f"{name}.txt").read_text("utf-8")
    chance = random.Random(name)
    starts = [chance.randrange(len(text) - size) for _ in range(n_stretches)]
    return [text[start : start + size] for start in starts]


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("one", "other"), list(combinations(MODELS, 2)))
def test_pairs_of_real_vocabularies_share_what_plain_sets_say(tokenizers, one, other):
    for text in (TEXT, *stretches_of("soseki", 2, 60), *stretches_of("shakespeare", 2, 200)):
        assert_equals_the_naive_twin([column_in(tokenizers[name], text) for name in (one, other)])


@pytest.mark.real_vocabs
def test_all_at_once_share_what_plain_sets_say(tokenizers):
    assert_equals_the_naive_twin([column_in(tokenizer, TEXT) for tokenizer in tokenizers.values()])


@pytest.mark.parametrize("seed", range(20))
def test_a_window_by_itself_is_compared_as_in_the_whole(seed):
    chance = random.Random(seed)
    columns = [random_column(chance, 60) for _ in range(3)]
    whole = compare_spans(columns)
    stores = [TokenStore(FragmentTokens(np.zeros(len(s), np.int32), s, e), 60) for s, e, _ in columns]
    start, end = sorted((chance.randint(0, 60), chance.randint(0, 60)))
    rows = windows(stores, start, end)
    parts = [
        SpanColumn(*[array[first:last] for array in each])
        for each, (first, last) in zip(columns, rows, strict=True)
    ]
    found = compare_spans(parts)
    for share, part, (first, last) in zip(whole.shares, found.shares, rows, strict=True):
        assert part.tolist() == share[first:last].tolist()
    firsts = np.array(rows)[:, :1]
    inside = [row for row in whole.tokens.tolist() if all(map(lies_among, row, rows))]
    assert (found.tokens + firsts).tolist() == inside
    for each, (first, last) in zip(columns, rows, strict=True):
        outside = [*each.starts[:first].tolist(), *each.starts[last:].tolist()]
        assert all(not start < at < end for at in outside)


def lies_among(tokens, rows):
    return rows[0] <= tokens[0] and tokens[1] <= rows[1]


def random_column(chance, size):
    at, tokens = 0, []
    while at < size:
        length = chance.choice((0, 1, 2, 3))
        tokens.append((at, min(at + length, size), chance.random() < 0.5))
        at = tokens[-1][1]
    return column(*tokens)


def test_a_newline_belongs_to_the_line_that_it_ends():
    assert line_starts_of(b"ab\n\ncd").tolist() == [0, 3, 4]
    assert line_starts_of(b"").tolist() == [0]
