"""Texts that grow at one end have at any time the tokens that they have when encoded from scratch."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from model_files import ALL_MODELS
from random_texts import random_texts
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.counting import append, prepend
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.prepend import PrependEncoder
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import Attribute

N_TEXTS = 40
N_SPECIAL = 60  # that are mixed into texts

open_model = cache(guiapp.open_model)


@pytest.fixture
def settles_at_once(monkeypatch):
    """Look for cuts as often as possible."""
    monkeypatch.setattr(append, "BLOCK_BYTES", 1)
    monkeypatch.setattr(prepend, "BLOCK_BYTES", 1)


def growing_texts(tokenizer, seed):
    """Random numbers, a text with special tokens, and where it is looked at, again and again."""
    searched_for = tokenizer.special_tokens.searched_for(True)[:N_SPECIAL].tolist()
    special = [tokenizer.vocabulary.raw_text(token_id) for token_id in searched_for]
    for index, text in enumerate(random_texts(seed, N_TEXTS, special)):
        rng = random.Random(index)
        sizes = [0]
        while sizes[-1] < len(text):
            sizes.append(min(sizes[-1] + rng.choice((1, 1, 2, 5, 30)), len(text)))
        yield rng, text, sizes


@pytest.mark.parametrize("model", ALL_MODELS)
@pytest.mark.usefixtures("settles_at_once")
def test_appending_equals_encoding_from_scratch(model):
    tokenizer = open_model(model)
    for rng, text, sizes in growing_texts(tokenizer, 7):
        parse_special = rng.random() < 0.7
        encoder = AppendEncoder(tokenizer, True, parse_special)
        for start, end in pairwise(sizes):
            encoder.append(text[start:end])
            if rng.random() < 0.3 or end == len(text):
                expected = tokenizer.encode(text[:end], True, parse_special).token_ids
                assert encoder.token_ids.tolist() == expected.tolist(), text[:end]
                assert encoder.count == len(expected)
                assert encoder.least_count <= len(expected)


@pytest.mark.parametrize("model", ALL_MODELS)
@pytest.mark.usefixtures("settles_at_once")
def test_prepending_equals_encoding_from_scratch(model):
    tokenizer = open_model(model)
    for rng, text, sizes in growing_texts(tokenizer, 8):
        parse_special = rng.random() < 0.7
        encoder = PrependEncoder(tokenizer, True, parse_special)
        for start, end in pairwise(sizes):
            encoder.prepend(text[len(text) - end : len(text) - start])
            if rng.random() < 0.3 or end == len(text):
                expected = tokenizer.encode(text[len(text) - end :], True, parse_special).token_ids
                assert encoder.token_ids.tolist() == expected.tolist(), text[len(text) - end :]
                assert encoder.count == len(expected)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"])
def test_only_the_newest_text_is_encoded_again(model, monkeypatch):
    tokenizer = open_model(model)
    sentence = b"The quick brown fox jumps over the lazy dog. "
    appended, prepended = AppendEncoder(tokenizer), PrependEncoder(tokenizer)
    for _ in range(200):
        appended.append(sentence)
        prepended.prepend(sentence)
    assert appended.count > 1000 < prepended.count
    encoded = []
    encode = tokenizer.pipeline.encode

    def watch(fragment, after_special, encoder):
        encoded.append(len(fragment))
        return encode(fragment, after_special, encoder)

    monkeypatch.setattr(tokenizer.pipeline, "encode", watch)
    for _ in range(10):
        appended.append(b"x")
        prepended.prepend(b"x")
        assert appended.count > 1000 < prepended.count
    assert max(encoded) < 600


def test_nothing_was_put_in_yet():
    tokenizer = open_model("demo:bpe")
    expected = tokenizer.encode(b"").token_ids.tolist()
    for encoder in (AppendEncoder(tokenizer), PrependEncoder(tokenizer)):
        assert encoder.token_ids.tolist() == expected
        assert encoder.count == len(expected)
    assert AppendEncoder(tokenizer, add_special=False).token_ids.dtype == np.int32


@pytest.mark.usefixtures("settles_at_once")
def test_white_space_that_a_special_token_takes_away_is_waited_for():
    takes = Attribute.CONTROL | Attribute.LSTRIP | Attribute.RSTRIP
    scores = dict.fromkeys([*map(chr, range(97, 123)), "<", ">"], -1.0)
    tokenizer = Tokenizer(toy_vocabulary({"<unk>": Attribute.UNKNOWN, "▁": -1.0, "<x>": takes, **scores}))
    text = b"ab cd  <x>  ef <x> gh  ij " * 3
    appended, prepended = AppendEncoder(tokenizer), PrependEncoder(tokenizer)
    for size in range(1, len(text) + 1):
        appended.append(text[size - 1 : size])
        prepended.prepend(text[len(text) - size : len(text) - size + 1])
        assert appended.token_ids.tolist() == tokenizer.encode(text[:size]).token_ids.tolist()
        assert prepended.token_ids.tolist() == tokenizer.encode(text[-size:]).token_ids.tolist()
