"""The map beside the scroll bar of all columns."""

import numpy as np

from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.compare.columns import MapBar


def test_ticks_stand_where_text_costs_more_the_longer_the_more(qtbot, qapp):
    bar = MapBar(ThemeSource(qapp, "dark"))
    qtbot.addWidget(bar)
    bar.resize(10, 102)
    plain = bar.grab().toImage()
    bar.show_places(np.array([0, 0.5, 0.5, 1]), np.array([1, 3, 1, 1]))
    image = bar.grab().toImage()
    lengths = {}
    for y in range(102):
        if lit := [x for x in range(10) if image.pixel(x, y) != plain.pixel(x, y)]:
            assert lit == [*range(9 - len(lit), 9)]
            lengths[y] = len(lit)
    assert lengths == {0: 2, 1: 2, 50: 8, 51: 8, 100: 2, 101: 2}
    bar.show_places(np.zeros(0), np.zeros(0, np.int64))
    assert bar.grab().toImage() == plain
