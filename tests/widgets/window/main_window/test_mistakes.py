"""Our own mistakes are shown; they do not end the program."""

import pkgutil
import re
from importlib import import_module
from pathlib import Path

import numpy as np
from PySide6.QtWidgets import QWidget

import guiapp.widgets
from guiapp.widgets.compare.head import ColumnHead
from guiapp.widgets.spans.editor import SpanEditor


class Mistaken(QWidget):
    """Raises what numpy, written in C, does not put into an exception object before somebody looks."""

    def paintEvent(self, event):
        np.zeros(9)[377]


def test_a_mistake_of_a_panel_that_paints_itself_is_reported(shell, qtbot):
    panel = Mistaken(shell.window)
    panel.setGeometry(shell.window.rect())
    with qtbot.capture_exceptions() as caught:
        panel.show()
        qtbot.waitUntil(lambda: len(caught) > 0)
        panel.update()
        qtbot.waitUntil(lambda: len(caught) > 1)
        panel.hide()
    assert {kind for kind, *_ in caught} == {IndexError}


def test_a_mistake_in_painting_the_text_is_reported(shell, qtbot, monkeypatch):
    editor = next(each for each in shell.window.findChildren(SpanEditor) if each.isVisible())
    with qtbot.capture_exceptions() as caught:
        monkeypatch.setattr(editor, "_blocks_in", lambda area: np.zeros(9)[377])
        editor.viewport().update()
        qtbot.waitUntil(lambda: len(caught) > 0)
        monkeypatch.undo()
    assert {kind for kind, *_ in caught} == {IndexError}


def test_nothing_is_painted_within_an_override_of_event():
    for module in pkgutil.walk_packages(guiapp.widgets.__path__, "guiapp.widgets."):
        import_module(module.name)
    ours = [each for each in all_below(QWidget) if each.__module__.startswith("guiapp.")]
    assert ColumnHead in ours
    assert len(ours) > 100
    overriding = {"event", "viewportEvent"}
    within = [
        each for each in ours if any(overriding & set(vars(base)) for base in each.__mro__ if base in ours)
    ]
    assert {each.__name__ for each in within} == {
        "WrappingRow",
        "NameButton",
    }  # which paint nothing themselves


def test_no_layout_is_asked_for_its_items():
    """PySide keeps them when Qt has deleted them, and takes the next object at that address for one: what it
    then gives up is memory in use.  `takeAt` hands them over."""
    files = list(Path(guiapp.widgets.__path__[0]).rglob("*.py"))
    asking = re.compile(r"\.(itemAt|itemAtPosition)\(")
    assert len(files) > 100
    assert [file.name for file in files if asking.search(file.read_text())] == []


def all_below(kind):
    return {below for each in kind.__subclasses__() for below in (each, *all_below(each))}


def test_settings_that_cannot_be_read_are_set_aside_and_that_is_said(make_shell, tmp_path):
    (tmp_path / "settings.json").write_bytes(b"{")
    (notice,) = make_shell().window.notices.notices
    aside = tmp_path / "settings.json.spoiled"
    assert str(aside) in notice.message
    assert aside.read_bytes() == b"{"
