"""A comparison that follows edits says what a new one of the whole text would say."""

import random

import numpy as np
import pytest
from conftest import VOCABS

import guiapp
from guiapp.analysis.compare.live_comparison import LiveComparison
from guiapp.analysis.compare.spans import SpanColumn, column_of, compare_spans
from guiapp.analysis.editing.live_encoding import LiveEncoding
from guiapp.analysis.editing.text_buffer import TextBuffer
from guiapp.analysis.editing.token_store import N_TINTS, Options, TokenStore
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.native.spans import tint_spans


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


def replace_around(chance, store, edit, n_bytes):
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
    found = compare_spans(columns)
    assert [share.tolist() for share in live.shares] == [share.tolist() for share in found.shares]
    _, starts, ends, _ = live.differences.between(0, len(live.differences))
    assert np.stack((starts, ends), 1).tolist() == found.differences.tolist()
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
            replace_around(chance, store, edit, len(buffer))
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
    tokenizers = [guiapp.open_model(VOCABS / f"ggml-vocab-{name}.gguf") for name in names]
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


def test_tokens_without_text_have_no_colour_of_their_own():
    starts, ends = np.array([0, 0, 2, 2], np.int64), np.array([0, 2, 2, 4], np.int64)
    (tints,) = tint_spans([(starts, ends)], [(3, 1)], 6)
    assert tints.tolist() == [0, 0, 0, 2]
    with pytest.raises(ValueError, match="fit"):
        tint_spans([(starts, ends[:3])], [(255, 255)], 6)
