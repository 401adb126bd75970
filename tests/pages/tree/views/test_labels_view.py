"""In which form the labels of the tree are written."""

import pytest

from guiapp.pages.tree.canvas import (
    LabelForm,
    fitting_form,
    label_widths,
    turned_place,
)
from guiapp.pages.tree.geometry import LabelSlot
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
