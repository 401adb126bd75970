"""Which tokens text can lead to."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest
from conftest import VOCABS
from gguf_builder import NORMAL, UNKNOWN
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary
from unpaired_vocabularies import vocabulary as vocabulary_of

import guiapp
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.tree.characters import broken_tokens, completions, is_text
from guiapp.core.tree.producible import producible
from guiapp.core.tree.refusals import Refusal
from guiapp.core.tree.statistics import producible_findings
from guiapp.core.tree.unigram_proofs import UnigramProofs
from guiapp.core.tree.wordpiece_proofs import WordPieceProofs
from guiapp.core.vocab.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocab.token_tree import token_tree
from guiapp.core.vocab.vocabulary import Attribute, Rules, SpecialIds, VocabType

BYTES = dict.fromkeys(CHARACTER_OF_BYTE, 0.0)
MERGES = ["a b", "b c", "ab c"]
N_INVALID = 13  # bytes that are nowhere in UTF-8


def in_stand_ins(*tokens):
    return dict.fromkeys(["".join(CHARACTER_OF_BYTE[byte] for byte in token) for token in tokens], 0.0)


def found_in(tokens, merges, **rules):
    vocabulary = toy_vocabulary(BYTES | tokens, VocabType.BPE, merges, Rules(byte_encoding=True, **rules))
    found = producible(Tokenizer(vocabulary), lambda share: None)
    assert not len(found.undecided)
    assert dict(found.refusals)[Refusal.NOT_TEXT] == N_INVALID
    never = [vocabulary.token_bytes(token) for token in found.never.tolist()]
    return [token for token in never if len(token) > 1], dict(found.refusals)


def test_what_merging_makes_otherwise_is_never_produced():
    never, reasons = found_in(in_stand_ins(b"ab", b"abc", b"bc", b"cb"), MERGES)
    assert never == [b"cb"]
    assert reasons[Refusal.MERGED] == 1


def test_a_word_that_is_taken_whole_needs_no_merge():
    assert found_in(in_stand_ins(b"ab", b"abc", b"bc", b"cb"), MERGES, ignore_merges=True)[0] == []


def test_part_of_a_character_is_no_word_that_could_be_taken_whole():
    never, reasons = found_in(in_stand_ins(b"\xe2\x82"), [], ignore_merges=True)
    assert never == [b"\xe2\x82"]
    assert reasons[Refusal.MERGED] == 1


def test_what_the_pre_tokenizer_always_cuts_is_never_produced():
    tokens = in_stand_ins(b"a!", b"!a", b"\n ", b"\na", b" a", b"1234", b"12", b"1212")
    merges = ["a !", "! a", "Ċ Ġ", "Ċ a", "Ġ a", "1 2", "3 4", "12 34", "12 12"]
    never, reasons = found_in(tokens | in_stand_ins(b"34"), merges)
    assert never == [b"a!", b"\na", b"1234", b"1212"]
    assert reasons[Refusal.CUT] == 4


def test_a_token_around_a_user_defined_one_is_never_produced():
    tokens = {"b": Attribute.USER_DEFINED, **in_stand_ins(b"ab", b"ac")}
    never, reasons = found_in(tokens, ["a b", "a c"])
    assert never == [b"ab"]
    assert reasons[Refusal.USER_DEFINED] == 1


def test_the_beginning_of_a_character_that_always_goes_on_is_never_produced():
    begin = b"\xf4"  # by 16 other bytes only
    wholes = [begin + bytes([byte]) for byte in range(0x80, 0x90)]
    merges = [" ".join(CHARACTER_OF_BYTE[byte] for byte in whole) for whole in wholes]
    vocabulary = toy_vocabulary(
        BYTES | in_stand_ins(*wholes), VocabType.BPE, merges, Rules(byte_encoding=True)
    )
    found = producible(Tokenizer(vocabulary), lambda share: None)
    assert vocabulary.find(CHARACTER_OF_BYTE[0xF4].encode()) in found.never.tolist()
    assert dict(found.refusals)[Refusal.ALONE] == 1
    assert not len(found.undecided)


def test_vocabularies_that_cannot_express_every_text_are_tried_token_by_token():
    tokens = dict.fromkeys(["a", "b", "ab", "ba"], 0.0)
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, ["a b"], Rules(byte_encoding=True))
    found = producible(Tokenizer(vocabulary), lambda share: None)
    assert [vocabulary.raw_text(token) for token in found.never.tolist()] == [b"ba"]


WORDS = Rules(lowercase=True, strip_accents=True)


@pytest.mark.parametrize(
    ("token", "others", "reason"),
    [
        ("ab", [], None),
        ("▁ab", [], None),
        ("▁aB", [], Refusal.NORMALISED),
        ("é", [], Refusal.NORMALISED),
        ("a b", [], Refusal.NORMALISED),
        ("▁a!", [], Refusal.NORMALISED),
        ("▁!", [], None),
        ("!", ["▁"], None),
        ("!", ["▁", "▁!"], Refusal.HIDDEN),
        ("!", [], Refusal.HIDDEN),
        ("▁", ["▁b", "▁▁"], None),
    ],
)
def test_wordpiece_tells_each_token_by_its_characters(token, others, reason):
    tokens = {"[UNK]": Attribute.UNKNOWN, "▁x": 0.0, **dict.fromkeys([*others, token], 0.0)}
    vocabulary = toy_vocabulary(tokens, VocabType.WPM, rules=WORDS, special_ids=SpecialIds(unk=0))
    found = producible(Tokenizer(vocabulary), lambda share: None)
    wanted = vocabulary.find(token.encode())
    assert (wanted in found.never.tolist()) == (reason is not None)
    assert reason is None or reason in dict(found.refusals)
    assert not len(found.undecided)


@pytest.mark.parametrize(
    ("token", "scores", "reason"),
    [
        ("ab", {"a": -1, "b": -1, "ab": -2.5}, Refusal.BEATEN),
        ("ab", {"a": -1, "b": -1, "ab": -2}, None),
        ("ab", {"a": -1, "b": -1, "bc": -0.1, "ab": -1.9}, None),
        ("b", {"a": -1, "ab": -0.5, "ba": -0.5, "b": -1}, None),
        ("a b", {"a b": -1}, Refusal.NORMALISED),
        ("▁▁", {"▁▁": -1}, None),
        ("▁é", {"▁é": -1}, None),
        ("é", {"é": -50, "a": -1}, None),
    ],
)
def test_unigram_tells_each_token_by_its_score(token, scores, reason):
    rules = Rules(add_space_prefix=True, remove_extra_whitespaces=True)
    tokens = ["<unk>", *scores]
    small = vocabulary_of(
        VocabType.UGM, tokens, [UNKNOWN] + [NORMAL] * len(scores), [0.0, *scores.values()], rules
    )
    found = producible(Tokenizer(small), lambda share: None)
    assert (tokens.index(token) in found.never.tolist()) == (reason is not None)
    assert reason is None or dict(found.refusals)[reason] == 1
    assert not len(found.undecided)


SMALL_TOKENS = st.lists(st.text("ab!A▁é ", min_size=1, max_size=3), unique=True, min_size=1, max_size=8)
SMALL_TEXTS = st.lists(st.text("ab!A▁é .B", max_size=8), min_size=20, max_size=20)


@given(tokens=SMALL_TOKENS, texts=SMALL_TEXTS, lowercase=st.booleans())
@settings(max_examples=25, deadline=None)
def test_no_text_leads_to_a_wordpiece_token_that_is_never_produced(tokens, texts, lowercase):
    rules = Rules(lowercase=lowercase, strip_accents=lowercase)
    own = {"[UNK]": Attribute.UNKNOWN} | dict.fromkeys(tokens, 0.0)
    check_never(Tokenizer(toy_vocabulary(own, VocabType.WPM, (), rules, SpecialIds(unk=0))), texts)


@given(tokens=SMALL_TOKENS, texts=SMALL_TEXTS, scores=st.lists(st.integers(-9, 0), min_size=8, max_size=8))
@settings(max_examples=25, deadline=None)
def test_no_text_leads_to_a_unigram_token_that_is_never_produced(tokens, texts, scores):
    types, own_scores = [UNKNOWN] + [NORMAL] * len(tokens), [0.0, *map(float, scores[: len(tokens)])]
    rules = Rules(add_space_prefix=True, remove_extra_whitespaces=scores[0] % 2 == 0)
    check_never(Tokenizer(vocabulary_of(VocabType.UGM, ["<unk>", *tokens], types, own_scores, rules)), texts)


def check_never(tokenizer, texts):
    """None of the tokens that are never produced is among those of some texts, or of these in one."""
    never = set(producible(tokenizer, lambda share: None).never.tolist())
    for text in [*texts, " ".join(texts), "".join(texts)]:
        assert not never & set(tokenizer.encode(text, add_special=False).token_ids.tolist())


def test_figures_say_what_is_proved_and_what_is_not():
    tokens = {"[UNK]": Attribute.UNKNOWN, b"\xc3": 0.0, "▁!": 0.0}
    vocabulary = toy_vocabulary(tokens, VocabType.WPM, special_ids=SpecialIds(unk=0))
    findings = producible_findings(producible(Tokenizer(vocabulary), lambda share: None))
    assert [(finding.name, finding.value) for finding in findings] == [
        ("never produced", "0"),
        ("perhaps never", "1"),
    ]


@given(data=st.binary(max_size=6))
@settings(max_examples=300, deadline=None)
def test_completions_are_texts_around_the_bytes(data):
    found = completions(data)
    assert all(data in text and is_text(text) for text in found)
    short = [b"", *(bytes([byte]) for byte in range(0x80, 0x100))]
    if not found:
        assert not any(is_text(head + data + tail) for head, tail in product(short, short))


@given(st.lists(st.binary(min_size=1, max_size=5) | st.text(min_size=1).map(str.encode), unique=True))
def test_broken_tokens_are_those_that_cannot_be_decoded(tokens):
    found = broken_tokens(token_tree(toy_vocabulary(dict.fromkeys(tokens, 0.0), rules=Rules())))
    assert found.tolist() == [number for number, token in enumerate(tokens) if not is_text(token)]


@pytest.mark.real_vocabs
@pytest.mark.parametrize(
    ("name", "n_never"),
    [
        ("gpt-2", 13),
        ("llama-bpe", 14),
        ("qwen2", 1691),
        ("deepseek-coder", 53),
        ("llama-spm", 0),
        ("bert-bge", 1363),
        ("nomic-bert-moe", 9),
    ],
)
def test_of_every_token_it_is_known_whether_text_leads_to_it(name, n_never, random_texts_of):
    tokenizer = guiapp.open_model(VOCABS / f"ggml-vocab-{name}.gguf")
    found = producible(tokenizer, lambda share: None)
    assert (len(found.never), len(found.undecided)) == (n_never, 0)
    is_never = np.zeros(len(tokenizer.vocabulary), np.bool_)
    is_never[found.never] = True
    for text in random_texts_of(tokenizer, found.never):
        assert not is_never[tokenizer.encode(text, parse_special=False).token_ids].any()


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("name", "proofs"), [("bert-bge", WordPieceProofs), ("nomic-bert-moe", None)])
def test_llama_cpp_finds_the_tokens_in_the_texts_made_for_them(name, proofs):
    path = VOCABS / f"ggml-vocab-{name}.gguf"
    tokenizer, oracle = guiapp.open_model(path), pytest.importorskip("llama_oracle").LlamaOracle()
    vocabulary = oracle.load(str(path))
    never = producible(tokenizer, lambda share: None).never
    proofs = proofs or partial(UnigramProofs, pipeline=tokenizer.pipeline.own)
    is_normal = tokenizer.vocabulary.attributes == Attribute.NORMAL
    ids = np.setdiff1d(np.flatnonzero(is_normal), never).astype(np.int32)[::97]
    for token, text in zip(ids.tolist(), proofs(tokenizer).texts(ids), strict=True):
        assert token in vocabulary.tokenize(text, add_special=False, parse_special=False)


@pytest.fixture
def random_texts_of():
    """Texts that are likely to lead to some tokens: their own bytes between those of others."""

    def make(tokenizer, tokens):
        rng = np.random.default_rng(5)
        all_bytes = tokenizer.vocabulary.token_bytes
        for token in rng.permutation(tokens)[:300].tolist():
            around = rng.integers(0, len(tokenizer.vocabulary), (8, 2)).tolist()
            texts = [all_bytes(first) + all_bytes(token) + all_bytes(last) for first, last in around]
            yield "\n".join(text.decode("utf-8", "ignore") for text in texts)

    return make
