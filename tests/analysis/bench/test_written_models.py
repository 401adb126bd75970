"""The forms in which other tokenizers are given our vocabularies."""

from __future__ import annotations

import json
import struct
from dataclasses import replace

import numpy as np
import pytest
from conftest import CORPORA, VOCABS
from format_samples import SAMPLES
from model_files import opened
from pair_vocabularies import byte_level, sentence_piece
from toy_vocabulary import toy_vocabulary

from guiapp import open_model
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.written_models import (
    READS_TOKENS,
    check_hugging_face,
    check_ranks,
    hugging_face_json,
    ranks_and_pattern,
    sentencepiece_model,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.formats.ranks import CONTRACTION as PUBLISHED
from guiapp.core.formats.table import load_vocabulary
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.parts import PieceRules, TextRules
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType


def document_of(vocabulary):
    check_hugging_face(vocabulary)
    return json.loads(hugging_face_json(Tokenizer(vocabulary)))


def test_merges_by_rank_are_those_of_all_pairs_that_make_a_token():
    rules = Rules(byte_encoding=True, ignore_merges=True, merges_all_pairs=True)
    vocabulary = byte_level([], tokens=["a", "b", "c", "bc", "ab", "abc"], rules=rules)
    model = document_of(vocabulary)["model"]
    assert model["merges"] == [["b", "c"], ["a", "b"], ["a", "bc"], ["ab", "c"]]
    assert model["ignore_merges"] is True


def fields(message: bytes) -> list[tuple[int, object]]:
    """The numbers and values of a message in protobuf's wire format."""
    results, at = [], 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte, at = message[at], at + 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(message):
        number, wire_type = divmod(varint(), 8)
        if wire_type == 0:
            value: object = varint()
        elif wire_type == 2:
            size = varint()
            value, at = message[at : at + size], at + size
        else:
            assert wire_type == 5
            (value,), at = struct.unpack("<f", message[at : at + 4]), at + 4
        results.append((number, value))
    return results


@pytest.mark.parametrize("kind", [VocabType.SPM, VocabType.UGM])
@pytest.mark.parametrize("n_bytes", [0, 255, 256])
def test_a_sentencepiece_model_has_the_pieces_and_rules(kind, n_bytes):
    attributes = {
        "<unk>": Attribute.UNKNOWN,
        "<s>": Attribute.CONTROL,
        "<mine>": Attribute.USER_DEFINED,
        "<none>": Attribute.UNUSED,
        **{f"<0x{byte:02X}>": Attribute.BYTE for byte in range(n_bytes)},
    }
    long = "a" * 300
    rules = Rules(add_space_prefix=kind is VocabType.SPM, remove_extra_whitespaces=kind is VocabType.UGM)
    vocabulary = toy_vocabulary({**attributes, "▁": -0.5, long: -2.0}, kind, rules=rules)
    *pieces, trainer, normalizer = fields(sentencepiece_model(vocabulary))
    assert {number for number, _ in pieces} == {1}
    expected = [(text, 0.0) for text in attributes] + [("▁", -0.5), (long, -2.0)]
    types = [2, 3, 4, 5, *[6] * n_bytes, 1, 1]
    assert [fields(piece) for _, piece in pieces] == [
        [(1, text.encode()), (2, score), (3, number)]
        for (text, score), number in zip(expected, types, strict=True)
    ]
    is_unigram = kind is VocabType.UGM
    assert (trainer[0], fields(trainer[1])) == (2, [(3, 1 if is_unigram else 2), (35, n_bytes == 256)])
    assert (normalizer[0], fields(normalizer[1])) == (
        3,
        [(1, b"as in the file"), (2, b""), (3, not is_unigram), (4, is_unigram), (5, 1)],
    )


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


def test_ranks_are_the_ids_of_all_normal_tokens():
    tokenizer = open_model("demo:bpe")
    vocabulary = tokenizer.vocabulary
    check_ranks(vocabulary, "tiktoken")
    pattern, ranks, _ = ranks_and_pattern(tokenizer)
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
            "tiktoken merges the bytes of unchanged text; this file needs more."
        )


def test_a_tokenizer_json_is_given_as_it_stands_and_nothing_else_as_one(tmp_path):
    path = sample_of("tokenizer.json", tmp_path)
    vocabulary = load_vocabulary(path)
    check_hugging_face(vocabulary)
    assert hugging_face_json(Tokenizer(vocabulary)) == path.read_text()
    other = replace(vocabulary, path=sample_of("vocab.txt", tmp_path))
    for read_otherwise in (other, replace(vocabulary, path=None), replace(vocabulary, chosen_pre="gpt-2")):
        assert reason(check_hugging_face, read_otherwise) == (
            "This library reads a tokenizer.json unchanged; this is another file, or read differently."
        )


@pytest.mark.parametrize("format_", READS_TOKENS)
def test_token_list_files_are_converted_with_the_same_ids(format_, tmp_path):
    path = sample_of(format_, tmp_path)
    text = READS_TOKENS[format_](path)
    (tmp_path / "tokenizer.json").write_text(text)
    (sample,) = (each for each in SAMPLES if each.format == format_)
    results = [
        Tokenizer(load_vocabulary(each)).encode(sample.text).token_ids.tolist()
        for each in (path, tmp_path / "tokenizer.json")
    ]
    assert results[0] == results[1]
    path.write_bytes(b"\xff")
    assert path.name in reason(READS_TOKENS[format_], path)


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
    expected = "This SentencePiece model cannot be written as a tokenizer.json."
    assert reason(check_hugging_face, asking) == expected
    own = sentence_piece(SCORES)
    own.attributes[1] |= np.uint16(Attribute.USER_DEFINED)
    assert reason(check_hugging_face, replace(own, pieces=LLAMAS)) == expected


@pytest.mark.real_vocabs
def test_sentencepiece_itself_gives_the_ids_of_the_written_model():
    sentencepiece = pytest.importorskip("sentencepiece")
    tokenizer = opened(VOCABS / "ggml-vocab-llama-spm.gguf")
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(tokenizer.vocabulary))
    text = (CORPORA / "shakespeare.txt").read_text("utf-8")[:20_000]
    assert tokenizer.encode(text, add_special=False).token_ids.tolist() == processor.encode(text)


@pytest.mark.parametrize("unk", [0, 2])
def test_sentencepiece_takes_the_same_token_for_what_is_unknown(unk):
    sentencepiece = pytest.importorskip("sentencepiece")
    tokens = {"a": -1.0, "▁": -1.0, "b": -2.0}
    tokens = dict([*[*tokens.items()][:unk], ("<unk>", Attribute.UNKNOWN), *[*tokens.items()][unk:]])
    vocabulary = toy_vocabulary(tokens, special_ids=SpecialIds(unk=unk))
    processor = sentencepiece.SentencePieceProcessor(model_proto=sentencepiece_model(vocabulary))
    assert processor.unk_id() == unk
    assert processor.encode("?") == Tokenizer(vocabulary).encode("?", add_special=False).token_ids.tolist()
