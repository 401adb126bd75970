"""The Tree page, with real clicks and keys."""

import pytest
from chart_samples import click
from instant_recorder import load_once
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QToolButton
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.picture import ROOT
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.tree.page import TreePage
from guiapp.pages.tree.results import NO_MODEL as NOTHING_TO_COUNT
from guiapp.pages.tree.view import NO_MODEL, PREPARING

TEXT = b"Welcome to the tree, the whole tree."


def widest_child(page):
    picture = page.model.picture
    return max(picture.children(ROOT), key=lambda node: picture.span(node)[1] - picture.span(node)[0])


def test_tokens_of_the_text_light_their_path(open_tree_page):
    page, session = open_tree_page(load_once("demo:bpe"))
    for index in range(1, len(session.tokens) - 1):
        session.select_token(index)
        assert page.model.chosen_token == int(session.tokens.ids(index, index + 1)[0])
    assert page.model.chosen_path[0] == ROOT


def test_a_search_that_ends_leaves_the_field_as_it_was(page, qtbot):
    page.bar.query.setText("the")
    qtbot.waitUntil(lambda: len(page.search.result_nodes) > 0)
    assert "FOUND · " in page.results_panel.findChild(QLabel).text()
    page.search.end()
    assert page.results_panel.findChild(QLabel).text() == "FOUND"
    assert page.bar.query.text() == ""


def test_alt_and_arrows_go_back_and_forward_from_anywhere(page, qtbot):
    page.activateWindow()
    page.bar.query.setFocus()
    qtbot.waitUntil(page.bar.query.hasFocus)
    whole = page.model.view
    page.model.show(page.model.picture.node(0))
    near = page.model.view
    qtbot.keyClick(page.bar.query, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert page.model.view == whole
    qtbot.keyClick(page.bar.query, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert page.model.view == near


def test_a_token_of_another_page_is_chosen_and_in_view(page, qtbot):
    page.model.show(page.model.picture.node(0))
    page.side.turn_to("Figures")
    page.show_token(300)
    qtbot.waitUntil(lambda: page.model.chosen_token == 300)
    assert page.search.is_in_view
    assert page.side.current is page.node_panel


def test_showing_statistics_does_not_change_the_current_match(page, qtbot):
    page.bar.query.setText("th")
    page.search.step(1)
    qtbot.waitUntil(lambda: page.search.current == 0)
    page.side.turn_to("Figures")
    assert page.head.line.text().startswith("1 of ")
    qtbot.waitUntil(lambda: page.search.source.is_reached is not None and page.search.is_up_to_date)
    assert page.head.line.text().startswith("1 of ")


@pytest.mark.parametrize("name", ["have no children", "hold part", "no test text"])
def test_each_figure_lists_its_tokens(page, qtbot, name):
    page.side.tabs.choose(2)

    def row():
        rows = page.figures_panel.findChildren(QToolButton)
        return next((row for row in rows if row.accessibleName().startswith(name)), None)

    qtbot.waitUntil(lambda: row() is not None and page.search.is_up_to_date)
    expected = row().accessibleName().rpartition(": ")[2]
    qtbot.mouseClick(row(), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.search.is_up_to_date and page.is_ready)
    assert page.side.current is page.results_panel
    assert f"{page.results_panel.view.model().rowCount():,}" == expected
    assert page.view.colors.lit[page.search.result_nodes].all()
    qtbot.mouseClick(page.results_panel.clear, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.is_ready)
    assert page.view.colors.lit is None
    assert page.bar.query.text() == ""


def test_a_click_on_a_bar_searches_for_its_tokens(page, qtbot):
    page.side.tabs.choose(2)
    chart = page.figures_panel.charts["depth"]
    qtbot.waitUntil(lambda: len(chart.values) > 2)
    click(chart, chart.pixel(2, 0).toPoint() - QPoint(0, 1))
    assert page.search.query == "depth:2"
    qtbot.waitUntil(lambda: page.search.is_up_to_date)
    assert set(page.model.picture.tree.columns.depths[page.search.shown.rows].tolist()) == {2}
    assert chart.selected == 2


def test_rows_and_steps_share_the_current_result(page, qtbot):
    page.side.tabs.choose(1)
    page.bar.query.setText("th")
    qtbot.waitUntil(lambda: len(page.search.result_nodes) > 3)
    table = page.results_panel.view
    table.setFocus()
    place = table.visualRect(table.model().index(2, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert page.head.line.text().startswith("3 of ")
    assert page.model.chosen == page.search.result_nodes[2]
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert page.head.line.text().startswith("4 of ")
    qtbot.keyClick(page.bar.query, Qt.Key.Key_Return)
    assert table.currentIndex().row() == 4
    assert page.model.chosen == page.search.result_nodes[4]


def test_results_out_of_view_are_reported_and_enter_shows_them(page, qtbot):
    page.model.show(page.model.picture.node(0))
    view = page.model.view
    page.bar.query.setText("the")
    qtbot.waitUntil(lambda: len(page.search.result_nodes) > 0)
    assert page.model.view == view
    assert "not in view" in page.head.line.whole_text
    qtbot.keyClick(page.bar.query, Qt.Key.Key_Return)
    assert page.search.is_in_view
    assert page.model.can_go_back


@pytest.mark.parametrize(
    "tokens",
    [
        {},
        {"a": 0.0},
        {b"\xff": 0.0},
        dict.fromkeys(["a" * n for n in range(1, 100)], 0.0),
        dict.fromkeys("abcdefg", 0.0),
    ],
    ids=["none", "one token", "broken", "chain", "flat"],
)
def test_odd_vocabularies_are_shown(open_tree_page, qtbot, tokens):
    page, _ = open_tree_page(Tokenizer(toy_vocabulary(tokens, VocabType.SPM)), text=b"")
    for shape in ("sunburst", "icicle"):
        page.model.set_shape(shape)
        assert not page.grab().isNull()
    for node in range(len(page.model.picture)):
        page.model.choose(node)
        page.model.show(node)
    page.side.tabs.choose(2)
    qtbot.waitUntil(lambda: page.figures_panel.figures.value is not None)
    page.bar.query.setText("a")
    page.show_three_trees()
    assert not page.grab().isNull()


def test_three_trees_lie_side_by_side_where_there_is_room(page, qtbot):
    page.resize(1400, 800)
    page.model.choose(widest_child(page))
    label = {each.accessibleName(): each for each in page.node_panel.findChildren(QLabel)}

    def side_by_side():
        return label["Path in the tree"].x() != label["How it is built"].x()

    assert not side_by_side()
    page.show_three_trees()
    qtbot.waitUntil(side_by_side)
    page.show_three_trees()
    qtbot.waitUntil(lambda: not side_by_side())


def test_the_prefixes_of_a_very_long_token_are_limited(open_tree_page):
    page, session = open_tree_page(load_once("demo:wordpiece"), "🚀".encode() * 1000)
    assert len(session.tokens) == 3  # [CLS], [UNK], [SEP]
    session.select_token(1)
    tree = page.walk.prefix_tree()
    assert 100 < len(tree.text) < 300
    assert session.document.text().startswith(tree.text)


@pytest.mark.parametrize("is_late", [False, True])
def test_the_whole_tree_is_shown_first_however_late_the_text_is_encoded(open_tree_page, qtbot, is_late):
    page, session = open_tree_page(load_once("demo:bpe"), text=b"" if is_late else TEXT)
    if is_late:
        session.document.replace(0, 0, TEXT)
        qtbot.waitUntil(lambda: page.model.chosen_token is not None)
    assert page.model.chosen_token is not None
    assert page.model.view == (0.0, float(page.model.picture.width))


def test_without_a_model_the_page_asks_for_one(qtbot, tmp_path):
    session = ModelSession(TextSession(b""), load=lambda *asked: None)
    page = TreePage(session, ThemeSource(QApplication.instance(), "dark"), Settings(tmp_path / "s.json"))
    qtbot.addWidget(page)
    assert not page.model.is_preparing
    page.side.tabs.choose(2)
    assert NOTHING_TO_COUNT in {label.text() for label in page.figures_panel.findChildren(QLabel)}
    assert not page.grab().isNull()
    page.stop()
    session.close()


def test_the_page_shows_that_it_needs_or_prepares_a_model(qtbot, tmp_path):
    tokenizer = load_once("demo:bpe")
    session = ModelSession(TextSession(TEXT), load=lambda *asked: tokenizer)
    page = TreePage(session, ThemeSource(QApplication.instance(), "dark"), Settings(tmp_path / "s.json"))
    qtbot.addWidget(page)
    assert not page.model.is_preparing
    page.side.tabs.choose(2)
    assert NOTHING_TO_COUNT in {label.text() for label in page.figures_panel.findChildren(QLabel)}
    assert page.view.notice == NO_MODEL
    session.loader.open("demo:bpe")
    assert page.view.notice == PREPARING
    qtbot.waitUntil(lambda: page.model.picture is not None)
    page.stop()
    session.close()
