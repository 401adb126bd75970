"""`tokenloupe tree`"""

from __future__ import annotations

import json

import pytest
from toy_vocabulary import toy_vocabulary

from guiapp.cli import run
from guiapp.core.tree_reports import Branch, dot_lines, tree_lines, tree_report

VOCABULARY = toy_vocabulary({"a": 0.0, "ab": 0.0, "abc": 0.0, "abd": 0.0, 'a"': 0.0, "▁": 0.0})


def test_lines_show_what_each_token_adds():
    assert list(tree_lines(Branch(VOCABULARY, b"ab"))) == [
        "3 tokens on 2 levels",
        "under a",
        "      1  b",
        "      2    c  abc",
        "      3    d  abd",
    ]


def test_lines_tell_what_is_hidden_below():
    assert list(tree_lines(Branch(VOCABULARY, b"", 1))) == [
        "6 tokens on 3 levels",
        "      5  ·",
        "      0  a  +4",
    ]


def test_the_record_lists_nodes_parents_first():
    report = tree_report(Branch(VOCABULARY, b"ab", 1))
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
    assert tree_report(Branch(vocabulary, b"xy"))["tokens"] == 1
    assert list(tree_lines(Branch(vocabulary, b"xx"))) == ["No token begins with “xx”."]
    assert list(tree_lines(Branch(vocabulary, b" \xff"))) == ["No token begins with “·<FF>”."]
    assert list(tree_lines(Branch(toy_vocabulary({})))) == ["The vocabulary has no tokens."]


def test_the_graph_quotes_its_labels():
    lines = list(dot_lines(Branch(VOCABULARY, b"a", 2)))
    assert '  4 [label="a\\""];' in lines
    assert '  0 -> 1 [label="b"];' in lines


def test_the_command_prints_one_record(capsys):
    assert run(["tree", "demo:toy", "a", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert {bytes.fromhex(node["bytes"])[:1] for node in report["nodes"]} == {b"a"}


def test_the_command_prints_lines_and_graphs(capsys):
    assert run(["tree", "demo:toy"]) == 0
    assert "tokens on" in capsys.readouterr().out
    assert run(["tree", "demo:toy", "--dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph")


@pytest.mark.parametrize(
    "words",
    ["demo:toy a --levels 1", "demo:toy --levels 1 a", "--levels 1 demo:toy a", "demo:toy --levels 1 -- a"],
)
def test_options_may_stand_anywhere(capsys, words):
    assert run(["tree", *words.split()]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "      0  a  +3"


def test_levels_are_counted_from_one(capsys):
    with pytest.raises(SystemExit) as raised:
        run(["tree", "demo:toy", "--levels", "0"])
    assert raised.value.code == 2
