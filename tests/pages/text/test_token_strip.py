"""The strip of ids, with real clicks and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QToolTip
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text.ids_panel import TokenStrip

Key, Shift, Control = Qt.Key, Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def source():
    tokens = {"<s>": Attribute.CONTROL, "a": 0.0, "<b>bold</b>\u202e": 0.0}
    return ToySource(toy_vocabulary(tokens), [0] + [1] * 99)


@pytest.fixture
def strip(source, qtbot):
    widget = TokenStrip(source, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(widget)
    widget.resize(300, 120)
    widget.show()
    qtbot.waitExposed(widget)
    return widget


def press(qtbot, strip, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(strip, key, modifier)


def click(qtbot, strip, index, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.mouseClick(strip.viewport(), LEFT, modifier, strip.chip_rect(index).center())


def columns(strip):
    return next(index for index in range(1, 100) if strip.chip_rect(index).top() > strip.chip_rect(0).top())


def test_a_click_selects_the_token(source, strip, qtbot):
    with qtbot.waitSignal(source.selected_token_changed):
        click(qtbot, strip, 7)
    assert source.selected_token == 7
    assert strip.selected_range == (7, 8)


@pytest.mark.parametrize("selected", [0, 50])
def test_the_selected_token_is_visible_after_other_tokens_arrive(source, strip, selected):
    source.select_token(selected)
    strip.verticalScrollBar().setValue(strip.verticalScrollBar().maximum() if selected == 0 else 0)
    source.set_tokens([1] * 500)
    assert source.selected_token == selected
    assert strip.viewport().rect().contains(strip.chip_rect(selected))


def test_arrows_walk_over_rows_and_stop_at_the_ends(source, strip, qtbot):
    n_columns = columns(strip)
    click(qtbot, strip, 0)
    walked = []
    down_and_up = Key.Key_Down, Key.Key_Home, Key.Key_Up, Key.Key_Down, Key.Key_End, Key.Key_Up
    for key in (Key.Key_Left, Key.Key_Right, *down_and_up):
        press(qtbot, strip, key)
        walked.append(source.selected_token)
    assert walked == [0, 1, n_columns + 1, n_columns, 0, n_columns, 2 * n_columns - 1, n_columns - 1]
    click(qtbot, strip, 2)
    press(qtbot, strip, Key.Key_Up)
    assert source.selected_token == 2
    press(qtbot, strip, Key.Key_End, Control)
    assert source.selected_token == 99
    for last in (99, 100 - n_columns):  # below which there is no token
        source.select_token(last)
        press(qtbot, strip, Key.Key_Down)
        assert source.selected_token == last
    press(qtbot, strip, Key.Key_PageUp)
    assert source.selected_token < 99
    press(qtbot, strip, Key.Key_Home, Control)
    assert source.selected_token == 0


def test_shift_selects_a_range_in_either_direction(source, strip, qtbot):
    click(qtbot, strip, 10)
    click(qtbot, strip, 14, Shift)
    assert strip.selected_range == (10, 15)
    for _ in range(6):
        press(qtbot, strip, Key.Key_Left, Shift)
    assert strip.selected_range == (8, 11)
    press(qtbot, strip, Key.Key_Right)
    assert strip.selected_range == (9, 10)


def test_dragging_selects_a_range(source, strip, qtbot):
    viewport = strip.viewport()
    qtbot.mousePress(viewport, LEFT, pos=strip.chip_rect(3).center())
    there = QPointF(strip.chip_rect(6).center())
    move = QMouseEvent(
        QEvent.Type.MouseMove, there, there, Qt.MouseButton.NoButton, LEFT, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(viewport, move)
    assert strip.selected_range == (3, 7)
    qtbot.mouseRelease(viewport, LEFT)


def test_a_selection_made_elsewhere_ends_the_range(source, strip, qtbot):
    click(qtbot, strip, 10)
    click(qtbot, strip, 14, Shift)
    source.select_token(2)
    assert strip.selected_range == (2, 3)


def test_all_can_be_selected(strip):
    strip.select_all()
    assert strip.selected_range == (0, 100)


def test_hovering_is_synchronised_with_the_session(source, strip, qtbot):
    qtbot.mouseMove(strip.viewport(), strip.chip_rect(4).center())
    qtbot.waitUntil(lambda: source.hovered_token == 4)
    source.hover_token(20)
    QApplication.sendEvent(strip, QEvent(QEvent.Type.Leave))
    assert source.hovered_token is None


def test_millions_of_tokens_scroll_to_the_last(source, strip, qtbot):
    source.set_tokens(np.ones(5_000_000, np.int32))
    press(qtbot, strip, Key.Key_End, Control)
    press(qtbot, strip, Key.Key_End, Control)
    assert source.selected_token == 4_999_999
    assert strip.viewport().rect().contains(strip.chip_rect(4_999_999))
    source.set_tokens([1])
    assert strip.selected_range == (0, 0)
    assert strip.verticalScrollBar().maximum() == 0


def test_tool_tips_show_token_texts_escaped(source, strip, qtbot):
    source.set_tokens([2])
    place = strip.chip_rect(0).center()
    QApplication.sendEvent(strip.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, strip.mapToGlobal(place)))
    qtbot.waitUntil(lambda: "bold" in QToolTip.text())
    assert "&lt;b&gt;bold&lt;/b&gt;&lt;U+202E&gt;" in QToolTip.text()
    QToolTip.hideText()


@pytest.mark.parametrize("button", [Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton])
def test_other_buttons_select_nothing(source, strip, qtbot, button):
    click(qtbot, strip, 3)
    qtbot.mouseClick(strip.viewport(), button, pos=strip.chip_rect(7).center())
    there = QPointF(strip.chip_rect(8).center())
    QApplication.sendEvent(
        strip.viewport(),
        QMouseEvent(QEvent.Type.MouseMove, there, there, button, button, Qt.KeyboardModifier.NoModifier),
    )
    assert strip.selected_range == (3, 4)


def test_the_tab_key_selects_the_first_token_where_none_is_selected(source, strip):
    mouse, tab = Qt.FocusReason.MouseFocusReason, Qt.FocusReason.TabFocusReason
    for chosen, reason, expected in ((None, mouse, None), (None, tab, 0), (5, tab, 5)):
        strip.clearFocus()
        source.select_token(chosen)
        strip.setFocus(reason)
        assert source.selected_token == expected


def test_keys_without_a_selected_token_and_those_of_others(source, strip, qtbot):
    press(qtbot, strip, Key.Key_Right)
    assert source.selected_token == 1
    for key, is_accepted in ((Key.Key_A, False), (Key.Key_Right, True)):
        event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        event.accept()
        QApplication.sendEvent(strip, event)
        assert event.isAccepted() is is_accepted
    source.set_tokens([])
    press(qtbot, strip, Key.Key_Right)
    strip.select_all()
    strip.clearFocus()
    strip.setFocus(Qt.FocusReason.TabFocusReason)
    assert source.selected_token is None
