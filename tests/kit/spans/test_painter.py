"""The shape of a token's background and outline."""

import numpy as np

from guiapp.kit.spans.layout import RowGeometry, SpanWindow, token_boxes
from guiapp.kit.spans.painter import rings_of


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
