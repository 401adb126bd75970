"""Counting stops as soon as the answer is sure."""

import pytest
from model_files import ALL_MODELS
from watched_tokenizer import watched

import guiapp


@pytest.mark.parametrize("model", ALL_MODELS)
@pytest.mark.parametrize("parse_special", [True, False])
def test_the_count_is_that_of_the_encoding(model, parse_special):
    tokenizer = guiapp.open_model(model)
    unit = "abcb" if model == "demo:toy" else "Ein Satz <s>[SEP]<|im_end|> über 12345 汉字. \n"
    for n_units in (0, 1, 300):
        text = n_units * unit
        for add_special in (True, False):
            n_tokens = len(tokenizer.encode(text, add_special, parse_special))
            options = {"add_special": add_special, "parse_special": parse_special}
            assert tokenizer.count(text, **options) == n_tokens
            assert tokenizer.count(text, n_tokens, **options) == n_tokens
            if n_tokens:
                assert tokenizer.count(text, n_tokens - 1, **options) is None


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv"])
def test_a_limit_ends_the_work(model):
    tokenizer = watched(model)
    assert tokenizer.count("The quick brown fox. " * 100_000, limit=100) is None
    assert sum(tokenizer.encoded) < 10_000
