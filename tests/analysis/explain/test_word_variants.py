"""The ways to write a word, and the field that bans those of one token."""

import json

import pytest

import guiapp
from guiapp.analysis.explain.id_lists import logit_bias, word_variants


@pytest.fixture(scope="module")
def tokenizer():
    return guiapp.open_model("demo:bpe")


def test_each_way_is_there_once_with_the_tokens_of_that_text(tokenizer):
    variants = word_variants(tokenizer, "the")
    assert [variant.text for variant in variants] == ["the", " the", "The", " The", "THE", " THE", "\nthe"]
    for variant in variants:
        assert list(variant.token_ids) == tokenizer.encode(variant.text, False, False).token_ids.tolist()
    assert [variant.text for variant in word_variants(tokenizer, "42")] == ["42", " 42", "\n42"]


def test_the_field_of_a_request_bans_whole_tokens_only(tokenizer):
    variants = word_variants(tokenizer, "the")
    ids = [variant.token_ids[0] for variant in variants if len(variant.token_ids) == 1]
    assert len(ids) > 1
    assert json.loads(f"{{{logit_bias(variants, False)}}}") == {
        "logit_bias": {str(each): -100 for each in ids}
    }
    assert json.loads(f"{{{logit_bias(variants, True)}}}") == {"logit_bias": [[each, False] for each in ids]}
