"""Rows that are scrolled: painted ones, and those of tables to go through and to copy."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTableView

from guiapp.kit.widgets.tables import LEFT, RIGHT, ROW_PX, Column, PaintedRows, RowsView, RowTable, shared_out
from guiapp.kit.widgets.theme import DARK, LIGHT, ThemeSource

CTRL, Key = Qt.KeyboardModifier.ControlModifier, Qt.Key
BUTTON = Qt.MouseButton.LeftButton


class ColouredRows(PaintedRows):
    """Notes which rows are painted, and where."""

    def __init__(self, theme_source):
        super().__init__(theme_source, "Rows")
        self.count, self.chosen, self.painted = 9, -1, {}

    @property
    def n_rows(self):
        return self.count

    @property
    def chosen_row(self):
        return self.chosen

    def paint_row(self, painter, theme, row, place):
        self.painted[row] = place


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def rows(qtbot, theme_source):
    rows = ColouredRows(theme_source)
    qtbot.addWidget(rows)
    rows.resize(300, 3 * ROW_PX + 20)
    rows.show()
    qtbot.waitExposed(rows)
    return rows


def grabbed(rows):
    rows.painted.clear()
    return rows.viewport().grab().toImage()


def test_rows_are_scrolled_by_halves_and_by_pages_down_to_the_last(rows):
    bar, height = rows.verticalScrollBar(), rows.viewport().height()
    assert (bar.minimum(), bar.maximum()) == (0, 9 * ROW_PX - height)
    assert (bar.singleStep(), bar.pageStep()) == (ROW_PX // 2, height)
    for scrolled in (0, 30, bar.maximum()):
        bar.setValue(scrolled)
        assert rows.row_at(4) == QRect(0, 4 * ROW_PX - scrolled, rows.viewport().width(), ROW_PX)
        for row in (0, 4, 8):
            place = rows.row_at(row)
            assert rows.row_under(place.top()) == rows.row_under(place.bottom()) == row
    rows.resize(300, 2 * ROW_PX)
    assert bar.maximum() == 9 * ROW_PX - rows.viewport().height()
    rows.count = 1
    rows.fit_rows()
    assert bar.maximum() == 0
    assert (rows.accessibleName(), rows.focusPolicy()) == ("Rows", Qt.FocusPolicy.StrongFocus)


def test_only_rows_in_sight_are_painted_each_in_its_place(rows):
    grabbed(rows)
    assert sorted(rows.painted) == [0, 1, 2, 3]
    rows.verticalScrollBar().setValue(ROW_PX)
    grabbed(rows)
    assert sorted(rows.painted) == [1, 2, 3, 4]
    rows.verticalScrollBar().setValue(ROW_PX - 1)
    grabbed(rows)
    assert rows.painted == {row: rows.row_at(row) for row in range(5)}
    rows.count = 2
    rows.fit_rows()
    grabbed(rows)
    assert sorted(rows.painted) == [0, 1]


def test_the_chosen_row_is_lit_with_an_edge_and_lines_part_all(rows, theme_source):
    rows.chosen = 1
    for theme in (DARK, LIGHT):
        theme_source.choose(theme.name)
        image = grabbed(rows)
        edges = [image.pixelColor(0, rows.row_at(row).center().y()) for row in range(3)]
        assert edges == [theme.background, theme.accent, theme.background]
        grounds = [image.pixelColor(100, rows.row_at(row).center().y()) for row in range(3)]
        assert grounds[0] == grounds[2] == theme.background
        assert grounds[1] not in (theme.background, theme.accent)
        assert [image.pixelColor(2, rows.row_at(1).center().y())] == [grounds[1]]
        for row in range(3):
            assert image.pixelColor(100, rows.row_at(row).bottom()) == theme.line
            assert image.pixelColor(100, rows.row_at(row).bottom() - 1) == grounds[row]
            assert image.pixelColor(100, rows.row_at(row).top()) == grounds[row]


def test_what_is_chosen_is_scrolled_into_sight_and_no_further(rows):
    bar, height = rows.verticalScrollBar(), rows.viewport().height()
    for chosen, scrolled in ((-1, 0), (0, 0), (1, 0), (5, 6 * ROW_PX - height), (4, 6 * ROW_PX - height)):
        rows.chosen = chosen
        rows.show_chosen()
        assert bar.value() == pytest.approx(scrolled, abs=1)
    for chosen, scrolled in ((1, ROW_PX), (2, ROW_PX), (0, 0), (8, bar.maximum())):
        rows.chosen = chosen
        rows.show_chosen()
        assert bar.value() == pytest.approx(scrolled, abs=1)


class Words(RowTable):
    """Numbered words."""

    columns = (
        Column("#", RIGHT, lambda row: str(row[0])),
        Column("word", LEFT, lambda row: row[1]),
        Column("length", RIGHT, lambda row: str(len(row[1]))),
    )
    n_rows = 40

    def row(self, index):
        return index, "a" * (index % 7 + 1)


@pytest.fixture
def table(qtbot):
    view = RowsView(Words(), "Words", lambda room: (40, room - 40, 0) if room < 300 else (40, room - 90, 50))
    view.seen = []
    view.looked_at.connect(view.seen.append)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.show()
    qtbot.waitExposed(view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    return view


def click(qtbot, view, row, modifier=Qt.KeyboardModifier.NoModifier):
    place = view.visualRect(view.model().index(row, 1)).center()
    qtbot.mouseClick(view.viewport(), BUTTON, modifier, place)


def test_rows_that_people_go_to_are_looked_at_and_others_are_not(table, qtbot):
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


def test_a_row_that_is_in_sight_stays_where_it_is_and_another_comes_to_the_middle(table):
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
    assert QGuiApplication.clipboard().text() == "#\tword\tlength\n1\taa\t2\n3\taaaa\t4\n"
    assert [action.text() for action in table.actions()] == ["Copy rows"]
    assert table.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu


def test_columns_share_the_room_until_people_drag_them(table):
    bar = table.verticalScrollBar().sizeHint().width()

    def widths():
        return [0 if table.isColumnHidden(at) else table.columnWidth(at) for at in range(3)]

    room = table.contentsRect().width() - bar
    assert widths()[:2] == [40, room - 90]
    assert widths()[2] >= 50
    table.setColumnWidth(0, 70)
    table.fit_columns()
    table.model().modelReset.emit()
    assert table.columnWidth(0) == 70
    table.resize(250, 200)
    room = table.contentsRect().width() - bar
    assert widths()[0] == 40
    assert (widths()[1] >= room - 40, widths()[2]) == (True, 0)
    table.resize(400, 200)
    assert widths()[2] >= 50


def test_a_table_of_rows_has_no_grid_no_numbers_and_leaves_tab_to_the_page(table):
    header = table.horizontalHeader()
    assert not any((table.showGrid(), table.wordWrap(), table.tabKeyNavigation()))
    assert (table.verticalHeader().isVisible(), header.highlightSections()) == (False, False)
    assert header.stretchLastSection()
    assert table.selectionBehavior() is QTableView.SelectionBehavior.SelectRows
    assert table.accessibleName() == "Words"
    assert {table.rowHeight(row) for row in range(40)} == {table.verticalHeader().defaultSectionSize()}
    assert table.rowHeight(0) > table.fontMetrics().height()
    last = table.model().index(39, 2)
    assert table.visualRect(last).right() <= table.viewport().width()
    assert table.indexAt(QPoint(5, 5)).row() == 0


@pytest.mark.parametrize(
    ("room", "shares", "least", "widths"),
    [
        (100, (1, 1), (), [50, 50]),
        (100, (3, 1), (), [75, 25]),
        (100, (3, 1), (0, 40), [60, 40]),
        (100, (1, 1, 2), (60, 0, 0), [60, 13, 27]),
        (100, (1, 1), (80, 80), [80, 80]),
        (90, (1, 2, 6), (30, 10, 20), [30, 15, 45]),
        (0, (1, 2), (5, 5), [5, 5]),
    ],
)
def test_room_is_shared_out_and_what_some_need_more_others_have_less(room, shares, least, widths):
    assert shared_out(room, shares, least) == pytest.approx(widths, abs=1)
