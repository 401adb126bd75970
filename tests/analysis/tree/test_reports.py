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
    AT_ONCE,
    Subtree,
    WalkStep,
    dot_lines,
    greedy_walk,
    json_lines,
    merge_rules_of,
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


def test_lines_show_each_whole_token_and_what_it_adds():
    assert list(tree_lines(Subtree(VOCABULARY, b"ab"))) == [
        "3 tokens on 2 levels",
        "under a",
        "     id    below  token, and what it adds",
        "      1        2  ab  +b",
        "      2             abc  +c",
        "      3             abd  +d",
    ]


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


def test_what_stands_under_the_root_has_no_parent_and_adds_itself():
    report = json.loads("".join(json_lines(Subtree(VOCABULARY, b"a", 2))))
    told = [(node["id"], node["parent"], node["depth"], node["added"]) for node in report["nodes"]]
    assert told == [(0, None, 1, "61"), (4, 0, 2, "22"), (1, 0, 2, "62")]


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


def test_pieces_of_a_long_record_make_one_object():
    names = [f"t{number:03}" for number in range(2 * AT_ONCE + 1)]
    for n_tokens in (AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 1):
        record = json.loads(
            "\n".join(json_lines(Subtree(toy_vocabulary(dict.fromkeys(names[:n_tokens], 0.0)))))
        )
        assert [node["id"] for node in record["nodes"]] == list(range(n_tokens))
        assert (record["tokens"], record["leaves"], record["levels"]) == (n_tokens, n_tokens, 1)


def test_a_branch_is_only_some_of_its_tokens():
    branch = Subtree(VOCABULARY, b"a", 2, VOCABULARY.token_tree.starting_with(b"ab"))
    assert branch.tokens.tolist() == [1, 2, 3]
    assert branch.levels.tolist() == [1, 2, 2]
    assert branch.above == [0]


FIGURES = [
    ("tokens", "10", ""),
    ("leaves", "7", "below:0"),
    ("not whole UTF-8", "2", "is:notutf8"),
    ("same bytes as another", "2", "is:duplicate"),
    ("longest chain", "3", "depth:3"),
    ("largest fan-out", "2", "children:2"),
    ("longest token", "3", "length:3"),
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
    steps = greedy_walk(tree, text)
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


def test_each_byte_tells_where_the_walk_is():
    tree = guiapp.open_model("demo:toy").vocabulary.token_tree  # a b c ab cb ac bb cbb acbb
    assert greedy_walk(tree, b"acbbzcb") == [
        WalkStep(0, 0, 0, (3, 5), 2, None),
        WalkStep(1, 0, 5, (8,), 1, None),
        WalkStep(2, 0, 5, (8,), 1, None),
        WalkStep(3, 0, 8, (), 0, 8),
        WalkStep(4, 4, None, (0, 1, 2), 3, None),
        WalkStep(5, 5, 2, (4,), 1, None),
        WalkStep(6, 5, 4, (7,), 1, 4),
    ]


def test_of_many_children_the_first_are_told():
    vocabulary = toy_vocabulary({"a": 0.0} | {f"a{letter}": 0.0 for letter in "bcdefghijk"})
    [step] = greedy_walk(vocabulary.token_tree, b"a")
    assert step == WalkStep(0, 0, 0, tuple(range(1, 9)), 10, 0)


@pytest.mark.parametrize(
    ("model", "text", "parents", "raw"),
    [
        ("toy", b"abz", [-1, 0, 0, 0], [b"a", b"ab", b"ab"]),
        ("toy", b"zb", [-1, -1, 1], [None, b"b"]),
        ("wordpiece", b" a", [-1, -1, 1], [None, "▁a".encode()]),
        ("bpe", b"", [-1], []),
    ],
)
def test_prefixes_without_a_token_hang_nowhere(model, text, parents, raw):
    tokenizer = guiapp.open_model(f"demo:{model}")
    tree = prefix_tree(tokenizer, text)
    ids = [-1 if token is None else tokenizer.vocabulary.find(token) for token in raw]
    assert (tree.text, tree.parents.tolist(), tree.token_ids.tolist()) == (text, parents, [-1, *ids])


def test_names_of_special_tokens_are_text_in_prefixes(tokenizer):
    text = b"<|im_start|>"
    tree = prefix_tree(tokenizer, text)
    ids = [int(tree.token_ids[end]) for end in tree.chosen()[-2::-1]]
    assert ids == tokenizer.encode(text, add_special=False, parse_special=False).token_ids.tolist()
    assert len(ids) > 1


@pytest.mark.parametrize("name", [*WORDS_OF_MODELS])
def test_prefixes_end_as_the_readable_table_says(name):
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
def test_prefixes_end_with_the_tokens_that_the_linear_encoder_finds(tokenizer, word):
    tree = prefix_tree(tokenizer, word)
    for end in range(1, len(word) + 1):
        ids = tokenizer.encode(word[:end], add_special=False, encoder="table").token_ids
        assert tree.token_ids[end] == ids[-1]
        assert tree.parents[end] == end - len(tokenizer.vocabulary.token_bytes(int(ids[-1])))
    way = tree.chosen()[::-1]
    ids = [int(tree.token_ids[end]) for end in way[1:]]
    assert ids == tokenizer.encode(word, add_special=False).token_ids.tolist()


def test_rules_that_make_a_token_come_by_rank(tokenizer):
    merging = tokenizer.merging
    token = tokenizer.vocabulary.find(b"the")
    rules = merge_rules_of(merging, token)
    assert rules == sorted(rules)
    for _, left, right in rules:
        vocabulary = tokenizer.vocabulary
        assert vocabulary.raw_text(left) + vocabulary.raw_text(right) == b"the"
