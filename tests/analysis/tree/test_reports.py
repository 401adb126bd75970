"""The token tree as a record, as lines and as a graph; figures about it; walks through it."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.tree.coloring import COLORINGS, ColoringInput, node_values
from guiapp.analysis.tree.picture import tree_picture
from guiapp.analysis.tree.reports import (
    Subtree,
    dot_lines,
    greedy_walk,
    json_lines,
    prefix_tree,
    tree_figures,
    tree_lines,
)
from guiapp.analysis.vocabulary_list.columns import TokenFigures
from guiapp.analysis.vocabulary_list.filters import doubling_histogram, fitting
from guiapp.core.demo import demo_model_path
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute

VOCABULARY = toy_vocabulary({"a": 0.0, "ab": 0.0, "abc": 0.0, "abd": 0.0, 'a"': 0.0, "▁": 0.0})


def test_the_record_lists_nodes_parents_first():
    report = json.loads("".join(json_lines(Subtree(VOCABULARY, b"ab", 1))))
    assert {key: report[key] for key in ("prefix", "tokens", "levels", "leaves", "path")} == {
        "prefix": "6162",
        "tokens": 3,
        "levels": 2,
        "leaves": 2,
        "path": [0],
    }
    assert report["nodes"] == [
        {
            "id": 1,
            "parent": 0,
            "depth": 2,
            "size": 3,
            "bytes": "6162",
            "added": "62",
            "kind": "normal",
            "matched": True,
        }
    ]


def test_a_prefix_need_not_be_a_token_and_may_lead_nowhere():
    vocabulary = toy_vocabulary({"xyz": 0.0})
    assert json.loads("\n".join(json_lines(Subtree(vocabulary, b"xy"))))["tokens"] == 1
    assert json.loads("".join(json_lines(Subtree(vocabulary, b"xx"))))["nodes"] == []
    assert list(tree_lines(Subtree(vocabulary, b"xx"))) == ["No token begins with “xx”."]
    assert list(tree_lines(Subtree(vocabulary, b" \xff"))) == ["No token begins with “·<FF>”."]
    assert list(tree_lines(Subtree(toy_vocabulary({})))) == ["The vocabulary has no tokens."]


def test_the_graph_quotes_its_labels():
    lines = list(dot_lines(Subtree(VOCABULARY, b"a", 2)))
    assert '  4 [label="a\\""];' in lines
    assert '  0 -> 1 [label="b"];' in lines


FIGURES = [
    ("tokens", "10", ""),
    ("have no children", "7", "below:0"),
    ("hold part of a character", "2", "is:notutf8"),
    ("share their bytes", "2", "is:duplicate"),
    ("no test text gives them", "…", ""),
    ("tokens on the longest path", "3", "depth:3"),
    ("most children of one token", "2", "children:2"),
    ("bytes in the longest token", "3", "length:3"),
]


def figures_of(tokens):
    return TokenFigures(Tokenizer(toy_vocabulary(tokens)))


def test_figures_have_the_filter_that_lists_what_they_count():
    tokens = ["<s>", "a", "b", "ab", "abc", "a\u00e9", b"a\xc3", b"\xff", " a", "▁a"]
    figures = figures_of(dict.fromkeys(tokens, 0.0) | {"<s>": Attribute.CONTROL})
    assert [each[:3] for each in tree_figures(figures)] == FIGURES
    with_trials = list(tree_figures(figures.with_unreached(np.array([6], np.int32))))
    (reached,) = set(with_trials).difference(tree_figures(figures))
    assert (reached.value, reached.query) == ("1", "is:unreached")


def test_bars_by_whole_numbers_tile_all_tokens():
    figures = figures_of(dict.fromkeys(["a" * n for n in range(1, 41)] + ["ab", "ac"], 0.0))
    depths, children = doubling_histogram(figures, "depth", 16), doubling_histogram(figures, "children", 1)
    assert depths.terms[-3:] == ("depth:16", "depth:17..32", "depth:33..40")
    assert depths.totals[-2:].tolist() == [16, 8]
    assert (children.terms, children.totals.tolist()) == (
        ("children:0", "children:1", "children:2", "children:3"),
        [3, 38, 0, 1],
    )
    for histogram in (depths, children):
        assert histogram.totals.sum() == len(figures)
        for bar, term in enumerate(histogram.terms):
            listed = fitting(figures, term, lambda share: None)
            assert np.flatnonzero(listed).tolist() == np.flatnonzero(histogram.of == bar).tolist()


@pytest.mark.parametrize("tokens", [{}, {"a": 0.0}, {b"\xff": 0.0}], ids=["none", "one", "broken"])
def test_the_smallest_vocabularies_have_figures_and_colours(tokens):
    assert next(tree_figures(figures_of(tokens))).value == str(len(tokens))
    assert doubling_histogram(figures_of(tokens), "depth", 16).totals.sum() == len(tokens)
    picture = tree_picture(toy_vocabulary(tokens))
    for coloring in COLORINGS:
        assert len(node_values(coloring.name, ColoringInput(picture)).classes) == len(picture)


WORDS_OF_MODELS = {
    "bpe": ("the", "Welcome", "internationalisation", " a tree", "漢字"),
    "spm": ("the", "Welcome", "internationalisation", " a tree", "漢字"),
    "toy": ("abcabc", "aabbcc", "cbacba"),
}
TEXTS = st.text(st.sampled_from("the nwou1 .漢"), max_size=24)


@pytest.fixture(scope="module")
def tokenizer():
    return guiapp.open_model(demo_model_path("bpe"))


@given(text=TEXTS.map(str.encode))
@settings(max_examples=50)
def test_the_walk_takes_the_longest_token_each_time(tokenizer, text):
    tree = tokenizer.vocabulary.token_tree
    steps = greedy_walk(tree, text, {})
    taken = [step.taken for step in steps if step.taken is not None]
    at, expected = 0, []
    while at < len(text):
        expected.append(tree.longest_match(text, at))
        at += len(tree.token_bytes(expected[-1]))
    assert taken == expected
    assert [step.offset for step in steps] == list(range(len(text)))
    for step in steps:
        seen = text[step.start : step.offset + 1]
        assert step.token is None or seen.startswith(tree.token_bytes(step.token))
        assert all(tree.parent(child) == step.token for child in step.continuations)


def test_special_tokens_are_walked_as_one(tokenizer):
    text = b"the<|im_end|>the"
    steps = greedy_walk(tokenizer.vocabulary.token_tree, text, {3: (13, 7)})
    taken = [(step.start, step.offset, step.taken) for step in steps if step.taken is not None]
    assert (3, 12, 7) in taken
    assert [step.start for step in steps if step.start < 3] == [
        step.start - 13 for step in steps if step.start >= 13
    ]


def test_names_of_special_tokens_are_text_in_prefixes(tokenizer):
    text = b"<|im_start|>"
    tree = prefix_tree(tokenizer, text)
    ids = [int(tree.token_ids[end]) for end in tree.chosen()[-2::-1]]
    assert ids == tokenizer.encode(text, add_special=False, parse_special=False).token_ids.tolist()
    assert len(ids) > 1


@pytest.mark.parametrize("name", [*WORDS_OF_MODELS])
def test_prefixes_match_the_reference_table_encoder(name):
    tokenizer = guiapp.open_model(demo_model_path(name))
    for word in WORDS_OF_MODELS[name]:
        tree = prefix_tree(tokenizer, word.encode())
        for prefix in itertools.accumulate(word):
            end = len(prefix.encode())
            expected = tokenizer.encode_readable(
                prefix, add_special=False, parse_special=False, encoder="table"
            )
            assert tree.token_ids[end] == expected.token_ids[-1]
            assert (tree.parents[end], end) == tuple(expected.spans[-1])


@given(word=st.text(st.sampled_from("thenwous"), min_size=1, max_size=10).map(str.encode))
@settings(max_examples=50)
def test_prefixes_end_with_the_tokens_of_the_linear_encoder(tokenizer, word):
    tree = prefix_tree(tokenizer, word)
    for end in range(1, len(word) + 1):
        ids = tokenizer.encode(word[:end], add_special=False, encoder="table").token_ids
        assert tree.token_ids[end] == ids[-1]
        assert tree.parents[end] == end - len(tokenizer.vocabulary.token_bytes(int(ids[-1])))
    way = tree.chosen()[::-1]
    ids = [int(tree.token_ids[end]) for end in way[1:]]
    assert ids == tokenizer.encode(word, add_special=False).token_ids.tolist()
