"""Where characters lie, with text in both directions."""

import random
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QFont, QTextLayout

from guiapp.widgets.shared.theme import Theme
from guiapp.widgets.spans.block import BlockLayout, TextMetrics

PARTS = [
    *"aZé 1,.(-", "word ", "two words ", " ", "שלום ", "مرحبا ", "١٢ ", "12 345", "汉字",
    "\u200f", "\u200e", "e\u0301", "\t", "a\u0301\u0302 ",
]  # fmt: skip


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


WIDTH_PX = 2000
ORDERED = (
    "if access != \u202e\u2066// check admin\u2069 \u2066user\u202c then",
    "שלום עולם \u202dleft to right אבג\u202c.",
    "مرحبا (C++\u200e) في \u2066Tokenloupe 1.0\u2069 اليوم!",
    "\tשלום abc 1\t\tאב",
    "abc\tשלום\tdef\t\tאבג 1 x\t",
    "\t\u202edo not run\u202c a",
    "abc \u202bשלום abc\u202c, \u2068אבג 123\u2069 end \u061c \u202edo not run",
)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("text", ORDERED)
def test_chips_of_characters_that_order_text_leave_the_order_as_it_is(text):
    metrics = TextMetrics.of(Theme.mono_font())
    geometry = BlockLayout(text.encode(), metrics, WIDTH_PX).geometry(0)
    lefts = np.minimum(geometry.leading, geometry.trailing)
    rights = np.maximum(geometry.leading, geometry.trailing)
    order = np.argsort(lefts)
    assert np.allclose(lefts[order][1:], rights[order][:-1], atol=0.05)
    cells = [text.encode()[start:end].decode() for start, end in pairwise(geometry.cells)]
    assert [cells[at] for at in order if is_seen(cells[at])] == letters_from_left_to_right(text, metrics.font)


def is_seen(character):
    return character.isprintable() and not character.isspace()


def letters_from_left_to_right(text, font):
    """As Qt places them by itself; with a second font its glyphs would name wrong letters."""
    font = QFont(font)
    font.setStyleStrategy(QFont.StyleStrategy.NoFontMerging)
    layout = QTextLayout(text, font)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(WIDTH_PX)
    layout.endLayout()
    everything = QTextLayout.GlyphRunRetrievalFlag.RetrieveAll
    places = {}
    for run in line.glyphRuns(-1, -1, everything):
        for unit, place in zip(run.stringIndexes(), run.positions(), strict=True):
            places[unit] = place.x()
    return [text[unit] for unit in sorted(places, key=places.__getitem__) if is_seen(text[unit])]


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("text", "is_so"),
    [("abc", False), ("(שלום) abc", True), ("\u2068שלום\u2069 abc", False), ("\u2067a\u2069 שלום", True)],
)
def test_the_first_letter_outside_of_isolates_says_where_a_line_begins(text, is_so):
    assert BlockLayout(text.encode(), TextMetrics.of(Theme.mono_font()), WIDTH_PX).is_right_to_left is is_so
