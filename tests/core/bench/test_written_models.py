"""Small vocabularies as other tokenizers read them, whole."""

import json
import struct
from functools import partial

import pytest
from pair_vocabularies import byte_level, character_level, sentence_piece
from toy_vocabulary import toy_vocabulary

from guiapp.core.bench.contenders.contender import UnavailableError
from guiapp.core.bench.contenders.sentencepiece_model import sentencepiece_model
from guiapp.core.bench.contenders.written_models import (
    check_hugging_face,
    check_ranks,
    hugging_face_json,
    single_pattern,
)
from guiapp.core.split.pre_tokenizers import GPT2, NEWLINES, NUMBER, PRE_TOKENIZERS, Pattern
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.vocabulary import Rules, SpecialIds, VocabType

ALWAYS = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "post_processor": None,
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
UNIGRAM_RULES = {"escape_spaces": True, "add_space_prefix": True}


def document_of(vocabulary):
    check_hugging_face(vocabulary)
    return json.loads(hugging_face_json(Tokenizer(vocabulary)))


def unigram(**changes):
    tokens = {"<unk>": Attribute.UNKNOWN, "▁a": -1.5, "b": -2.0}
    return toy_vocabulary(
        tokens,
        VocabType.UGM,
        rules=Rules(**{**UNIGRAM_RULES, **changes}),
        special_ids=SpecialIds(unk=0),
    )


def word_piece(unk=0, **changes):
    tokens = {
        "[UNK]": Attribute.UNKNOWN,
        "▁a": 0.0,
        "b": 0.0,
        "##": 0.0,
        "▁▁": 0.0,
        "[CLS]": Attribute.CONTROL,
    }
    return toy_vocabulary(tokens, VocabType.WPM, rules=Rules(**changes), special_ids=SpecialIds(unk=unk))


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
        return document_of(byte_level(["a b"], patterns=patterns))["pre_tokenizer"]

    digits = {"type": "Digits", "individual_digits": True}
    assert steps(NUMBER, GPT2) == {
        "type": "Sequence",
        "pretokenizers": [digits, {**BYTE_LEVEL, "use_regex": True}],
    }
    newlines = steps(NEWLINES, GPT2)["pretokenizers"]
    assert [each.get("pattern") for each in newlines] == [{"Regex": NEWLINES.source}, None]


def test_merges_of_sentence_piece_follow_scores():
    scores = {"<unk>": 0.0, "a": -1.0, "b": -2.0, "ab": -3.0, "▁": -4.0, "bab": -2.5}
    document = {
        **ALWAYS,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
            ],
        },
        "pre_tokenizer": None,
        "model": {
            "type": "BPE",
            "vocab": {text: token for token, text in enumerate(scores)},
            "merges": [["b", "ab"], ["a", "b"]],
            "byte_fallback": True,
            "fuse_unk": True,
            "unk_token": "<unk>",
        },
        "decoder": {
            "type": "Sequence",
            "decoders": [
                {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                {"type": "Strip", "content": " ", "start": 1, "stop": 0},
            ],
        },
    }
    assert document_of(sentence_piece(scores)) == document
    document["normalizer"]["normalizers"].pop(0)
    document["decoder"]["decoders"].pop()
    document["model"]["unk_token"] = None
    changes = {"rules": Rules(escape_spaces=True), "special_ids": SpecialIds()}
    assert document_of(sentence_piece(scores, **changes)) == document


@pytest.mark.parametrize("lowercase", [True, False])
def test_word_pieces_mark_what_continues_a_word(lowercase):
    assert document_of(word_piece(lowercase=lowercase, strip_accents=not lowercase)) == {
        **ALWAYS,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": not lowercase,
            "lowercase": lowercase,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 1 << 30,
            "vocab": {"[UNK]": 0, "a": 1, "##b": 2, "####": 3, "▁": 4, "[CLS]": 5},
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
    }


@pytest.mark.parametrize("has_prefix", [True, False])
@pytest.mark.parametrize("strips", [True, False])
def test_unigram_has_scores_and_its_normaliser(has_prefix, strips):
    mark = {
        "type": "Metaspace",
        "replacement": "▁",
        "prepend_scheme": "always" if has_prefix else "never",
        "split": False,
    }
    spaces = [
        {"type": "Strip", "strip_left": True, "strip_right": True},
        {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
    ]
    vocabulary = unigram(add_space_prefix=has_prefix, remove_extra_whitespaces=strips)
    assert document_of(vocabulary) == {
        **ALWAYS,
        "normalizer": {"type": "Sequence", "normalizers": spaces if strips else []},
        "pre_tokenizer": mark,
        "model": {
            "type": "Unigram",
            "unk_id": 0,
            "vocab": [["<unk>", 0.0], ["▁a", -1.5], ["b", -2.0]],
            "byte_fallback": False,
        },
        "decoder": mark,
    }


@pytest.mark.parametrize(
    ("check", "vocabulary", "reason"),
    [
        (
            partial(check_ranks, reader="tiktoken"),
            character_level(["a b"], ["a", "b"], pre="gemma4"),
            "tiktoken merges bytes; “gemma4” merges characters.",
        ),
        (
            partial(check_ranks, reader="tiktoken"),
            byte_level(["a b"], pre="starcoder", patterns=(NUMBER, GPT2)),
            "tiktoken cuts text by one pattern; “starcoder” asks for 2 in turn.",
        ),
        (
            partial(check_ranks, reader="tiktoken"),
            byte_level(["a b"], pre="default", patterns=(GPT2, Pattern(""))),
            "tiktoken cannot cut text as “default” asks.",
        ),
        (
            partial(check_ranks, reader="tiktoken"),
            byte_level([], ["a", "b"]),
            "tiktoken needs a token for each byte, and this file has not all of them.",
        ),
        (
            check_hugging_face,
            byte_level(["a b"], pre="default", patterns=(Pattern(""), GPT2)),
            "tokenizers cannot cut text as “default” asks.",
        ),
        (
            check_hugging_face,
            word_piece(unk=None),
            "WordPiece in a tokenizer.json needs an unknown token, and this file has none.",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(check, vocabulary, reason):
    with pytest.raises(UnavailableError) as caught:
        check(vocabulary)
    assert str(caught.value) == reason


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
