"""Our own mistakes are shown; they do not end the program."""

import numpy as np
from PySide6.QtWidgets import QWidget


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


def test_settings_that_cannot_be_read_are_set_aside_and_that_is_said(make_shell, tmp_path):
    (tmp_path / "settings.json").write_bytes(b"{")
    (notice,) = make_shell().window.notices.notices
    aside = tmp_path / "settings.json.spoiled"
    assert str(aside) in notice.message
    assert aside.read_bytes() == b"{"
