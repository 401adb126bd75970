"""What the rows, the cards and the pictures of the start page show."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from guiapp.kit.widgets.theme import ThemeSource
from guiapp.window.start_page import (
    CardPicture,
    StartCard,
    StartRow,
    draw_text,
)

LEFT, RIGHT, Key = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.Key


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


@pytest.fixture
def make_row(qtbot, theme_source):
    def make(title="A title", detail="a detail", width=300, **more):
        done = []
        row = StartRow(title, detail, lambda: done.append(title), theme_source, **more)
        qtbot.addWidget(row)
        row.done = done
        row.resize(width, row.sizeHint().height())
        return row

    return make


def test_a_row_is_opened_by_a_click_and_by_return(make_row, qtbot):
    row = make_row()
    row.show()
    qtbot.mouseClick(row, LEFT)
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_A):
        qtbot.keyClick(row, key)
    assert row.done == ["A title"] * 3


def test_a_card_opens_by_a_click_inside_and_its_button_runs_the_example(qtbot, theme_source):
    done = []
    card = StartCard(
        "Title", "About it", draw_text, lambda: done.append("open"), lambda: done.append("run"), theme_source
    )
    card.set_example("Try it")
    qtbot.addWidget(card)
    card.resize(280, 300)
    card.show()
    qtbot.waitExposed(card)
    assert (card.title.text(), card.example.text(), card.example.accessibleName()) == (
        "Title",
        "▸  Try it",
        "Try it",
    )
    assert [label.text() for label in card.findChildren(QLabel)] == ["About it"]
    assert card.property("role") == card.title.property("role") == "door"
    assert card.findChild(QLabel).property("role") == "dim"
    qtbot.mouseClick(card, LEFT, pos=QPoint(100, 60))
    qtbot.mouseClick(card, RIGHT, pos=QPoint(100, 60))
    qtbot.mousePress(card, LEFT, pos=QPoint(100, 60))
    qtbot.mouseRelease(card, LEFT, pos=QPoint(100, 400))
    assert done == ["open"]
    qtbot.mouseClick(card.title, LEFT)
    qtbot.mouseClick(card.example, LEFT)
    assert done == ["open", "open", "run"]
    assert card.cursor().shape() is Qt.CursorShape.PointingHandCursor
    assert {card.title.focusPolicy(), card.example.focusPolicy()} == {Qt.FocusPolicy.StrongFocus}
    assert card.findChild(CardPicture).y() < card.title.mapTo(card, QPoint()).y()
    assert card.title.mapTo(card, QPoint()).y() < card.example.mapTo(card, QPoint()).y()
