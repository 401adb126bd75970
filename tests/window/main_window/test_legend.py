"""The legend of each page is one click away, and can be read aloud."""

import pytest
from instant_recorder import load_once
from main_window_driver import SHIFT, press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from guiapp.core.demo import demo_model_path
from guiapp.window.help import LegendCard
from guiapp.window.pages import PAGES

pytestmark = pytest.mark.slow


LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


@pytest.fixture
def shell(share_shell):
    return share_shell(b"words", str(demo_model_path("bpe")), load_once)


def open_legend(shell, qtbot):
    qtbot.mouseClick(shell.window.status_line.legend_button, LEFT)
    card = QApplication.activePopupWidget()
    assert isinstance(card, LegendCard)
    return card


@pytest.mark.parametrize("page", [row.name for row in PAGES])
def test_a_click_opens_the_legend_of_the_page_inside_the_window(shell, qtbot, page):
    shown = shell.window.pages.show_page(page)
    card = open_legend(shell, qtbot)
    meanings = [entry.meaning for entries in shown.legend.values() for entry in entries]
    labels = [label for label in card.findChildren(QLabel) if label.isVisible()]
    label_texts = [label.accessibleName() or label.text() for label in labels]
    assert [text for text in label_texts if text in meanings] == meanings
    assert set(shown.legend) <= set(label_texts)
    assert shell.window.frameGeometry().contains(card.frameGeometry())
    qtbot.keyClick(card, Key.Key_Escape)
    assert QApplication.activePopupWidget() is None


def test_it_has_a_key(shell, qtbot):
    press(qtbot, shell, Key.Key_F1, SHIFT)
    assert isinstance(QApplication.activePopupWidget(), LegendCard)
    QApplication.activePopupWidget().close()
