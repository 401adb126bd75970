"""What is said of GGUF files that are unusual or broken, in full, and how their switches are understood."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from gguf_builder import Raw
from small_files import TOKENS, bpe, load, spm

from guiapp.core.formats import gguf
from guiapp.core.formats.file_bytes import MoreNeededError
from guiapp.core.formats.table import LAST
from guiapp.core.text.charsmap import build_charsmap
from guiapp.core.vocabulary.opening import Opening
from guiapp.errors import VocabError

AGAIN = "Convert the model again, or choose another file."
WITH_TOKENIZER = "Choose a model file that includes its tokenizer."
MAP = [*build_charsmap({"a": "b"})]


def unigram(charsmap, **parts):
    return spm(model="t5", precompiled_charsmap=Raw("array:u8", charsmap), **parts)


def bert(**parts):
    return spm(model="bert", tokens=["[PAD]", "[UNK]", "a"], **parts)


def part(number, **parts):
    counts = {"split.count": Raw("u16", 3), "split.no": Raw("u16", number)}
    return spm(model=None, keys=counts, **parts)


REFUSED = {
    "no tokenizer": (
        spm(model=None),
        "not_usable",
        "has no tokenizer (key tokenizer.ggml.model). Choose a file that includes its tokenizer.",
    ),
    "first part without one": (
        part(0),
        "not_usable",
        "has no tokenizer (key tokenizer.ggml.model). Choose a file that includes its tokenizer.",
    ),
    "second part": (
        part(1),
        "not_usable",
        "is part 2 of a split model and does not contain the vocabulary. "
        "Open part 1: the file with -00001-of- in its name.",
    ),
    "none on purpose": (
        spm(model="no_vocab"),
        "not_usable",
        "has no vocabulary: its tokenizer.ggml.model is no_vocab. Choose a language model.",
    ),
    "unknown": (
        spm(model="new"),
        "not_usable",
        "has an unknown tokenizer type: tokenizer.ggml.model is 'new'. Known types: llama, gpt2, "
        "hybriddna, whitespace, gemma4, bert, t5, rwkv, plamo2, test.",
    ),
    "no merge rules": (
        bpe(merges=None),
        "merges_missing",
        f"has no merge rules (key tokenizer.ggml.merges). {WITH_TOKENIZER}",
    ),
    "no tokens": (
        spm(tokens=None),
        "tokens_missing",
        f"has no tokens (key tokenizer.ggml.tokens). {WITH_TOKENIZER}",
    ),
    "none in the list": (
        spm(model="bert", tokens=Raw("array:string", [])),
        "tokens_missing",
        f"has an empty list of tokens (key tokenizer.ggml.tokens). {WITH_TOKENIZER}",
    ),
    "too few scores": (
        spm(scores=[0.0] * 5),
        "scores_short",
        f"has 5 values in tokenizer.ggml.scores for 6 tokens. {AGAIN}",
    ),
    "too few types": (
        spm(types=[1] * 5),
        "kinds_short",
        f"has 5 values in tokenizer.ggml.token_type for 6 tokens. {AGAIN}",
    ),
    "empty map": (
        unigram([]),
        "character_map_broken",
        f"has a tokenizer.ggml.precompiled_charsmap that is 0 bytes long. {AGAIN}",
    ),
    "twins": (
        spm(tokens=[*TOKENS, "a"]),
        "token_twice",
        f"has two equal tokens: 3 and 6 are both 'a'. {AGAIN}",
    ),
}


@pytest.mark.parametrize(("file", "code", "details"), REFUSED.values(), ids=REFUSED)
def test_unusable_files_are_refused_with_advice(tmp_path, file, code, details):
    with pytest.raises(VocabError) as refused:
        load(tmp_path, file)
    assert (refused.value.code, str(refused.value)) == (code, f"model.gguf {details}")


def test_a_later_part_names_the_first(tmp_path):
    path = part(2).write(tmp_path / "big-00003-of-00003.gguf")
    with pytest.raises(VocabError, match=r"is part 3 of .* Open part 1: big-00001-of-00003\.gguf"):
        gguf.read(path, Opening(lambda share: None), None)


WARNINGS = {
    "usual": (spm(), [], []),
    "a single part": (spm(keys={"split.count": Raw("u16", 1)}), [], []),
    "no architecture": (
        spm(architecture=None),
        [],
        ["The file does not name its architecture (key general.architecture)."],
    ),
    "architecture": (spm(architecture="lama"), [], ["llama.cpp does not know the architecture 'lama'."]),
    "a merge rule": (
        bpe(merges=["a b", "ab", "a  b"]),
        ["1 merge rule does not consist of two texts and a space; it has no effect."],
        [],
    ),
    "several merge rules": (
        bpe(merges=["ab", "a b", "ba"]),
        ["2 merge rules do not consist of two texts and a space; they have no effect."],
        [],
    ),
    "empty merge rules": (
        bpe(merges=Raw("array:string", [])),
        ["The list of merge rules is empty: every character becomes its own token."],
        [],
    ),
    "more scores": (
        spm(scores=[0.0] * 7),
        ["tokenizer.ggml.scores has 7 values for 6 tokens: some tokens may be missing."],
        [],
    ),
    "empty tokens": (
        spm(tokens=[*TOKENS, "", "x\0y"]),
        ["2 tokens are empty (and named [EMPTY_<id>]) or cut at a NUL byte."],
        [],
    ),
    "an empty token": (
        spm(tokens=[*TOKENS, ""]),
        ["1 token is empty (and named [EMPTY_<id>]) or cut at a NUL byte."],
        [],
    ),
    "no default pre": (
        bpe(pre=None),
        ["The file does not name a pre-tokenizer (tokenizer.ggml.pre): the default may split text wrongly."],
        [],
    ),
}


@pytest.mark.parametrize(("file", "warnings", "refusals"), WARNINGS.values(), ids=WARNINGS)
def test_only_oddities_are_reported_as_warnings(tmp_path, file, warnings, refusals):
    vocabulary = load(tmp_path, file)
    assert [*vocabulary.refusals] == refusals
    details = [each for each in vocabulary.warnings if "byte tokens are missing" not in each]
    assert details == [*warnings, *refusals]


@pytest.mark.parametrize(
    ("limit", "amount", "file", "details"),
    [
        ("MOST_MERGES", 2, bpe(merges=["a b", "b a"]), "has 2 merge rules. The limit is 1."),
        ("MOST_TOKENS", 6, spm(), "has 6 tokens. The limit is 5."),
        ("MOST_TOKEN_BYTES", 16, spm(), "has tokens with a total of 16 bytes. The limit is 15."),
        ("MOST_CHARSMAP_BYTES", len(MAP), unigram(MAP), f"that is {len(MAP):,} bytes long."),
    ],
)
def test_as_much_as_is_read_is_read_and_no_more(tmp_path, monkeypatch, limit, amount, file, details):
    monkeypatch.setattr(gguf, limit, amount)
    load(tmp_path, file)
    LAST.clear()
    monkeypatch.setattr(gguf, limit, amount - 1)
    with pytest.raises(VocabError) as refused:
        load(tmp_path, file)
    assert details in str(refused.value)


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
    ("details", "lowers", "strips"),
    [
        ({}, True, True),
        ({"normalizer.lowercase": False}, False, False),
        ({"normalizer.lowercase": True}, True, True),
        ({"normalizer.strip_accents": False}, True, False),
        ({"normalizer.lowercase": False, "normalizer.strip_accents": True}, False, True),
    ],
)
def test_accent_stripping_defaults_to_lowercasing(tmp_path, details, lowers, strips):
    rules = load(tmp_path, bert(**details)).rules
    assert (rules.lowercase, rules.strip_accents) == (lowers, strips)
    rules = load(tmp_path, spm(**details)).rules
    assert (rules.lowercase, rules.strip_accents) == (False, False)


def test_whitespace_words_keep_their_case_by_default(tmp_path):
    words = {"model": "whitespace", "pre": "whitespace"}
    for lowers in (None, False, True):
        rules = load(tmp_path, bpe(**words, **{"normalizer.lowercase": lowers})).rules
        assert (rules.lowercase, rules.strip_accents) == (bool(lowers), bool(lowers))


def test_an_incomplete_front_of_a_file_requests_more_bytes(tmp_path):
    whole = spm().to_bytes()
    path = tmp_path / "model.gguf"
    path.write_bytes(whole)
    assert gguf.check_front(path, len(whole) + 100) is None
    path.write_bytes(whole[:-3])
    with pytest.raises(MoreNeededError):
        gguf.check_front(path, len(whole) + 100)
    with pytest.raises(VocabError):
        gguf.check_front(path, len(whole) - 3)


def test_a_damaged_character_map_is_reported_once(tmp_path):
    vocabulary = load(tmp_path, unigram([*MAP[:-1], ord("b")]))
    (details,) = (each for each in vocabulary.warnings if each.code == "character_map_broken")
    assert details.startswith("The character map ")
    assert details.endswith(": llama.cpp fails on texts that use this part of it.")
