"""What is painted by a widget of ours that fails."""

import pytest

from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import ThemeSource


def test_no_painter_is_left_open_where_painting_fails(qtbot, qapp):
    painters = []

    class Failing(Painted):
        def paint(self, painter, theme):
            painters.append(painter)
            raise ValueError("spoiled")

    failing = Failing(ThemeSource(qapp, "dark"))
    qtbot.addWidget(failing)
    with pytest.raises(ValueError, match="spoiled"):
        failing.grab()
    assert not any(painter.isActive() for painter in painters)
