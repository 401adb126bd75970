"""The form for a contender of one's own: filled in, tried, added, changed, removed."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from guiapp.analysis.libraries.custom import CustomContender, make_custom
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.settings import Settings
from guiapp.pages.bench.choice import CustomContenders
from guiapp.pages.bench.more import CustomDialog

LEFT = Qt.MouseButton.LeftButton
COMMAND_LINE = f"{sys.executable} -c 'print(1, 2)'"


@pytest.fixture
def own(tmp_path):
    settings = Settings(tmp_path / "settings.ini")
    yield CustomContenders(settings)
    settings.save()


@pytest.fixture
def dialog(own, qtbot):
    session = ModelSession(TextSession(b"text"))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    dialog = CustomDialog(own, session)
    qtbot.addWidget(dialog)
    dialog.show()
    yield dialog
    dialog.close()
    session.close()


def choose(dialog, kind):
    dialog.kind.setCurrentIndex(dialog.kind.findData(kind))


def test_a_command_is_tried_and_added_by_real_clicks(dialog, own, qtbot):
    qtbot.keyClicks(dialog.target, COMMAND_LINE)
    qtbot.mouseClick(dialog.try_button, LEFT)
    assert dialog.message.text() == "Trying …"
    assert not dialog.try_button.isEnabled()
    qtbot.waitUntil(dialog.try_button.isEnabled)
    assert dialog.message.text().endswith("different from the model's.\n1 2")
    assert own.contenders == ()
    qtbot.mouseClick(dialog.add_button, LEFT)
    assert not dialog.isVisible()
    assert own.contenders == (dialog.chosen,)
    assert dialog.chosen == make_custom(dialog.name.placeholderText(), "command", COMMAND_LINE)


def test_return_presses_the_button_that_has_the_focus(dialog, own, qtbot):
    qtbot.keyClicks(dialog.target, COMMAND_LINE)
    close = next(each for each in dialog.findChildren(QPushButton) if each.text() == "Close")
    close.setFocus()
    qtbot.keyClick(close, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert own.contenders == ()


def test_an_error_message_is_shown_until_the_field_changes(dialog, own, qtbot):
    qtbot.mouseClick(dialog.add_button, LEFT)
    assert dialog.message.text() == "The command is missing."
    assert dialog.message.property("role") == "bad"
    qtbot.keyClicks(dialog.target, "no-such-program-anywhere")
    assert not dialog.message.isVisible()
    qtbot.mouseClick(dialog.try_button, LEFT)
    assert dialog.message.text() == "There is no program “no-such-program-anywhere”."
    dialog.target.setText(COMMAND_LINE)
    for taken in ("fast", "Tokenloupe", "tiktoken"):
        dialog.name.setText(taken)
        qtbot.mouseClick(dialog.add_button, LEFT)
        assert f"“{taken}” is taken" in dialog.message.text()
    assert (dialog.chosen, own.contenders) == (None, ())


def test_files_are_chosen(dialog, monkeypatch, tmp_path, qtbot):
    choose(dialog, "python")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(tmp_path / "tok.py"), ""))
    qtbot.mouseClick(dialog.choose_button, LEFT)
    made_of_it = dialog.contender()
    assert (made_of_it.name, made_of_it.target) == ("tok", f"{tmp_path / 'tok'}:encode")


def test_those_that_are_there_can_be_changed_and_removed(dialog, own, qtbot):
    function = CustomContender("function", "python", "json:dumps")
    own.add(make_custom("mine", "stream", COMMAND_LINE))
    own.add(function)
    assert dialog.list.count() == 2
    dialog.list.setCurrentRow(1)
    assert dialog.contender() == function
    dialog.list.setCurrentRow(0)
    assert dialog.contender() == own.contenders[0]
    assert dialog.kind.currentData() == "stream"
    qtbot.mouseClick(dialog.remove_button, LEFT)
    assert own.contenders == (function,)
    own.remove("function")
    assert not dialog.list.isVisible()


def test_whoever_types_on_or_closes_waits_for_no_trial(dialog, qtbot):
    qtbot.keyClicks(dialog.target, f"{sys.executable} -c 'import time; time.sleep(600)'")
    for go_on in (lambda: qtbot.keyClicks(dialog.target, " "), dialog.close):
        qtbot.mouseClick(dialog.try_button, LEFT)
        assert dialog.message.text() == "Trying …"
        go_on()
    assert not dialog.isVisible()


def test_without_a_model_nothing_is_tried(own, qtbot):
    session = ModelSession(TextSession(b"text"))
    dialog = CustomDialog(own, session)
    qtbot.addWidget(dialog)
    assert not dialog.try_button.isEnabled()
    assert "Open a model" in dialog.try_button.toolTip()
    session.close()
