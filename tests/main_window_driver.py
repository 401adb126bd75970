"""Helpers for tests of the real window: models, answers to its dialogs, and keys."""

from fake_tokenizer import FakeTokenizer
from hands import files
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from guiapp.core.formats.checks import similar_names
from guiapp.errors import UnknownPreError, VocabError
from guiapp.kit.widgets.notices import SaveAnswer

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Answers:
    """Replaces the dialogs of the window; answers with its attributes."""

    def __init__(self):
        self.model = self.text = self.steps = self.save_place = self.folder = None
        self.closing = SaveAnswer.CANCEL
        self.deletes = False
        self.session = self.instead = None
        self.fetches = self.opens_anyway = False
        self.asked = []

    def model_to_open(self):
        return self.model

    def chosen_folder(self, title):
        return self.folder

    def text_to_open(self):
        return self.text

    def steps_to_open(self):
        return self.steps

    def where_to_save(self, suggested):
        return self.save_place

    def session_to_open(self):
        return self.session

    def where_to_save_session(self, suggested):
        self.asked.append(suggested)
        return self.session

    def may_fetch(self, explanation):
        self.asked.append(explanation)
        return self.fetches

    def model_instead(self, explanation):
        self.asked.append(explanation)
        return self.instead

    def open_anyway(self, explanation):
        self.asked.append(explanation)
        return self.opens_anyway

    def delete_autosaved_texts(self, n_texts):
        return self.deletes

    def save_before_closing(self, path):
        return self.closing


def load(name, pre, progress):
    if name.endswith("broken.gguf"):
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    if name.endswith("odd.gguf"):
        if pre is None:
            message, named = "odd.gguf has an unknown pre-tokenizer. Choose one.", "llama-bpe-9"
            raise UnknownPreError(message, named, similar_names(named))
        return FakeTokenizer(chosen_pre=pre)
    return FakeTokenizer(name.rpartition("/")[2])


def press(qtbot, shell, key, modifier=Qt.KeyboardModifier.NoModifier):
    qtbot.keyClick(QApplication.focusWidget() or shell.window, key, modifier)


def drop(window, paths):
    """Drop files on the middle of the window's status line, far from the text."""
    mime = files(*paths)
    place, copy = QPoint(20, window.height() - 8), Qt.DropAction.CopyAction
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(place, copy, mime, buttons, keys)
    QApplication.sendEvent(window, entered)
    assert entered.isAccepted()
    assert window.drop_hint.geometry() == window.rect()
    assert window.drop_hint.isVisible()
    QApplication.sendEvent(window, QDropEvent(QPointF(place), copy, mime, buttons, keys))
    assert not window.drop_hint.isVisible()
