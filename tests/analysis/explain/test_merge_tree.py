"""How merging builds a token."""

from __future__ import annotations

import json

import pytest
from conftest import VOCABS
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.explain.merge_tree import Explainer, MergeNode, token_path
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, VocabType

TOKENS = dict.fromkeys(["Ġ", "Y", "o", "r", "k", "or", "ork", "ĠY", "ĠYork", "Yor"], 0.0)
MERGES = ["o r", "or k", "Ġ Y", "ĠY ork"]


def byte_level(ignore_merges: bool = False):
    rules = Rules(byte_encoding=True, ignore_merges=ignore_merges)
    return toy_vocabulary(TOKENS, VocabType.BPE, MERGES, rules)


def explained(vocabulary, raw: str):
    return Explainer(vocabulary).merge_tree(vocabulary.find(raw.encode()))


def bracketed(node: MergeNode) -> str:
    if not node.parts:
        return node.shown.decode()
    return f"({''.join(map(bracketed, node.parts))}{node.worth:g})"


def test_the_best_rank_goes_first():
    tree = explained(byte_level(), "ĠYork")
    assert tree.is_reached
    assert bracketed(tree.roots[0]) == "(( Y2)((or0)k1)3)"
    assert tree.note == ""


def test_the_rank_of_a_token_is_that_of_its_last_merge():
    vocabulary = byte_level()
    explainer = Explainer(vocabulary)
    ranks = {raw: explainer.merge_rank(vocabulary.find(raw.encode())) for raw in ("ĠYork", "or", "Y", "Yor")}
    assert ranks == {"ĠYork": 3, "or": 0, "Y": None, "Yor": None}


@pytest.mark.parametrize(
    ("ignore_merges", "message"),
    [(False, "ends in 2 tokens: no text leads"), (True, "taken whole (ignore_merges)")],
)
def test_a_token_unreachable_by_merging_is_reported(ignore_merges, message):
    tree = explained(byte_level(ignore_merges), "Yor")
    assert not tree.is_reached
    assert [node.shown for node in tree.roots] == [b"Y", b"or"]
    assert message in tree.note


@pytest.mark.parametrize(
    ("attribute", "vocab_type", "message"),
    [
        (Attribute.CONTROL, VocabType.BPE, "special token"),
        (Attribute.USER_DEFINED, VocabType.SPM, "special token"),
        (Attribute.UNKNOWN, VocabType.UGM, "text that no token covers"),
        (Attribute.BYTE, VocabType.SPM, "single byte"),
        (Attribute.NORMAL, VocabType.UGM, "Unigram does not merge"),
        (Attribute.NORMAL, VocabType.WPM, "WordPiece does not merge"),
        (Attribute.NORMAL, VocabType.RWKV, "RWKV does not merge"),
    ],
)
def test_an_unmerged_token_has_a_reason(attribute, vocab_type, message):
    tree = explained(toy_vocabulary({"abc": attribute}, vocab_type), "abc")
    assert tree.roots == ()
    assert message in tree.note


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["gpt-2", "llama-spm"])
def test_every_token_is_built_from_its_own_bytes_in_real_vocabularies(name):
    vocabulary = opened(VOCABS / f"ggml-vocab-{name}.gguf").vocabulary
    explainer = Explainer(vocabulary)
    for token_id in range(300, len(vocabulary) - 1, 997):
        tree = explainer.merge_tree(token_id)
        assert b"".join(node.shown for node in tree.roots) == vocabulary.token_bytes(token_id)
        assert tree.is_reached


@pytest.mark.parametrize(
    ("model", "raw", "tree"),
    [
        ({"end_of_word_suffix": "</w>"}, "ab</w>", "(ab</w>0)"),
        ({"end_of_word_suffix": "</w>"}, "ab", "(ab1)"),
        ({"continuing_subword_prefix": "##"}, "ab", "(ab0)"),
        ({"continuing_subword_prefix": "##"}, "##ab", "(##ab1)"),
    ],
)
def test_marks_belong_to_the_characters_that_they_are_of(tmp_path, model, raw, tree):
    if "end_of_word_suffix" in model:
        merges = [["a", "b</w>"], ["a", "b"]]
        vocab = ["a", "b", "b</w>", "ab</w>", "ab"]
    else:
        merges = [["a", "##b"], ["##a", "##b"]]
        vocab = ["a", "##a", "##b", "ab", "##ab"]
    model = {"type": "BPE", "vocab": {text: at for at, text in enumerate(vocab)}, "merges": merges} | model
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps({"added_tokens": [], "model": model}))
    tokenizer = guiapp.open_model(path)
    explainer = Explainer(tokenizer.vocabulary, tokenizer.merging)
    (root,) = explainer.merge_tree(tokenizer.vocabulary.find(raw.encode())).roots
    assert bracketed(root) == tree


texts = st.lists(st.binary(min_size=1, max_size=12).map(lambda data: bytes(b % 2 for b in data)), unique=True)


def path_of(vocabulary, token_id, n_shown=8):
    return token_path(vocabulary, vocabulary.token_tree, token_id, n_shown)


@given(texts)
def test_prefixes_and_continuations_are_those_of_plain_comparison(tokens):
    vocabulary = toy_vocabulary(dict.fromkeys(tokens, 0.0))
    for token_id, token in enumerate(tokens):
        path = path_of(vocabulary, token_id, n_shown=1000)
        prefixes = [other for other in tokens if token.startswith(other) and other != token]
        longer = [at for at, other in enumerate(tokens) if other.startswith(token) and other != token]
        assert [tokens[at] for at in path.prefixes] == sorted(prefixes, key=len)
        assert list(path.continuations) == longer
        assert path.n_continuations == len(longer)
