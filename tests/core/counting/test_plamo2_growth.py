"""Prefixes in PLaMo 2 vocabularies count as when each is encoded, at the same cost per byte."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from random_texts import random_texts
from unpaired_vocabularies import write_plamo2

import guiapp
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.plamo2_growth import Plamo2Prefixes
from guiapp.core.counting.prepend import PrependEncoder
from guiapp.core.pipelines.plamo2 import Plamo2Pipeline

BYTE_ORDER_MARKS = b"\xef\xbb\xbfab\xef\xbb\xbf"


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    @cache
    def opened(seed, *more_scores):
        path = tmp_path_factory.mktemp("plamo2") / f"{seed}.gguf"
        return guiapp.open_model(write_plamo2(path, seed, more_scores))

    return opened


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def counts_of_prefixes(tokenizer, text):
    sizes = range(1, len(text) + 1)
    each = (tokenizer.pipeline.encode(as_array(text[:size]), False, "plamo2") for size in sizes)
    return [0, *(len(tokens.ids) for tokens in each)]


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_prefixes_count_as_when_each_is_encoded(seed, opened):
    tokenizer, rng = opened(seed), random.Random(seed)
    rules = tokenizer.pipeline.own.growth_rules
    dense = ("".join(rng.choices(letters, k=60)).encode() for letters in ("ab", "abc", "abcé", "a") * 10)
    texts = [*random_texts(seed, 25), *dense, BYTE_ORDER_MARKS]
    expected = [counts_of_prefixes(tokenizer, text) for text in texts]
    for text, counts in zip(texts, expected, strict=True):
        prefixes, at = Plamo2Prefixes(rules), 0
        while at < len(text):
            size = rng.choice((1, 2, 9, 50))
            prefixes.append(as_array(text[at : at + size]))
            at += size
        assert prefixes.counts.tolist() == counts, text
    filled = [(text, counts) for text, counts in zip(texts, expected, strict=True) if text]
    ends = np.cumsum([len(text) for text, _ in filled])
    in_one = Plamo2Prefixes(rules).counts_of_texts(as_array(b"".join(text for text, _ in filled)), ends)
    assert in_one.tolist() == [count for _, counts in filled for count in counts[1:]]


@pytest.mark.parametrize("unit", [b"a", b"random", "汉".encode(), b"\xf0"])
def test_text_without_a_cut_is_counted_without_encoding_it_again(unit, opened, monkeypatch):
    tokenizer, rng = opened(3), random.Random(2)
    text = bytes(rng.choices(b"abcde", k=1500)) if unit == b"random" else unit * (1500 // len(unit))
    of_prefixes = [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]
    of_suffixes = [len(tokenizer.encode(text[at:])) for at in range(len(text))]
    encoded, encode = [], Plamo2Pipeline.encode

    def watch(pipeline, fragment, *options):
        encoded.append(len(fragment))
        return encode(pipeline, fragment, *options)

    monkeypatch.setattr(Plamo2Pipeline, "encode", watch)
    assert AppendEncoder(tokenizer).append_each(text).tolist() == of_prefixes
    assert PrependEncoder(tokenizer).prepend_each(text).tolist() == of_suffixes
    assert sum(encoded) < 3 * len(text)


def test_a_vocabulary_in_which_llama_forgets_what_it_knew_is_encoded_again(opened):
    tokenizer = opened(6, -1000.0)
    assert tokenizer.pipeline.own.growth_rules is None
    for text in (text[:300] for text in random_texts(6, 5)):
        expected = [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]
        assert AppendEncoder(tokenizer).append_each(text).tolist() == expected
        expected = [len(tokenizer.encode(text[at:])) for at in range(len(text))]
        assert PrependEncoder(tokenizer).prepend_each(text).tolist() == expected
