"""Our own mistakes are shown; they do not end the program."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

import guiapp

pytestmark = pytest.mark.slow


SCRIPT = Path(__file__).parents[2] / "failing_overrides.py"


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


@pytest.mark.slow
def test_a_mistake_of_any_override_is_reported():
    """Also of those that Python calls through Qt, and that C code makes."""
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False)
    *unreported, n_tried = done.stdout.splitlines() or ["it crashed", "0"]
    assert (done.returncode, unreported) == (0, [])
    assert int(n_tried) > 200


def test_no_layout_is_asked_for_its_items():
    """PySide keeps them when Qt has deleted them, and takes the next object at that address for one: what it
    then gives up is memory in use.  `takeAt` hands them over."""
    files = list(Path(guiapp.__path__[0]).rglob("*.py"))
    asking = re.compile(r"\.(itemAt|itemAtPosition)\(")
    assert len(files) > 100
    assert [file.name for file in files if asking.search(file.read_text())] == []


def test_unreadable_settings_are_renamed_and_reported(make_shell, tmp_path):
    (tmp_path / "settings.ini").write_bytes(b"{")
    (notice,) = make_shell().window.notices.notices
    aside = tmp_path / "settings.ini.spoiled"
    assert str(aside) in notice.message
    assert aside.read_bytes() == b"{"
