"""One table tells the tokens of all prefixes of a piece, and costs the same per byte for any text."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABS
from model_files import ALL_MODELS
from pair_vocabularies import HEX_TOKENS, byte_level, sentence_piece
from random_texts import random_texts

import guiapp
from guiapp.core.counting import append, stretch_counts
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.prefix_table import PrefixTable, rules_of
from guiapp.core.counting.tail_table import TailTable
from guiapp.core.demo import sample_text
from guiapp.core.kernels import marked_spaces
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.vocabulary import SpecialIds

N_TEXTS = 60


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def check_prefixes(tokenizer, text):
    """Compare the counts of all prefixes with encoding each."""
    table = PrefixTable(tokenizer.merging, rules_of(tokenizer.merging))
    for start in range(0, len(text), 7):
        table.append(as_array(text[start : start + 7]))
    expected = [
        len(tokenizer.pipeline.encode(as_array(text[:size]), False, "heap").ids)
        for size in range(1, len(text) + 1)
    ]
    assert table.counts.tolist() == [0, *expected], text


@pytest.mark.parametrize(
    "model",
    ["demo:spm", pytest.param(VOCABS / "ggml-vocab-llama-spm.gguf", marks=pytest.mark.real_vocabs)],
    ids=["demo", "llama"],
)
def test_counts_of_all_prefixes_equal_encoding_each(model):
    tokenizer = guiapp.open_model(model)
    for text in random_texts(5, N_TEXTS):
        if marked_spaces.can_stay(as_array(text[:300])):
            check_prefixes(tokenizer, text[:300])


def test_symbols_that_are_no_tokens_count_by_their_bytes():
    scores = {"<unk>": 0.0, **dict.fromkeys(HEX_TOKENS, 0.0), "a": -1.0, "ab": -2.0, "abé": -3.0, "éa": -1.0}
    check_prefixes(
        Tokenizer(sentence_piece(scores, special_ids=SpecialIds(unk=0))), "abéaéb abé汉ab".encode()
    )


def test_text_without_any_cut_is_counted_without_encoding_it(monkeypatch):
    vocabulary = sentence_piece({"<unk>": 0.0, "▁": -9.0, "a": -4.0, "aa": -2.0, "aaa": -3.0, "aaaa": -1.0})
    tokenizer = Tokenizer(vocabulary)
    expected = len(tokenizer.encode(b"a" * 3000))
    encoder = AppendEncoder(tokenizer)
    monkeypatch.setattr(tokenizer.pipeline, "encode", None)
    for _ in range(3000):
        encoder.append(b"a")
        n_tokens = encoder.count
    assert n_tokens == expected


@pytest.mark.parametrize("model", ["demo:spm", "demo:unigram"])
def test_a_text_is_encoded_as_long_as_nobody_asked_about_it_before(model, monkeypatch):
    tokenizer = guiapp.open_model(model)
    monkeypatch.setattr(TailTable, "counts", None)
    text = sample_text("english")[:200]
    assert tokenizer.count(text) == len(tokenizer.encode(text))


@pytest.mark.parametrize("model", ALL_MODELS)
def test_counts_after_each_byte_are_exact(model):
    tokenizer = guiapp.open_model(model)
    for text in random_texts(6, N_TEXTS // 8, [b"<s>", b"<|im_end|>", b"[INST]"]):
        encoder = AppendEncoder(tokenizer)
        for size in range(1, min(len(text), 120) + 1):
            encoder.append(text[size - 1 : size])
            assert encoder.count == len(tokenizer.encode(text[:size])), text[:size]


@pytest.mark.parametrize("model", ALL_MODELS)
def test_one_call_gives_the_counts_after_each_of_its_bytes(model):
    tokenizer = guiapp.open_model(model)
    for index, text in enumerate(random_texts(9, N_TEXTS // 8, [b"<s>", b"<|im_end|>", b"[INST]"])):
        text = b"the end. " * (index % 3) + text[:60] + b" of the the end"
        encoder, parse_special = AppendEncoder(tokenizer, True, index % 2 == 0), index % 2 == 0
        steps = range(0, len(text), 1 + 13 * index)
        counts = [encoder.append_each(text[at : at + steps.step]) for at in steps]
        expected = [
            len(tokenizer.encode(text[:size], True, parse_special)) for size in range(1, len(text) + 1)
        ]
        assert np.concatenate(counts).tolist() == expected, text
        assert encoder.token_ids.tolist() == tokenizer.encode(text, True, parse_special).token_ids.tolist()


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm"])
def test_long_stretches_and_many_of_them_are_counted_too(model, monkeypatch):
    monkeypatch.setattr(stretch_counts, "FEW_ROWS", 16)
    monkeypatch.setattr(stretch_counts, "MANY_ROWS", 32)
    monkeypatch.setattr(append, "EACH_BLOCK_BYTES", 100)
    tokenizer = guiapp.open_model(model)
    text = b"a" * 40 + sample_text("english")[:300] + b"=" * 30 + b"<s> " + "汉字のテスト café".encode() * 3
    expected = [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]
    assert AppendEncoder(tokenizer).append_each(text).tolist() == expected
    assert AppendEncoder(tokenizer).append_each("").tolist() == []


def test_a_vocabulary_that_cannot_express_bytes_has_no_table():
    assert rules_of(Tokenizer(sentence_piece({"a": 0.0}, special_ids=SpecialIds())).merging) is None
    assert rules_of(Tokenizer(byte_level(["a b"])).merging) is not None
