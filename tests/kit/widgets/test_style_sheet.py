"""The style sheet fits the themes."""

import pytest
from PySide6.QtWidgets import QMessageBox, QProxyStyle, QStyle, QWidget

from guiapp.core.demo import resources_folder
from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import DARK, LIGHT, ThemeSource, style_sheet


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize(("icon", "color"), [("combo-arrow", "dim"), ("tick", "on_accent")])
def test_arrows_and_ticks_have_their_colour_of_the_theme(theme, icon, color, qapp):
    path = resources_folder() / "icons" / f"{icon}-{theme.name}.svg"
    assert path.as_posix() in style_sheet(theme)
    assert getattr(theme, color).name() in path.read_text()


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


class WithIcons(QProxyStyle):
    """As on desktops that ask for icons on the buttons of boxes."""

    def styleHint(self, hint, option=None, widget=None, data=None):
        is_asked = hint is QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
        return 1 if is_asked else super().styleHint(hint, option, widget, data)


def test_buttons_of_boxes_have_words_only(qapp, qtbot):
    usual, button, have_icons = qapp.style().name(), QMessageBox.StandardButton, []
    qapp.setStyle(WithIcons(usual))
    for sheet in ("", style_sheet(DARK)):
        window = QWidget(styleSheet=sheet)
        qtbot.addWidget(window)
        box = QMessageBox(QMessageBox.Icon.Question, "Save run", "Which?", button.Save | button.Yes, window)
        box.addButton(button.Cancel)
        have_icons.append({not each.icon().isNull() for each in box.buttons()})
    qapp.setStyle(usual)
    assert have_icons == [{True}, {False}]
