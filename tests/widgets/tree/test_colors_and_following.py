"""Colours of the tree: those of OKLCH, lit and dimmed; and a page that follows a theme."""

import numpy as np
import pytest
from pictures import badly_placed, picture_of
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from guiapp.core.tree.picture import ROOT
from guiapp.widgets.shared.painting import Painted
from guiapp.widgets.shared.theme import DARK, LIGHT
from guiapp.widgets.tree.colors import PALETTES, dimmed, is_light, rgb, scale_colors


@pytest.mark.parametrize(
    ("lightness", "chroma", "hue", "expected"),
    [
        (0.62796, 0.25768, 29.234, 0xFF0000),
        (0.86644, 0.29483, 142.495, 0x00FF00),
        (0.45201, 0.31321, 264.052, 0x0000FF),
        (0.5999, 0, 0, 0x808080),
        (0.19, 0.01, 90, 0x161410),
        (1, 0, 0, 0xFFFFFF),
        (0, 0, 0, 0x000000),
    ],
)
def test_colours_are_those_of_oklch(lightness, chroma, hue, expected):
    color = int(rgb(*(np.array(part, float) for part in (lightness, chroma, hue))))
    for shift in (16, 8, 0):
        assert abs((color >> shift & 255) - (expected >> shift & 255)) <= 1


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_what_is_not_lit_nearly_becomes_the_background(theme):
    colors, share = np.array([0xFF8000, 0xFF8000, 0x0080FF], np.uint32), PALETTES[theme.name].dimmed
    after = dimmed(colors, np.array([True, False, False]), theme)
    assert after[0] == 0xFF8000
    ground = theme.background.rgb()
    for before, now in zip(colors[1:].tolist(), after[1:].tolist(), strict=True):
        for shift in (16, 8, 0):
            expected = (before >> shift & 255) * share + (ground >> shift & 255) * (1 - share)
            assert abs((now >> shift & 255) - expected) <= 2


def test_scales_go_from_their_first_stop_to_their_last():
    for name, palette in PALETTES.items():
        colors = scale_colors(name).tolist()
        for at, stop in ((0, palette.scale[0]), (-1, palette.scale[-1]), (51 * 5 // 2, palette.scale[2])):
            wanted = int(rgb(*(np.array(part, float) for part in stop)))
            assert all(abs((colors[at] >> s & 255) - (wanted >> s & 255)) <= 3 for s in (16, 8, 0)), at
        assert len(set(colors)) > 200


def test_dark_text_stands_on_light_colours():
    colors = np.array([0xFFFFFF, 0x00FF00, 0xFFFF00, 0x000000, 0xFF0000, 0x0000FF], np.uint32)
    assert is_light(colors).tolist() == [True, True, True, False, False, False]


@pytest.mark.parametrize("coloring", [None, "depth"])
@pytest.mark.parametrize("shape", ["sunburst", "icicle"])
def test_another_theme_and_back_leaves_no_trace(page, qtbot, shape, coloring):
    page.model.set_shape(shape)
    page.model.choose(page.model.picture.children(ROOT)[1])
    pictures = []
    for theme in ("dark", "light", "dark", "light", "dark"):
        page.theme_source.choose(theme)
        page.view.show_at_once()
        qtbot.waitUntil(lambda: page.view.is_settled and page.paint.is_current)
        pictures.append(picture_of(page))
    assert pictures[2].differences(pictures[4]) == []
    assert pictures[1].differences(pictures[3]) == []
    assert pictures[1].image != pictures[2].image
    assert [
        fault for view in page.findChildren(Painted) if view.isVisible() for fault in badly_placed(view)
    ] == []


def test_names_of_the_way_down_can_be_clicked_and_the_pointer_tells_so(page):
    node = page.model.picture.children(ROOT)[1]
    page.model.choose(node)
    page.model.show(node)
    page.grab()
    way = next(view for view in page.bar.findChildren(Painted) if hasattr(view, "node_at"))
    (left, right, first), last = way._places[0], way._places[-1]
    shapes = []
    for x in ((left + right) / 2, last[1] + 5):
        place, none = QPointF(x, way.height() / 2), Qt.MouseButton.NoButton
        keys = Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(way, QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, keys))
        shapes.append(way.cursor().shape())
    assert shapes == [Qt.CursorShape.PointingHandCursor, Qt.CursorShape.ArrowCursor]
    left_button, place = Qt.MouseButton.LeftButton, QPointF((left + right) / 2, way.height() / 2)
    keys = Qt.KeyboardModifier.NoModifier
    for button, expected in ((Qt.MouseButton.RightButton, node), (left_button, first)):
        press = QMouseEvent(QEvent.Type.MouseButtonPress, place, place, button, button, keys)
        QApplication.sendEvent(way, press)
        assert page.model.chosen == expected
