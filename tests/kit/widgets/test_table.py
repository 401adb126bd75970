"""Tokens as rows."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.session.token_details import TokenDetailsModel
from guiapp.kit.widgets import tables as row_table
from guiapp.kit.widgets.tables import COLUMNS, LEFT, MOST_SEARCHED_ROWS, Column, RowTable, TokenTableModel

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


def test_rows_are_copied_under_their_titles(source, details):
    model = TokenTableModel(source, details)
    assert model.as_text([1, 9, -1, 0]).splitlines() == [
        "#\tid\ttoken\tbytes\ttype\tscore\tspan",
        "2\t2\t↵\t0A\tnormal\t-2\t5–6",
        "1\t1\t·York\t20 59 6F 72 6B\tnormal\t-1.5\t0–5",
    ]


class Numbers(RowTable[int]):
    """0, 1, 2 … in words; `told` are those that somebody asked for."""

    def __init__(self, n_rows: int) -> None:
        super().__init__()
        self.n_rows, self.told = n_rows, []
        self.columns = (Column("number", LEFT, self._tell),)

    n_rows = columns = None  # type: ignore[assignment]  # those of an instance, not properties

    def row(self, index: int) -> int:
        return index

    def _tell(self, number: int) -> str:
        self.told.append(number)
        return str(number)


@pytest.mark.parametrize(("n_rows", "found"), [(MOST_SEARCHED_ROWS, 100), (MOST_SEARCHED_ROWS + 1, 0)])
def test_letters_find_a_row_unless_all_of_a_long_table_would_be_told(qtbot, n_rows, found):
    view, numbers = QTableView(), Numbers(n_rows)
    qtbot.addWidget(view)
    view.setModel(numbers)
    view.setCurrentIndex(numbers.index(0, 0))
    view.keyboardSearch("100")
    assert view.currentIndex().row() == found
    assert bool(numbers.told) == bool(found)
