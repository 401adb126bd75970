"""Small vocabularies as other tokenizers read them, whole."""

import json
import struct

import pytest
from pair_vocabularies import byte_level
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.libraries.written_models import (
    check_hugging_face,
    hugging_face_json,
    sentencepiece_model,
    single_pattern,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.pretokenize.pre_tokenizers import GPT2, NEWLINES, NUMBER, PRE_TOKENIZERS, Pattern
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, VocabType

ALWAYS = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "post_processor": None,
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


def document_of(vocabulary):
    check_hugging_face(vocabulary)
    return json.loads(hugging_face_json(Tokenizer(vocabulary)))


def test_merges_of_bytes():
    vocabulary = byte_level(["a b", "ab c", "  a"], tokens=["a", "b", "c", "ab", "abc", " "])
    assert document_of(vocabulary) == {
        **ALWAYS,
        "pre_tokenizer": {**BYTE_LEVEL, "use_regex": True},
        "model": {
            "type": "BPE",
            "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, " ": 5},
            "merges": [["a", "b"], ["ab", "c"], [" ", "a"]],
            "ignore_merges": False,
        },
        "decoder": BYTE_LEVEL,
    }


def test_merges_by_rank_are_those_of_all_pairs_that_make_a_token():
    rules = Rules(byte_encoding=True, ignore_merges=True, merges_all_pairs=True)
    vocabulary = byte_level([], tokens=["a", "b", "c", "bc", "ab", "abc"], rules=rules)
    model = document_of(vocabulary)["model"]
    assert model["merges"] == [["b", "c"], ["a", "b"], ["a", "bc"], ["ab", "c"]]
    assert model["ignore_merges"] is True


def test_a_pattern_is_given_in_the_spelling_that_others_look_for():
    own = Pattern(PRE_TOKENIZERS["llama-bpe"].patterns[0].source)
    (split, last) = document_of(byte_level(["a b"], patterns=(own,)))["pre_tokenizer"]["pretokenizers"]
    assert split == {
        "type": "Split",
        "pattern": {"Regex": split["pattern"]["Regex"]},
        "behavior": "Isolated",
        "invert": False,
    }
    assert split["pattern"]["Regex"].startswith("(?i:'s|'t|'re|'ve|'m|'ll|'d)|")
    assert last == {**BYTE_LEVEL, "use_regex": False}
    vocabulary = byte_level(["a b"], patterns=(own,))
    assert single_pattern(vocabulary, "tiktoken") == split["pattern"]["Regex"] + r"|\s+"


def test_patterns_in_turn_are_steps():
    def steps(*patterns):
        return document_of(byte_level(["a b"], patterns=patterns))["pre_tokenizer"]["pretokenizers"]

    assert [each["type"] for each in steps(NUMBER, GPT2)] == ["Digits", "ByteLevel"]
    assert [each["type"] for each in steps(NEWLINES, GPT2)] == ["Split", "ByteLevel"]
    assert [steps(NEWLINES, last)[-1]["use_regex"] for last in (GPT2, NUMBER)] == [True, False]


def fields(message: bytes) -> list[tuple[int, object]]:
    """The numbers and values of a message in protobuf's wire format."""
    found, at = [], 0

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
        found.append((number, value))
    return found


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
    wanted = [(text, 0.0) for text in attributes] + [("▁", -0.5), (long, -2.0)]
    types = [2, 3, 4, 5, *[6] * n_bytes, 1, 1]
    assert [fields(piece) for _, piece in pieces] == [
        [(1, text.encode()), (2, score), (3, number)]
        for (text, score), number in zip(wanted, types, strict=True)
    ]
    is_unigram = kind is VocabType.UGM
    assert (trainer[0], fields(trainer[1])) == (2, [(3, 1 if is_unigram else 2), (35, n_bytes == 256)])
    assert (normalizer[0], fields(normalizer[1])) == (
        3,
        [(1, b"as in the file"), (2, b""), (3, not is_unigram), (4, is_unigram), (5, 1)],
    )
