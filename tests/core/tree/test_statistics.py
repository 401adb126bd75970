"""Figures about a tree."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABS
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.core.explain.merge_tree import merge_tree, why_not_merged
from guiapp.core.tree.coloring import COLORINGS, ColoringInput, node_values
from guiapp.core.tree.picture import tree_picture
from guiapp.core.tree.statistics import always_cut, never_made, tree_statistics
from guiapp.core.vocab.merges import byte_pair_merging
from guiapp.core.vocab.vocabulary import Attribute, Rules, VocabType

TOKENS = dict.fromkeys(["a", "b", "c", "ab", "abc", "bc", "cb", "<s>"], 0.0) | {"<s>": Attribute.CONTROL}
MERGES = ["a b", "b c", "ab c"]


def vocabulary_with(**rules):
    return toy_vocabulary(TOKENS, VocabType.BPE, MERGES, Rules(byte_encoding=True, **rules))


def test_tokens_that_no_merge_leads_to_are_found():
    vocabulary = vocabulary_with()
    unmade = never_made(tree_picture(vocabulary), byte_pair_merging(vocabulary))
    assert [vocabulary.raw_text(token) for token in unmade.tolist()] == [b"cb"]


def test_a_word_taken_whole_needs_no_merge():
    vocabulary = vocabulary_with(ignore_merges=True)
    assert len(never_made(tree_picture(vocabulary), byte_pair_merging(vocabulary))) == 0


def test_findings_count_what_they_say():
    vocabulary = vocabulary_with()
    statistics = tree_statistics(tree_picture(vocabulary), byte_pair_merging(vocabulary))
    values = {finding.name: finding.value for finding in statistics.findings}
    assert values["tokens"] == "8"
    assert values["leaves"] == "4"
    assert values["longest chain"] == "3"
    assert statistics.depths.tolist() == [4, 3, 1]
    assert statistics.fan_outs.tolist() == [4, 4]


@pytest.mark.parametrize("tokens", [{}, {"a": 0.0}, {b"\xff": 0.0}], ids=["none", "one", "broken"])
def test_the_smallest_vocabularies_have_statistics_and_colours(tokens):
    picture = tree_picture(toy_vocabulary(tokens))
    assert tree_statistics(picture, None).findings[0].value == str(len(tokens))
    for coloring in COLORINGS:
        assert len(node_values(coloring.name, ColoringInput(picture)).classes) == len(picture)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("name", ["gpt-2", "llama-spm"])
def test_what_is_never_made_is_what_encoding_does_not_give_back(name):
    tokenizer = guiapp.open_model(VOCABS / f"ggml-vocab-{name}.gguf")
    picture = tree_picture(tokenizer.vocabulary)
    unmade = set(never_made(picture, tokenizer.merging).tolist())
    merging = tokenizer.merging
    rng = np.random.default_rng(1)
    for token in [*rng.integers(300, len(picture.vocabulary), 60).tolist(), *list(unmade)[:20]]:
        if why_not_merged(tokenizer.vocabulary, token) or len(picture.tree.token_bytes(token)) > 100:
            continue
        assert merge_tree(tokenizer.vocabulary, merging, token).is_reached == (token not in unmade)


@pytest.mark.real_vocabs
def test_what_is_always_cut_comes_out_of_no_text():
    tokenizer = guiapp.open_model(VOCABS / "ggml-vocab-qwen2.gguf")
    picture = tree_picture(tokenizer.vocabulary)
    cut = always_cut(picture)
    assert 0 < len(cut) < len(picture.vocabulary) / 50
    own = [picture.tree.token_bytes(token) for token in cut.tolist()]
    produced = np.zeros(len(picture.vocabulary), np.bool_)
    for before, behind in ((b"", b""), (b" ", b""), (b"\n", b"\n"), (b"x", b"x"), (b"1", b"1"), (b"(", b")")):
        for text in own:
            found = tokenizer.encode(before + text + behind, add_special=False, parse_special=False)
            produced[found.token_ids] = True
    assert not produced[cut].any()


def test_what_the_splitter_always_cuts_is_never_produced():
    tokens = dict.fromkeys(["a", "!", "Ċ", "Ġ", "a!", "!a", "ĊĠ", "Ċa", "Ġa"], 0.0)
    vocabulary = toy_vocabulary(tokens, VocabType.BPE, ["a !", "! a"], Rules(byte_encoding=True))
    cut = always_cut(tree_picture(vocabulary))
    assert [vocabulary.raw_text(token).decode() for token in cut.tolist()] == ["a!", "Ċa"]
