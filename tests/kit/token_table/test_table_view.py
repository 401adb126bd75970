"""The token table over some words: rows, columns, orders, filters, and what is copied and saved."""

from __future__ import annotations

import json

import numpy as np
import pytest
from menus import offered, take
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog

from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.listing import ListColumn
from guiapp.kit.state.settings import Settings, SharedSpelling
from guiapp.kit.token_table.list_model import ShownRows, TokenListModel, rows_where
from guiapp.kit.token_table.table_view import FORMS, TokenTable
from guiapp.kit.widgets.theme import ThemeSource

CTRL, Key = Qt.KeyboardModifier.ControlModifier, Qt.Key
BUTTON = Qt.MouseButton.LeftButton


class Words:
    """40 words of one to seven letters."""

    def __init__(self):
        self.words = ["a" * (number % 7 + 1) for number in range(40)]
        self.orders = {}

    def __len__(self):
        return len(self.words)


COLUMNS = (
    ListColumn(
        "id",
        "its number",
        lambda words: np.arange(40),
        lambda words, row, _: str(row),
        figure=True,
        widest="",
    ),
    ListColumn("word", write=lambda words, row, _: words.words[row], share=2),
    ListColumn("length", "of letters", lambda words: np.array([*map(len, words.words)])),
    ListColumn("half", values=lambda words: np.arange(40) / 2, is_usual=False),
    ListColumn("never", is_there=lambda words: False, is_usual=False),
)


class WordsModel(TokenListModel):
    source = Words()
    column_table = COLUMNS

    def list_rows(self, source, request, progress):
        if request.query == "?":
            raise QueryError("What?")
        flags = np.array([len(word) > len(request.query) for word in source.words])
        return ShownRows(
            request, source, rows_where(source, flags, self.sorting(request), request.is_descending)
        )


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def whole(qtbot, settings):
    model = WordsModel(SharedSpelling(), settings, "vocabulary_columns")
    made = TokenTable(model, ThemeSource(QApplication.instance(), "dark"), "Words", "words", bar=())
    made.model = model
    qtbot.addWidget(made)
    model._list()
    wait_until_up_to_date(made, qtbot)
    made.resize(400, 300)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    made.saving.close()
    model.close()


@pytest.fixture
def table(whole):
    view = whole.view
    view.seen = []
    view.looked_at.connect(view.seen.append)
    return view


def wait_until_up_to_date(whole, qtbot):
    qtbot.waitUntil(lambda: whole.model.is_up_to_date)
    QApplication.processEvents()


def titles(whole):
    return [column.title for column in whole.table.columns]


def words(whole):
    return [
        whole.table.index(row, titles(whole).index("word")).data() for row in range(whole.table.rowCount())
    ]


def click(qtbot, view, row, modifier=Qt.KeyboardModifier.NoModifier):
    place = view.visualRect(view.model().index(row, 1)).center()
    qtbot.mouseClick(view.viewport(), BUTTON, modifier, place)


def test_only_rows_that_the_user_goes_to_are_looked_at(table, qtbot):
    table.setFocus()
    click(qtbot, table, 2)
    assert table.seen[-1] == 2
    table.seen.clear()
    qtbot.keyClick(table, Key.Key_Down)
    assert set(table.seen) == {3}
    table.seen.clear()
    table.go_to(5)
    assert (table.seen, table.selected_rows, table.currentIndex().row()) == ([], [5], 5)
    click(qtbot, table, 3, CTRL)
    click(qtbot, table, 1, CTRL)
    assert table.selected_rows == [1, 3, 5]
    assert set(table.seen) == {3, 1}
    table.seen.clear()
    click(qtbot, table, 1, CTRL)
    assert (table.selected_rows, table.seen) == ([3, 5], [])
    table.go_to(1)
    assert table.selected_rows == [1], "the present row that is not selected becomes so"
    table.go_to(None)
    assert (table.selected_rows, table.seen) == ([], [])
    qtbot.keyClick(table, Key.Key_Down)
    assert table.seen[-1] == 2


def test_going_to_a_row_scrolls_only_if_it_is_out_of_sight(table):
    bar = table.verticalScrollBar()
    table.go_to(3)
    assert bar.value() == 0
    table.go_to(30)
    middle, scrolled = table.visualRect(table.model().index(30, 0)).center().y(), bar.value()
    assert middle == pytest.approx(table.viewport().height() / 2, abs=1.5 * table.rowHeight(0))
    table.go_to(31)
    assert bar.value() == scrolled
    bar.setValue(0)
    table.go_to(31)
    assert bar.value() == 0, "people have scrolled away from it"
    table.go_to(1)
    assert (bar.value(), table.selected_rows) == (0, [1])


def test_selected_rows_are_copied_in_their_order(table, qtbot):
    table.setFocus()
    click(qtbot, table, 3)
    click(qtbot, table, 1, CTRL)
    qtbot.keyClick(table, Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "id\tword\tlength\n1\taa\t2\n3\taaaa\t4\n"
    assert [action.text() for action in table.actions()] == ["Copy rows", "Copy ids", "Export", "Columns"]
    assert table.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu


def test_a_title_sorts_by_its_column_and_a_third_click_does_no_more(whole, qtbot):
    header = whole.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(2) + 10, header.height() // 2)
    for first, title in (("a", "▴ length"), ("a" * 7, "▾ length"), ("a", "length")):
        qtbot.mouseClick(header.viewport(), BUTTON, pos=place)
        wait_until_up_to_date(whole, qtbot)
        assert (words(whole)[0], whole.table.headerData(2, Qt.Orientation.Horizontal)) == (first, title)
    assert words(whole)[:3] == ["a", "aa", "aaa"]
    whole.model.sort_by("word", True)
    wait_until_up_to_date(whole, qtbot)
    assert list(whole.model.shown.rows[:3]) == [6, 13, 20], "words sort as words, equal ones by their number"


def test_typing_filters_and_keys_go_through_what_is_left(whole, qtbot):
    qtbot.keyClicks(whole.field, "....")
    wait_until_up_to_date(whole, qtbot)
    assert (set(map(len, words(whole))), whole.count.text()) == (
        {5, 6, 7},
        f"{len(words(whole))} of 40 tokens",
    )
    for key, at in ((Key.Key_Return, 0), (Key.Key_Down, 1), (Key.Key_Up, 0), (Key.Key_Up, -1)):
        qtbot.keyClick(whole.field, key)
        assert whole.model.chosen == whole.model.shown.rows[at]
    assert whole.selected == [whole.model.chosen]
    whole.field.setText("?")
    wait_until_up_to_date(whole, qtbot)
    assert (words(whole), whole.state.text()) == ([], "What?")
    assert all(row.endswith("off") for row in offered(whole.export.menu()) if row)
    qtbot.keyClick(whole.field, Key.Key_Escape)
    wait_until_up_to_date(whole, qtbot)
    assert (len(words(whole)), whole.count.text(), whole.field.text()) == (40, "40 tokens", "")


def test_the_position_of_a_row_is_known_in_a_huge_table(whole):
    whole.model.shown = ShownRows(whole.model.request, whole.model.source, range(1 << 50))
    assert whole.model.position_of(None) is None
    assert whole.model.position_of(1 << 49) == 1 << 49


def test_columns_are_chosen_in_a_menu_and_saved(whole, qtbot, settings):
    assert offered(whole.columns.menu()) == [
        "id: its number | checked",
        "word | checked",
        "length: of letters | checked",
        "half",
    ]
    take(whole.columns.menu(), "half")
    take(whole.columns.menu(), "id")
    assert titles(whole) == ["word", "length", "half"]
    assert settings.vocabulary_columns == "word,length,half"
    whole.view.selectRow(3)
    whole.copy_ids.trigger()
    assert QGuiApplication.clipboard().text() == "3", "also where they are not shown"
    other = WordsModel(SharedSpelling(), settings, "vocabulary_columns")
    assert other.columns == ["word", "length", "half"]
    for name in other.columns:
        other.show_column(name, False)
    assert len(other.columns) == 1, "one is there in any case"


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.title)
def test_several_selected_rows_are_copied_and_saved_and_otherwise_all(
    whole, table, qtbot, tmp_path, monkeypatch, form
):
    path = tmp_path / f"saved{form.ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *given, **more: (str(path), ""))
    for rows, title in (((2,), "All 40 listed"), ((2, 4), "The 2 selected")):
        for row, modifier in zip(rows, (Qt.KeyboardModifier.NoModifier, CTRL), strict=False):
            click(qtbot, table, row, modifier)
        assert offered(whole.export.menu())[0] == f"{title} | off"
        take(whole.export.menu(), f"Copy: {form.title}")
        take(whole.export.menu(), f"Save: {form.title}")
        qtbot.waitUntil(lambda: whole.saving.saved == path)
        text = path.read_text()
        assert text == QGuiApplication.clipboard().text()
        if form.title == "JSON":
            record = json.loads(text)
            assert record["count"] == len(record["tokens"]) == (40 if len(rows) == 1 else 2)
            assert record["tokens"][-1]["word"] == ("aaaaa" if len(rows) == 2 else "a" * (39 % 7 + 1))
        whole.saving.dismiss()
