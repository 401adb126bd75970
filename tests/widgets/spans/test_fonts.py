"""Fonts are searched one at a time, until all are found."""

from __future__ import annotations

from guiapp.widgets.shared.theme import Theme
from guiapp.widgets.spans.fonts import SAMPLES, FontSearch


def test_the_search_takes_a_turn_for_each_script_and_ends(qtbot):
    search = FontSearch(Theme.mono_font())
    turns = []
    search._turn.setInterval(1)
    search._turn.timeout.connect(lambda: turns.append(search.is_done))
    qtbot.waitUntil(lambda: search.is_done)
    assert turns == [False] * (len(SAMPLES) - 1) + [True]
