"""What is given to other tokenizers as it stands, without splitting, by ranks, or not at all."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from format_samples import SAMPLES
from pair_vocabularies import sentence_piece

from guiapp import open_model
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.written_models import (
    READS_TOKENS,
    check_hugging_face,
    check_ranks,
    hugging_face_json,
    ranks_and_pattern,
    unsplit_hugging_face_json,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.ranks import CONTRACTION as PUBLISHED
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.parts import PieceRules, TextRules
from guiapp.core.vocabulary.vocabulary import VocabType

MAP = np.frombuffer(build_charsmap({"a": "b"}), np.uint8)
SCORES = {"<unk>": 0.0, "a": -1.0, "b": -2.0, "ab": -3.0, "▁": -4.0}
LLAMAS = PieceRules(
    text=TextRules(MAP[:0], adds_space=True, removes_spaces=False, marks_spaces=True, adds_at_end=False),
    merges=True,
    has_byte_fallback=True,
)


def sample_of(format_, folder):
    (sample,) = (each for each in SAMPLES if each.format == format_)
    sample.write(folder / sample.name)
    return folder / sample.name


def reason(call, *arguments):
    with pytest.raises(UnavailableError) as refused:
        call(*arguments)
    return str(refused.value)


def test_only_bpe_vocabularies_of_model_files_are_not_split(tmp_path):
    of_parts = Tokenizer(load_vocabulary(sample_of("tokenizer.json", tmp_path)))
    for tokenizer in (Tokenizer(sentence_piece(SCORES)), of_parts):
        assert reason(unsplit_hugging_face_json, tokenizer) == "Only BPE vocabularies split texts."


def test_ranks_are_the_ids_of_all_normal_tokens():
    tokenizer = open_model("demo:bpe")
    vocabulary = tokenizer.vocabulary
    check_ranks(vocabulary, "tiktoken")
    pattern, ranks = ranks_and_pattern(tokenizer)
    assert pattern.startswith(PUBLISHED)
    assert pattern.endswith(r"|\s+")
    assert ranks == {
        vocabulary.token_bytes(token): token
        for token in range(len(vocabulary))
        if vocabulary.kind(token) == "normal"
    }


def test_a_file_of_parts_has_ranks_where_it_merges_bytes_of_the_text_itself(tmp_path):
    path = sample_of("tokenizer.json", tmp_path)
    check_ranks(load_vocabulary(path), "tiktoken")
    document = json.loads(path.read_text())
    for change in ({"normalizer": {"type": "NFC"}}, {"pre_tokenizer": {"type": "Whitespace"}}):
        path.write_text(json.dumps(document | change))
        assert reason(check_ranks, load_vocabulary(path), "tiktoken") == (
            "tiktoken merges bytes of text as it is; this file asks for more."
        )


def test_a_tokenizer_json_is_given_as_it_stands_and_nothing_else_as_one(tmp_path):
    path = sample_of("tokenizer.json", tmp_path)
    vocabulary = load_vocabulary(path)
    check_hugging_face(vocabulary)
    assert hugging_face_json(Tokenizer(vocabulary)) == path.read_text()
    other = replace(vocabulary, path=sample_of("vocab.txt", tmp_path))
    for read_otherwise in (other, replace(vocabulary, path=None), replace(vocabulary, chosen_pre="gpt-2")):
        assert reason(check_hugging_face, read_otherwise) == (
            "This library takes a tokenizer.json as it stands; this is another file, or read otherwise."
        )


@pytest.mark.parametrize("format_", READS_TOKENS)
def test_files_of_tokens_are_written_as_documents_that_say_the_same(format_, tmp_path):
    path = sample_of(format_, tmp_path)
    text = READS_TOKENS[format_](path)
    (tmp_path / "tokenizer.json").write_text(text)
    (sample,) = (each for each in SAMPLES if each.format == format_)
    found = [
        Tokenizer(load_vocabulary(each)).encode(sample.text).token_ids.tolist()
        for each in (path, tmp_path / "tokenizer.json")
    ]
    assert found[0] == found[1]
    path.write_bytes(b"\xff")
    assert path.name in reason(READS_TOKENS[format_], path)


@pytest.mark.parametrize("kind", [VocabType.RWKV, VocabType.PLAMO2])
def test_some_types_have_no_document(kind):
    vocabulary = replace(sentence_piece(SCORES), type=kind)
    assert reason(check_hugging_face, vocabulary) == f"tokenizer.json has no {kind.value} vocabularies."


@pytest.mark.parametrize(
    "changes",
    [
        {"merges": False},
        {"has_byte_fallback": False},
        {"text": replace(LLAMAS.text, charsmap=MAP)},
        {"text": replace(LLAMAS.text, removes_spaces=True)},
        {"text": replace(LLAMAS.text, adds_at_end=True)},
        {"text": replace(LLAMAS.text, marks_spaces=False)},
    ],
    ids=str,
)
def test_models_of_sentencepiece_are_written_if_they_ask_for_no_more_than_llamas(changes):
    check_hugging_face(replace(sentence_piece(SCORES), pieces=LLAMAS))
    asking = replace(sentence_piece(SCORES), pieces=replace(LLAMAS, **changes))
    wanted = "It is not said here how a tokenizer.json does what this SentencePiece model asks."
    assert reason(check_hugging_face, asking) == wanted
    own = sentence_piece(SCORES)
    own.attributes[1] |= np.uint16(Attribute.USER_DEFINED)
    assert reason(check_hugging_face, replace(own, pieces=LLAMAS)) == wanted
