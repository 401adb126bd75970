"""The colours: readable, told apart by colour-blind people, and the same for everything that is shown."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QWidget
from sight import SIMULATIONS, XYZ_FROM_RGB, lab, linear_rgb

from guiapp.kit.widgets.theme import DARK, LIGHT, UI_FONT_PX, Theme, ThemeSource

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def contrast(one: QColor, other: QColor) -> float:
    """WCAG's contrast ratio."""
    low, high = sorted(float(XYZ_FROM_RGB[1] @ linear_rgb(color)) for color in (one, other))
    return (high + 0.05) / (low + 0.05)


@THEMES
def test_text_on_every_span_is_easy_to_read(theme: Theme):
    assert min(contrast(theme.span_text, color) for color in theme.span_colors) >= 7


@THEMES
def test_text_on_every_shade_is_easy_to_read_and_steps_of_a_scale_differ(theme: Theme):
    assert min(contrast(theme.text_on(color), color) for color in theme.shades) >= 7
    for scale in (theme.costs, theme.rarities):
        for simulation in SIMULATIONS.values():
            seen = [lab(simulation @ linear_rgb(color)) for color in scale]
            assert min(np.linalg.norm(one - other) for one, other in itertools.pairwise(seen)) > 6


@THEMES
@pytest.mark.parametrize("name", ["text", "dim", "accent", "good", "warning", "bad"])
def test_interface_text_is_readable_on_every_surface(theme: Theme, name: str):
    surfaces = (theme.background, theme.panel, theme.raised)
    assert min(contrast(getattr(theme, name), surface) for surface in surfaces) >= 4.5


@THEMES
def test_text_on_the_accent_is_readable(theme: Theme):
    assert contrast(theme.on_accent, theme.accent) >= 4.5


@THEMES
@pytest.mark.parametrize("simulation", SIMULATIONS)
def test_neighbouring_spans_differ_for_every_kind_of_sight(theme: Theme, simulation: str):
    seen = [lab(SIMULATIONS[simulation] @ linear_rgb(color)) for color in theme.span_colors]
    neighbours = itertools.pairwise([*seen, seen[0]])
    assert min(np.linalg.norm(one - other) for one, other in neighbours) > 6


def test_choosing_a_theme_recolours_the_application(qapp, qtbot):
    source = ThemeSource(qapp, "light")
    with qtbot.waitSignal(source.changed):
        source.choose("dark")
    assert source.theme is DARK
    assert qapp.palette().color(QPalette.ColorRole.Base) == DARK.background
    assert DARK.panel.name() in qapp.styleSheet()
    assert LIGHT.panel.name() not in qapp.styleSheet()


@THEMES
def test_what_the_style_sheet_does_not_reach_is_readable_too(theme: Theme, qapp):
    ThemeSource(qapp, theme.name)
    colors, role = qapp.palette(), QPalette.ColorRole
    pairs = (
        *((role.WindowText, role.Window), (role.Text, role.Base), (role.Text, role.AlternateBase)),
        *((role.ButtonText, role.Button), (role.ToolTipText, role.ToolTipBase), (role.Link, role.Base)),
        *((role.PlaceholderText, role.Base), (role.HighlightedText, role.Highlight)),
        *((role.LinkVisited, role.Window), (role.BrightText, role.Window), (role.Accent, role.Window)),
    )
    for above, below in pairs:
        assert contrast(colors.color(above), colors.color(below)) >= 4.5, (above, below)
    for line in (role.Light, role.Midlight, role.Mid, role.Dark):
        assert colors.color(line) == theme.line
    assert colors.color(role.Shadow) == theme.background
    for faded in (role.WindowText, role.Text, role.ButtonText):
        assert colors.color(QPalette.ColorGroup.Disabled, faded) == theme.faint
    assert qapp.font().pixelSize() == UI_FONT_PX
    assert Theme.mono_font(11).pixelSize() == 11


def test_only_the_dressed_window_gets_the_style_sheet(qapp, qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    before = qapp.styleSheet()
    source = ThemeSource(qapp, "light", dresses_later=True)
    source.dress(window)
    for theme in (LIGHT, DARK):
        source.choose(theme.name)
        assert theme.panel.name() in window.styleSheet()
        assert qapp.palette().color(QPalette.ColorRole.Window) == theme.panel
    assert qapp.styleSheet() == before


def test_the_system_theme_is_followed_if_chosen(qapp, qtbot, monkeypatch):
    hints, schemes = qapp.styleHints(), Qt.ColorScheme
    source = ThemeSource(qapp, "system")
    for scheme, theme in ((schemes.Dark, DARK), (schemes.Light, LIGHT), (schemes.Unknown, LIGHT)):
        monkeypatch.setattr(type(hints), "colorScheme", lambda hints, scheme=scheme: scheme)
        hints.colorSchemeChanged.emit(scheme)
        assert source.theme is theme
    with qtbot.waitSignal(source.changed):
        source.choose("dark")
    with qtbot.assertNotEmitted(source.changed):
        source.choose("dark")
    assert (source.theme, source.choice) == (DARK, "dark")


def test_a_window_that_is_gone_is_not_dressed_again(qapp, qtbot, monkeypatch):
    window, hints = QWidget(), qapp.styleHints()
    source = ThemeSource(qapp, "system", dresses_later=True)
    source.dress(window)
    with qtbot.waitSignal(window.destroyed):
        window.deleteLater()
    for scheme in (Qt.ColorScheme.Dark, Qt.ColorScheme.Light):
        monkeypatch.setattr(type(hints), "colorScheme", lambda hints, scheme=scheme: scheme)
        hints.colorSchemeChanged.emit(scheme)  # an exception in a slot fails the test
