"""Noticing that somebody works in a window."""

from __future__ import annotations

from itertools import count

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from guiapp.kit.widgets import event_filters as input_watch
from guiapp.kit.widgets.event_filters import InputWatch

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


def test_of_many_keys_only_some_are_told(widget, monkeypatch):
    window = widget.windowHandle()
    noticed = noticed_in(window, monkeypatch, seldom_s=2.5)
    for _ in range(7):
        QTest.keyClick(window, Qt.Key.Key_A)
    assert len(noticed) == 3
