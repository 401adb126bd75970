"""What the rows of the start page do."""

from PySide6.QtCore import Qt

from guiapp.kit.widgets.theme import ThemeSource
from guiapp.window.start_page import (
    StartRow,
)

LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key


def test_a_row_is_opened_by_a_click_and_by_return(qapp, qtbot):
    done = []
    row = StartRow("A title", "a detail", lambda: done.append(1), ThemeSource(qapp, "dark"))
    qtbot.addWidget(row)
    row.show()
    qtbot.mouseClick(row, LEFT)
    for key in (Key.Key_Return, Key.Key_Enter, Key.Key_A):
        qtbot.keyClick(row, key)
    assert done == [1] * 3
