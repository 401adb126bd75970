"""What is drawn with a row of text: signs of special tokens, brackets, wedges, and whose text is dim."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from pictures import Canvas
from PySide6.QtCore import QPointF, QRect, QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, ORIGIN_SHADE, PLAIN_SHADE
from guiapp.kit.spans.block import BlockLayout, TextMetrics
from guiapp.kit.spans.frame import Highlights, PointedOut, RowPixmaps
from guiapp.kit.spans.layout import DIFFERS, FIRST_SHADE, PIECE_END, SpanWindow, Strength
from guiapp.kit.spans.painter import (
    GAP_PX,
    QUIET_ALPHA,
    RING_ALPHA,
    PaintedTokens,
    SpanPainter,
    draw_roofed,
    draw_torn,
    draw_upright,
    draw_wave,
)
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme, blend

PLACE = QPointF(10, 40)
pytestmark = pytest.mark.usefixtures("qapp")


def metrics():
    return TextMetrics.of(Theme.mono_font())


def tokens(*spans, tints=None, attributes=None):
    starts, ends = np.array(spans, np.int64).T
    n_tokens = len(spans)
    window = SpanWindow(
        0,
        np.zeros(n_tokens, np.int32),
        starts,
        ends,
        np.array(tints or range(n_tokens), np.uint8),
    )
    return PaintedTokens(window, np.array(attributes or [Attribute.NORMAL] * n_tokens, np.uint16))


def painted(draw):
    """The marks of what is drawn."""
    canvas = Canvas(SimpleNamespace(width=lambda: 1000, height=lambda: 100))
    with QPainter(canvas) as painter:
        draw(painter)
    return canvas.paintings


def row_of(text, some, row=0, theme=DARK, width_px=1000, shows_whitespace=False):
    layout = BlockLayout(text.encode(), metrics(), width_px)
    start, end = layout.row_span(row)
    span_painter = SpanPainter(theme, metrics(), shows_whitespace)
    return painted(
        lambda painter: span_painter.draw_row(painter, layout, row, some.within(start, end), PLACE)
    )


def lines(marks, theme=DARK):
    """Each shape that is no picture: colours, edges of characters, pixels from the row's edges."""
    names = {getattr(theme, name).name(): name for name in ("text", "warning", "bad", "dim", "accent")}
    names[theme.background.name()] = "background"
    told = []
    for mark in marks:
        if not mark.text and (mark.pen or mark.brush):
            words = mark.look, names.get(mark.pen, mark.pen), names.get(mark.brush, mark.brush)
            place = mark.place.translated(-PLACE)
            across = f"{beside(place.left())}…{beside(place.right())}"
            told.append(
                " ".join(filter(None, (*words, across, f"{within(place.top())}…{within(place.bottom())}")))
            )
    return told


def beside(x):
    """The nearest edge of a character, and how many pixels behind it something is."""
    width = metrics().char_width
    at = round(x / width)
    behind = x - at * width if x % 1 else round(x) - round(at * width)  # antialiased, or of whole pixels
    return f"{at}{behind:+.2g}" if behind else f"{at}"


def within(y):
    """The distance to the top of the row, or below its middle as a negative number to its end."""
    height = metrics().row_height
    return f"{round(y if y < height / 2 else y - height)}"


SIGNED = {
    "normal": (Attribute.NORMAL, 0, []),
    "control": (Attribute.CONTROL, 0, ["warning 2+0.7…4-0.7 4…-4"]),
    "control of a template": (Attribute.CONTROL, CONTROL_SHADE, []),
    "user-defined": (Attribute.USER_DEFINED, 0, ["dotted text 2+0.7…4-0.7 4…-4"]),
    "byte": (Attribute.BYTE, 0, ["text 3-3…3-1 -7…-4", "text 3…3+2 -7…-4"]),
    "unknown": (Attribute.UNKNOWN, 0, ["bad 2…4 -7…-4"]),
}


@pytest.mark.parametrize("name", SIGNED)
def test_each_kind_of_token_has_its_sign(name):
    attribute, tint, signs = SIGNED[name]
    some = tokens((0, 2), (2, 4), tints=[0, tint], attributes=[Attribute.NORMAL, attribute])
    assert lines(row_of("abcd", some).marks) == signs


def test_ends_of_pieces_have_a_line_and_tokens_that_differ_a_bracket():
    some = tokens((0, 2), (2, 4), (4, 6), tints=[PIECE_END, 1 | DIFFERS, 2 | PIECE_END])
    assert lines(row_of("abcdef", some).marks) == [
        *("text 2-1…2 1…-1", "text 6-1…6 1…-1"),
        *("warning 2+1…4-1 1…3", "warning 2+1…2+3 1…6", "warning 4-3…4-1 1…6"),
    ]
    turned = tokens((0, 4), (4, 8), tints=[PIECE_END, 0])
    assert lines(row_of("שלום", turned).marks) == []


def test_a_token_in_two_rows_has_its_brackets_open_where_it_goes_on():
    some = tokens((0, 8), tints=[DIFFERS])
    first, second = (lines(row_of("abcdefgh", some, row, width_px=50).marks) for row in (0, 1))
    assert first == ["warning 0+1…5 1…3", "warning 0+1…0+3 1…6"]
    assert second == ["warning 0…3-1 1…3", "warning 3-3…3-1 1…6"]
    layout = BlockLayout(b"abcdefgh", metrics(), 50)
    span_painter = SpanPainter(DARK, metrics(), False)

    def matched(row):
        geometry = layout.geometry(row)
        return lines(
            painted(lambda painter: span_painter.draw_matches(painter, geometry, some.window, PLACE)).marks
        )

    assert matched(0) == ["text 0…5 -3…-1", "text 0…0+2 -7…-1"]
    assert matched(1) == ["text 0…3 -3…-1", "text 3-2…3 -7…-1"]


def test_what_is_no_text_has_a_wedge_where_it_is_and_control_tokens_have_none():
    some = tokens(
        (0, 0), (0, 1), (1, 1), (1, 2), (2, 2),
        tints=[0] * 5, attributes=[Attribute.CONTROL, *[Attribute.NORMAL] * 4],
    )  # fmt: skip
    assert lines(row_of("ab\n", some).marks) == ["dim 1-3…1+3 0…5", "dim 2-3…2+3 0…5"]


def test_parts_of_a_character_have_a_lane_each_and_it_is_hatched():
    marks = row_of("éa", tokens((0, 1), (1, 2), (2, 3))).marks
    assert lines(marks) == ["text 0+1…0+4 -7…-4", "text 1-4…1-1 -7…-4"]
    size = round(metrics().char_width), metrics().row_height - GAP_PX
    hatched = QRectF(PLACE.x(), PLACE.y() + GAP_PX // 2, *size)
    assert [mark.place for mark in marks[3:]].count(hatched) == 1
    in_bytes = [Attribute.BYTE, Attribute.NORMAL, Attribute.NORMAL]
    marks = row_of("éa", tokens((0, 1), (1, 2), (2, 3), attributes=in_bytes)).marks
    assert lines(marks)[-1] == "text 1-4…1-1 -7…-4"
    assert len(lines(marks)) == 3


def test_text_is_dark_on_light_shades_and_dim_where_a_template_writes():
    light = next(at for at, shade in enumerate(DARK.shades) if shade.lightness() > 127)
    for theme in (DARK, LIGHT):
        some = tokens(
            (0, 1), (1, 2), (2, 3), (3, 4), tints=[0, FIRST_SHADE + light, PLAIN_SHADE, CONTROL_SHADE]
        )
        marks = row_of("abcd", some, theme=theme).written
        colors = [theme.background] if theme is DARK else []
        assert [mark.pen for mark in marks] == [each.name() for each in (*colors, theme.dim, theme.span_text)]
    control = tokens((0, 1), tints=[FIRST_SHADE + light], attributes=[Attribute.CONTROL])
    assert [mark.pen for mark in row_of("a", control).written] == [DARK.span_text.name()]


def test_spans_are_filled_by_their_tints_and_control_tokens_faintly():
    tints = [
        2, N_TINTS * Strength.QUIET + 2, N_TINTS * Strength.RINGED + 2, FIRST_SHADE + 2, PLAIN_SHADE,
        CONTROL_SHADE, ORIGIN_SHADE, 0,
    ]  # fmt: skip
    attributes = [*[Attribute.NORMAL] * 7, Attribute.CONTROL]
    some = tokens(*((3 * at, 3 * at + 3) for at in range(8)), tints=tints, attributes=attributes)
    image = QImage(400, metrics().row_height, QImage.Format.Format_RGB32)
    image.fill(DARK.background)
    with QPainter(image) as painter:
        layout = BlockLayout(b" " * 24, metrics(), 1000)
        SpanPainter(DARK, metrics(), False).draw_row(painter, layout, 0, some, QPointF())
    x = [round((3 * at + 1.5) * metrics().char_width) for at in range(8)]
    colors = [image.pixelColor(at, 8) for at in x] + [image.pixelColor(at, GAP_PX // 2) for at in x[:3]]
    ground, full = DARK.background, DARK.span_color(2)
    quiet, control = blend(ground, full, QUIET_ALPHA / 255), blend(ground, DARK.warning, 24 / 255)
    wanted = [full, quiet, full, DARK.shades[2], ground, ground, DARK.origins[2], control]
    wanted += [full, quiet, blend(full, DARK.text, RING_ALPHA / 255)]  # of the edges above
    for found, color in zip(colors, wanted, strict=True):
        assert np.abs(np.subtract(found.getRgb(), color.getRgb())).max() <= 2


def test_characters_without_a_picture_are_chips_amber_where_they_cost_much():
    one, four = "\u200b", "\u200b" * 4
    for text, n_tokens, is_expensive in ((one, 3, False), (four, 7, False), (four, 8, True)):
        edges = np.linspace(0, len(text.encode()), n_tokens + 1).round().astype(int).tolist()
        some = tokens(*pairwise(edges))
        paintings = row_of(text, some)
        (chip,) = (line for line in lines(paintings.marks) if line.endswith("8…-8"))
        assert chip.startswith("warning" if is_expensive else "text background")
        label = paintings.written[-1]
        assert label.pen == (DARK.background if is_expensive else DARK.span_text).name()
        assert label.text.startswith("200B")


def test_blanks_have_signs_where_they_are_wanted():
    text = "a b\tc\n"
    some = tokens((0, len(text)))
    without, signed = (row_of(text, some, shows_whitespace=wants).shapes for wants in (False, True))
    width, signs = metrics().char_width, [place for place in signed if place not in without]
    assert [beside(place.left() - PLACE.x()) for place in signs] == ["1", "3", "5"]
    assert {place.top() for place in signs} == {PLACE.y()}
    assert all(place.width() == round(width) + 1 for place in signs)


# Beside rows, and on them


def test_signs_for_legends_are_those_in_the_text():
    top, box = PLACE.y(), QRect(10, 40, 21, 20)
    shapes = painted(lambda painter: draw_upright(painter, 30, top, 20, DARK.text)).shapes
    assert shapes == [QRectF(29, top, 2, 20), QRectF(26, top, 8, 2), QRectF(26, top + 18, 8, 2)]
    *hatched, one, other = painted(lambda painter: draw_torn(painter, DARK, box)).shapes
    assert sum(part.width() for part in hatched) == box.width()
    assert (one, other) == (QRectF(11, 56, 8, 3), QRectF(21, 56, 8, 3))
    roofed = painted(lambda painter: draw_roofed(painter, DARK, QRectF(box)))
    assert [mark.brush for mark in roofed.marks] == [DARK.span_color(0).name(), *[DARK.warning.name()] * 3]
    assert roofed.shapes[1:] == [QRectF(11, 38, 19, 2), QRectF(11, 38, 2, 5), QRectF(28, 38, 2, 5)]
    for width, height in ((1, 3), (30, 3)):
        below = QRectF(10, 40, width, 20)
        (wave,) = painted(lambda painter, below=below: draw_wave(painter, DARK, below)).shapes
        assert wave == QRectF(10, 56, width, height)


def highlighted(highlights, text=b"abcdef\nghi"):
    layout = BlockLayout(text[:7], metrics(), 1000)
    pixmaps = RowPixmaps(DARK, metrics(), False)
    pixmaps.begin_frame(1000, QSize(1000, 100), 1)
    some = tokens((0, 2), (2, 4), (4, 7))
    return lines(painted(lambda painter: pixmaps.draw_row(painter, layout, 0, some, highlights, PLACE)).marks)


NOTHING = Highlights((0, 0), -1, -1)


def test_what_is_selected_hovered_and_pointed_at_is_drawn_over_a_row():
    selected, veil, accent = "accent 2-1…4+1 2…-2", "text text 2+0.5…4", "accent 1…3 3…-3"
    assert highlighted(NOTHING) == []
    assert highlighted(NOTHING._replace(selection=(1, 3))) == [accent]
    assert highlighted(NOTHING._replace(selection=(7, 9))) == []
    assert highlighted(NOTHING._replace(selected_token=1)) == [selected]
    (drawn,) = highlighted(NOTHING._replace(hovered_token=1))
    assert drawn.startswith(veil)  # characters need not be whole pixels wide
    assert highlighted(Highlights((1, 3), 1, 1)) == [accent, drawn, selected]
    assert highlighted(NOTHING._replace(selected_token=3)) == []
    pointed = highlighted(NOTHING._replace(pointed_out=PointedOut(2, 4, 0, 7)))
    assert [each for each in pointed if "2-1" in each] == [selected]
    assert len(pointed) == 2
    assert len(highlighted(NOTHING._replace(pointed_out=PointedOut(3, 3, 0, 7)))) == 1
    assert highlighted(NOTHING._replace(pointed_out=PointedOut(8, 8, 7, 10))) == []
    squares = highlighted(NOTHING._replace(confusables=((2, 3), (7, 8))))
    assert squares == ["warning 2…2+3 -6…-3", "warning 3-4…3-1 -6…-3"]


def test_an_added_token_is_an_outline_with_its_name_and_rings():
    pixmaps, rect = RowPixmaps(DARK, metrics(), False), QRectF(20, 44, 60, 20)
    inner, around = rect.adjusted(2, 2, -2, -2), rect.adjusted(-1, -1, 1, 1)
    for is_ringed in (False, True):
        for is_selected in (False, True):
            looks = is_ringed, is_selected, False
            paintings = painted(lambda painter, looks=looks: pixmaps.draw_chip(painter, rect, "BOS", *looks))
            wanted = [(rect, DARK.warning), *[(inner, DARK.text)] * is_ringed]
            wanted += [(around, DARK.accent)] * is_selected
            found = [(mark.place, mark.pen) for mark in paintings.drawn]
            assert found == [(place, color.name()) for place, color in wanted]
            assert [mark.text for mark in paintings.written] == ["BOS"]
            assert paintings.written[0].place.center().x() == pytest.approx(rect.center().x(), abs=1)
