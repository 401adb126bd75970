"""Tokens as rows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, Qt
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.session.token_details import TokenDetailsModel
from guiapp.kit.widgets import tables as row_table
from guiapp.kit.widgets.tables import ATTRIBUTES_ROLE, COLUMNS, TINT_ROLE, TokenTableModel

TITLES = [column.title for column in COLUMNS]
HOSTILE = "<b>x</b>\u202e\n\x00"


@pytest.fixture
def source():
    tokens = {"<s>": Attribute.CONTROL, "▁York": -1.5, "\n": -2.0, HOSTILE: -3.0, b"\xe6\xb1": -4.0}
    return ToySource(toy_vocabulary(tokens), [1, 2, 3, 4])


@pytest.fixture
def details(source, qtbot):
    model = TokenDetailsModel(source)
    qtbot.waitUntil(lambda: model.explainer is not None)
    yield model
    model.close()


def shown(model: TokenTableModel, row: int) -> dict[str, str]:
    return {title: model.index(row, column).data() for column, title in enumerate(TITLES)}


def test_a_row_says_all_about_its_token(source, details, qtmodeltester):
    model = TokenTableModel(source, details)
    qtmodeltester.check(model)
    assert shown(model, 0) == {
        "#": "1",
        "id": "1",
        "token": "·York",
        "bytes": "20 59 6F 72 6B",
        "type": "normal",
        "score": "-1.5",
        "span": "0–5",
    }
    assert shown(model, 1)["token"] == "↵"
    assert shown(model, 3)["token"] == "<E6 B1>"


def test_bpe_shows_ranks_where_others_show_scores(qtbot):
    vocabulary = toy_vocabulary({"a": 0.0, "b": 0.0, "ab": 0.0}, VocabType.BPE, merges=["x y", "a b"])
    source = ToySource(vocabulary, [2, 0])
    details = TokenDetailsModel(source)
    model = TokenTableModel(source, details)
    column = TITLES.index("score")
    with qtbot.waitSignal(model.dataChanged):
        qtbot.waitUntil(lambda: details.explainer is not None)
    assert model.headerData(column, Qt.Orientation.Horizontal) == "rank"
    assert [model.index(row, column).data() for row in (0, 1)] == ["1", ""]
    details.close()


def test_an_edit_adds_or_removes_rows_at_the_end_and_renews_all(source, details, qtbot):
    model, shrinking = TokenTableModel(source, details), []
    for signal in (model.rowsInserted, model.rowsRemoved, model.dataChanged):
        signal.connect(lambda *_: shrinking.append(model.is_shrinking))
    rows, corners = [], []
    for signal in (model.rowsInserted, model.rowsRemoved):
        signal.connect(lambda _, first, last: rows.append((first, last)))
    model.dataChanged.connect(lambda *ends: corners.append([(at.row(), at.column()) for at in ends[:2]]))
    with qtbot.waitSignals([model.rowsInserted, model.dataChanged]):
        source.set_tokens([2, 2, 2, 2, 2, 1])
    assert (model.rowCount(), shown(model, 5)["token"]) == (6, "·York")
    with qtbot.waitSignals([model.rowsRemoved, model.dataChanged]):
        source.set_tokens([1])
    assert rows == [(4, 5), (1, 5)]
    assert corners == [[(0, 0), (last, len(COLUMNS) - 1)] for last in (5, 0)]
    assert (model.rowCount(), shown(model, 0)["token"]) == (1, "·York")
    assert shrinking == [False, False, True, False]
    source.set_tokens([])
    assert model.rowCount() == 0


def test_copying_stops_at_a_limit_and_says_so(source, details, monkeypatch):
    monkeypatch.setattr(row_table, "MOST_COPIED_ROWS", 100)
    source.set_tokens(np.ones(105, np.int32))
    lines = TokenTableModel(source, details).as_text(range(105)).splitlines()
    assert len(lines) == 102
    assert lines[-1] == "…"


def test_without_a_token_there_is_no_data(source, details):
    model = TokenTableModel(source, details)
    assert model.index(0, 0, QModelIndex()).data(Qt.ItemDataRole.DecorationRole) is None
    assert model.as_text([99]).count("\n") == 1


def test_all_roles_of_all_cells(source, details):
    model = TokenTableModel(source, details)
    middle = Qt.AlignmentFlag.AlignVCenter
    right, left = Qt.AlignmentFlag.AlignRight | middle, Qt.AlignmentFlag.AlignLeft | middle
    alignments = [right, right, left, left, left, right, right]
    assert model.columnCount() == len(alignments)
    across, role = Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole
    effective_attributes = source.vocabulary.effective_attributes
    for column, alignment in enumerate(alignments):
        assert model.headerData(column, across, role) == alignment
        assert model.headerData(column, across) == TITLES[column]
        assert model.headerData(column, across, Qt.ItemDataRole.ToolTipRole) is None
        assert model.headerData(column, Qt.Orientation.Vertical) is None
        for row in range(4):
            index = model.index(row, column)
            assert model.data(index, role) == alignment
            assert model.data(index, TINT_ROLE) == row
            assert model.data(index, ATTRIBUTES_ROLE) == effective_attributes[row + 1]
            assert model.data(index, Qt.ItemDataRole.ToolTipRole) is None
    assert model.rowCount(model.index(0, 0)) == model.columnCount(model.index(0, 0)) == 0
    assert len({Qt.ItemDataRole.UserRole, TINT_ROLE, ATTRIBUTES_ROLE}) == 2


def test_rows_are_copied_under_their_titles(source, details):
    model = TokenTableModel(source, details)
    assert model.as_text([1, 9, -1, 0]).splitlines() == [
        "#\tid\ttoken\tbytes\ttype\tscore\tspan",
        "2\t2\t↵\t0A\tnormal\t-2\t5–6",
        "1\t1\t·York\t20 59 6F 72 6B\tnormal\t-1.5\t0–5",
    ]


@pytest.mark.parametrize("n_rows", [99, 100, 101])
def test_exactly_so_many_rows_are_copied(source, details, monkeypatch, n_rows):
    monkeypatch.setattr(row_table, "MOST_COPIED_ROWS", 100)
    source.set_tokens(np.ones(n_rows, np.int32))
    lines = TokenTableModel(source, details).as_text(range(n_rows)).splitlines()
    assert (len(lines), lines[-1] == "…") == (n_rows + 1, n_rows > 100)


def test_no_row_changes_where_there_are_none_but_the_titles_may(source, details, qtbot):
    model = TokenTableModel(source, details)
    with qtbot.waitSignal(model.headerDataChanged) as titles, qtbot.assertNotEmitted(model.rowsInserted):
        source.set_tokens([1, 1, 1, 1])
    column = TITLES.index("score")
    assert titles.args == [Qt.Orientation.Horizontal, column, column]
    source.set_tokens([])
    with qtbot.assertNotEmitted(model.dataChanged), qtbot.waitSignal(model.headerDataChanged):
        details.explainer_changed.emit()
    assert (model.rowCount(), model.is_shrinking) == (0, False)


def test_without_a_vocabulary_there_is_a_table_without_words(source, details):
    model = TokenTableModel(source, details)
    source.vocabulary = None
    assert model.index(0, 1).data() is None
    assert model.headerData(TITLES.index("score"), Qt.Orientation.Horizontal) == "score"
    assert model.as_text([0]).count("\n") == 1
