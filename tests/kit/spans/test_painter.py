"""The shape of a token's background and outline."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPathStroker

from guiapp.kit.spans.layout import RowGeometry, SpanWindow, token_boxes
from guiapp.kit.spans.painter import rings_of, rounded_rect

RECT = QRectF(10.7, 3.7, 881.6, 23.6)


@pytest.mark.parametrize(("round_left", "round_right"), [(True, False), (False, False), (False, True)])
def test_the_outline_of_a_token_that_wraps_goes_all_around_its_row(round_left, round_right):
    path = rounded_rect(RECT, round_left, round_right)
    length = path.length()
    assert length == pytest.approx(2 * (RECT.width() + RECT.height()), abs=8)
    stroker = QPainterPathStroker()
    stroker.setWidth(1)
    line = stroker.createStroke(path)
    for share in (0.1, 0.4, 0.6, 0.9):
        x = RECT.left() + share * RECT.width()
        assert line.contains(QPointF(x, RECT.top()))
        assert line.contains(QPointF(x, RECT.bottom()))
    assert not line.contains(RECT.center())


@pytest.mark.parametrize("round_left", [True, False])
@pytest.mark.parametrize("round_right", [True, False])
def test_corners_are_round_only_where_the_token_begins_or_ends(round_left, round_right):
    path = rounded_rect(RECT, round_left, round_right)
    nearly = 0.5
    for y in (RECT.top() + nearly, RECT.bottom() - nearly):
        assert path.contains(QPointF(RECT.left() + nearly, y)) is not round_left
        assert path.contains(QPointF(RECT.right() - nearly, y)) is not round_right


def test_parts_of_one_character_share_a_ring_with_what_is_between_them():
    cells = np.array([0, 1, 5, 8], np.int64)  # a letter, an emoji, a sign
    x = np.array([0.0, 10.0, 30.0, 40.0])
    row = RowGeometry(cells, x[:-1], x[1:], cells, False)
    ends = np.array([1, 2, 3, 4, 6, 7, 8], np.int64)
    starts = np.append(0, ends[:-1])
    window = SpanWindow(0, np.zeros(7, np.int32), starts, ends, np.zeros(7, np.uint8))
    boxes = token_boxes(window, row)

    def rings(*ringed):
        return rings_of(np.isin(np.arange(7), ringed), boxes, window, row)

    assert rings(0, 1, 3) == [(0, 0), (1, 3)]
    assert rings(2) == [(2, 2)]
    assert rings(3, 4, 6) == [(3, 6)]  # token 4 is in both characters
    assert rings(0, 5, 6) == [(0, 0), (5, 6)]
