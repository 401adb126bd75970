# ruff: noqa: E501  (sentences are easier to read in one piece)
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
from guiapp.analysis.editing.token_store import Options
from guiapp.analysis.explain import round_trip as module
from guiapp.analysis.explain.round_trip import first_difference, round_trip, round_trip_of
from guiapp.analysis.explain.round_trip_rules import Loss
from guiapp.cli.main import run
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE

DEMOS = ("demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv")
MASK = dict.fromkeys(("single_word", "rstrip", "normalized"), False) | {
    "id": 256, "content": "<mask>", "special": True, "lstrip": True,
}  # fmt: skip
BERT = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "lowercase": True}
FRONT = ("space in front", "NONE", 0)
opened = cache(guiapp.open_model)


def found(tokenizer, text):
    data = text if isinstance(text, bytes) else text.encode()
    return round_trip(tokenizer, tokenizer.encode(data, add_special=False))


def sentences(result):
    return [(change.rule.name, change.rule.loss.name, change.start) for change in result.changes]


@pytest.fixture
def make_file(tmp_path):
    """A tokenizer.json that knows all bytes."""

    def make(decoder=None, **sections):
        vocab = {character: byte for byte, character in enumerate(CHARACTER_OF_BYTE)}
        level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
        document = {
            "version": "1.0", "added_tokens": [MASK], "normalizer": None, "pre_tokenizer": level,
            "post_processor": None, "decoder": decoder or level,
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
def test_the_first_difference_is_found(one, other, offset):
    assert first_difference(one, other) == offset


@pytest.mark.parametrize(
    ("model", "text", "wanted"),
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
def test_each_rule_is_named_by_its_key_where_it_first_acts(model, text, wanted):
    assert sentences(found(opened(model), text)) == wanted


@pytest.mark.parametrize(
    ("normalizer", "text", "wanted"),
    [
        (None, "Any ﬁne te\u0301xt", []),
        ({"type": "NFC"}, "a e\u0301", [("NFC", "NONE", 2)]),
        ({"type": "NFD"}, "a é", [("NFD", "NONE", 2)]),
        ({"type": "NFKC"}, "a ﬁ", [("NFKC", "PART", 2)]),
        ({"type": "Lowercase"}, "a B", [("Lowercase", "PART", 2)]),
        ({"type": "StripAccents"}, "a e\u0301", [("StripAccents", "PART", 3)]),
        ({"type": "Strip", "strip_left": True, "strip_right": True}, " a b ", [("Strip", "PART", 0)]),
        ({"type": "Replace", "pattern": {"String": "b"}, "content": "c"}, "a b", [("Replace", "PART", 2)]),
        (
            {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Prepend", "prepend": " "}]},
            "e\u0301",
            [("prepend", "NONE", 0), ("NFC", "NONE", 0), ("Prepend", "NONE", 0)],
        ),
        (BERT, "É\x01", [("strip_accents", "PART", 0), ("lowercase", "PART", 0), ("clean_text", "PART", 2)]),
        (
            {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]},
            "a É",
            [("NFD", "PART", 2), ("Lowercase", "PART", 2)],
        ),
    ],
)
def test_normalizers_of_a_file_are_told_apart_by_what_each_does(make_file, normalizer, text, wanted):
    result = found(make_file(normalizer=normalizer), text)
    assert sorted(sentences(result)) == sorted(wanted)
    assert all(change.rule.key.startswith("normalizer.") for change in result.changes)


def test_white_space_that_an_added_token_takes_along_is_lost(make_file):
    result = found(make_file(), "a  <mask> b")
    assert sentences(result) == [("lstrip", "PART", 1)]
    assert result.changes[0].sentence == (
        "lstrip (added_tokens <mask> lstrip): white space before the token goes with it. "
        "First at byte 1: “··<mask>” → “<mask>”."
    )


def test_a_decoder_that_joins_otherwise_loses_nothing(make_file):
    result = found(make_file(decoder={"type": "Fuse"}), "a b")
    assert sentences(result) == [("decoder Fuse", "NONE", 1)]


PIECES = (
    "a",
    "B",
    "é",
    "e\u0301",
    " ",
    "  ",
    "\n",
    "\t",
    ",",
    "'s",
    "ﬁ",
    "<s>",
    "汉",
    "₿",
    "the",
    "\x07",
    "!",
)


@pytest.mark.parametrize("model", DEMOS)
@given(parts=st.lists(st.sampled_from(PIECES), max_size=12))
@example(parts=[" ", "e\u0301"])
@example(parts=["e\u0301", "  ", "e\u0301"])
def test_alarm_is_given_wherever_the_ids_belong_to_another_text_too(model, parts):
    """Where decoding gives another text of the same ids, nobody can tell which of both it was."""
    tokenizer, text = opened(model), "".join(parts)
    ids = tokenizer.encode(text, add_special=False).token_ids
    decoded, result = tokenizer.decode(ids), found(tokenizer, text)
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
    assert found(tokenizer, data).is_same == (
        tokenizer.decode_bytes(tokenizer.encode(data, add_special=False).token_ids) == data
    )


def test_of_a_long_text_the_unknown_tokens_are_found_behind_all_else(monkeypatch):
    monkeypatch.setattr(module, "MOST_PLACES", 3)
    monkeypatch.setattr(module, "TOKENS_AT_ONCE", 7)
    result = found(opened("demo:wordpiece"), "The End " * 20 + "₿ the end ₿")
    assert sentences(result)[0] == ("unknown token", "ALL", 159)
    assert [change.n_places for change in result.changes] == [2, 3]


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
    assert [change.rule.name for change in found(opened(str(path)), text).changes] == names


def test_the_command_line_tells_the_same(capsys):
    result = found(opened("demo:wordpiece"), "The end")
    assert run(["tokenize", "demo:wordpiece", "The end", "--round-trip"]) == 0
    assert capsys.readouterr().out.splitlines() == result.sentences()
    assert run(["tokenize", "demo:wordpiece", "The end", "--round-trip", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record == result.record()
    assert (record["same"], record["changes"][0]["loss"]) == (False, "part")
    assert run(["tokenize", "demo:bpe", "The end", "--round-trip"]) == 0
    assert capsys.readouterr().out == "Decoding the tokens gives exactly this text.\n"
    assert run(["tokenize", "demo:bpe", "a", "--round-trip", "--format", "table"]) == 1


@pytest.mark.parametrize(
    ("model", "text", "names"),
    [
        ("demo:bpe", b"Hello  world\n", []),
        ("demo:spm", b"Hello  world\n", []),
        ("demo:wordpiece", b"a Hat", ["lowercase", "space in front"]),
    ],
)
def test_rules_are_looked_for_only_where_the_text_does_not_come_back(model, text, names):
    tokenizer, shares = opened(model), []
    ids = tokenizer.encode(text, add_special=False).token_ids
    result = round_trip_of(tokenizer, text, ids, Options(), shares.append)
    assert [change.rule.name for change in result.changes] == names
    assert (result.is_same, len(shares)) == (not names, 2 * bool(names))


DUMMY = "ids are right, a space that was put in front is decoded too."
WORDS = "words are cut at white space and signs, and the ids do not tell how much was there."
UNSEEN = "no token stands for this text, so a model does not see it."
JOINED = "ids are right, decoding joins the tokens in another way."


@pytest.mark.parametrize(
    ("model", "text", "sentences"),
    [
        ("bpe", "a , b ?", ["clean_spaces: ids are right, decoding drops a space. First at byte 1: “·,·b·?” → “,·b?”."]),
        ("bpe", b"a\xffb", ["no UTF-8: bytes that are no text are replaced by U+FFFD. First at byte 1: “<FF>” → “\ufffd”."]),
        ("rwkv", b"\xff", []),
        ("spm", "a <s> b<s>c", [f"add_space_prefix (tokenizer.ggml.add_space_prefix): {DUMMY} First at byte 5: “·” → “··”, in 2 places."]),
        (
            "wordpiece",
            "the  Énd\x07 ₿",
            [
                f"unknown token (tokenizer.ggml.unknown_token_id): {UNSEEN} First at byte 10: “·₿” → “[UNK]”.",
                "lowercase (tokenizer.ggml.normalizer.lowercase): capital letters are made small. First at byte 3: “··Énd<U+0007>” → “·end”.",
                "strip_accents (tokenizer.ggml.normalizer.strip_accents): accents are taken off letters. First at byte 3: “··Énd<U+0007>” → “·end”.",
                f"space in front (tokenizer.ggml.model): {DUMMY} First at byte 0: “the” → “·the”.",
            ],
        ),
        (
            "unigram",
            " the  ﬁne ₿",
            [
                f"unknown token (tokenizer.ggml.unknown_token_id): {UNSEEN} First at byte 12: “₿” → “<unk>”.",
                "remove_extra_whitespaces (tokenizer.ggml.remove_extra_whitespaces): white space at the ends, and more than one space in a row, is dropped. First at byte 0: “·the··ﬁne·₿” → “the·fine·<unk>”.",
                "precompiled_charsmap (tokenizer.ggml.precompiled_charsmap): characters are replaced by those that a table in the file has for them. First at byte 4: “··ﬁne·” → “·fine·”.",
            ],
        ),
    ],
)  # fmt: skip
def test_each_change_is_told_in_a_sentence(model, text, sentences):
    result = found(opened(f"demo:{model}"), text)
    whole = f"Decoding the tokens gives another text, from byte {result.offset} on."
    assert result.sentences() == (
        [whole, *sentences] if sentences else ["Decoding the tokens gives exactly this text."]
    )


LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
HYPHENS = {"type": "Split", "pattern": {"String": "-"}, "behavior": "Removed", "invert": False}
WORD_PIECE = {"type": "WordPiece", "prefix": "##"}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def in_a_row(first):
    return {"type": "Sequence", "pretokenizers": [first, LEVEL]}


@pytest.mark.parametrize(
    ("sections", "text", "sentences"),
    [
        ({"normalizer": {"type": "Nmt"}}, "a\x01", ["Nmt (normalizer.type: Nmt): control characters are left out, and other spaces made plain. First at byte 1: “<U+0001>” → “”."]),
        ({"normalizer": {"type": "NFKD"}}, "ﬁ", ["NFKD (normalizer.type: NFKD): characters are replaced by plainer ones that look alike, and taken apart. First at byte 0: “ﬁ” → “fi”."]),
        ({"normalizer": {"type": "Strip", "strip_left": True, "strip_right": True}}, " a ", ["Strip (normalizer.type: Strip): white space at the ends of the text is dropped. First at byte 0: “·a” → “a”, in 2 places."]),
        ({"normalizer": {"type": "ByteLevel"}}, "a", []),
        ({"normalizer": {"type": "Prepend", "prepend": "x"}}, "ab", ["Prepend (normalizer.type: Prepend): something is put in front of the text. First at byte 0: “” → “x”."]),
        ({"normalizer": {"type": "Prepend", "prepend": " "}}, "ab", [f"prepend (normalizer.prepend): {DUMMY} First at byte 0: “” → “·”."]),
        (
            {"normalizer": BERT},
            "É\x01漢",
            [
                *(
                    f"{name} (normalizer.{name}): {does}. First at byte 0: “É<U+0001>” → “e·”."
                    for name, does in (
                        ("clean_text", "control characters are left out, and other spaces made plain"),
                        ("strip_accents", "accents are taken off letters"),
                        ("lowercase", "capital letters are made small"),
                    )
                ),
                "handle_chinese_chars (normalizer.handle_chinese_chars): spaces are put around Chinese characters. First at byte 3: “漢” → “漢·”.",
            ],
        ),
        ({"pre_tokenizer": LEVEL | {"add_prefix_space": True}}, "ab", [f"add_prefix_space (pre_tokenizer.add_prefix_space): {DUMMY} First at byte 0: “” → “·”."]),
        ({"pre_tokenizer": in_a_row({"type": "WhitespaceSplit"})}, "a  b", [f"white space (pre_tokenizer): {WORDS} First at byte 1: “··b” → “b”."]),
        ({"pre_tokenizer": in_a_row({"type": "UnicodeScripts"})}, " a", [f"white space (pre_tokenizer): {WORDS} First at byte 0: “·a” → “a”."]),
        ({"pre_tokenizer": in_a_row({"type": "Whitespace"})}, "a b", [f"white space (pre_tokenizer): {WORDS} First at byte 1: “·b” → “b”."]),
        (
            {"pre_tokenizer": in_a_row({"type": "WhitespaceSplit"}), "normalizer": {"type": "NFC"}},
            "a  e\u0301",
            [
                f"white space (pre_tokenizer): {WORDS} First at byte 1: “··e\u0301” → “é”.",
                "NFC (normalizer.type: NFC): parts of a character are joined to one, which Unicode calls equal. First at byte 1: “··e\u0301” → “é”.",
            ],
        ),
        ({"pre_tokenizer": in_a_row(HYPHENS | {"pattern": {"String": " "}})}, "a  b", [f"white space (pre_tokenizer): {WORDS} First at byte 1: “··b” → “b”."]),
        (
            {"decoder": WORD_PIECE | {"cleanup": True}},
            "a , b.",
            [
                f"decoder: {DUMMY} First at byte 1: “·” → “··”, in 3 places.",
                "cleanup (decoder.cleanup): ids are right, decoding drops a space. First at byte 1: “·,·b.” → “,·b.”.",
            ],
        ),
        ({"decoder": WORD_PIECE | {"cleanup": False}}, "a , b.", [f"decoder: {DUMMY} First at byte 1: “·” → “··”, in 5 places."]),
        ({"decoder": METASPACE}, "a , b.", [f"decoder Metaspace (decoder.type: Metaspace): {JOINED} First at byte 1: “·,·b.” → “Ġ,Ġb.”."]),
        ({"added_tokens": [MASK | {"lstrip": False, "rstrip": True}]}, "a<mask>  b", ["rstrip (added_tokens <mask> rstrip): white space behind the token goes with it. First at byte 1: “<mask>··” → “<mask>”."]),
    ],
)  # fmt: skip
def test_each_part_of_a_file_that_changes_the_text_is_told_with_its_key(make_file, sections, text, sentences):
    result = found(make_file(**sections), text)
    assert result.sentences()[1:] == sentences
    assert result.is_same == (not sentences)
