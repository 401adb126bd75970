"""The ids panel: formats, copying, strip or table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QToolButton
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text.ids_panel import AT_ONCE, IdsPanel, TokenStrip
from guiapp.pages.text.token_table import TextTokenTable


@pytest.fixture
def source():
    return ToySource(toy_vocabulary({"a": 0.0, "▁b": -1.0, "c": -2.0}), [2, 1, 0, 1])


@pytest.fixture
def panel(source, qtbot):
    theme_source = ThemeSource(QApplication.instance(), "dark")
    source.tokenizer = Tokenizer(source.vocabulary)
    table = TextTokenTable(source, None, theme_source)
    widget = IdsPanel(source, TokenStrip(source, theme_source), lambda: table, theme_source)
    qtbot.addWidget(widget)
    widget.resize(700, 200)
    widget.show()
    qtbot.waitExposed(widget)
    yield widget
    widget.stop()


def press(qtbot, panel, title):
    button = next(button for button in panel.findChildren(QToolButton) if button.text() == title)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def copied() -> str:
    return QApplication.clipboard().text()


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Plain", "2 1 0 1"),
        ("JSON", "[2, 1, 0, 1]"),
        ("Python", "token_ids = [2, 1, 0, 1]"),
        ("C", "const int32_t tokens[4] = {2, 1, 0, 1};"),
    ],
)
def test_all_ids_are_copied_in_the_chosen_format(panel, qtbot, title, text):
    press(qtbot, panel, title)
    assert (copied(), panel.format_name) == (text, {"Plain": "plain"}.get(title, title))
    QApplication.clipboard().setText("before")
    press(qtbot, panel, title)
    assert copied() == text


def test_only_the_ids_of_the_selected_range_are_copied(panel, qtbot):
    panel.strip.select(1)
    panel.strip.select(2, extend=True)
    panel.strip.setFocus()
    qtbot.keySequence(panel.strip, QKeySequence(QKeySequence.StandardKey.Copy))
    assert copied() == "1 0"


def test_many_ids_are_written_in_the_background(source, panel, qtbot):
    ids = [0, 1, 2] * AT_ONCE
    source.set_tokens(ids)
    QApplication.clipboard().setText("before")
    press(qtbot, panel, "Plain")
    assert copied() == "before"
    qtbot.waitUntil(lambda: copied() != "before")
    assert copied().split() == list(map(str, ids))


def test_a_later_copy_is_not_overwritten(source, panel, qtbot):
    source.set_tokens([0, 1, 2] * AT_ONCE)
    press(qtbot, panel, "Plain")
    QApplication.clipboard().setText("newer")
    qtbot.wait(200)
    assert copied() == "newer"


def test_strip_and_table_take_turns(panel, qtbot):
    press(qtbot, panel, "Table")
    assert panel.table.isVisible()
    assert not panel.strip.isVisible()
    press(qtbot, panel, "Strip")
    assert panel.strip.isVisible()


def test_both_views_and_the_session_agree(source, panel, qtbot):
    place = panel.strip.chip_rect(3).center()
    qtbot.mouseClick(panel.strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert source.selected_token == 3
    press(qtbot, panel, "Table")
    assert panel.table.view.currentIndex().row() == 3
    qtbot.keyClick(panel.table.view, Qt.Key.Key_Up)
    assert (source.selected_token, panel.strip.selected_range) == (2, (2, 3))
