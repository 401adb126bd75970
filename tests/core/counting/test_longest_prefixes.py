"""Where the longest token is taken, prefixes count as when each is encoded, at the same cost per byte."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from conftest import VOCABS
from random_texts import random_texts
from unpaired_vocabularies import vocabulary, write_rwkv, write_wordpiece

import guiapp
from guiapp.core.counting import stretch_counts
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.word_prefixes import WordPrefixes
from guiapp.core.demo import sample_text
from guiapp.core.errors import EncodeError
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import VocabType

TOKENS = ["<unk>", "a", "ab", "aba", "abcab", "b", "ba", "bab", "caba", "é", "aaaa", "a" * 9, "bc"]

open_model = cache(guiapp.open_model)


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def dense_texts(rng, count):
    for _ in range(count):
        yield "".join(
            rng.choices(rng.choice(("ab", "abc", "a", "abcé", "ab c")), k=rng.randrange(60))
        ).encode()


def counts_of_prefixes(tokenizer, text, encoder):
    each = (
        tokenizer.pipeline.encode(as_array(text[:size]), False, encoder) for size in range(1, len(text) + 1)
    )
    return [0, *(len(tokens.ids) for tokens in each)]


def check_rwkv(tokenizer, texts):
    for text in texts:
        counts = tokenizer.pipeline.own.count_prefixes(as_array(text))
        assert [0, *counts.tolist()] == counts_of_prefixes(tokenizer, text, "rwkv"), text


def check_words(tokenizer, texts, rng):
    for text in texts:
        prefixes, at = WordPrefixes(tokenizer.pipeline.own), 0
        while at < len(text):
            size = rng.choice((1, 2, 9, 50))
            prefixes.append(as_array(text[at : at + size]))
            at += size
        assert prefixes.counts.tolist() == counts_of_prefixes(tokenizer, text, "wordpiece"), text


def test_prefixes_of_rwkv_texts_count_as_when_each_is_encoded(tmp_path):
    rng = random.Random(4)
    for tokenizer in (open_model("demo:rwkv"), guiapp.open_model(write_rwkv(tmp_path / "rwkv.gguf", 5))):
        check_rwkv(tokenizer, random_texts(rng.randrange(99), 20))
    check_rwkv(Tokenizer(vocabulary(VocabType.RWKV, TOKENS)), dense_texts(rng, 150))


@pytest.mark.parametrize("switches", [(True, True), (True, False), (False, True)])
def test_prefixes_of_words_count_as_when_each_is_encoded(switches, tmp_path):
    rng = random.Random(6)
    tokenizer = guiapp.open_model(write_wordpiece(tmp_path / "words.gguf", 7, *switches))
    check_words(tokenizer, random_texts(rng.randrange(99), 20), rng)
    dense = [*TOKENS, *("▁" + text for text in TOKENS[1:8])]
    check_words(Tokenizer(vocabulary(VocabType.WPM, dense)), dense_texts(rng, 150), rng)


@pytest.mark.parametrize(
    "model",
    [
        "demo:wordpiece",
        pytest.param(VOCABS / "ggml-vocab-bert-bge.gguf", marks=pytest.mark.real_vocabs, id="bert-bge"),
    ],
)
def test_prefixes_of_words_of_models_count_as_when_each_is_encoded(model):
    rng = random.Random(8)
    check_words(open_model(model), random_texts(9, 20), rng)
    check_words(open_model(model), dense_texts(rng, 50), rng)


@pytest.mark.parametrize("model", ["demo:wordpiece", "demo:rwkv"])
def test_long_text_without_a_cut_is_counted_without_encoding_it_again(model, monkeypatch):
    tokenizer = guiapp.open_model(model)
    text = bytes(random.Random(1).choices(b"abcdefghijklmnopqrstuvwxyz", k=3000))
    if model == "demo:rwkv":
        text = sample_text("languages")
        text = bytes(byte for byte in text if byte >= 0x80)[:3000]
    expected = [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]
    encoded = []
    encode = tokenizer.pipeline.encode

    def watch(fragment, *options):
        encoded.append(len(fragment))
        return encode(fragment, *options)

    monkeypatch.setattr(tokenizer.pipeline, "encode", watch)
    encoder = AppendEncoder(tokenizer)
    assert encoder.append_each(text).tolist() == expected
    assert sum(encoded) < 6 * len(text)
    encoded.clear()
    encoder, counts = AppendEncoder(tokenizer), []
    for at in range(len(text)):
        encoder.append(text[at : at + 1])
        counts.append(encoder.count)
    assert counts == expected
    assert max(encoded) <= 4 * stretch_counts.LONGEST


def test_bytes_and_words_without_tokens_are_errors_where_nothing_stands_for_them():
    for kind, tokens in ((VocabType.RWKV, ["a", "ab"]), (VocabType.WPM, ["▁a", "b"])):
        tokenizer = Tokenizer(vocabulary(kind, tokens, unknown=None))
        with pytest.raises(EncodeError):
            AppendEncoder(tokenizer, add_special=False).append_each("a" + "b" * 300 + "c")
