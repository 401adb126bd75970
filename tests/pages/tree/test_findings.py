"""What is said of a node of the tree."""

import pytest
from vocabulary_pairs import bpe

from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import ROOT, tree_picture
from guiapp.kit.session.token_details import WrittenPath
from guiapp.pages.tree.model import TreeModel
from guiapp.pages.tree.panels import glance, node_details

SIGNS = Spelling.SIGNS


def details_of(model, node, **given):
    return node_details(model.picture, node, model.explainer, counts=model.counts, **given)


@pytest.fixture
def make_tree(make_session, qtbot):
    made = []

    def make(name):
        session = make_session(b"", f"demo:{name}")
        made.append(TreeModel(session))
        qtbot.waitUntil(lambda: made[-1].counts is not None)
        made[-1].session = session
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_token_is_described_in_full(model, node_of):
    details = details_of(model, node_of(b"acbb"))
    assert dict(details.facts) == {
        "id": "8",
        "bytes": "61 63 62 62",
        "characters": "4 characters",
        "kind": "normal",
        "merge rank": "5",
        "depth": "3",
        "children": "0",
        "below it": "0 tokens",
        "in this text": "once",
    }
    assert details.path == WrittenPath(("a", "ac"), "acbb", (), 0)
    below = dict(details_of(model, node_of(b"cb")).facts)
    assert (below["below it"], below["in this text"]) == ("1 token", "never")
    root = details_of(model, ROOT)
    assert (root.name, root.facts) == ("all tokens", (("children", "3"), ("below it", "9 tokens")))
    assert root.path == WrittenPath((), "all tokens", ("a", "b", "c"), 3)
    uncounted = node_details(model.picture, node_of(b"ab"), model.explainer)
    assert dict(uncounted.facts)["in this text"] == "counting …"


def test_the_merge_rule_that_texts_use_is_shown_among_several():
    tokenizer = bpe()  # abc = ab c = a bc
    picture = tree_picture(tokenizer.vocabulary)
    explainer = Explainer(tokenizer.vocabulary, tokenizer.merging)
    a, ab, abc = (
        node_details(picture, picture.node(token), explainer, tokenizer.merging).tree for token in (0, 3, 5)
    )
    assert (a.note, ab.note) == ("Merging starts from it: nothing to merge.", "")
    assert abc.note == "2 merge rules make it; texts use this one."
    assert (len(abc.roots), abc.worth) == (1, 2)


def test_groups_are_described(make_tree):
    unigram = make_tree("unigram")
    group = unigram.picture.children(ROOT)[1]
    details = details_of(unigram, group)
    assert (details.name, details.facts) == ("Latin", (("children", "132"), ("below it", "526 tokens")))
    assert (len(details.path.continuations), details.path.n_continuations) == (12, 132)
    assert glance(unigram.picture, group, None, SIGNS) == (
        "Latin",
        ("526 tokens", "a group, not a token"),
    )


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        (b"a", ("a", ("id 0 · 1 byte", "3 longer tokens begin with it", "not in this text"))),
        (b"acbb", ("acbb", ("id 8 · 4 bytes", "no longer tokens begin with it", "once in this text"))),
        (b"cb", ("cb", ("id 4 · 2 bytes", "1 longer token begins with it", "not in this text"))),
    ],
)
def test_a_glance_is_a_few_words_a_line(model, node_of, token, expected):
    assert glance(model.picture, node_of(token), model.counts, SIGNS) == expected
    assert glance(model.picture, node_of(token), None, SIGNS)[1] == expected[1][:2]
