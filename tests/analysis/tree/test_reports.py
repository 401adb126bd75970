"""The token tree as a record, as lines and as a graph."""

import json

from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.reports import AT_ONCE, Subtree, dot_lines, json_lines, tree_lines

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


def test_lines_tell_how_many_are_below():
    assert list(tree_lines(Subtree(VOCABULARY, b"", 1))) == [
        "6 tokens on 3 levels",
        "     id    below  token, and what it adds",
        "      5           ·",
        "      0        4  a",
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


def test_levels_are_counted_from_the_prefix_on():
    assert [Subtree(VOCABULARY, prefix).levels.tolist() for prefix in (b"ab", b"abc", b"x")] == [
        [1, 2, 2],
        [1],
        [],
    ]
    assert json.loads("".join(json_lines(Subtree(VOCABULARY, b"x"))))["levels"] == 0


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
