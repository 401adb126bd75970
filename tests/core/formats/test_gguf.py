"""What is said of GGUF files that are unusual or broken, in full, and how their switches are understood."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
from gguf_builder import Raw, Tensor
from small_files import TOKENS, bpe, load, spm

from guiapp.core.formats import gguf
from guiapp.core.formats.file_bytes import MoreNeededError
from guiapp.core.formats.table import LAST
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.text.charsmap import build_charsmap
from guiapp.errors import VocabError

FORCING = next(name for name, each in PRE_TOKENIZERS.items() if each.forces_bos)
MAP = [*build_charsmap({"a": "b"})]


def unigram(charsmap, **parts):
    return spm(model="t5", precompiled_charsmap=Raw("array:u8", charsmap), **parts)


def bert(**parts):
    return spm(model="bert", tokens=["[PAD]", "[UNK]", "a"], **parts)


def test_kimi_k2_alone_does_without_merge_rules(tmp_path):
    assert load(tmp_path, bpe(pre="kimi-k2", merges=None)).merge_offsets.tolist() == [0]


CODES = {
    "not_usable": [spm(model=None), spm(model="no_vocab"), spm(model="new")],
    "merges_missing": [bpe(merges=None)],
    "tokens_missing": [spm(tokens=None), spm(model="bert", tokens=Raw("array:string", []))],
    "scores_short": [spm(scores=[0.0] * 5)],
    "kinds_short": [spm(types=[1] * 5)],
    "character_map_broken": [unigram([])],
    "token_twice": [spm(tokens=[*TOKENS, "a"])],
}


@pytest.mark.parametrize("code", CODES)
def test_what_cannot_be_used_has_a_code(tmp_path, code):
    for file in CODES[code]:
        with pytest.raises(VocabError) as refused:
            load(tmp_path, file)
        assert refused.value.code == code


def test_what_llama_cpp_refuses_is_told_apart_from_what_is_odd(tmp_path):
    assert not load(tmp_path, spm(keys={"split.count": Raw("u16", 1)})).refusals
    assert len(load(tmp_path, spm(architecture="lama")).refusals) == 1
    odd = load(tmp_path, spm(tokens=[*TOKENS, "", "x\0y"]))
    assert (len(odd.refusals), any("2 tokens are empty" in each for each in odd.warnings)) == (0, True)


@pytest.mark.parametrize(
    ("limit", "amount", "file", "said"),
    [
        ("MOST_MERGES", 2, bpe(merges=["a b", "b a"]), "has 2 merge rules. At most 1 are read."),
        ("MOST_TOKENS", 6, spm(), "has 6 tokens. At most 5 are read."),
        ("MOST_TOKEN_BYTES", 16, spm(), "has tokens of 16 bytes together. At most 15 are read."),
        ("MOST_CHARSMAP_BYTES", len(MAP), unigram(MAP), f"that is {len(MAP):,} bytes long."),
    ],
)
def test_as_much_as_is_read_is_read_and_no_more(tmp_path, monkeypatch, limit, amount, file, said):
    monkeypatch.setattr(gguf, limit, amount)
    load(tmp_path, file)
    LAST.clear()
    monkeypatch.setattr(gguf, limit, amount - 1)
    with pytest.raises(VocabError) as refused:
        load(tmp_path, file)
    assert said in str(refused.value)


def test_what_a_file_does_not_say_is_zero_or_normal(tmp_path):
    vocabulary = load(tmp_path, spm())
    assert vocabulary.scores.tolist() == [0] * 6
    assert vocabulary.stored_types.tolist() == [1] * 6
    vocabulary = load(tmp_path, spm(scores=[1.5, *[float("nan")] * 6], types=[2, 3, 3, 1, 7, -1, 4]))
    assert vocabulary.scores[0] == 1.5
    assert np.isnan(vocabulary.scores[1:]).all()
    assert vocabulary.stored_types.tolist() == [2, 3, 3, 1, 7, -1]
    assert [vocabulary.kind(row) for row in range(6)][2:] == ["control", "normal", "undefined", "undefined"]


def changed(vocabulary, usual):
    """The switches that are others than of a usual file."""
    return {name: on for name, on in asdict(vocabulary.rules).items() if on != asdict(usual.rules)[name]}


SWITCHES = ("add_bos_token", "add_eos_token", "add_sep_token", "add_space_prefix", "remove_extra_whitespaces")


@pytest.mark.parametrize("key", SWITCHES)
def test_each_switch_of_a_file_changes_its_rule_alone(tmp_path, key):
    usual, rule = load(tmp_path, spm()), key.removesuffix("_token")
    for on in (True, False):
        was = asdict(usual.rules)[rule]
        assert changed(load(tmp_path, spm(**{key: on})), usual) == ({} if on == was else {rule: on})


@pytest.mark.parametrize(
    ("said", "lowers", "strips"),
    [
        ({}, True, True),
        ({"normalizer.lowercase": False}, False, False),
        ({"normalizer.lowercase": True}, True, True),
        ({"normalizer.strip_accents": False}, True, False),
        ({"normalizer.lowercase": False, "normalizer.strip_accents": True}, False, True),
    ],
)
def test_accents_go_with_upper_case_where_a_file_does_not_say(tmp_path, said, lowers, strips):
    rules = load(tmp_path, bert(**said)).rules
    assert (rules.lowercase, rules.strip_accents) == (lowers, strips)
    rules = load(tmp_path, spm(**said)).rules
    assert (rules.lowercase, rules.strip_accents) == (False, False)


def test_words_between_spaces_keep_their_case_unless_the_file_says_otherwise(tmp_path):
    words = {"model": "whitespace", "pre": "whitespace"}
    for lowers in (None, False, True):
        rules = load(tmp_path, bpe(**words, **{"normalizer.lowercase": lowers})).rules
        assert (rules.lowercase, rules.strip_accents) == (bool(lowers), bool(lowers))


def test_some_pre_tokenizers_put_bos_whatever_the_file_says_and_others_name_none(tmp_path):
    found = {
        pre: load(tmp_path, bpe(pre=pre, tokens=[*map(str, range(12))], merges=["1 0"], add_bos_token=False))
        for pre in ("gpt-2", "chatglm-bpe", FORCING)
    }
    assert [each.rules.add_bos for each in found.values()] == [False, False, True]
    assert [each.special_ids.bos for each in found.values()] == [11, None, 11]
    assert [each.special_ids.eos for each in found.values()] == [11, 11, 11]


def test_a_map_with_long_keys_may_deviate(tmp_path):
    long_keys = load(tmp_path, unigram([*build_charsmap({"a" * 1025: "b"})]))
    assert long_keys.deviation == gguf.LONG_KEYS
    assert gguf.LONG_KEYS in long_keys.warnings
    usual = load(tmp_path, unigram(MAP))
    assert usual.deviation == ""
    assert usual.charsmap.tolist() == MAP
    assert load(tmp_path, spm(model="t5")).charsmap.tolist() == []
    assert load(tmp_path, spm(precompiled_charsmap=Raw("array:u8", MAP))).charsmap.tolist() == []


def test_the_embedding_tells_its_number_of_rows_where_there_is_one(tmp_path):
    path = tmp_path / "model.gguf"
    file = spm()
    file.tensors = [Tensor("other", (5,)), Tensor("token_embd.weight", (4, 6), offset=32)]
    assert gguf.embedding_rows(file.write(path)) == 6
    assert gguf.embedding_rows(spm().write(path)) is None
    path.write_bytes(b"no model")
    with pytest.raises(VocabError):
        gguf.embedding_rows(path)


def test_of_the_front_of_a_file_is_said_how_much_more_is_needed(tmp_path):
    whole = spm().to_bytes()
    path = tmp_path / "model.gguf"
    path.write_bytes(whole)
    assert gguf.check_front(path, len(whole) + 100) is None
    path.write_bytes(whole[:-3])
    with pytest.raises(MoreNeededError):
        gguf.check_front(path, len(whole) + 100)
    with pytest.raises(VocabError):
        gguf.check_front(path, len(whole) - 3)


def test_a_damaged_map_is_told_once(tmp_path):
    vocabulary = load(tmp_path, unigram([*MAP[:-1], ord("b")]))
    assert [each.code for each in vocabulary.warnings].count("character_map_broken") == 1
