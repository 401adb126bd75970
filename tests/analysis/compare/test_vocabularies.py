"""Vocabularies compared: planted differences are found, each as what it is, and nothing else."""

import json
from base64 import b64encode
from collections import defaultdict
from dataclasses import replace

import pytest
from conftest import SHARED, VOCABS
from gguf_builder import write_vocab
from model_files import opened
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.compare.vocabularies import VocabularyComparison, compare_vocabularies
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.attributes import KINDS, Attribute
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType

FILES = {
    name: VOCABS / f"ggml-vocab-{name}.gguf" for name in ("llama-spm", "bert-bge", "deepseek-coder", "gpt-2")
} | {
    name: SHARED / "formats" / name
    for name in ("deepseek-v4.tokenizer.json", "claude-2.tokenizer.json", "mistral-v1.tokenizer.model")
}
DEMOS = ("demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram", "demo:rwkv", "demo:toy")


def differences(result: VocabularyComparison) -> dict[str, int]:
    return {name: count for name, count in result.counts.items() if count}


@pytest.mark.parametrize("name", DEMOS)
def test_a_vocabulary_is_identical_to_itself(name):
    one, other = guiapp.open_model(name), guiapp.open_model(name)
    result = compare_vocabularies(one, other)
    assert result.is_identical
    assert result.both.tolist() == [[i, i] for i in range(len(one.vocabulary))]
    assert result.by_script.sum() == result.by_length.sum() == len(one.vocabulary)


def naive_keys(vocabulary):
    """Each token's bytes, and which one it is of several with these, normal ones first."""
    ids = defaultdict(list)
    for token_id in range(len(vocabulary)):
        ids[vocabulary.token_bytes(token_id)].append(token_id)
    kinds = [*reversed(KINDS.values()), "undefined"]
    return {
        (data, number): token_id
        for data, rows in ids.items()
        for number, token_id in enumerate(sorted(rows, key=lambda i: (kinds.index(vocabulary.kind(i)), i)))
    }


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("llama-spm", "mistral-v1.tokenizer.model"),
        ("bert-bge", "deepseek-coder"),
        ("deepseek-coder", "gpt-2"),
        ("claude-2.tokenizer.json", "gpt-2"),
    ],
)
def test_tokens_and_merges_of_real_files_are_matched_as_a_dictionary_does(one, other):
    pair = opened(FILES[one]), opened(FILES[other])
    first, second = (each.vocabulary for each in pair)
    result = compare_vocabularies(*pair)
    keys, others = naive_keys(first), naive_keys(second)
    expected = sorted((keys[key], others[key]) for key in keys.keys() & others.keys())
    assert result.both.tolist() == [list(each) for each in expected]
    assert result.only[0].tolist() == sorted(keys[key] for key in keys.keys() - others.keys())
    assert result.only[1].tolist() == sorted(others[key] for key in others.keys() - keys.keys())
    assert result.other_kind.tolist() == [first.kind(i) != second.kind(k) for i, k in expected]
    if result.merges is not None and first.rules.byte_encoding and second.rules.byte_encoding:
        rules = [set(each.merges) for each in (first, second)]
        assert set(result.rules(0, result.merges.only[0])) == rules[0] - rules[1]
        assert set(result.rules(1, result.merges.only[1])) == rules[1] - rules[0]
        assert len(result.merges.both) == len(rules[0] & rules[1])


SWITCHES = ("lstrip", "rstrip", "single_word", "normalized")
CONTROL, BYTE = Attribute.CONTROL, Attribute.BYTE
TOKENS = {"a": 0.0, "b": 0.0, "c": 0.0, "ab": 0.0, "bc": 0.0, "abc": 0.0, "<s>": CONTROL, "</s>": CONTROL}
MERGES = ("a b", "b c", "ab c", "a bc")
ROLES = SpecialIds(bos=6, eos=7)


def bpe(tokens=TOKENS, merges=MERGES, **changes):
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, merges, Rules(byte_encoding=True), ROLES, eog=[7])
    return Tokenizer(replace(vocabulary, **changes))


def renamed(tokens, old, new, value=0.0):
    return dict((new, value) if token == old else (token, kind) for token, kind in tokens.items())


PLANTED = {
    "one token's bytes": (
        bpe(renamed(TOKENS, "abc", "abd")),
        {"tokens only in the first": 1, "tokens only in the second": 1},
    ),
    "two ids swapped": (
        bpe(
            {"b": 0.0, "a": 0.0, **{token: kind for token, kind in TOKENS.items() if token not in ("a", "b")}}
        ),
        {"tokens with another id": 2},
    ),
    "a kind": (bpe(TOKENS | {"abc": Attribute.USER_DEFINED}), {"tokens of another kind": 1}),
    "white space before a token": (
        bpe(TOKENS | {"<s>": CONTROL | Attribute.LSTRIP}),
        {"tokens searched for otherwise": 1},
    ),
    "merges swapped": (bpe(merges=("b c", "a b", "ab c", "a bc")), {"merges in another order": 1}),
    "a merge to the end": (bpe(merges=("b c", "ab c", "a bc", "a b")), {"merges in another order": 1}),
    "a merge missing": (bpe(merges=MERGES[:3]), {"merges only in the first": 1}),
    "a merge more": (bpe(merges=(*MERGES, "c c")), {"merges only in the second": 1}),
    "another eos": (bpe(special_ids=SpecialIds(bos=6, eos=6)), {"roles of special tokens": 1}),
    "no eos": (bpe(special_ids=SpecialIds(bos=6)), {"roles of special tokens": 1}),
    "bos added": (
        bpe(rules=Rules(byte_encoding=True, add_bos=True)),
        {"rules": 2},
    ),  # and what stands in front
    "pre": (bpe(pre="qwen2", patterns=PRE_TOKENIZERS["qwen2"].patterns), {"rules": 2}),
    "patterns": (bpe(patterns=PRE_TOKENIZERS["qwen2"].patterns), {"rules": 1}),
    "ends of a generation": (bpe(eog=frozenset()), {"rules": 1}),
    "chat template": (bpe(metadata={"tokenizer.chat_template": "{{ x }}"}), {"rules": 1}),
}


@pytest.mark.parametrize(("changed", "expected"), PLANTED.values(), ids=PLANTED)
def test_a_planted_difference_is_the_only_one_reported(changed, expected):
    assert differences(compare_vocabularies(bpe(), changed)) == expected
    mirrored = {
        name.replace("first", "second") if "first" in name else name.replace("second", "first")
        for name in expected
    }
    assert set(differences(compare_vocabularies(changed, bpe()))) == mirrored


def test_a_byte_and_a_letter_are_two_tokens_of_the_same_bytes():
    one = Tokenizer(toy_vocabulary({"<0x41>": BYTE, "A": 0.0, "B": 0.0}))
    other = Tokenizer(toy_vocabulary({"A": 0.0, "<0x41>": BYTE}))
    result = compare_vocabularies(one, other)
    assert result.both.tolist() == [[0, 1], [1, 0]]
    assert differences(result) == {"tokens only in the first": 1, "tokens with another id": 2}
    alone = compare_vocabularies(one, Tokenizer(toy_vocabulary({"A": 0.0})))
    assert alone.both.tolist() == [[1, 0]]


@pytest.mark.parametrize("switch", SWITCHES)
def test_an_added_token_with_other_search_flags_is_reported(tmp_path, switch):
    tokenizers = []
    for number, value in enumerate((False, True)):
        added = {"id": 2, "content": "<x>", "special": False, **dict.fromkeys(SWITCHES, False), switch: value}
        content = {"added_tokens": [added], "model": {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}}
        path = tmp_path / f"{number}.tokenizer.json"
        path.write_text(json.dumps(content))
        tokenizers.append(guiapp.open_model(path))
    result = compare_vocabularies(*tokenizers)
    assert differences(result) == {"tokens searched for otherwise": 1}
    assert result.both[result.other_search].tolist() == [[2, 2]]


def test_an_added_token_of_only_one_is_searched_for_otherwise(tmp_path):
    tokenizers = []
    for number, added in enumerate(([], [{"id": 1, "content": "<x>", "special": False}])):
        added = [dict.fromkeys(SWITCHES, False) | token for token in added]
        content = {
            "added_tokens": added,
            "model": {"type": "BPE", "vocab": {"a": 0, "<x>": 1}, "merges": []},
        }
        path = tmp_path / f"{number}.tokenizer.json"
        path.write_text(json.dumps(content))
        tokenizers.append(guiapp.open_model(path))
    result = differences(compare_vocabularies(*tokenizers))
    assert result == {"tokens of another kind": 1, "tokens searched for otherwise": 1}


def test_tokens_match_across_spellings_of_the_space():
    escaped = Tokenizer(toy_vocabulary({"▁a": -1.0, "a": -2.0}))
    byte_level = bpe({"Ġa": 0.0, "a": 0.0}, ())
    result = compare_vocabularies(escaped, byte_level)
    assert result.both.tolist() == [[0, 0], [1, 1]]
    for both in (result, compare_vocabularies(byte_level, escaped)):
        assert both.counts["tokens with another score"] == 0


@pytest.mark.parametrize(
    ("vocab_type", "rules"), [(VocabType.UGM, Rules()), (VocabType.SPM, Rules(merges_all_pairs=True))]
)
def test_rules_that_a_file_lists_and_nothing_merges_by_are_not_compared(vocab_type, rules):
    one, other = (
        Tokenizer(toy_vocabulary({"a": 0.0, "aa": 0.0}, vocab_type, merges, rules))
        for merges in (("a a",), ("aa a", "a a"))
    )
    assert compare_vocabularies(one, other).merges is None


@pytest.mark.real_vocabs
def test_rules_in_different_formats_are_not_called_identical():
    result = compare_vocabularies(opened(FILES["llama-spm"]), opened(FILES["mistral-v1.tokenizer.model"]))
    assert [setting.name for setting in result.incomparable_settings] == ["normalising and splitting"]
    same = compare_vocabularies(
        opened(FILES["deepseek-v4.tokenizer.json"]), opened(FILES["deepseek-v4.tokenizer.json"])
    )
    assert same.is_identical
    other = compare_vocabularies(
        opened(FILES["deepseek-v4.tokenizer.json"]), opened(FILES["claude-2.tokenizer.json"])
    )
    assert {"normalizer", "pre-tokenizer"} <= {setting.name for setting in other.other_settings}


def test_ids_out_of_range_and_missing_tokens_are_reported():
    odd = bpe(eog=frozenset({8}), special_ids=SpecialIds(), rules=Rules(byte_encoding=True, add_bos=True))
    shown = {setting.name: setting.first for setting in compare_vocabularies(odd, bpe()).settings}
    assert shown["ends a generation"] == "? (id 8)"
    with pytest.raises(guiapp.EncodeError) as caught:
        odd.encode("a")
    assert shown["added before a text"] == str(caught.value)


def ranks_file(path):
    lines = [b64encode(token) + b" %d" % rank for rank, token in enumerate([b"a", b"b", b"ab"])]
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


@pytest.mark.parametrize(
    ("files", "chosen", "unequal"),
    [
        (("gpt-2", "qwen2"), ("qwen2", None), {"pre-tokenizer": False, "patterns": False}),
        (("gpt-2", "gpt-2"), ("llama-bpe", None), {}),
        (("tekken", "glm4"), (None, "tekken"), {"pre-tokenizer": False, "patterns": False}),
        (("unknown", "gpt-2"), ("gpt-2", None), {"pre-tokenizer": None, "patterns": None}),
        ((None, None), ("gpt-2", "qwen2"), {}),  # neither file says how text is split
    ],
)
def test_settings_of_files_are_compared_and_choices_are_named(files, chosen, unequal, tmp_path):
    opened = []
    for name, pre, file in zip(files, chosen, "ab", strict=True):
        given = {"tokens": [*CHARACTER_OF_BYTE, "ab"], "merges": ["a b"], "model": "gpt2", "pre": name}
        path = write_vocab(tmp_path / file, **given) if name else ranks_file(tmp_path / file)
        opened.append(guiapp.open_model(path, pre))
    result = compare_vocabularies(*opened)
    differing = {each.name: each.is_equal for each in result.settings if each.is_equal is not True}
    assert {name: differing.get(name) for name in unequal} == unequal
    assert bool(unequal) == bool(differing)
    [setting] = (each for each in result.settings if each.name == "pre-tokenizer")
    for shown, name, pre in zip(setting[1:3], files, chosen, strict=True):
        assert shown.startswith(name or "none")
        assert "you chose" in shown if pre else shown == (name or "none")
        assert pre is None or pre in shown


def test_texts_that_come_with_the_program_are_encoded_with_both():
    first, split = guiapp.open_model("demo:bpe"), guiapp.open_model("demo:bpe", "gpt-2")
    texts = {each.name: sample_text(each.name) for each in SAMPLES}
    differing = [
        name
        for name, text in texts.items()
        if first.encode(text).token_ids.tolist() != split.encode(text).token_ids.tolist()
    ]
    assert 0 < len(differing) < len(SAMPLES)
    assert compare_vocabularies(first, split).differing_samples == differing
    assert compare_vocabularies(first, first).differing_samples == []
