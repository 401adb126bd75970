"""What is drawn with a row of text: signs of special tokens, brackets, wedges, and whose text is dim."""

from types import SimpleNamespace

import numpy as np
import pytest
from pictures import Canvas
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, PLAIN_SHADE
from guiapp.kit.spans.block import BlockLayout, TextMetrics
from guiapp.kit.spans.layout import FIRST_SHADE, SpanWindow
from guiapp.kit.spans.painter import (
    PaintedTokens,
    SpanPainter,
)
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme

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
    names = {
        getattr(theme, name).name(): name for name in ("text", "control", "warning", "bad", "dim", "accent")
    }
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
    "control": (Attribute.CONTROL, 0, ["control 2+0.7…4-0.7 4…-4"]),
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


def test_what_is_no_text_has_a_wedge_where_it_is_and_control_tokens_have_none():
    some = tokens(
        (0, 0), (0, 1), (1, 1), (1, 2), (2, 2),
        tints=[0] * 5, attributes=[Attribute.CONTROL, *[Attribute.NORMAL] * 4],
    )  # fmt: skip
    assert lines(row_of("ab\n", some).marks) == ["dim 1-3…1+3 0…5", "dim 2-3…2+3 0…5"]


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


# Beside rows, and on them
