"""What decoding does not give back, by which rule of the file, and whether the ids tell it."""

from __future__ import annotations

import json
from functools import cache
from unicodedata import normalize

import pytest
from conftest import SHARED, VOCABS
from hypothesis import example, given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.explain.round_trip import first_difference, round_trip
from guiapp.analysis.explain.round_trip_rules import Loss
from guiapp.core.formats import json_parts as part
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE

DEMOS = ("demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv")
MASK = dict.fromkeys(("single_word", "rstrip", "normalized"), False) | {
    "id": 256, "content": "<mask>", "special": True, "lstrip": True,
}  # fmt: skip
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}
FRONT = ("space in front", "NONE", 0)
opened = cache(guiapp.open_model)


def round_trip_of(tokenizer, text):
    data = text if isinstance(text, bytes) else text.encode()
    return round_trip(tokenizer, tokenizer.encode(data, add_special=False))


def sentences(result):
    return [(change.rule.name, change.rule.loss.name, change.start) for change in result.changes]


@pytest.fixture
def make_file(tmp_path):
    """A tokenizer.json that knows all bytes."""

    def make(decoder=None, **sections):
        vocab = {character: byte for byte, character in enumerate(CHARACTER_OF_BYTE)}
        document = {
            "version": "1.0", "added_tokens": [MASK], "normalizer": None, "pre_tokenizer": LEVEL,
            "post_processor": None, "decoder": decoder or LEVEL,
            "model": {"type": "BPE", "vocab": vocab, "merges": []},
        }  # fmt: skip
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(document | sections))
        return guiapp.open_model(path)

    return make


@pytest.mark.parametrize(
    ("one", "other", "offset"),
    [
        *((b"", b"", None), (b"same", b"same", None), (b"abc", b"abd", 2), (b"abc", b"ab", 2)),
        *((b"", b"a", 0), (b"\xff1", b"\xfe1", 0)),
    ],
)
def test_the_first_difference_is_located(one, other, offset):
    assert first_difference(one, other) == offset


@pytest.mark.parametrize(
    ("model", "text", "expected"),
    [
        ("demo:bpe", "Hello, world", []),
        ("demo:bpe", "a , b ?", [("clean_spaces", "NONE", 1)]),
        ("demo:spm", "Hello  world\n", []),
        ("demo:spm", "a <s> b<s>c", [("add_space_prefix", "NONE", 5)]),
        ("demo:wordpiece", "the end, again", [FRONT]),
        ("demo:wordpiece", "the End", [("lowercase", "PART", 3), FRONT]),
        ("demo:wordpiece", "naïve", [("strip_accents", "PART", 2), FRONT]),
        ("demo:wordpiece", "the  end", [("white space", "PART", 3), FRONT]),
        ("demo:wordpiece", "the\x07 end", [("control characters", "PART", 0)]),
        ("demo:wordpiece", "the ₿ end", [("unknown token", "ALL", 3), FRONT]),
        ("demo:unigram", " the", [("remove_extra_whitespaces", "PART", 0)]),
        ("demo:unigram", "the  end", [("remove_extra_whitespaces", "PART", 3)]),
        ("demo:unigram", "the ﬁne", [("precompiled_charsmap", "PART", 3)]),
        ("demo:unigram", "the ₿", [("unknown token", "ALL", 4)]),
    ],
)
def test_each_rule_is_named_by_its_key_where_it_first_acts(model, text, expected):
    assert sentences(round_trip_of(opened(model), text)) == expected


PIECES = (*"aBé \n\t,ﬁ汉₿\x07!", "e\u0301", "  ", "'s", "<s>", "the")


@pytest.mark.parametrize("model", DEMOS)
@given(parts=st.lists(st.sampled_from(PIECES), max_size=12))
@example(parts=[" ", "e\u0301"])
@example(parts=["e\u0301", "  ", "e\u0301"])
def test_alarm_is_given_wherever_the_ids_belong_to_another_text_too(model, parts):
    """Where decoding gives another text of the same ids, nobody can tell which of both it was."""
    tokenizer, text = opened(model), "".join(parts)
    ids = tokenizer.encode(text, add_special=False).token_ids
    decoded, result = tokenizer.decode(ids), round_trip_of(tokenizer, text)
    assert result.is_same == (decoded == text) == (not result.changes)
    same_ids = (
        decoded != f" {text}"
        and tokenizer.encode(decoded, add_special=False).token_ids.tolist() == ids.tolist()
    )
    if not result.is_same and same_ids and normalize("NFC", decoded) != normalize("NFC", text):
        assert result.worst.rule.loss > Loss.NONE
    for change in result.changes:
        assert text.encode()[change.start : change.end] == change.text
    assert [change.rule.loss for change in result.changes] == sorted(
        (change.rule.loss for change in result.changes), reverse=True
    )


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm"])
@given(data=st.binary(max_size=30))
def test_bytes_that_are_no_text_break_nothing(model, data):
    tokenizer = opened(model)
    assert round_trip_of(tokenizer, data).is_same == (
        tokenizer.decode_bytes(tokenizer.encode(data, add_special=False).token_ids) == data
    )


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        (VOCABS / "ggml-vocab-bert-bge.gguf", "The  end", ["lowercase", "white space"]),
        (VOCABS / "ggml-vocab-llama-bpe.gguf", "It ' s , so", ["clean_spaces"]),
        (VOCABS / "ggml-vocab-llama-spm.gguf", "a<s>b", ["add_space_prefix"]),
        (VOCABS / "ggml-vocab-nomic-bert-moe.gguf", "a  b <mask>", ["remove_extra_whitespaces", "lstrip"]),
        (SHARED / "formats" / "claude-2.tokenizer.json", "ﬁne", ["NFKC"]),
        (SHARED / "formats" / "j2-unigram.tokenizer.model", "ﬁne", ["nmt_nfkc"]),
    ],
)
def test_real_files_name_their_rules(path, text, names):
    assert [change.rule.name for change in round_trip_of(opened(str(path)), text).changes] == names


LEVEL = part.byte_level(use_regex=False)
HYPHENS = {"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": False}
WORD_PIECE = {"type": "WordPiece", "prefix": "##"}
METASPACE = part.metaspace()


def in_a_row(first):
    return part.pre_tokenizers(first, LEVEL)


@pytest.mark.parametrize(
    ("sections", "text", "expected"),
    [
        ({"normalizer": {"type": "Nmt"}}, "a\x01", [("Nmt", 1)]),
        ({"normalizer": {"type": "NFKD"}}, "ﬁ", [("NFKD", 0)]),
        ({"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}}, " a ", [("Strip", 0)]),
        ({"normalizer": {"type": "ByteLevel"}}, "a", []),
        ({"normalizer": {"type": "Prepend", "prepend": "x"}}, "ab", [("Prepend", 0)]),
        ({"normalizer": {"type": "Prepend", "prepend": " "}}, "ab", [("prepend", 0)]),
        (
            {"normalizer": BERT},
            "É\x01漢",
            [("clean_text", 0), ("strip_accents", 0), ("lowercase", 0), ("handle_chinese_chars", 3)],
        ),
        ({"pre_tokenizer": LEVEL | {"add_prefix_space": True}}, "ab", [("add_prefix_space", 0)]),
        ({"pre_tokenizer": in_a_row({"type": "WhitespaceSplit"})}, "a  b", [("white space", 1)]),
        ({"pre_tokenizer": in_a_row({"type": "UnicodeScripts"})}, " a", [("white space", 0)]),
        ({"pre_tokenizer": in_a_row({"type": "Whitespace"})}, "a b", [("white space", 1)]),
        (
            {"pre_tokenizer": in_a_row({"type": "WhitespaceSplit"}), "normalizer": {"type": "NFC"}},
            "a  e\u0301",
            [("white space", 1), ("NFC", 1)],
        ),
        ({"pre_tokenizer": in_a_row(HYPHENS | {"pattern": {"String": " "}})}, "a  b", [("white space", 1)]),
        ({"decoder": WORD_PIECE | {"cleanup": True}}, "a , b.", [("decoder", 1), ("cleanup", 1)]),
        ({"decoder": WORD_PIECE | {"cleanup": False}}, "a , b.", [("decoder", 1)]),
        ({"decoder": METASPACE}, "a , b.", [("decoder Metaspace", 1)]),
        ({"added_tokens": [MASK | {"lstrip": False, "rstrip": True}]}, "a<mask>  b", [("rstrip", 1)]),
    ],
)
def test_each_changing_part_is_reported_where_it_first_acts(make_file, sections, text, expected):
    result = round_trip_of(make_file(**sections), text)
    assert [(change.rule.name, change.start) for change in result.changes] == expected
