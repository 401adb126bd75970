"""Where characters lie, with text in both directions."""

import random
import re
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QFont, QTextLayout

from guiapp.kit.spans.block import BlockLayout, TextMetrics
from guiapp.kit.widgets.theme import Theme

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
        actual, expected = layout.geometry(row), exact.geometry(row)
        assert np.allclose(actual.leading, expected.leading, atol=0.05)
        assert np.allclose(actual.trailing, expected.trailing, atol=0.05)


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
def test_the_first_letter_outside_isolates_sets_the_direction(text, is_so):
    assert BlockLayout(text.encode(), TextMetrics.of(Theme.mono_font()), WIDTH_PX).is_right_to_left is is_so


FORWARD = [
    *"aZé 1,.(-", "word ", "two words ", "汉字", "e\u0301", "\x01", "\u200b\u200c", "👨‍👩‍👧", "🚀",
]  # fmt: skip


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("seed", range(6))
def test_conversions_between_bytes_and_positions_agree(seed):
    rng = random.Random(seed)
    data = "".join(rng.choices(FORWARD, k=60)).encode() + b"\xffz" + b"\n" * (seed % 2)
    metrics = TextMetrics.of(Theme.mono_font())
    layout = BlockLayout(data, metrics, 200)
    at, chips = 0, {chip.cell: chip for chip in layout.display.chips}
    for row in range(layout.n_rows):
        (start, end), geometry = layout.row_span(row), layout.geometry(row)
        assert (start, geometry.start, geometry.end) == (at, at, end)
        assert np.allclose(geometry.trailing[:-1], geometry.leading[1:])
        left, right = layout.row_extent(row)
        assert (left, right <= geometry.trailing[-1] + 0.1) == (0, True)
        assert layout.byte_at(row, -1) == layout.byte_at(row, 1000) == -1
        for cell, (first, last) in enumerate(pairwise(geometry.cells.tolist())):
            leading, trailing = float(geometry.leading[cell]), float(geometry.trailing[cell])
            if trailing - leading < 1:  # spaces beyond the end of a row
                continue
            assert layout.byte_at(row, leading + 0.01) == first
            assert layout.byte_at(row, (leading + trailing) / 2 + 0.01) == first + (last - first) // 2
            assert layout.byte_at(row, trailing - 0.01) == last - 1
            assert layout.caret_at(row, leading + 0.1) == (first, False)
            assert layout.caret_x(first, row) == pytest.approx(leading, abs=0.05)
            assert layout.row_of(first) == row
            if data[first:last] != b"\n":
                assert (layout.step(first, False), layout.step(last, True)) == (last, first)
            number = int(np.searchsorted(layout.display.cells, first))
            assert layout.chip_span(first) == ((first, last) if number in chips else None)
            if number in chips:
                room = metrics.room_for_digits(len(chips[number].label))
                assert trailing - leading == pytest.approx(metrics.char_width + room, abs=0.1)
        if row + 1 < layout.n_rows:
            assert layout.caret_at(row, 1000) == (end, True)
            assert layout.row_of(end, at_row_end=True) == row
        at = end
    assert (at, layout.step(0, True), layout.step(len(data) - seed % 2, False)) == (len(data), None, None)
    if seed % 2:
        assert geometry.trailing[-1] - geometry.leading[-1] == metrics.char_width


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("seed", range(40))
def test_a_row_breaks_before_an_unbreakable_token(seed):
    rng, token = random.Random(seed), "<|header_id|>"
    parts = [rng.choice([*PARTS, "🙂", token, token]) for _ in range(60)]
    data, metrics = "".join(parts).encode(), TextMetrics.of(Theme.mono_font())
    unbroken = tuple(match.span() for match in re.finditer(re.escape(token.encode()), data))
    layout = BlockLayout(data, metrics, 20 * metrics.char_width, unbroken=unbroken)
    edges = {layout.row_span(row)[0] for row in range(layout.n_rows)}
    assert not [edge for edge in edges for start, end in unbroken if start < edge < end]
    assert [row for row in range(layout.n_rows) if layout.row_extent(row)[1] > 21 * metrics.char_width] == []
