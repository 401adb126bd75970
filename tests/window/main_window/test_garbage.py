"""Looking for garbage keeps nobody waiting who works in the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets import event_filters as input_watch
from guiapp.window.app import GarbageCollector

pytestmark = pytest.mark.slow


def test_typing_and_clicking_put_it_off_in_dialogs_too(make_shell, qtbot, monkeypatch):
    put_off = []
    monkeypatch.setattr(input_watch, "SELDOM_S", 0.0)
    monkeypatch.setattr(GarbageCollector, "put_off", lambda collector: put_off.append(True))
    shell = make_shell()
    qtbot.waitUntil(lambda: QApplication.focusWindow() is shell.window.windowHandle())
    QTest.mouseMove(shell.window.windowHandle())
    assert len(put_off) == 0
    QTest.keyClick(shell.window.windowHandle(), Qt.Key.Key_A)
    assert put_off
    put_off.clear()
    QTest.mouseClick(shell.window.windowHandle(), Qt.MouseButton.LeftButton)
    assert put_off
    shell.window.actions_table["shortcuts"].trigger()
    qtbot.waitUntil(lambda: QApplication.focusWindow() is not shell.window.windowHandle())
    put_off.clear()
    QTest.keyClick(QApplication.focusWindow(), Qt.Key.Key_Down)
    assert put_off
