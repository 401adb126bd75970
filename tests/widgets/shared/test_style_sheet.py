"""The style sheet fits the themes."""

import pytest
from PySide6.QtWidgets import QWidget

from guiapp.core.demo import resources_folder
from guiapp.widgets.shared.style_sheet import style_sheet
from guiapp.widgets.shared.theme import DARK, LIGHT, ThemeSource
from guiapp.widgets.window.badges import Badge


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize(("icon", "color"), [("combo-arrow", "dim"), ("tick", "on_accent")])
def test_arrows_and_ticks_have_their_colour_of_the_theme(theme, icon, color, qapp):
    path = resources_folder() / "icons" / f"{icon}-{theme.name}.svg"
    assert path.as_posix() in style_sheet(theme)
    assert getattr(theme, color).name() in path.read_text()


def pixels_of(badge):
    badge.resize(badge.sizeHint())
    return bytes((image := badge.grab().toImage()).constBits()), image.size().toTuple()


@pytest.mark.parametrize("name", ["dark", "light"])
def test_a_badge_that_changes_its_state_looks_like_one_that_always_had_it(name, qapp, qtbot):
    themes, window = ThemeSource(qapp, name), QWidget()
    qtbot.addWidget(window)
    badges = [Badge("Exactness", themes, parent=window) for _ in range(3)]
    badges[0].show_state("exact", "good", "check", "")
    badges[2].show_state("exact", "warning", "warning", "")
    themes.dress(window)
    window.show()
    qtbot.waitExposed(window)
    for badge in badges:
        badge.ensurePolished()
    looks = [pixels_of(badges[0])]
    badges[1].show_state("exact", "good", "check", "")
    looks.append(pixels_of(badges[1]))
    badges[1].show_state("exact", "warning", "warning", "")
    assert looks[0] == looks[1]
    assert pixels_of(badges[1]) == pixels_of(badges[2]) != looks[0]
