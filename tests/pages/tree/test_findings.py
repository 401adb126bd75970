"""Figures about the tree, rows of what they found, and what is said of a node."""

import numpy as np
import pytest
from toy_vocabulary import toy_vocabulary
from vocabulary_pairs import bpe

from guiapp.analysis.explain.merge_tree import MergeTree
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import ROOT, tree_picture
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds
from guiapp.errors import TokenloupeError
from guiapp.kit.token_table.table_view import TokenTableModel
from guiapp.pages.tree import panels as details
from guiapp.pages.tree import results as tree_findings
from guiapp.pages.tree.model import TreeModel, TreeSearch
from guiapp.pages.tree.panels import describe_node, glance, merge_story
from guiapp.pages.tree.results import ResultsModel, TreeFindings


@pytest.fixture
def findings(model, session):
    made = TreeFindings(model, session)
    yield made
    made.close()


def figures(findings):
    return {finding.name: finding.value for finding in findings.findings}


def test_nothing_is_counted_before_somebody_wants_it(findings, qtbot):
    assert (findings.findings, findings.job.is_busy, findings.is_coming) == ((), False, True)
    findings.want()
    qtbot.waitUntil(lambda: findings.unreached is not None)
    assert (figures(findings)["leaves"], findings.is_coming) == ("4", False)
    assert len(findings.findings) == len(findings.statistics.findings) + 1
    findings.want()
    assert not findings.job.is_busy


def test_figures_of_another_vocabulary_follow_once_wanted(findings, session, qtbot):
    findings.want()
    qtbot.waitUntil(lambda: findings.unreached is not None)
    with qtbot.waitSignal(findings.changed):
        session.loader.open("demo:rwkv")
    qtbot.waitUntil(lambda: findings.statistics is not None)
    assert figures(findings)["tokens"] == f"{len(session.vocabulary):,}"


def test_trials_that_cannot_be_made_are_told(findings, model, monkeypatch, qtbot):
    def refuse(*given):
        raise TokenloupeError("Too many.")

    monkeypatch.setattr(tree_findings, "unreached_apart", refuse)
    findings.want()
    qtbot.waitUntil(lambda: findings.problem == "Too many.")
    assert findings.unreached is None
    model.picture_changed.emit()
    assert findings.problem == ""


def test_special_tokens_scores_and_uses_are_described(model):
    picture = tree_picture(
        toy_vocabulary({"<s>": Attribute.CONTROL, "ab": -1234.5, "abc": -0.0}, special_ids=SpecialIds(bos=0))
    )
    told = [describe_node(picture, picture.node(token), None, None)[1] for token in (1, 2)]
    assert told[0] == {
        "id": "1",
        "bytes": "61 62",
        "type": "normal",
        "score": "-1,234.5",
        "depth": "1",
        "children": "1",
        "below it": "1 token",
        "in this text": "not once",
    }
    assert (told[1]["children"], told[1]["below it"], told[1]["depth"]) == ("0", "0 tokens", "2")
    times = [
        describe_node(picture, picture.node(1), None, np.array([0, n, 0]))[1]["in this text"]
        for n in (0, 1, 2, 1234)
    ]
    assert times == ["not once", "once", "2 times", "1,234 times"]


def test_found_tokens_are_rows_in_their_own_order_until_a_column_sorts_them(model, session, settings, qtbot):
    search = TreeSearch(model)
    results = ResultsModel(model, search, session, settings)
    table = TokenTableModel(results)

    def cells():
        return [[table.index(row, at).data() for at in range(3)] for row in range(table.rowCount())]

    search.list_tokens("some", np.array([8, 5, 0], np.int32))
    qtbot.waitUntil(lambda: table.rowCount() == 3)
    assert [column.title for column in table.columns] == ["id", "token", "below"]
    rows = [["8", "acbb", "0"], ["5", "ac", "1"], ["0", "a", "3"]]
    assert cells() == rows
    results.sort_by("below", True)
    qtbot.waitUntil(lambda: results.is_up_to_date)
    assert cells() == rows[::-1]
    search.end()
    qtbot.waitUntil(lambda: table.rowCount() == 0)
    for each in (results, search):
        each.close()


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
