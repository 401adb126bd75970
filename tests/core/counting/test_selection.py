"""The count of a selection is that of encoding it by itself, however long it is."""

import random

import pytest
from arrays import as_array
from model_files import ALL_MODELS, special_texts
from random_texts import random_texts
from watched_tokenizer import watched

import guiapp
from guiapp.core.counting import selection
from guiapp.core.counting.selection import count_selection
from guiapp.core.editing.token_store import TokenStore
from guiapp.core.encoding import FragmentTokens

N_TEXTS, N_PARTS = 20, 10
N_SPECIAL = 60  # that are mixed into texts


@pytest.mark.parametrize("model", ALL_MODELS)
def test_selections_are_counted_as_if_alone(model, monkeypatch):
    monkeypatch.setattr(selection, "SHORT_BYTES", 100)
    monkeypatch.setattr(selection, "WINDOW_BYTES", 50)
    tokenizer = guiapp.open_model(model)
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
            assert count_selection(tokenizer, array, store, True, start, end) in (expected, None)


def test_a_long_selection_is_counted_in_a_moment():
    tokenizer = watched("demo:bpe")
    text = b"The quick brown fox jumps over the lazy dog. " * 2000
    encoding = tokenizer.encode(text)
    tokens = FragmentTokens(encoding.token_ids, encoding.spans[:, 0], encoding.spans[:, 1])
    expected = len(tokenizer.encode(text[11:80_011], add_special=False))
    array = as_array(text)
    assert count_selection(tokenizer, array, TokenStore(tokens, len(text)), True, 11, 80_011) == expected
    assert sum(tokenizer.encoded) < 200
