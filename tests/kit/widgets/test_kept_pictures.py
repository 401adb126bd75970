"""Texts and boxes that are shaped or drawn once look as if they were painted each time."""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QStaticText

from guiapp.kit.widgets.painting import BoxStyle, RoundedBoxes, width_of, write
from guiapp.kit.widgets.shaped_texts import LEFT, MOST_FONTS, RIGHT, MonoTexts, ShapedTexts
from guiapp.kit.widgets.theme import Theme


def inked(draw, ratio=1.0):
    """What a painter leaves on white."""
    image = QImage(round(300 * ratio), round(40 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        draw(painter)
    return image


@pytest.mark.parametrize("ratio", [1, 2])
@pytest.mark.parametrize("size_px", [11, 17])
def test_plain_characters_look_as_in_their_own_font(qapp, size_px, ratio):
    font = Theme.mono_font(size_px)
    static = QStaticText("Ġthe·Привет→…")
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.prepare(font=font)

    def draw_static(painter):
        painter.setFont(font)
        painter.drawStaticText(QPointF(7, (40 - static.size().height()) / 2), static)

    texts = ShapedTexts(font)
    place = QRectF(7, 0, 290, 40)
    assert texts.width("Ġthe·Привет→…") == pytest.approx(static.size().width(), abs=1)
    assert inked(lambda painter: texts.draw(painter, place, "Ġthe·Привет→…", LEFT), ratio) == inked(
        draw_static, ratio
    )


def test_texts_drawn_together_look_as_if_drawn_one_by_one(qapp):
    texts = ShapedTexts(Theme.mono_font(13))
    texts.learn("日本")
    placed = [(5, 60, 12, "Ġthe"), (70, 60, 12, "日本"), (150, 60, 25, "مرحبا"), (220, 60, 25, "1,234")]

    def one_by_one(painter):
        for place in placed:
            texts.draw_in(painter, *place, RIGHT)

    assert inked(lambda painter: texts.draw_all(painter, placed, RIGHT)) == inked(one_by_one)


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


@pytest.mark.parametrize("ratio", [1, 2])
def test_a_box_that_was_drawn_before_looks_as_if_drawn_now(qapp, ratio):
    boxes = RoundedBoxes()
    rect, line, fill = QRectF(5, 3, 60, 30), QPen(QColor("blue"), 2), QColor("yellow")

    def draw_now(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(line)
        painter.setBrush(fill)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)

    for _ in range(2):
        kept = inked(lambda painter: boxes.draw(painter, rect, BoxStyle(fill, line, 6), ratio), ratio)
        assert difference(kept, inked(draw_now, ratio)) <= 1


def difference(left, right):
    """The largest of any colour of any point."""
    return max(
        abs(a - b)
        for x in range(left.width())
        for y in range(left.height())
        for a, b in zip(left.pixelColor(x, y).getRgb(), right.pixelColor(x, y).getRgb(), strict=True)
    )


def test_sizes_that_nobody_looks_at_any_more_are_forgotten(qapp):
    texts = MonoTexts()
    small, large = texts.of(8), texts.of(40)
    forgotten = weakref.ref(small)
    del small
    for size_px in range(9, 9 + 2 * MOST_FONTS):
        texts.of(size_px)
        assert texts.of(40) is large
    gc.collect()
    assert forgotten() is None
