"""The walk down the token tree is that of the encoder."""

import pytest
from toy_vocabulary import toy_vocabulary

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.reports import debugger_for
from guiapp.pages.steps import flow
from guiapp.pages.steps.flow import MOST_OTHERS, MatchedPath, WalkNode, matched_path

TEXT = "How many unbelievable lions sleep in New York? 😍"


@pytest.mark.parametrize(("model", "encoder"), [("demo:bpe", "greedy"), ("demo:rwkv", "rwkv")])
def test_each_token_taken_ends_a_walk_through_its_prefixes(model, encoder):
    tokenizer = guiapp.open_model(model)
    debugger = debugger_for(tokenizer, record(tokenizer, TEXT, encoder))
    tree = tokenizer.vocabulary.token_tree
    n_walks = 0
    for step in range(debugger.n_steps + 1):
        debugger.go_to(step)
        shown = matched_path(debugger, tree)
        if step == debugger.n_steps or debugger.trace.operation(step) != "take":
            assert not shown.nodes
            continue
        n_walks += 1
        columns = debugger.trace.columns
        taken = debugger.trace.text[columns.position[step] : columns.end[step]]
        spelled = [tokenizer.vocabulary.token_bytes(node.token_id) for node in shown.nodes]
        assert spelled[-1] == taken
        assert all(taken.startswith(prefix) for prefix in spelled)
        assert [len(prefix) for prefix in spelled] == sorted({len(prefix) for prefix in spelled})
        every_prefix = {taken[:size] for size in range(1, len(taken) + 1)}
        assert {prefix for prefix in every_prefix if tree.longest_match(prefix) is not None} >= set(spelled)
        for node in shown.nodes:
            assert node.added not in node.others
            assert len(node.others) <= min(MOST_OTHERS, node.n_others)
    assert n_walks > 5


def toy_walk(text, step):
    tokenizer = guiapp.open_model("demo:toy")
    debugger = debugger_for(tokenizer, record(tokenizer, text, "greedy"))
    debugger.go_to(step)
    return matched_path(debugger, tokenizer.vocabulary.token_tree)


def test_each_token_on_the_way_tells_what_it_adds_and_its_siblings():
    assert toy_walk("acbbabab", 1) == MatchedPath(
        [
            WalkNode(0, "a", "a", ("b", "c"), 2),
            WalkNode(5, "c", "ac", ("b",), 1),
            WalkNode(8, "bb", "acbb", (), 0),
        ],
        "abab",
    )
    assert toy_walk("acbbababab", 1).text_after == "ababab"
    assert toy_walk("acbbabababa", 1).text_after == "ababab"
    assert toy_walk("acbb", 0) == toy_walk("acbb", 2) == toy_walk("acbb", 99) == MatchedPath([], "")


@pytest.mark.parametrize(
    ("token", "others"),
    [("a", "bcdefg"), ("b", "acdefg"), ("d", "abcefg"), ("e", "bcdfgh"), ("i", "fghjkl"), ("l", "fghijk")],
)
def test_the_nearest_siblings_are_told(token, others):
    vocabulary = toy_vocabulary(dict.fromkeys("abcdefghijkl", 0.0))
    node = flow._walk_node(vocabulary, vocabulary.token_tree, "abcdefghijkl".index(token), Spelling.SIGNS)
    assert (node.added, "".join(node.others), node.n_others) == (token, others, 11)
