"""Where characters lie, with text in both directions."""

from __future__ import annotations

import random

import numpy as np
import pytest

from guiapp.widgets.span_block import BlockLayout, TextMetrics
from guiapp.widgets.theme import Theme

PARTS = [
    *"aZé 1,.(-",
    "word ",
    "two words ",
    " ",
    "שלום ",
    "مرحبا ",
    "١٢ ",
    "12 345",
    "汉字",
    "\u200f",
    "e\u0301",
    "a\u0301\u0302 ",
]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("seed", range(30))
def test_rows_measured_from_left_to_right_are_so_indeed(seed):
    rng = random.Random(seed)
    data = "".join(rng.choices(PARTS, k=60)).encode()
    metrics = TextMetrics.of(Theme.mono_font())
    layout, exact = BlockLayout(data, metrics, 200), BlockLayout(data, metrics, 200)
    exact.display = exact.display._replace(may_turn=np.ones(len(exact.display.is_tab), np.bool_))
    for row in range(layout.n_rows):
        found, expected = layout.geometry(row), exact.geometry(row)
        assert np.allclose(found.leading, expected.leading, atol=0.05)
        assert np.allclose(found.trailing, expected.trailing, atol=0.05)
