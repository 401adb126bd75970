"""In which form the labels of the tree are written."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter, QTransform
from toy_vocabulary import toy_vocabulary

from guiapp.analysis.tree.painting import NodeColors
from guiapp.analysis.tree.picture import tree_picture
from guiapp.pages.tree.canvas import (
    LETTER_SIZES_PX,
    MARGIN_PX,
    LabelForm,
    LabelPainter,
    fitting_form,
    label_widths,
    turned_place,
)
from guiapp.pages.tree.geometry import DOWNWARDS, LabelSlot
from guiapp.pages.tree.model import MORE_SIGN

WHOLE, NAME = 10.0, 4.0  # widths for letters of one pixel


@pytest.mark.parametrize(
    ("room_px", "down_px", "form"),
    [
        (250, 0, LabelForm(24)),
        (200, 0, LabelForm(18)),
        (123, 0, LabelForm(12)),
        (113, 0, LabelForm(24, has_more=False)),
        (60, 0, LabelForm(14, has_more=False)),
        (50, 0, LabelForm(12, has_more=False)),
        (40, 100, LabelForm(24, has_more=False)),
        (40, 0, LabelForm(12, has_more=False, room_steps=6)),
        (15, 0, None),
    ],
)
def test_a_label_keeps_its_count_then_its_size_then_its_letters(room_px, down_px, form):
    assert fitting_form(LabelSlot(1, 0, 0, room_px, 24, down_px=down_px), WHOLE, NAME) == form


def test_what_does_not_fit_across_goes_downwards():
    place = LabelSlot(1, 100.0, 50.0, 30.0, 12, down_px=80.0)
    assert turned_place(place, 30.0) == turned_place(place, 33.0) == place
    assert turned_place(place, 34.0)[1:7] == (115.0, 50.0, 30.0, 12, 90.0, True)


def test_a_label_that_fits_upright_is_not_turned():
    place = LabelSlot(1, 0.0, 0.0, 90.0, 12, 70.0, True, 20.0)
    assert turned_place(place, 20.0).degrees == 0
    assert turned_place(place, 21.0).degrees == 70


def test_a_single_letter_stands_upright_or_not_at_all():
    narrow = LabelSlot(1, 10.0, 50.0, 80.0, 12, 90.0, True, upright_px=14.0)
    assert fitting_form(narrow, 1.0, 1.0) == LabelForm(12, has_more=False)
    assert turned_place(narrow, 14.0).degrees == 0
    assert fitting_form(narrow._replace(upright_px=12.0), 1.0, 1.0) is None
    assert fitting_form(narrow._replace(upright_px=12.0), 4.0, 2.0) == LabelForm(12, has_more=False)


@pytest.mark.usefixtures("qapp")
def test_a_shortened_label_has_five_letters_or_nothing():
    text = f"Punctuation{MORE_SIGN}12"
    whole, name = label_widths(text)
    assert whole > name > 0
    assert "Punctuation" in LabelForm(12, has_more=False).shown(text)
    assert "12" in LabelForm(12).shown(text)
    short = LabelForm(12, has_more=False, room_steps=9).shown(text)
    assert "Punct" in short
    assert "12" not in short
    assert LabelForm(12, has_more=False, room_steps=6).shown(text) == ""
    assert "Thai" in LabelForm(12, has_more=False, room_steps=6).shown("Thai")
    assert LabelForm(12, has_more=False, room_steps=9).shown("128,256\ntokens") == ""


@pytest.mark.usefixtures("qapp")
def test_where_time_is_up_a_label_stands_as_it_was_drawn_for_less_room():
    painter, small = LabelPainter(lambda node, is_whole: "tree"), LabelSlot(1, 0.0, 20.0, 60.0, 12)
    image = QImage(200, 60, QImage.Format.Format_ARGB32_Premultiplied)
    picture = tree_picture(toy_vocabulary({"tree": 0.0}))
    colors = NodeColors(picture, np.zeros(len(picture), np.uint32), 0)

    def paint(place, patience_s):
        image.fill(Qt.GlobalColor.transparent)
        on_image = QPainter(image)
        painter.paint(on_image, [place], colors, 1.0, patience_s)
        on_image.end()
        return image.copy()

    nothing = paint(small, 0.0)
    assert not painter.is_complete
    drawn = paint(small, 1.0)
    assert painter.is_complete
    assert drawn != nothing
    assert paint(small._replace(room_px=120.0, size_px=24), 0.0) == drawn
    assert not painter.is_complete
    assert paint(small._replace(room_px=20.0, size_px=24), 0.0) == nothing


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_label_downwards_is_the_same_one_turned(scale):
    painter = LabelPainter(lambda node, is_whole: "tree")
    picture = tree_picture(toy_vocabulary({"tree": 0.0}))
    colors = NodeColors(picture, np.zeros(len(picture), np.uint32), 0)

    def painted(place):
        image = QImage(round(80 * scale), round(80 * scale), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(scale)
        image.fill(Qt.GlobalColor.transparent)
        on_image = QPainter(image)
        painter.paint(on_image, [place], colors, scale, 1.0)
        on_image.end()
        return image

    level = painted(LabelSlot(1, 40.0, 40.0, 60.0, 12, is_centered=True))
    down = painted(LabelSlot(1, 40.0, 40.0, 60.0, 12, DOWNWARDS, is_centered=True))
    assert down != level
    turned = level.transformed(QTransform().rotate(90))
    shifted = [turned.copy(x, y, turned.width(), turned.height()) for x in (-1, 0, 1) for y in (-1, 0, 1)]
    assert down in shifted


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_labels_stand_out_from_what_is_below_them_and_are_not_drawn_where_that_is_dimmed(scale):
    picture = tree_picture(toy_vocabulary({"tree": 0.0, "leaf": 0.0}))
    painter, nodes = LabelPainter(lambda node, is_whole: "tree"), (1, 2)

    def contrasts(colors, is_lit, degrees=0.0):
        """For each node how much lighter than it the sign is in its label that differs most, and where."""
        values = np.array([0, *colors], np.uint32)
        lit = None if is_lit is None else np.array([True, *is_lit])
        image = QImage(round(100 * scale), round(200 * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        with QPainter(image) as on_image:
            for at, color in enumerate(colors):
                on_image.fillRect(0, 100 * at, 100, 100, QColor(color))
            places = [LabelSlot(node, 50, 100 * node - 50, 90.0, 18, degrees, True) for node in nodes]
            painter.paint(on_image, places, NodeColors(picture, values, 0, lit), scale, 1.0)
        assert painter.is_complete
        levels = np.array(image.constBits()).reshape(image.height(), image.width(), 4)[..., 1].astype(int)
        halves = np.split(levels, 2)
        away = [half - half[0, 0] for half in halves]
        where = [
            np.argwhere(np.abs(each) >= min(20, np.abs(each).max())).mean(axis=0) / scale for each in away
        ]
        return [int(each.flat[np.abs(each).argmax()]) for each in away], where

    for colors, signs in (((0, 0xFFFFFF), (1, -1)), ((0xFFFFFF, 0), (-1, 1))):
        bright, _ = contrasts(colors, None)
        assert all(contrast * sign > 150 for contrast, sign in zip(bright, signs, strict=True))
        assert contrasts(colors, (True, True))[0] == bright
        for is_lit in ((True, False), (False, True), (False, False)):
            seen = contrasts(colors, is_lit)[0]
            shares = [one / other for one, other in zip(seen, bright, strict=True)]
            assert shares == pytest.approx([float(each) for each in is_lit], abs=0.03)
    for degrees in (30, 90, -45):
        (first, second), (place, other) = contrasts((0, 0xFFFFFF), None, degrees)
        assert min(first, -second) > 100
        assert place.tolist() == pytest.approx([50, 50], abs=4)
        assert other.tolist() == pytest.approx([50, 50], abs=4)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("size_px", LETTER_SIZES_PX)
def test_a_label_is_as_wide_as_measured_in_each_size(size_px):
    """They are written in one size and scaled, for Qt keeps the fonts of all scripts in each size."""
    text = "Illumination हिन्दी 漢字 😀"
    label = LabelPainter(lambda node, is_whole: text)._draw((0, False), LabelForm(size_px), False)
    assert label.width - 2 * MARGIN_PX == pytest.approx(size_px * label_widths(text)[0], abs=0.01)
