"""The heap and the walk are drawn where they belong."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSize

from guiapp.widgets.step_cards import LARGEST, enlargement
from guiapp.widgets.step_tree_pictures import lay_out_heap


@pytest.mark.parametrize(("width", "height"), [(200, 60), (430, 170), (430, 400), (1200, 600)])
@pytest.mark.parametrize("n_entries", [1, 2, 6, 31, 500])
def test_a_heap_stays_within_its_area_and_nothing_overlaps(width, height, n_entries):
    area = QRectF(10, 5, width, height)
    places = lay_out_heap(n_entries, area)
    assert 1 <= len(places) <= min(n_entries, 31)
    for index, place in enumerate(places):
        assert area.contains(place)
        assert not any(place.intersects(other) for other in places[:index])
        above = places[(index - 1) // 2]
        assert index == 0 or above.bottom() < place.top()


def test_pictures_grow_with_their_room_up_to_a_limit():
    natural = QSize(400, 300)
    assert enlargement(QSize(200, 100), natural) == 1
    assert enlargement(QSize(500, 900), natural) == 1.25
    assert enlargement(QSize(4000, 3000), natural) == LARGEST
