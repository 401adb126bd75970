"""Figures about the tree, rows of what they found, and what is said of a node."""

import numpy as np
import pytest
from vocabulary_pairs import bpe

from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import ROOT, tree_picture
from guiapp.errors import TokenloupeError
from guiapp.kit.session.token_details import WrittenPath
from guiapp.kit.token_table.table_view import TokenTableModel
from guiapp.pages.tree import results as tree_findings
from guiapp.pages.tree.model import TreeModel, TreeSearch
from guiapp.pages.tree.panels import glance, node_details
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


def told(model, node, **given):
    return node_details(model.picture, node, model.explainer, counts=model.counts, **given)


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


def test_a_token_is_told_in_full(model, node_of):
    details = told(model, node_of(b"acbb"))
    assert dict(details.facts) == {
        "id": "8",
        "bytes": "61 63 62 62",
        "characters": "4 characters",
        "type": "normal",
        "merge rank": "5",
        "depth": "3",
        "children": "0",
        "below it": "0 tokens",
        "in this text": "once",
    }
    assert details.path == WrittenPath(("a", "ac"), "acbb", (), 0)
    below = dict(told(model, node_of(b"cb")).facts)
    assert (below["below it"], below["in this text"]) == ("1 token", "not once")
    root = told(model, ROOT)
    assert (root.name, root.facts) == ("all tokens", (("children", "3"), ("below it", "9 tokens")))
    assert root.path == WrittenPath((), "all tokens", ("a", "b", "c"), 3)
    uncounted = node_details(model.picture, node_of(b"ab"), model.explainer)
    assert dict(uncounted.facts)["in this text"] == "not once"


def test_of_several_merge_rules_the_one_that_is_shown_is_said_to_be_the_one_that_text_leads_to():
    tokenizer = bpe()  # abc = ab c = a bc
    picture = tree_picture(tokenizer.vocabulary)
    explainer = Explainer(tokenizer.vocabulary, tokenizer.merging)
    a, ab, abc = (
        node_details(picture, picture.node(token), explainer, tokenizer.merging).tree for token in (0, 3, 5)
    )
    assert (a.note, ab.note) == ("There from the start: nothing to merge.", "")
    assert abc.note == "2 merge rules make it; this is the one that text leads to."
    assert (len(abc.roots), abc.worth) == (1, 2)


def test_groups_are_told_where_there_are_any(make_tree):
    unigram = make_tree("unigram")
    group = unigram.picture.children(ROOT)[1]
    details = told(unigram, group)
    assert (details.name, details.facts) == ("Latin", (("children", "132"), ("below it", "526 tokens")))
    assert (len(details.path.continuations), details.path.n_continuations) == (12, 132)
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
