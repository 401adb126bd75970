"""The table of tokens, linked with the session."""

import json

import numpy as np
import pytest
from conftest import VOCABS
from menus import take
from model_files import opened
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QFileDialog
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text.token_table import TextTokenTable

HOSTILE = "<b>x</b>\u202e\n\x00"


@pytest.fixture
def source():
    return ToySource(toy_vocabulary({"a": 0.0, "▁b": -1.0}), [0, 1] * 20)


@pytest.fixture
def show(qtbot):
    tables = []

    def make(source):
        source.tokenizer = Tokenizer(source.vocabulary)
        made = TextTokenTable(source, None, ThemeSource(QApplication.instance(), "light"))
        qtbot.addWidget(made)
        made.resize(700, 200)
        made.show()
        qtbot.waitExposed(made)
        tables.append(made)
        return made

    yield make
    for made in tables:
        made.stop()


@pytest.fixture
def whole(source, show):
    return show(source)


@pytest.fixture
def table(whole):
    return whole.view


@pytest.mark.real_vocabs
def test_a_token_has_the_rank_of_the_merge_that_is_used_of_several_that_make_it(make_shell):
    """Llama 3 has two rules for ` brain`: the card and Why named the second, the table the first."""
    tokenizer = opened(VOCABS / "ggml-vocab-llama-bpe.gguf")
    shell = make_shell(b"a brain cuts refresh", "llama", lambda *_: tokenizer)
    table = TextTokenTable(shell.session, None, shell.window.setting.theme_source)
    explainer = Explainer(tokenizer.vocabulary, tokenizer.merging)
    ranks = [explainer.merge_rank(token) for token in shell.session.tokens.ids(1, 5).tolist()]
    assert len(ranks) == 4
    assert [cells(table.view, row)["rank"] for row in range(1, 5)] == [
        f"{rank:,}" if rank else "" for rank in ranks
    ]
    table.stop()


def cells(table, row):
    model = table.model()
    return {column.title: model.index(row, at).data() for at, column in enumerate(model.columns)}


def wait_until_current(whole, qtbot):
    qtbot.waitUntil(lambda: whole.model.is_up_to_date)


def test_a_row_shows_the_details_of_its_token(show, qtmodeltester):
    tokens = {"<s>": Attribute.CONTROL, "▁York": -1.5, "\n": -2.0, HOSTILE: -3.0, b"\xe6\xb1": -4.0}
    view = show(ToySource(toy_vocabulary(tokens), [1, 2, 3, 4])).view
    qtmodeltester.check(view.model())
    assert cells(view, 0) == {
        "#": "1",
        "id": "1",
        "token": "·York",
        "bytes": "20 59 6F 72 6B",
        "kind": "normal",
        "score": "-1.5",
        "span": "0–5",
    }
    assert cells(view, 1)["token"] == "↵"
    assert cells(view, 3)["token"] == "<E6 B1>"


def test_parts_that_have_no_place_here_are_no_windows(whole):
    shown = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
    assert shown == [whole]


def test_bpe_shows_ranks_where_others_show_scores(show):
    vocabulary = toy_vocabulary({"a": 0.0, "b": 0.0, "ab": 0.0}, VocabType.BPE, merges=["x y", "a b"])
    view = show(ToySource(vocabulary, [2, 0])).view
    assert [cells(view, row)["rank"] for row in (0, 1)] == ["1", ""]
    assert "score" not in cells(view, 0)


def test_an_edit_adds_or_removes_rows_at_the_end_and_renews_all(source, table, qtbot):
    model, shrinking, rows, corners = table.model(), [], [], []
    for signal in (model.rowsInserted, model.rowsRemoved, model.dataChanged):
        signal.connect(lambda *_: shrinking.append(model.is_shrinking))
    for signal in (model.rowsInserted, model.rowsRemoved):
        signal.connect(lambda _, first, last: rows.append((first, last)))
    model.dataChanged.connect(lambda *ends: corners.append([(at.row(), at.column()) for at in ends[:2]]))
    with qtbot.waitSignals([model.rowsInserted, model.dataChanged]):
        source.set_tokens([0] * 41 + [1])
    assert (model.rowCount(), cells(table, 41)["token"]) == (42, "·b")
    with qtbot.waitSignals([model.rowsRemoved, model.dataChanged]):
        source.set_tokens([1])
    assert rows == [(40, 41), (1, 41)]
    assert corners == [[(0, 0), (last, len(model.columns) - 1)] for last in (41, 0)]
    assert shrinking == [False, False, True, False]
    source.set_tokens([])
    assert model.rowCount() == 0


def test_a_title_sorts_and_an_edit_sorts_again(source, whole, qtbot):
    whole.view.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    wait_until_current(whole, qtbot)
    assert [cells(whole.view, row)["#"] for row in (0, 19, 20)] == ["2", "40", "1"]
    qtbot.mouseClick(whole.view.viewport(), Qt.MouseButton.LeftButton, pos=row_place(whole.view, 1))
    assert source.selected_token == 3
    source.set_tokens([0, 1, 1])
    wait_until_current(whole, qtbot)
    assert [cells(whole.view, row)["#"] for row in range(3)] == ["2", "3", "1"]
    whole.model.sort_by("", False)
    assert [cells(whole.view, row)["#"] for row in range(3)] == ["1", "2", "3"]


def test_the_tokens_are_saved_as_json_with_all_columns_that_are_shown(whole, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "tokens.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    take(whole.columns.menu(), "length")
    take(whole.export.menu(), "Save: JSON")
    qtbot.waitUntil(lambda: whole.saving.saved == path)
    record = json.loads(path.read_text())
    assert record["count"] == 40
    assert record["tokens"][1] == {
        "#": 2, "id": 1, "token": " b", "bytes": "2062", "length": 2, "kind": "normal",
        "score": -1, "span": "1..3",
    }  # fmt: skip


def row_place(table, row):
    return table.visualRect(table.model().index(row, 2)).center()


def test_a_click_selects_the_token(source, table, qtbot):
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=row_place(table, 3))
    assert source.selected_token == 3


def test_keys_walk_through_the_tokens(source, table, qtbot):
    source.select_token(3)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert source.selected_token == 4


def test_the_sessions_token_becomes_the_present_row(source, table):
    source.select_token(39)
    assert table.currentIndex().row() == 39
    assert table.viewport().rect().contains(row_place(table, 39))
    assert [index.row() for index in table.selectionModel().selectedRows()] == [39]


def test_the_pointer_hovers_tokens(source, table, qtbot):
    qtbot.mouseMove(table.viewport(), row_place(table, 2))
    qtbot.waitUntil(lambda: source.hovered_token == 2)
    QApplication.sendEvent(table, QEvent(QEvent.Type.Leave))
    assert source.hovered_token is None


def test_selected_rows_are_copied_in_order(source, table, qtbot):
    viewport, left = table.viewport(), Qt.MouseButton.LeftButton
    qtbot.mouseClick(viewport, left, pos=row_place(table, 4))
    qtbot.mouseClick(viewport, left, Qt.KeyboardModifier.ControlModifier, row_place(table, 1))
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Copy))
    lines = QApplication.clipboard().text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["#", "2", "5"]


def test_millions_of_rows_are_shown(source, table, qtbot):
    source.set_tokens(np.ones(5_000_000, np.int32))
    source.select_token(4_999_999)
    assert table.viewport().rect().contains(row_place(table, 4_999_999))


def test_fewer_tokens_leave_the_selection_to_the_text(source, table):
    source.select_token(39)
    asked = []
    source.selected_token_changed.connect(lambda: asked.append(source.selected_token))
    source.set_tokens([0, 1] * 5)
    assert asked == []
    source.selected_token_changed.emit()
    assert table.selectionModel().selectedRows() == []


def test_one_row_is_marked_whatever_keys_are_held(source, table, qtbot):
    qtbot.keyPress(table, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    for index in (3, 5):
        source.select_token(index)
        assert [row.row() for row in table.selectionModel().selectedRows()] == [index]
    qtbot.keyRelease(table, Qt.Key.Key_Control)


def test_a_table_that_was_hidden_shows_the_selected_token(source, table):
    table.hide()
    source.select_token(7)
    table.show()
    assert [row.row() for row in table.selectionModel().selectedRows()] == [7]
