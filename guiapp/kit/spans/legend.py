"""A legend: the meanings of the marks on a page, each as a small icon and a line of text.

`Page.legend` contains the legend of a page; the window shows it under “?”.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGridLayout, QWidget

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import (
    DEAR_CHIP_TOKENS,
    QUIET_ALPHA,
    RADIUS_PX,
    RING_ALPHA,
    RING_PX,
    byte_dots,
    draw_chip,
    draw_roofed,
    draw_torn,
    draw_upright,
    draw_wave,
    draw_wedge,
    faded,
)
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.painting import CENTER, Painted, fill, outline, ring, write
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource, plain_label, set_role

ICON, SMALL_ICON = QSize(72, 28), QSize(52, 26)
EDGE_PX = 3  # around a mark, for parts that extend beyond a token
Draw = Callable[[QPainter, Theme, QRectF], object]
Pen = Callable[[Theme], QPen | QColor]


class LegendEntry(NamedTuple):
    """A mark on a page: `draw` draws it in a small box."""

    draw: Draw
    meaning: str


Legend = Mapping[str, tuple[LegendEntry, ...]]
"""Entries by the title of their section."""


class LegendList(QWidget):
    """A list of icons and their meanings; the labels are accessible to screen readers."""

    def __init__(self, entries: tuple[LegendEntry, ...], theme_source: ThemeSource) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(GAP_PX + UNIT_PX)
        grid.setVerticalSpacing(UNIT_PX)
        grid.setColumnStretch(1, 1)
        for row, entry in enumerate(entries):
            label = plain_label(wraps=True)
            label.setText(entry.meaning)
            label.setFont(Theme.ui_font(SMALL_FONT_PX))
            grid.addWidget(LegendIcon(entry.draw, theme_source), row, 0)
            grid.addWidget(label, row, 1)


class LegendLabel(QWidget):
    """One entry, for a row of several."""

    def __init__(self, entry: LegendEntry, theme_source: ThemeSource, tip: str) -> None:
        super().__init__()
        self.setToolTip(tip)
        label = set_role(plain_label(), "dim")
        label.setText(entry.meaning)
        label.setFont(Theme.ui_font(SMALL_FONT_PX))
        icon = LegendIcon(entry.draw, theme_source)
        icon.setFixedSize(SMALL_ICON)
        in_row(icon, label, on=self, spacing=UNIT_PX)


class LegendIcon(Painted):
    """An icon drawn by the page's own function, so that it matches the page in either theme."""

    def __init__(self, draw: Draw, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._draw = draw
        self.setFixedSize(ICON)

    def show_drawing(self, draw: Draw) -> None:
        """Replace the drawing."""
        self._draw = draw
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        self._draw(painter, theme, QRectF(self.rect()).adjusted(EDGE_PX, EDGE_PX, -EDGE_PX, -EDGE_PX))


def characters(text: str, color: str = "text") -> Draw:
    """A few characters in a colour of the theme."""

    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        write(painter, box, text, getattr(theme, color), CENTER, Theme.mono_font(SMALL_FONT_PX))

    return draw


def token(text: str, mark: Draw | None = None, alpha: int = 255) -> Draw:
    """A token as in a text, with a mark on it."""

    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        fill(painter, box, faded(theme.span_color(0), alpha), RADIUS_PX)
        if mark is not None:
            mark(painter, theme, box)
        characters(text, "span_text")(painter, theme, box)

    return draw


def ringed(pen: Pen) -> Draw:
    return lambda painter, theme, box: ring(painter, box, pen(theme), RADIUS_PX)


def line(pen: Pen, is_upright: bool = False) -> Draw:
    """A horizontal or vertical line across the icon."""

    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        x, y = box.center().x(), box.center().y()
        painter.setPen(pen(theme))
        painter.drawLine(
            QLineF(x, box.top(), x, box.bottom()) if is_upright else QLineF(box.left(), y, box.right(), y)
        )

    return draw


def upright(painter: QPainter, theme: Theme, box: QRectF) -> None:
    """The line between two tokens."""
    draw_upright(painter, box.center().x(), box.top(), box.height(), theme.text)


def _byte(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for dot in byte_dots(round(box.center().x()), round(box.bottom()) - 4):
        painter.fillRect(dot, theme.text)


def _wedge(painter: QPainter, theme: Theme, box: QRectF) -> None:
    draw_wedge(painter, theme, box.topLeft() + QPointF(2 * EDGE_PX, -EDGE_PX))


def _chip(painter: QPainter, theme: Theme, box: QRectF) -> None:
    draw_chip(painter, theme, box.adjusted(8, 3, -8, -3), "200B", False, Theme.mono_font(10))


QUIET = token("word", alpha=QUIET_ALPHA)
RINGED = token("word", ringed(lambda theme: QPen(faded(theme.text, RING_ALPHA), RING_PX)))
IN_TEXTS = (
    LegendEntry(token("word"), "A token; the colours only separate neighbours"),
    LegendEntry(
        token("<s>", ringed(lambda theme: outline(theme, Attribute.CONTROL)), 0),
        "A control token, such as the start of a text",
    ),
    LegendEntry(
        token("<think>", ringed(lambda theme: outline(theme, Attribute.USER_DEFINED))),
        "A user-defined token, which is never split",
    ),
    LegendEntry(
        token("汉", lambda painter, theme, box: draw_torn(painter, theme, box.toRect())),
        "A character split across several tokens",
    ),
    LegendEntry(token("é", _byte), "A byte token, for a character without a token of its own"),
    LegendEntry(token("ꙮ", draw_wave), "Not in the vocabulary"),
    LegendEntry(token("word", draw_roofed), "The exact encoder gives other tokens here"),
    LegendEntry(token("word", _wedge), "A token without text was added here, such as BOS"),
    LegendEntry(_chip, f"Hidden characters; amber if they take {DEAR_CHIP_TOKENS} tokens or more"),
    LegendEntry(characters("·  →  ↵"), "Space, tab, newline"),
    LegendEntry(characters("Ġ  Ċ"), "Space and newline in files of byte-level BPE"),
    LegendEntry(characters("▁  <0x0A>"), "Space and a byte in files of SentencePiece"),
)
