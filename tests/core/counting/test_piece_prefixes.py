"""Prefixes of long pieces in BPE vocabularies count as when each is encoded, at the same cost per byte."""

from __future__ import annotations

import random
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from conftest import VOCABS
from random_texts import random_texts

import guiapp
from guiapp.core.counting import stretch_counts
from guiapp.core.counting.append import AppendEncoder
from guiapp.core.counting.piece_prefixes import PieceRules, piece_prefixes
from guiapp.core.kernels import piece_growth
from guiapp.core.pipelines.byte_pair import BytePairPipeline

RUNS = (
    *("abcdefghi", "aB", "0123456789", "=", "-='", " \t", " ", "\n", " \n", "a'rstvmld", "汉字漢", "あいう"),
    *("ア漢ら", "→★", "é\u0301", "😀😁", "ab汉é", "\ufffd", "xyz'", "_", "\u2028 "),
)
FIRST = ("", " ", "\n", "'", "x", "1", "é")
LAST = ("", "x", " ", "1", "\n", "é", "'", " y")

open_model = cache(guiapp.open_model)

byte_pair_models = pytest.mark.parametrize(
    "model",
    [
        "demo:bpe",
        *(
            pytest.param(VOCABS / f"ggml-vocab-{name}.gguf", marks=pytest.mark.real_vocabs, id=name)
            for name in ("llama-bpe", "gpt-2", "deepseek-coder", "starcoder", "qwen2", "gemma-4")
        ),
    ],
)


def as_array(text):
    return np.frombuffer(bytearray(text), np.uint8)


def growing_texts(rng):
    yield from random_texts(rng.randrange(1 << 30), 15)
    for run in RUNS:
        yield (
            rng.choice(FIRST) + "".join(rng.choices(run, k=rng.choice((3, 60)))) + rng.choice(LAST)
        ).encode()


def stretches_of(pipeline, text):
    cuts = np.empty(len(text) + 1, np.int64)
    bounds = [0, *cuts[: pipeline.all_cuts(as_array(text), cuts)].tolist(), len(text)]
    return [text[start:end] for start, end in pairwise(bounds) if start < end]


@byte_pair_models
def test_prefixes_of_stretches_count_as_when_each_is_encoded(model):
    pipeline, rng = open_model(model).pipeline.own, random.Random(2)
    rules, n_bytes, n_taken = PieceRules(pipeline), 0, 0
    for text in growing_texts(rng):
        for stretch in stretches_of(pipeline, text):
            prefixes, at = piece_prefixes(rules), 0
            while at < len(stretch):
                part = as_array(stretch[at : at + rng.choice((1, 2, 7, 50))])
                if not prefixes.takes(part):
                    break
                prefixes.append(part)
                at += len(part)
            n_bytes, n_taken = n_bytes + len(stretch), n_taken + at
            each = (pipeline.encode(as_array(stretch[:size]), False, "heap") for size in range(1, at + 1))
            assert prefixes.counts.tolist() == [0, *(len(tokens.ids) for tokens in each)], stretch
    assert n_taken > n_bytes / 3


@byte_pair_models
def test_a_piece_without_end_is_counted_without_encoding_it_again(model, monkeypatch):
    tokenizer = guiapp.open_model(model)
    text = bytes(random.Random(1).choices(b"abcdefghijklmnopqrstuvwxyz", k=3000))
    expected = [len(tokenizer.encode(text[:size])) for size in range(2000, 3001)]
    monkeypatch.setattr(stretch_counts, "LEAST_BYTES", 0)
    in_one = AppendEncoder(tokenizer).append_each(text)
    assert in_one[-1001:].tolist() == expected
    encoded = sizes_encoded(monkeypatch)
    one_by_one = AppendEncoder(tokenizer)
    counts = []
    for at in range(len(text)):
        one_by_one.append(text[at : at + 1])
        counts.append(one_by_one.count)
    assert counts[-1001:] == expected
    assert sum(encoded) < 100 * len(text)  # and not half its length for each byte


def sizes_encoded(monkeypatch) -> list[int]:
    """The sizes of all fragments that are encoded from now on."""
    sizes = []
    encode = BytePairPipeline.encode
    monkeypatch.setattr(
        BytePairPipeline,
        "encode",
        lambda pipeline, fragment, *options: (
            sizes.append(len(fragment)) or encode(pipeline, fragment, *options)
        ),
    )
    return sizes


@pytest.mark.parametrize("unit", ["a", "1", " ", "=-", "汉", "あ漢", "\n"])
def test_stretches_of_all_lengths_are_counted(unit, monkeypatch):
    monkeypatch.setattr(stretch_counts, "LONGEST", 16)
    monkeypatch.setattr(stretch_counts, "LEAST_BYTES", 40)
    monkeypatch.setattr(stretch_counts, "MOST_LONG_BYTES", 60)
    tokenizer = guiapp.open_model("demo:bpe")
    for n_units in (10, 20, 40, 30):
        text = ("The end" + unit * n_units + "x. <|im_end|>" + unit * n_units).encode()
        expected = [len(tokenizer.encode(text[:size])) for size in range(1, len(text) + 1)]
        for step in (len(text), 11):
            encoder = AppendEncoder(tokenizer)
            counts = [encoder.append_each(text[at : at + step]) for at in range(0, len(text), step)]
            assert np.concatenate(counts).tolist() == expected


def test_behind_a_piece_that_was_long_only_the_newest_text_is_encoded(monkeypatch):
    tokenizer = guiapp.open_model("demo:bpe")
    encoder = AppendEncoder(tokenizer)
    encoder.append(b" " * 5000)
    assert encoder.count > 0
    encoded = sizes_encoded(monkeypatch)
    for _ in range(300):
        encoder.append(b" word")
        assert encoder.count > 0
    assert sum(encoded) < 120_000


def test_where_pieces_begin_is_found_once_for_each_byte(monkeypatch):
    tokenizer, sizes = guiapp.open_model("demo:bpe"), []
    grow = piece_growth.grow
    monkeypatch.setattr(piece_growth, "grow", lambda *given: (sizes.append(len(given[0])), grow(*given))[1])
    encoder = AppendEncoder(tokenizer)
    encoder.append(b"a" * 2000)
    for size in range(2000, 2020):
        assert encoder.count == len(tokenizer.encode(b"a" * size))
        encoder.append(b"a")
    assert sizes == [*range(2001, 2020)]  # the first time nobody knows that somebody will ask again
