"""The count of a part is that of encoding the part by itself, and hardly anything is encoded for it."""

import random

import numpy as np
import pytest
from model_files import ALL_MODELS, special_texts
from random_texts import random_texts
from watched_tokenizer import watched

import guiapp
from guiapp.core.encode.counting.chunks import IntervalCounter

N_TEXTS, N_PARTS = 25, 10
N_SPECIAL = 60  # that are mixed into texts


@pytest.mark.parametrize("model", ALL_MODELS)
def test_counts_equal_encoding_the_part_alone(model):
    tokenizer = guiapp.open_model(model)
    special = special_texts(tokenizer, N_SPECIAL)
    for index, text in enumerate(random_texts(9, N_TEXTS, special)):
        rng = random.Random(index)
        if rng.random() < 0.5:
            text = b" and the other day. ".join([text, text])
        parse_special = rng.random() < 0.7
        counter = IntervalCounter(tokenizer, text, parse_special)
        for _ in range(N_PARTS):
            start = rng.choice((0, rng.randrange(len(text) + 1)))
            end = rng.choice((len(text), rng.randrange(start, len(text) + 1)))
            expected = tokenizer.encode(text[start:end], False, parse_special)
            assert counter.count(start, end) == len(expected), (text, start, end, parse_special)


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"])
def test_a_long_part_costs_as_little_as_a_short_one(model):
    tokenizer = watched(model)
    text = b"The quick brown fox jumps over the lazy dog. " * 2000
    counter = IntervalCounter(tokenizer, text)
    expected = len(tokenizer.encode(text[11:80_011], add_special=False))
    assert counter.count(11, 80_011) == expected
    assert sum(tokenizer.encoded) < 200


def test_offsets_within_special_tokens_are_left_out():
    text = b"a<|im_start|>b<|im_start|>"
    counter = IntervalCounter(guiapp.open_model("demo:bpe"), text)
    assert counter.outside_special_tokens(np.arange(len(text) + 1)).tolist() == [0, 1, 13, 14, 26]
    unparsed = IntervalCounter(guiapp.open_model("demo:bpe"), text, parse_special=False)
    assert unparsed.outside_special_tokens(np.arange(len(text) + 1)).tolist() == list(range(27))
    assert counter.n_tokens == 4
    assert [counter.n_tokens_before(at) for at in (0, 1, 2, 13, 14, 26)] == [0, 1, 2, 2, 3, 4]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 4)])
def test_what_is_no_part_is_refused(start, end):
    with pytest.raises(ValueError, match="no part"):
        IntervalCounter(guiapp.open_model("demo:toy"), b"abc").count(start, end)
