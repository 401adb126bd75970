"""The count of a selection is that of encoding it by itself, however long it is."""

import random
from collections import Counter
from itertools import combinations

import pytest
from arrays import as_array
from model_files import ALL_MODELS, opened, special_texts
from random_texts import random_texts
from watched_tokenizer import recording_tokenizer

import guiapp
from guiapp.analysis.editing import live_encoding as selection
from guiapp.analysis.editing.live_encoding import count_selection
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.encoding import FragmentTokens

N_TEXTS, N_PARTS = 20, 10
N_SPECIAL = 60  # that are mixed into texts


@pytest.mark.parametrize("model", ALL_MODELS)
def test_selections_are_counted_as_if_alone(model, monkeypatch):
    monkeypatch.setattr(selection, "SHORT_BYTES", 100)
    monkeypatch.setattr(selection, "WINDOW_BYTES", 50)
    tokenizer, n_counted = opened(model), Counter[bool]()
    special = special_texts(tokenizer, N_SPECIAL)
    for index, text in enumerate(random_texts(13, N_TEXTS, special)):
        rng = random.Random(index)
        text = b" and the other day. ".join([text, text, text])
        encoding = tokenizer.encode(text)
        tokens = FragmentTokens(encoding.token_ids, encoding.spans[:, 0], encoding.spans[:, 1])
        store, array = TokenStore(tokens, len(text)), as_array(text)
        for _ in range(N_PARTS):
            start = rng.randrange(len(text) // 3)
            end = rng.randrange(start, len(text) + 1)
            expected = len(tokenizer.encode(text[start:end], add_special=False))
            actual = count_selection(tokenizer, array, store, True, start, end)
            assert actual in (expected, None)
            if end - start <= 100:
                assert actual == expected
            elif tokenizer.special_tokens.drops_white_space:
                assert actual is None
            else:
                n_counted[actual is not None] += 1
    assert n_counted[True] * 3 >= n_counted[False], n_counted


def test_selections_of_words_are_all_counted(monkeypatch):
    monkeypatch.setattr(selection, "SHORT_BYTES", 20)
    monkeypatch.setattr(selection, "WINDOW_BYTES", 8)
    tokenizer = guiapp.open_model("demo:bpe")
    for text in (
        b"one two<|im_start|> three four five<|im_end|> six. " * 3,
        b"an old fox in a box, so it is " * 5,
    ):
        encoding = tokenizer.encode(text, add_special=False)
        store, array = (
            TokenStore(FragmentTokens(encoding.token_ids, *encoding.spans.T), len(text)),
            as_array(text),
        )
        for start, end in combinations(range(0, len(text) + 1, 3), 2):
            expected = len(tokenizer.encode(text[start:end], add_special=False))
            actual = count_selection(tokenizer, array, store, True, start, end)
            assert actual == expected if b"<" not in text or end - start <= 20 else actual in (expected, None)


@pytest.mark.parametrize(("size", "is_counted"), [(100, True), (101, False)])
def test_of_text_without_cuts_only_short_selections_are_counted(size, is_counted, monkeypatch):
    monkeypatch.setattr(selection, "SHORT_BYTES", 100)
    tokenizer, text = guiapp.open_model("demo:bpe"), b"a" * 20_000
    encoding = tokenizer.encode(text, add_special=False)
    store = TokenStore(FragmentTokens(encoding.token_ids, *encoding.spans.T), len(text))
    actual = count_selection(tokenizer, as_array(text), store, True, 9_000, 9_000 + size)
    assert actual == (len(tokenizer.encode(b"a" * size, add_special=False)) if is_counted else None)


def test_a_long_selection_is_counted_in_a_moment():
    tokenizer = recording_tokenizer("demo:bpe")
    text = b"The quick brown fox jumps over the lazy dog. " * 2000
    encoding = tokenizer.encode(text)
    tokens = FragmentTokens(encoding.token_ids, encoding.spans[:, 0], encoding.spans[:, 1])
    expected = len(tokenizer.encode(text[11:80_011], add_special=False))
    array = as_array(text)
    assert count_selection(tokenizer, array, TokenStore(tokens, len(text)), True, 11, 80_011) == expected
    assert sum(tokenizer.encoded) < 200
