"""Fonts are found before a text needs them."""

from PySide6.QtGui import QFont

from guiapp.kit.widgets import shaped_texts as fonts


def test_one_script_after_the_other_is_looked_for_and_then_no_more(qtbot, monkeypatch):
    monkeypatch.setattr(fonts, "TURN_MS", 1)
    search = fonts.FontSearch(QFont())
    assert not search.is_done
    qtbot.waitUntil(lambda: search.is_done)
    qtbot.wait(10)  # whoever went on would find nothing to look for, and complain
