"""The questions that are asked in boxes of their own."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from guiapp.core.sources.tokenizer_files import KINDS
from guiapp.kit.widgets.file_dialogs import MODEL_FILTER, ask_to_open, ask_to_save
from guiapp.kit.widgets.notices import Questions, SaveAnswer

BUTTONS = QMessageBox.StandardButton


def test_files_of_every_kind_of_tokenizer_are_there_to_choose():
    offered = re.findall(r"\*[^\s)]+", MODEL_FILTER.split(";;")[0])
    names = [kind.replace("*", "3") for kind in KINDS]
    assert [name for name in names if not any(fnmatchcase(name, each) for each in offered)] == []


@pytest.mark.parametrize(
    ("key", "button", "answer"),
    [
        (Qt.Key.Key_Return, None, SaveAnswer.SAVE),
        (Qt.Key.Key_Escape, None, SaveAnswer.CANCEL),
        (None, BUTTONS.Discard, SaveAnswer.DISCARD),
        (None, BUTTONS.Save, SaveAnswer.SAVE),
    ],
)
@pytest.mark.parametrize("path", [None, Path("words.txt")])
def test_closing_offers_to_save_discard_or_cancel(qtbot, path, key, button, answer):
    window = QWidget()
    qtbot.addWidget(window)
    seen = []

    def reply():
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        seen.append(box.text())
        if key is not None:
            QTest.keyClick(box, key)
        else:
            QTest.mouseClick(box.button(button), Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, reply)
    assert Questions(window).save_before_closing(path) is answer
    question = "The text is not saved." if path is None else "The text of words.txt has changed."
    assert seen == [question]


@pytest.mark.parametrize(("key", "is_deleting"), [(Qt.Key.Key_Return, False), (None, True)])
def test_autosaved_texts_are_deleted_only_by_the_delete_button(qtbot, key, is_deleting):
    window = QWidget()
    qtbot.addWidget(window)

    def reply():
        box = QApplication.activeModalWidget()
        if key is not None:
            QTest.keyClick(box, key)
        else:
            delete = next(button for button in box.buttons() if button.text() == "Delete")
            QTest.mouseClick(delete, Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, reply)
    assert Questions(window).delete_autosaved_texts(2) is is_deleting


def test_a_dialog_begins_where_the_last_one_ended(qtbot, monkeypatch, tmp_path):
    window, starts = QWidget(), []
    qtbot.addWidget(window)

    def answer(_window, _title, start, *_):
        starts.append(start)
        return str(tmp_path / "sub" / "text.txt"), ""

    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, answer)
    assert ask_to_open(window, "Open") == tmp_path / "sub" / "text.txt"
    ask_to_save(window, "Save", "chunks.jsonl", {".jsonl": "Lines (*.jsonl)"})
    ask_to_save(window, "Save", str(tmp_path / "own.jsonl"), {".jsonl": "Lines (*.jsonl)"})
    assert starts[1:] == [str(tmp_path / "sub" / "chunks.jsonl"), str(tmp_path / "own.jsonl")]
