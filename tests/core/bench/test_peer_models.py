"""A vocabulary as other tokenizers read it, looked at without them."""

import json

import pytest
from pair_vocabularies import byte_level, character_level

from guiapp import open_model
from guiapp.core.bench.contenders import tiktoken
from guiapp.core.bench.contenders.contender import UnavailableError
from guiapp.core.bench.contenders.written_models import (
    check_hugging_face,
    check_ranks,
    hugging_face_json,
    ranks_of_bytes,
    single_pattern,
    unsplit_hugging_face_json,
)
from guiapp.core.split.pre_tokenizers import GPT2, NEWLINES, NUMBER
from guiapp.core.tokenizer import Tokenizer

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
MARKED = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False}


def document_of(model):
    return json.loads(hugging_face_json(open_model(f"demo:{model}")))


@pytest.mark.parametrize(
    ("model", "kind", "n_tokens", "pre_tokenizer", "settings"),
    [
        ("toy", "BPE", 9, {**BYTE_LEVEL, "use_regex": True}, {"ignore_merges": False}),
        ("spm", "BPE", 3000, None, {"byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"}),
        ("wordpiece", "WordPiece", 2672, {"type": "BertPreTokenizer"}, {"unk_token": "[UNK]"}),
        ("unigram", "Unigram", 3000, MARKED, {"unk_id": 2, "byte_fallback": False}),
    ],
)
def test_the_sections_are_those_of_the_type(model, kind, n_tokens, pre_tokenizer, settings):
    document = document_of(model)
    assert (document["model"]["type"], len(document["model"]["vocab"])) == (kind, n_tokens)
    assert document["pre_tokenizer"] == pre_tokenizer
    assert {key: document["model"][key] for key in settings} == settings
    assert document["version"] == "1.0"
    assert document["added_tokens"] == []


def test_merges_and_normalisers_say_what_the_vocabulary_does():
    spm, unigram, wordpiece = map(document_of, ("spm", "unigram", "wordpiece"))
    vocab, merges = spm["model"]["vocab"], spm["model"]["merges"]
    assert merges[:2] == [["▁", "t"], ["▁", "▁"]]
    assert len(merges) == 2753
    assert all({left, right, left + right} <= vocab.keys() for left, right in merges)
    ranks = [vocab[left + right] for left, right in merges]
    assert ranks == sorted(ranks), "by their scores, which fall with the id"
    assert [each["type"] for each in spm["normalizer"]["normalizers"]] == ["Prepend", "Replace"]
    assert [each["type"] for each in spm["decoder"]["decoders"]] == [
        "Replace",
        "ByteFallback",
        "Fuse",
        "Strip",
    ]
    steps = unigram["normalizer"]["normalizers"]
    assert [each["type"] for each in steps] == ["Precompiled", "Strip", "Replace"]
    assert unigram["model"]["vocab"][-1] == ["💻", pytest.approx(-12.8959)]
    assert wordpiece["normalizer"]["lowercase"] is wordpiece["normalizer"]["strip_accents"] is True
    assert {"[CLS]", "a", "##a"} <= wordpiece["model"]["vocab"].keys()


def test_an_unsplit_text_is_one_piece_to_the_same_model():
    tokenizer = open_model("demo:bpe")
    split, unsplit = (
        json.loads(hugging_face_json(tokenizer)),
        json.loads(unsplit_hugging_face_json(tokenizer)),
    )
    (cut, bytes_of_it) = split.pop("pre_tokenizer")["pretokenizers"]
    assert cut["pattern"]["Regex"] == single_pattern(tokenizer.vocabulary, "tiktoken").removesuffix(r"|\s+")
    assert (cut["behavior"], bytes_of_it["use_regex"]) == ("Isolated", False)
    assert unsplit.pop("pre_tokenizer") == {**BYTE_LEVEL, "use_regex": False}
    assert split == unsplit
    with pytest.raises(UnavailableError, match="Only BPE"):
        unsplit_hugging_face_json(open_model("demo:spm"))


def test_numbers_before_the_pattern_of_gpt_2_have_a_name_of_their_own():
    def steps(*patterns):
        document = json.loads(hugging_face_json(Tokenizer(byte_level(["a b"], patterns=patterns))))
        return document["pre_tokenizer"]["pretokenizers"]

    assert [each["type"] for each in steps(NUMBER, GPT2)] == ["Digits", "ByteLevel"]
    assert [each["type"] for each in steps(NEWLINES, GPT2)] == ["Split", "ByteLevel"]
    assert [each["type"] for each in steps(NEWLINES, NUMBER)] == ["Split", "Split", "ByteLevel"]
    assert [steps(*patterns)[-1]["use_regex"] for patterns in ((NEWLINES, GPT2), (NEWLINES, NUMBER))] == [
        True,
        False,
    ]


def test_a_rule_may_begin_with_a_space():
    merges = [["▁", "▁"], [" ", "a"]]
    vocabulary = byte_level([" ".join(merge) for merge in merges])
    assert json.loads(hugging_face_json(Tokenizer(vocabulary)))["model"]["merges"] == merges


def test_merges_of_characters_are_written_as_gemmas_files_say_them():
    vocabulary = character_level(["a b", "▁ a"], ["a", "b", "▁", "ab", "▁a"], pre="gemma4")
    document = json.loads(hugging_face_json(Tokenizer(vocabulary)))
    assert document["normalizer"] == {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
    assert document["pre_tokenizer"]["behavior"] == "MergedWithPrevious"
    assert document["model"]["merges"] == [["a", "b"], ["▁", "a"]]
    assert document["model"]["byte_fallback"]
    assert json.loads(unsplit_hugging_face_json(Tokenizer(vocabulary))) == document


def test_ranks_are_of_the_bytes_of_normal_tokens():
    vocabulary = open_model("demo:bpe").vocabulary
    ranks = ranks_of_bytes(vocabulary)
    assert ranks[b" t"] == vocabulary.token_tree.starting_with(b" t")[0]
    assert b"<|begin_of_text|>" not in ranks
    check_ranks(vocabulary, "tiktoken")


def test_who_cannot_take_part_is_told_why():
    characters = character_level(["a b"], ["a", "b", "ab"])
    with pytest.raises(UnavailableError, match="merges characters"):
        tiktoken.check(characters)
    with pytest.raises(UnavailableError, match="asks for 2 in turn"):
        single_pattern(byte_level(["a b"], patterns=(NUMBER, GPT2)), "tiktoken")
    with pytest.raises(UnavailableError, match="no RWKV vocabularies"):
        check_hugging_face(open_model("demo:rwkv").vocabulary)
    for model in ("bpe", "spm", "wordpiece", "unigram"):
        check_hugging_face(open_model(f"demo:{model}").vocabulary)
