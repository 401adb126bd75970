"""Shared spans equal those that plain sets of tokens give, for random columns and real vocabularies."""

import random
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pytest
from conftest import CORPORA, VOCABS
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened

import guiapp
from guiapp.analysis.compare.spans import (
    LiveComparison,
    SpanColumn,
    column_of,
    compare_spans,
    windows,
)
from guiapp.analysis.editing.live_encoding import LiveEncoding
from guiapp.analysis.editing.text_buffer import TextBuffer
from guiapp.analysis.editing.token_store import N_TINTS, Options, TokenStore
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
    segments = sorted({*pairwise(ends), *((at, at) for at in ends)})
    for start, end in segments:
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


def assert_matches_reference(columns):
    result = compare_spans(columns)
    shares = naive_shares(columns)
    assert [share.tolist() for share in result.shares] == shares
    for row, share in enumerate(shares):
        assert result.n_equal(row) == share.count(len(columns))
        assert result.n_own(row) == (share.count(1) if len(columns) > 1 else 0)
    expected = list(naive_differences(columns))
    assert result.differences.tolist() == [list(span) for span, _ in expected]
    for (_, parts), rows in zip(expected, result.tokens.tolist(), strict=True):
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
    assert_matches_reference(columns)


def test_a_bos_that_only_one_has_is_a_difference_without_text():
    result = compare_spans([column((0, 0, 1), (0, 5)), column((0, 5))])
    assert result.differences.tolist() == [[0, 0]]
    assert result.tokens.tolist() == [[[0, 1], [0, 0]]]
    assert [share.tolist() for share in result.shares] == [[1, 2], [2]]


def test_a_bos_and_a_space_prefix_are_not_the_same():
    bos, prefix = column((0, 0, 1), (0, 3)), column((0, 0, 0), (0, 3))
    assert compare_spans([bos, prefix]).differences.tolist() == [[0, 0]]
    assert compare_spans([bos, bos]).differences.tolist() == []


def test_only_special_tokens_among_empty_tokens_are_marked_special():
    tokenizer = guiapp.open_model("demo:spm")
    encoding = tokenizer.encode("汉")  # the space in front of it is a token of its own
    result = column_of(tokenizer, encoding.token_ids, *encoding.spans.T)
    assert encoding.spans[:2].tolist() == [[0, 0], [0, 0]]
    assert result.are_special.tolist() == [True] + [False] * (len(encoding) - 1)


def test_text_that_only_one_drops_is_a_difference():
    result = compare_spans([column((0, 5), (6, 9)), column((0, 5), (5, 6), (6, 9))])
    assert result.differences.tolist() == [[5, 6]]
    assert result.tokens.tolist() == [[[1, 1], [1, 2]]]


def test_columns_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="fit"):
        share_spans([(np.zeros(2, np.int64), np.zeros(1, np.int64), np.zeros(2, np.bool_))])
    with pytest.raises(ValueError, match="fit"):
        compare_spans([column((0, 1))] * 256)


def test_many_empty_tokens_at_one_place_take_no_longer_than_others():
    many = column(*[(0, 0, number % 2) for number in range(200_000)], (0, 1))
    result = compare_spans([many, column((0, 0), (0, 1)), many])
    assert result.differences.tolist() == [[0, 0]]
    assert (result.n_own(0), result.n_equal(1)) == (0, 2)


TEXT = "Hello world, naïve  don't 12345 汉字かな 👩‍👩‍👧 ﬁ ½ \r\n\tdef f(x):\n    return x\n<s>[INST]" * 3
MODELS = ("llama-bpe", "qwen2", "gemma-4", "llama-spm", "bert-bge", "gpt-2")


@pytest.fixture(scope="module")
def tokenizers():
    return {name: opened(VOCABS / f"ggml-vocab-{name}.gguf") for name in MODELS}


def column_in(tokenizer, text):
    encoding = tokenizer.encode(text)
    return column_of(tokenizer, encoding.token_ids, *encoding.spans.T)


def excerpts_of(name, n_excerpts, size):
    text = (CORPORA / f"{name}.txt").read_text("utf-8")
    chance = random.Random(name)
    starts = [chance.randrange(len(text) - size) for _ in range(n_excerpts)]
    return [text[start : start + size] for start in starts]


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("one", "other"), list(combinations(MODELS, 2)))
def test_pairs_of_real_vocabularies_match_the_reference(tokenizers, one, other):
    for text in (TEXT, *excerpts_of("soseki", 2, 60), *excerpts_of("shakespeare", 2, 200)):
        assert_matches_reference([column_in(tokenizers[name], text) for name in (one, other)])


@pytest.mark.real_vocabs
def test_all_real_vocabularies_at_once_match_the_reference(tokenizers):
    assert_matches_reference([column_in(tokenizer, TEXT) for tokenizer in tokenizers.values()])


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
    result = compare_spans(parts)
    for share, part, (first, last) in zip(whole.shares, result.shares, rows, strict=True):
        assert part.tolist() == share[first:last].tolist()
    firsts = np.array(rows)[:, :1]
    inside = [row for row in whole.tokens.tolist() if all(map(lies_among, row, rows))]
    assert (result.tokens + firsts).tolist() == inside
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


def random_tokens(chance, length):
    """Tokens of a stretch, some of them empty, with some text between that belongs to none."""
    at, tokens = 0, []
    while at < length or chance.random() < 0.2:
        at = min(at + chance.choice([0, 0, 0, 1]), length)
        end = min(at + chance.choice([0, 1, 1, 2, 3]), length)
        tokens.append((chance.randrange(2), at, end))
        at = end
    rows = np.array(tokens, np.int64).reshape(-1, 3)
    return FragmentTokens(rows[:, 0].astype(np.int32), rows[:, 1].copy(), rows[:, 2].copy())


def part_of(store, first, last):
    ids, starts, ends, _ = store.between(first, last)
    return SpanColumn(starts.copy(), ends.copy(), ids > 0)


def replace_near(chance, store, edit, n_bytes):
    """New tokens in the neighbourhood of an edit, some farther than others."""
    far = chance.choice([0, 0, 3, 10])
    first = store.indexes_in(max(edit.start - far, 0), edit.start)[0]
    last = max(store.first_from(edit.start + edit.removed + far), first)
    start = store.span(first - 1)[1] if first else 0
    end = (store.span(last)[0] if last < len(store) else n_bytes - edit.shift) + edit.shift
    new = random_tokens(chance, end - start)
    moved = FragmentTokens(new.ids, new.starts + start, new.ends + start)
    store.replace(first, last, moved, edit.shift)


def assert_is_that_of_the_whole(live, columns):
    result = compare_spans(columns)
    assert [share.tolist() for share in live.shares] == [share.tolist() for share in result.shares]
    _, starts, ends, _ = live.differences.between(0, len(live.differences))
    assert np.stack((starts, ends), 1).tolist() == result.differences.tolist()
    tint_of = {}
    for column, tints in zip(columns, live.tints, strict=True):
        held = column.ends > column.starts
        assert (np.diff(tints[held].astype(int)) != 0).all()
        for span, tint in zip(
            zip(column.starts[held], column.ends[held], strict=True), tints[held], strict=True
        ):
            assert tint_of.setdefault(span, tint) == tint < N_TINTS


@pytest.mark.parametrize("n_columns", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_following_random_edits_is_comparing_the_whole(seed, n_columns):
    chance = random.Random(seed)
    buffer = TextBuffer(bytes(chance.choice([0, 30, 300])))
    stores = [TokenStore(random_tokens(chance, len(buffer)), len(buffer)) for _ in range(n_columns)]
    live = LiveComparison([part_of(store, 0, len(store)) for store in stores], len(buffer)).watch(stores)
    for _ in range(40):
        start = chance.randrange(len(buffer) + 1)
        end = min(start + chance.choice([0, 0, 1, 5]), len(buffer))
        edit = buffer.replace(start, end, bytes(chance.choice([0, 1, 1, 7])))
        for store in stores:
            replace_near(chance, store, edit, len(buffer))
        assert live.can_apply_edit(stores)
        live.apply_edit(stores, lambda row, *window: part_of(stores[row], *window), edit, len(buffer))
        assert not live.can_apply_edit(stores)
        assert_is_that_of_the_whole(live, [part_of(store, 0, len(store)) for store in stores])


SCRAPS = ("a", "  ", " the", "ing\n", "é", "🦄", "<|endoftext|>", "今日", "1234", "\r\n", "\n\n", " Straße")


@pytest.mark.real_vocabs
@pytest.mark.parametrize("seed", range(3))
def test_following_edits_of_real_encodings_is_comparing_the_whole(seed):
    chance = random.Random(seed)
    names = ("llama-bpe", "qwen2", "gemma-4", "llama-spm")
    tokenizers = [opened(VOCABS / f"ggml-vocab-{name}.gguf") for name in names]
    buffer = TextBuffer("".join(chance.choices(SCRAPS, k=60)).encode())
    encodings = [LiveEncoding(each, each.encode(buffer.text()), Options()) for each in tokenizers]
    stores = [each.tokens for each in encodings]

    def column(row, first, last):
        return column_of(tokenizers[row], *stores[row].between(first, last)[:3])

    def whole():
        return [column(row, 0, len(store)) for row, store in enumerate(stores)]

    live = LiveComparison(whole(), len(buffer)).watch(stores)
    for _ in range(60):
        start = chance.randrange(len(buffer) + 1)
        end = min(start + chance.choice([0, 0, 1, 5]), len(buffer))
        edit = buffer.replace(start, end, chance.choice(SCRAPS).encode())
        for each in encodings:
            text = buffer.view()
            each.update(text, each.window(text, edit.start, edit.removed, edit.added))
            del text
        live.apply_edit(stores, column, edit, len(buffer))
        assert_is_that_of_the_whole(live, whole())
