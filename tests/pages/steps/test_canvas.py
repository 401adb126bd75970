"""Texts on pictures of steps look as Qt paints them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from guiapp.kit.widgets.painting import width_of, write
from guiapp.kit.widgets.theme import DARK, Theme
from guiapp.pages.steps.canvas import BarScale, StepCanvas, boxes_in_rows, text_width

BLACK = QColor("black")


def inked(draw):
    """What a painter leaves on white."""
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        draw(painter)
    return image


def draw_with_qt(painter, place, text, size_px=16):
    painter.setFont(Theme.mono_font(size_px))
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)


@pytest.mark.parametrize("text", ["नमस्ते", "مرحبا", "ไทย", "👩\u200d🚀😀", "漢字x"])
def test_texts_of_all_scripts_are_drawn_as_qt_draws_them(qapp, text):
    place = QRectF(7, 0, 290, 40)
    widths = {size_px: text_width(text, size_px) for size_px in (11, 18)}
    assert widths[11] / 11 == pytest.approx(widths[18] / 18, rel=1e-6)
    for size_px in widths:
        font = Theme.mono_font(size_px)
        assert width_of(text, font) == pytest.approx(widths[size_px], abs=1)
        expected = ink_box(inked(lambda painter, s=size_px: draw_with_qt(painter, place, text, s)))
        drawn = inked(
            lambda painter, s=size_px: StepCanvas(painter, DARK).write(place, text, BLACK, size_px=s)
        )
        written = inked(lambda painter, f=font: write(painter, place, text, BLACK, font=f))
        for image in (drawn, written):
            assert ink_box(image) == pytest.approx(expected, abs=2)


def ink_box(image):
    """The first and last column with ink, and how many rows there are from the first to the last."""
    inked = [(x, y) for x in range(300) for y in range(40) if image.pixelColor(x, y).lightness() < 160]
    columns, rows = zip(*inked, strict=True)
    return min(columns), max(columns), max(rows) - min(rows)


@given(
    groups=st.lists(st.lists(st.floats(1, 90), min_size=1, max_size=5), max_size=20),
    width=st.floats(100, 500),
)
def test_groups_of_boxes_are_not_split_and_do_not_overlap(groups, width):
    placed = boxes_in_rows(groups, width, 3, 18)
    boxes = [
        (row, x, x + size)
        for places, sizes in zip(placed, groups, strict=True)
        for (x, row), size in zip(places, sizes, strict=True)
    ]
    assert [len(places) for places in placed] == list(map(len, groups))
    for places, sizes in zip(placed, groups, strict=True):
        assert len({row for _, row in places}) == 1 or sum(sizes) + 3 * (len(sizes) - 1) > width
    for (row, _, end), (next_row, start, _) in pairwise(boxes):
        assert (next_row, start) == (row + 1, 0) or (next_row == row and start >= end)
    for places, sizes in zip(placed, groups, strict=True):
        assert places[0][0] == 0 or places[-1][0] + sizes[-1] <= width + 1e-6


@given(highest=st.floats(1e-6, 1e9), n_most=st.integers(2, 12), is_log=st.booleans())
def test_ticks_begin_at_zero_and_rise_along_the_scale(highest, n_most, is_log):
    scale = BarScale(highest, is_log)
    ticks = scale.ticks(n_most)
    shares = [scale.share(tick) for tick in ticks]
    assert ticks[0] == 0
    assert len(ticks) <= n_most + 1
    assert shares == sorted(shares)
    assert scale.share(highest) <= 1
