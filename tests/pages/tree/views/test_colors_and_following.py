"""Colours of the tree: those of OKLCH, lit and dimmed; and a page that follows a theme."""

import itertools

import numpy as np
import pytest
from pictures import stale_parts
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtWidgets import QApplication
from sight import SIMULATIONS, lab, linear_rgb

from guiapp.analysis.tree.coloring import NO_CLASS, NodeValues
from guiapp.analysis.tree.picture import ROOT, SCRIPT_NAMES
from guiapp.core.vocabulary.attributes import KINDS
from guiapp.kit.widgets.theme import DARK, LIGHT
from guiapp.pages.tree.appearance import (
    PALETTES,
    SCRIPT_HUES,
    class_colors,
    dimmed,
    is_light,
    node_colors,
    rgb,
    scale_colors,
)

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def sights(test):
    return THEMES(pytest.mark.parametrize("simulation", SIMULATIONS)(test))


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


@THEMES
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
            correct = int(rgb(*(np.array(part, float) for part in stop)))
            assert all(abs((colors[at] >> s & 255) - (correct >> s & 255)) <= 3 for s in (16, 8, 0)), at
        assert len(set(colors)) > 200


def test_dark_text_stands_on_light_colours():
    colors = np.array([0xFFFFFF, 0x00FF00, 0xFFFF00, 0x000000, 0xFF0000, 0x0000FF], np.uint32)
    assert is_light(colors).tolist() == [True, True, True, False, False, False]


COMMON_SCRIPTS = (
    "Latin", "Han", "Cyrillic", "Hangul", "Kana", "Arabic", "Thai", "Devanagari",
    "Punctuation", "Symbols", "Digits", "Spaces",
)  # fmt: skip


@sights
@pytest.mark.parametrize(
    ("scripts", "least"), [(COMMON_SCRIPTS, 6.5), (SCRIPT_HUES, 5)], ids=["common", "all"]
)
def test_scripts_differ_for_every_kind_of_sight(theme, simulation, scripts, least):
    colors = class_colors(SCRIPT_NAMES, theme.name)
    seen = [
        lab(SIMULATIONS[simulation] @ linear_rgb(QColor.fromRgb(int(colors[SCRIPT_NAMES.index(name)]))))
        for name in scripts
    ]
    assert min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(seen, 2)) >= least


@sights
def test_token_types_differ_for_every_kind_of_sight(theme, simulation):
    colors = class_colors((*KINDS.values(), "undefined"), theme.name).tolist()
    seen = [lab(SIMULATIONS[simulation] @ linear_rgb(QColor.fromRgb(color))) for color in colors]
    assert min(float(np.linalg.norm(one - other)) for one, other in itertools.combinations(seen, 2)) >= 15


@sights
def test_a_scale_goes_on_steadily_for_every_kind_of_sight(theme, simulation):
    colors = scale_colors(theme.name, 9).tolist()
    seen = [lab(SIMULATIONS[simulation] @ linear_rgb(QColor.fromRgb(color))) for color in colors]
    assert min(float(np.linalg.norm(one - other)) for one, other in itertools.pairwise(seen)) >= 5
    lights = [float(color[0]) for color in seen]
    assert lights in (sorted(lights), sorted(lights, reverse=True))


@THEMES
def test_nodes_without_a_class_or_a_number_have_the_colour_of_nothing(tree_page, theme):
    picture, classes = tree_page.model.picture, np.zeros(len(tree_page.model.picture), np.uint8)
    classes[2] = NO_CLASS
    nothing = int(node_colors(picture, NodeValues("", classes, ("one",)), theme)[2])
    assert nothing == int(rgb(*(np.array(part) for part in PALETTES[theme.name].nothing)))
    shares = np.linspace(-1, 1, len(picture), dtype=np.float32).clip(0)
    shares[2] = np.nan
    colors = node_colors(picture, NodeValues("", classes, shares=shares), theme)
    scale = scale_colors(theme.name)
    assert (colors[1], colors[2], colors[-1]) == (scale[0], nothing, scale[-1])
    places = [scale.tolist().index(color) for color in colors[3:].tolist()]
    assert places == sorted(places)
    assert nothing not in colors[3:]


@pytest.mark.parametrize("is_searched", [False, True])
def test_only_one_class_of_the_results_is_highlighted(tree_page, qtbot, is_searched):
    page, bright = tree_page, tree_page.paint.colors.values.copy()
    is_lit = np.ones(len(bright), bool)
    if is_searched:
        page.bar.query.setText("th")
        qtbot.waitUntil(lambda: page.paint.is_current and page.paint.colors.lit is not None)
        is_lit = page.paint.colors.lit.copy()
    number = int(page.model.evaluating.value.classes[np.flatnonzero(is_lit)[-1]])
    page.paint.light_class(number)
    qtbot.waitUntil(lambda: page.paint.is_current)
    correct = is_lit & (page.model.evaluating.value.classes == number)
    assert 0 < correct.sum() < len(correct)
    assert (page.paint.colors.lit == correct).all()
    theme = page.theme_source.theme
    assert (page.paint.colors.values == dimmed(bright, correct, theme)).all()
    assert QColor(page.paint.colors.ground).rgb() == theme.background.rgb()


def test_changed_parts_are_repainted(tree_page, qtbot):
    page, model, session = tree_page, tree_page.model, tree_page.kept_session
    page.activateWindow()
    node, token = model.picture.children(ROOT)[1], int(model.picture.tree.order[9])
    place, none = QPointF(300, 200), Qt.MouseButton.NoButton
    hover = QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier)
    for change in (
        lambda: None,
        lambda: model.choose(node),
        lambda: session.select_token(3),
        lambda: page.walk.move(1),
        lambda: session.document.replace(0, 1, b"V"),
        lambda: QApplication.sendEvent(page.view, hover),
        lambda: QApplication.sendEvent(page.view, QEvent(QEvent.Type.Leave)),
        lambda: model.show(node),
        lambda: model.set_shape("icicle"),
        lambda: page.paint.light_class(1),
        lambda: model.set_coloring("depth"),
        lambda: page.color_legend.setFocus(),
        lambda: page.view.setFocus(),
        lambda: page.side.tabs.choose(2),
        lambda: page.search.list_tokens("some", np.array([token], np.int32)),
        lambda: page.search.end(),
        lambda: page.theme_source.choose("light"),
        lambda: page.side.tabs.choose(0),
        lambda: page.theme_source.choose("dark"),
        lambda: page.resize(900, 600),
    ):
        change()
        qtbot.wait(100)  # panels follow a moment later
        qtbot.waitUntil(lambda: page.is_ready and page.search.is_up_to_date and not session.is_encoding)
        assert stale_parts(page) == [], change
