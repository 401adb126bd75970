"""The style sheet fits the themes."""

from __future__ import annotations

import pytest

from guiapp.core.demo import resources_folder
from guiapp.widgets.style_sheet import style_sheet
from guiapp.widgets.theme import DARK, LIGHT


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_combo_boxes_have_an_arrow_in_the_dim_colour_of_the_theme(theme, qapp):
    path = resources_folder() / "icons" / f"combo-arrow-{theme.name}.svg"
    assert path.as_posix() in style_sheet(theme)
    assert theme.dim.name() in path.read_text()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_check_boxes_have_a_tick_in_the_colour_on_accents(theme, qapp):
    path = resources_folder() / "icons" / f"tick-{theme.name}.svg"
    assert path.as_posix() in style_sheet(theme)
    assert theme.on_accent.name() in path.read_text()
