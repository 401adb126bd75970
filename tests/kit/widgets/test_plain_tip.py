"""Tooltips show what strangers wrote, not what it would be as HTML."""

import pytest
from fake_tokenizer import FakeTokenizer
from PySide6.QtGui import QTextDocument

from guiapp.kit.session.loader import ModelLoader
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.window.model_picker import ModelButton


@pytest.mark.parametrize("text", ["<b>bold</b> & so on", '<img src="x">', "a  <\n b>"])
def test_all_of_a_text_is_seen(qapp, text):
    shown = QTextDocument()
    shown.setHtml(plain_tip(text))
    assert shown.toPlainText() == text


def test_a_text_that_cannot_be_html_stays(qapp):
    assert plain_tip("R&D, 3 > 2") == "R&D, 3 > 2"


def test_the_name_in_a_model_file_is_no_html(qtbot, qapp):
    loader = ModelLoader(lambda *asked: FakeTokenizer("<h1>name</h1>"))
    button = ModelButton(loader, ThemeSource(qapp, "dark"))
    qtbot.addWidget(button)
    with qtbot.waitSignal(loader.model_changed):
        loader.open("model.gguf")
    assert "&lt;h1&gt;" in button.toolTip()
