"""The prompt that asks a model to repeat a token."""

import pytest
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.vocabulary_list.embeddings import Prompt, repeating_prompt
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute


def test_a_token_is_repeated_eight_times_and_once_more():
    tokenizer = guiapp.open_model("demo:bpe")
    token = tokenizer.vocabulary.find(b"ing")
    text, holds_token = repeating_prompt(tokenizer, token)
    first, *lines, last = text.split("\n")
    assert first == "An echo gives back what it hears, letter by letter."
    assert lines == ["Heard: «ing» Given back: «ing»"] * 8
    assert last == "Heard: «ing» Given back: «"
    assert holds_token


@pytest.mark.parametrize("token", ["<|im_end|>", "<|begin_of_text|>"])
def test_a_control_token_does_not_stand_in_a_text_that_spells_it(token):
    tokenizer = guiapp.open_model("demo:bpe")
    prompt = repeating_prompt(tokenizer, tokenizer.vocabulary.find(token.encode()))
    assert token in prompt.text
    assert not prompt.holds_token


def test_there_is_none_for_what_is_no_whole_character():
    tokenizer = guiapp.open_model("demo:spm")
    assert repeating_prompt(tokenizer, tokenizer.vocabulary.find(b"<0xE2>")) is None
    assert repeating_prompt(tokenizer, tokenizer.vocabulary.find(b"<0x61>")) is not None


def test_what_cannot_be_encoded_holds_no_token():
    tokenizer = Tokenizer(toy_vocabulary({"a": -1.0, "<unk>": Attribute.UNKNOWN}))
    prompt = repeating_prompt(tokenizer, 0)
    assert prompt == Prompt(prompt.text, False)
    assert "«a»" in prompt.text
