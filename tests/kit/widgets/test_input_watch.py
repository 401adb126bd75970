"""Noticing that somebody works in a window."""

from __future__ import annotations

from itertools import count

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from guiapp.kit.widgets import event_filters as input_watch
from guiapp.kit.widgets.event_filters import InputWatch, leave_unpointed

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def widget(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(100, 100)
    widget.show()
    qtbot.waitExposed(widget)
    return widget  # which keeps its window


def noticed_in(window, monkeypatch, seldom_s: float) -> list[bool]:
    """Whether each thing was noticed; a second passes between any two of them."""
    monkeypatch.setattr(input_watch, "SELDOM_S", seldom_s)
    clock, noticed = count(), []
    watch = InputWatch(clock.__next__, parent=window)
    watch.noticed.connect(lambda: noticed.append(True))
    window.installEventFilter(watch)
    return noticed


def test_keys_buttons_and_dragging_are_noticed_and_hovering_is_not(widget, monkeypatch):
    window = widget.windowHandle()
    noticed = noticed_in(window, monkeypatch, seldom_s=0.5)
    QTest.mouseMove(window, QPoint(20, 20))
    assert len(noticed) == 0
    QTest.keyClick(window, Qt.Key.Key_A)
    assert len(noticed) == 1
    QTest.mousePress(window, LEFT, pos=QPoint(20, 20))
    assert len(noticed) == 2
    QTest.mouseMove(window, QPoint(40, 40))
    assert len(noticed) == 3
    QTest.mouseRelease(window, LEFT, pos=QPoint(40, 40))
    assert len(noticed) == 3


def test_only_some_of_many_keys_are_reported(widget, monkeypatch):
    window = widget.windowHandle()
    noticed = noticed_in(window, monkeypatch, seldom_s=2.5)
    for _ in range(7):
        QTest.keyClick(window, Qt.Key.Key_A)
    assert len(noticed) == 3


def test_what_the_mouse_left_while_a_dialog_was_open_is_no_longer_pointed_at(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    buttons = [QPushButton(name, window) for name in ("Save", "Run")]
    buttons[1].move(200, 200)
    window.show()
    for button in buttons:
        QApplication.sendEvent(button, QEvent(QEvent.Type.Enter))
    QCursor.setPos(buttons[1].mapToGlobal(buttons[1].rect().center()))
    leave_unpointed(window)
    assert [button.underMouse() for button in buttons] == [False, True]
