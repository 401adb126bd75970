"""What is said of a node of the tree: all that is known of it, and the little beside the pointer."""

import pytest
from vocabulary_pairs import bpe

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import ROOT
from guiapp.pages.tree import panels as details
from guiapp.pages.tree.model import TreeModel
from guiapp.pages.tree.panels import MergeTree, describe_node, glance, merge_story

SIGNS = Spelling.SIGNS


def told(model, node):
    return describe_node(model.picture, node, model.session.tokenizer, model.counts)


@pytest.fixture
def make_tree(make_session, qtbot):
    made = []

    def make(name):
        session = make_session(b"", f"demo:{name}")
        made.append(TreeModel(session))
        qtbot.waitUntil(lambda: made[-1].picture is not None)
        made[-1].session = session
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_token_is_told_in_full(model, session, node_of):
    model.session = session
    assert told(model, node_of(b"acbb")) == (
        "acbb",
        {
            "id": "8",
            "bytes": "61 63 62 62",
            "type": "normal",
            "merge rank": "5",
            "depth": "3",
            "children": "0",
            "below it": "0 tokens",
            "in this text": "once",
        },
    )
    below = told(model, node_of(b"cb"))[1]
    assert (below["below it"], below["in this text"]) == ("1 token", "not once")
    assert told(model, ROOT) == ("all tokens", {"children": "3", "below it": "9 tokens"})
    uncounted = describe_node(model.picture, node_of(b"ab"), None, None)[1]
    assert ("merge rank" in uncounted, uncounted["in this text"]) == (False, "not once")


def test_a_merge_story_says_why_there_is_none_and_which_of_several_rules_it_shows(monkeypatch):
    tokenizer = bpe()  # abc = ab c = a bc
    vocabulary, a, ab, abc = tokenizer.vocabulary, 0, 3, 5
    assert merge_story(vocabulary, tokenizer, a).note == "There from the start: nothing to merge."
    assert merge_story(vocabulary, None, ab) == MergeTree((), "")
    assert merge_story(vocabulary, tokenizer, ab).note == ""
    told = merge_story(vocabulary, tokenizer, abc)
    assert told.note.startswith("2 merge rules make it; this is the one that text leads to.")
    assert (len(told.roots), told.worth) == (1, 2)
    monkeypatch.setattr(details, "MOST_MERGED", 3)
    assert merge_story(vocabulary, tokenizer, abc) == told
    monkeypatch.setattr(details, "MOST_MERGED", 2)
    assert merge_story(vocabulary, tokenizer, abc) == MergeTree((), "Too long to draw here.")


def test_scores_and_groups_are_told_where_there_are_any(make_tree):
    unigram = make_tree("unigram")
    text, facts = told(unigram, unigram.picture.node(300))
    assert (text, facts["id"], facts["score"], "merge rank" in facts) == ("·die", "300", "-7.5125", False)
    group = unigram.picture.children(ROOT)[1]
    assert told(unigram, group) == ("Latin", {"children": "132", "below it": "526 tokens"})
    assert glance(unigram.picture, group, None, SIGNS) == (
        "Latin",
        ("526 tokens", "a group, itself no token"),
    )


@pytest.mark.parametrize(
    ("token", "said"),
    [
        (b"a", ("a", ("id 0 · 1 byte", "3 longer tokens begin with it", "not in this text"))),
        (b"acbb", ("acbb", ("id 8 · 4 bytes", "no longer token begins with it", "once in this text"))),
        (b"cb", ("cb", ("id 4 · 2 bytes", "1 longer token begins with it", "not in this text"))),
    ],
)
def test_a_glance_is_a_few_words_a_line(model, node_of, token, said):
    assert glance(model.picture, node_of(token), model.counts, SIGNS) == said
    assert glance(model.picture, node_of(token), None, SIGNS)[1][2] == "not in this text"


def test_a_glance_at_the_root_counts_all(model):
    assert glance(model.picture, ROOT, model.counts, SIGNS) == ("all tokens", ("9 tokens",))
