"""Figures about the tree, counted when somebody looks at them; rows of what they found."""

import numpy as np
import pytest
from conftest import PATIENCE_S
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from told import told_by
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.explain.merge_tree import MergeTree, merge_tree, why_not_merged
from guiapp.analysis.tree.picture import tree_picture
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import SpecialIds
from guiapp.errors import TokenloupeError
from guiapp.kit.state.spelling import SharedSpelling
from guiapp.pages.tree import model as tree_model
from guiapp.pages.tree import panels as tree_details
from guiapp.pages.tree import results as tree_findings
from guiapp.pages.tree.panels import describe_node, merge_story
from guiapp.pages.tree.results import COLUMNS, ResultsTableModel, TreeFindings


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


def test_trials_that_cannot_be_made_are_told(findings, monkeypatch, qtbot):
    def refuse(*given):
        raise TokenloupeError("Too many.")

    monkeypatch.setattr(tree_findings, "unreached_apart", refuse)
    findings.want()
    qtbot.waitUntil(lambda: findings.problem == "Too many.")
    assert findings.unreached is None
    findings._model.picture_changed.emit()
    assert findings.problem == ""


@pytest.mark.parametrize(("work", "job"), [("tree_statistics", "job"), ("unreached_apart", "trying")])
def test_figures_on_their_way_do_not_reach_another_vocabulary(findings, session, hold, qtbot, work, job):
    figures_come, picture_comes = hold(tree_findings, work), hold(tree_model, "tree_picture")
    findings.want()
    qtbot.waitUntil(lambda: getattr(findings, job).is_busy)
    with qtbot.waitSignal(findings._model.picture_changed):
        session.loader.open("demo:rwkv")
    figures_come.set()
    getattr(findings, job).finish(PATIENCE_S)
    QApplication.processEvents()
    assert findings.statistics is findings.unreached is None
    picture_comes.set()
    qtbot.waitUntil(lambda: findings.statistics is not None)
    assert figures(findings)["tokens"] == f"{len(session.vocabulary):,}"


def test_nodes_are_described(model, session, node_of):
    counts = np.array([0] * 5 + [7, 0, 0, 1])
    text, facts = describe_node(model.picture, node_of(b"ac"), session.tokenizer, counts)
    assert (text, list(facts.items())) == (
        "ac",
        [
            ("id", "5"),
            ("bytes", "61 63"),
            ("type", "normal"),
            ("merge rank", "2"),
            ("depth", "2"),
            ("children", "1"),
            ("below it", "1 token"),
            ("in this text", "7 times"),
        ],
    )


def test_rows_say_what_is_known_of_a_token(model):
    table = ResultsTableModel(SharedSpelling())
    assert (table.rowCount(), table.as_text([])) == (0, "id\ttoken\tbelow\tbytes\ttype\n")
    table.show(model.picture, np.array([5, 0], np.int32))
    assert (table.rowCount(), table.columnCount(), table.token(1)) == (2, len(COLUMNS), 0)
    assert table.as_text([0, 1]).splitlines()[1:] == ["5\tac\t1\t61 63\tnormal", "0\ta\t3\t61\tnormal"]
    cells = [table.data(table.index(1, column)) for column in range(len(COLUMNS))]
    assert cells == ["0", "a", "3", "61", "normal"]
    titles = [table.headerData(column, Qt.Orientation.Horizontal) for column in range(len(COLUMNS))]
    assert titles == ["id", "token", "below", "bytes", "type"]
    right = [
        bool(
            table.data(table.index(0, column), Qt.ItemDataRole.TextAlignmentRole)
            & Qt.AlignmentFlag.AlignRight
        )
        for column in range(len(COLUMNS))
    ]
    assert right == [True, False, True, False, False]
    assert table.headerData(0, Qt.Orientation.Vertical) is None


def test_what_is_told_of_figures(findings, qtbot):
    told = told_by(findings)
    assert (findings.statistics, findings.unreached, findings.problem) == (None, None, "")
    findings.want()
    qtbot.waitUntil(lambda: findings.statistics is not None)
    assert (told, findings.trying.is_busy) == (["changed"], True)
    assert findings.findings == findings.statistics.findings
    qtbot.waitUntil(lambda: findings.unreached is not None)
    assert (told, len(findings.findings)) == (["changed"] * 2, len(findings.statistics.findings) + 1)
    findings._fail("odd")
    assert (told, findings.problem) == (["changed"] * 3, "odd")
    findings._model.preparing_changed.emit()
    assert told == ["changed"] * 4
    findings.trying.start(lambda _: None)
    findings._model.picture_changed.emit()
    assert told == ["changed"] * 5
    assert (findings.statistics, findings.unreached, findings.problem, findings.trying.is_busy) == (
        *(None, None),
        *("", False),
    )
    assert findings.job.is_busy
    findings.close()
    assert not findings.job.is_busy


def test_without_a_tokenizer_no_trials_are_made(findings, session, monkeypatch, qtbot):
    monkeypatch.setattr(type(session), "tokenizer", None)
    findings.want()
    qtbot.waitUntil(lambda: findings.statistics is not None)
    assert (findings.trying.is_busy, findings.is_coming) == (False, False)


def test_without_a_picture_nothing_is_counted(findings):
    findings._model.picture = None
    findings.want()
    assert not findings.job.is_busy


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


def test_merges_are_told_where_there_are_any(session, monkeypatch):
    tokenizer = session.tokenizer
    vocabulary = tokenizer.vocabulary
    assert merge_story(vocabulary, None, 8) == MergeTree((), why_not_merged(vocabulary, 8))
    story = merge_story(vocabulary, tokenizer, 8)
    assert story == merge_tree(vocabulary, tokenizer.merging, 8)
    monkeypatch.setattr(tree_details, "MOST_MERGED", 4)
    assert merge_story(vocabulary, tokenizer, 8) == story
    monkeypatch.setattr(tree_details, "MOST_MERGED", 3)
    assert merge_story(vocabulary, tokenizer, 8) == MergeTree((), "Too long to draw here.")
    monkeypatch.setattr(tree_details, "merge_rules_of", lambda merging, token: [1, 2])
    note = merge_story(vocabulary, tokenizer, 5).note
    assert note.startswith("2 merge rules make it; this is the one that text leads to. ")
    monkeypatch.setattr(tree_details, "merge_rules_of", lambda merging, token: [1])
    assert merge_story(vocabulary, tokenizer, 5) == merge_tree(vocabulary, tokenizer.merging, 5)
