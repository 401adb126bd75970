"""The rows in which the text stands as tokens."""

from __future__ import annotations

import pytest

from guiapp.widgets.steps.boxes import height_of_rows, rows_within
from guiapp.widgets.theme import TEXT_FONT_PX

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_an_empty_text_is_called_empty(make_steps_page):
    assert make_steps_page(text=b"").trace.flow.why_empty == "The text is empty."


def test_rows_that_there_is_room_for_are_counted_in_any_size():
    for n_rows in (1, 2, 3):
        for size_px in range(9, 49):
            factor = size_px / TEXT_FONT_PX
            assert rows_within(round(height_of_rows(n_rows) * factor) / factor) == n_rows
