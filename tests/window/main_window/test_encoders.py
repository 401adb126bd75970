"""Encoders in the real window: chosen, compared with the exact tokens, explained; and texts that fail."""

import pytest
from fake_tokenizer import UNENCODABLE
from gguf_builder import write_vocab
from instant_recorder import load_once
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from guiapp import open_model
from guiapp.analysis.explain.reports import info_report
from guiapp.kit.widgets.controls import Explanation

pytestmark = pytest.mark.slow


def test_the_encoder_is_chosen_from_those_that_apply(shell, qtbot):
    actions = shell.window.actions_table
    assert actions["encoder:fast"].isChecked()
    assert not actions["encoder:viterbi"].isVisible()
    assert shell.window.top_bar.encoder_button.text() == "Tokenloupe"


def test_the_reason_for_a_badge_is_one_click_away(shell, qtbot):
    shell.window.actions_table["choose_pre"].setEnabled(True)  # a remedy for other causes
    qtbot.mouseClick(shell.window.top_bar.exactness, Qt.MouseButton.LeftButton)
    shown = QApplication.activePopupWidget()
    assert isinstance(shown, Explanation)
    assert "Every word is looked up." in [label.text() for label in shown.findChildren(QLabel)]
    assert shown.buttons == []
    shown.close()


def test_an_approximate_encoder_shows_its_agreement(shell, qtbot):
    session, badge = shell.session, shell.window.top_bar.exactness
    shell.window.actions_table["choose_pre"].setEnabled(True)  # a remedy for other causes
    session.set_encoder("slow")
    qtbot.waitUntil(lambda: badge.text() == "approximate 50.0 %")  # of the four exact tokens: <s> and "one"
    badge.explain()
    explanation = QApplication.activePopupWidget()
    assert "·two" in explanation.findChildren(QLabel)[1].text()
    assert [button.text() for button in explanation.buttons] == ["Next inexact token"]
    qtbot.mouseClick(explanation.buttons[0], Qt.MouseButton.LeftButton)
    assert session.document.slice(*session.document.selection) == b" two"
    assert session.tokens.span(session.selected_token)[0] == 3
    assert shell.window.inspect_page.editor.hasFocus()


def test_an_open_explanation_is_updated_with_new_results(shell, qtbot):
    session, badge = shell.session, shell.window.top_bar.exactness
    session.set_encoder("slow")
    badge.explain()
    explanation = QApplication.activePopupWidget()
    about = explanation.findChildren(QLabel)[1]
    assert about.text().endswith("for this text …")
    assert explanation.buttons == []
    qtbot.waitUntil(lambda: "50.0 %" in about.text())
    assert [button.text() for button in explanation.buttons] == ["Next inexact token"]
    explanation.close()


def test_an_exact_encoder_is_not_compared(shell, qtbot):
    shell.session.set_encoder("slow")
    with qtbot.waitSignal(shell.session.spans.encoded):
        shell.session.set_encoder("fast")
    assert shell.session.encoder_check.value is None
    assert shell.window.top_bar.exactness.text() == "exact"
    assert not shell.window.actions_table["inexact_next"].isEnabled()


def test_editing_forgets_how_far_an_encoder_agrees(shell, qtbot):
    shell.session.set_encoder("slow")
    qtbot.waitUntil(lambda: shell.session.encoder_check.value is not None)
    shell.session.document.insert(b"x")
    assert shell.window.top_bar.exactness.text() == "approximate"


def test_a_notice_goes_when_it_works_again(shell, qtbot):
    with qtbot.waitSignal(shell.session.spans.failed):
        shell.session.document.replace(0, 0, UNENCODABLE)
    assert [notice.message for notice in shell.window.notices.notices] == [
        "This text cannot be encoded. Take the word out."
    ]
    assert len(shell.session.tokens) == 0
    badge = shell.window.top_bar.exactness
    assert badge.text() == "no tokens", "never exact"
    with qtbot.waitSignal(shell.session.spans.encoded):
        shell.session.document.undo()
    assert shell.window.notices.notices == []
    assert badge.text() == "exact"


def test_figures_wait_for_the_tokens_they_are_about(shell, qtbot):
    with qtbot.waitSignal(shell.session.spans.encoded):
        shell.session.set_encoder("slow")
        assert shell.window.status_line.text.startswith("… tokens")
        assert "characters/token" not in shell.window.status_line.text
    qtbot.waitUntil(lambda: "characters/token" in shell.window.status_line.text)


def test_changing_the_encoder_leaves_the_caret_where_it_is(make_shell, qtbot):
    shell = make_shell(b"indistinguishable houses. End of it", "demo:bpe", load=load_once)
    shell.session.document.set_caret(30)
    with qtbot.waitSignal(shell.session.spans.encoded):
        shell.session.set_encoder("words")
    assert shell.session.document.caret == 30


def test_a_file_that_llama_cpp_cannot_load_is_reported(make_shell, qtbot, tmp_path):
    path = write_vocab(
        tmp_path / "odd.gguf", model="gpt2", pre="gpt-2", tokens=["a", "b"], merges=[], architecture="clip"
    )
    shell = make_shell(b"ab", model=str(path), load=open_model)
    badge = shell.window.top_bar.exactness
    assert badge.text() == "refused by llama.cpp"
    assert badge.accessibleDescription().startswith("llama.cpp cannot load this file. ")
    assert "clip" in badge.accessibleDescription()
    assert info_report(shell.session.tokenizer)["exactness"]["level"] == badge.text()
