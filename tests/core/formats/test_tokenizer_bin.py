"""llama2.c's tokenizer.bin, against the library and the model that it was made of."""

from __future__ import annotations

import pytest
import sentencepiece
from conftest import SHARED
from fuzzing import SEED, rounds
from piece_equality import check
from piece_models import bin_row, tokenizer_bin, trained
from random_texts import random_texts

import guiapp
from guiapp.core.formats.table import format_of
from guiapp.errors import VocabError

LLAMA = {"normalization_rule_name": "identity", "remove_extra_whitespaces": False, "byte_fallback": True}


def written(folder, data):
    path = folder / "tokenizer.bin"
    path.write_bytes(data)
    return path


@rounds(usual=100, exhaustive=5_000)
def test_ids_spans_and_text_are_those_of_the_model_that_it_was_made_of(tmp_path, count):
    library = sentencepiece.SentencePieceProcessor(model_proto=trained(model_type="bpe", **LLAMA))
    path = written(tmp_path, tokenizer_bin(library))
    assert format_of(path).name == "tokenizer.bin"
    tokenizer = guiapp.open_model(path)
    check(tokenizer, library, random_texts(SEED, count))
    assert tokenizer.encode("a").token_ids[0] == tokenizer.vocabulary.special_ids.bos == 1
    assert tokenizer.exactness.level == "exact"
    assert "The file specifies neither" in tokenizer.exactness.reason


@pytest.mark.real_vocabs
@rounds(usual=100, exhaustive=20_000)
def test_the_tokens_of_a_real_model_are_the_same_in_this_form(tmp_path, count):
    path = SHARED / "formats" / "mistral-v1.tokenizer.model"
    library = sentencepiece.SentencePieceProcessor(model_file=str(path))
    tokenizer = guiapp.open_model(written(tmp_path, tokenizer_bin(library)))
    check(tokenizer, library, random_texts(SEED, count), readable=100 / count)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-3], "is damaged at token"),
        (lambda data: data[:-9], "ends in the middle of a token|is damaged at token"),
        (
            lambda data: data + b"\0\0\0\0\xff\xff\xff\x7f",
            "is damaged at token [0-9,]+, which would have 2,147,483,647",
        ),
        (lambda data: data + bin_row(b"a", float("nan")), "whose score is not a number"),
        (lambda data: data + bin_row(b"<0x0A>"), "has two equal tokens"),
        (lambda data: data.replace(b"<0x0B>", b"<0x0C>", 1), "one token for each byte"),
    ],
)
def test_damage_is_reported_in_one_sentence(tmp_path, change, message):
    library = sentencepiece.SentencePieceProcessor(model_proto=trained(model_type="bpe", **LLAMA))
    with pytest.raises(VocabError, match=message):
        guiapp.open_model(written(tmp_path, change(tokenizer_bin(library))))
