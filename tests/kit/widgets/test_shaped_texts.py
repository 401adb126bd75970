"""Texts that are shaped once look as Qt paints them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from guiapp.kit.widgets.painting import width_of, write
from guiapp.kit.widgets.shaped_texts import LEFT, ShapedTexts
from guiapp.kit.widgets.theme import Theme


def inked(draw):
    """What a painter leaves on white."""
    image = QImage(300, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        draw(painter)
    return image


def shaped_anew(painter, place, text, size_px=16):
    painter.setFont(Theme.mono_font(size_px))
    painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)


@pytest.mark.parametrize("text", ["नमस्ते", "مرحبا", "ไทย", "👩\u200d🚀😀", "漢字x"])
def test_texts_of_all_scripts_are_shaped_in_one_size_and_look_as_in_their_own(qapp, text):
    place = QRectF(7, 0, 290, 40)
    widths = {size_px: ShapedTexts(Theme.mono_font(size_px)).width(text) for size_px in (11, 18)}
    assert widths[11] / 11 == pytest.approx(widths[18] / 18, rel=1e-6)
    for size_px in widths:
        texts, font = ShapedTexts(Theme.mono_font(size_px)), Theme.mono_font(size_px)
        assert width_of(text, font) == pytest.approx(widths[size_px], abs=1)
        expected = ink_box(inked(lambda painter, s=size_px: shaped_anew(painter, place, text, s)))
        drawn = inked(lambda painter, t=texts: t.draw(painter, place, text, LEFT))
        written = inked(lambda painter, f=font: write(painter, place, text, QColor("black"), font=f))
        for image in (drawn, written):
            assert ink_box(image) == pytest.approx(expected, abs=2)


def ink_box(image):
    """The first and last column with ink, and how many rows there are from the first to the last."""
    inked = [(x, y) for x in range(300) for y in range(40) if image.pixelColor(x, y).lightness() < 160]
    columns, rows = zip(*inked, strict=True)
    return min(columns), max(columns), max(rows) - min(rows)
