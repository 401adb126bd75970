"""The signs of the Tree page, drawn as the page draws them, and what they mean."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from guiapp.core.tree.scripts import NAMES
from guiapp.widgets.shared.painting import CENTER, bold, fill, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import SMALL_FONT_PX, Theme
from guiapp.widgets.spans.painter import faded
from guiapp.widgets.tree.colors import class_colors, nothing_color
from guiapp.widgets.tree.labels import DARK_TEXT
from guiapp.widgets.tree.marks import CHOSEN_PX, HOVERED_PX, MARK_PX, WAY_PX

Draw = Callable[[QPainter, Theme, QRectF], None]
HALF, GAP = 0.5, 1.0


def _script(theme: Theme, name: str = "Latin") -> QColor:
    return QColor.fromRgb(int(class_colors(NAMES, theme.name)[NAMES.index(name)]))


def _node(painter: QPainter, theme: Theme, box: QRectF, text: str = "", name: str = "Latin") -> None:
    painter.fillRect(box.adjusted(0, 0, -GAP, -GAP), _script(theme, name))
    write(painter, box, text, DARK_TEXT, CENTER, Theme.ui_font(SMALL_FONT_PX))


def _below(painter: QPainter, theme: Theme, box: QRectF) -> None:
    middle = box.height() * HALF
    _node(painter, theme, box.adjusted(0, 0, 0, -middle))
    for at, width in ((0.0, 0.4), (0.4, 0.2), (0.6, 0.25)):
        left = box.left() + at * box.width()
        _node(painter, theme, QRectF(left, box.top() + middle, width * box.width(), middle))


def _labelled(text: str, name: str = "Latin") -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        _node(painter, theme, box, text, name)

    return draw


def _crowd(painter: QPainter, theme: Theme, box: QRectF) -> None:
    for at in range(round(box.width())):
        shade = faded(_script(theme), 90 + 53 * at % 160)
        painter.fillRect(QRectF(box.left() + at, box.top(), 1, box.height()), shade)


def _outlined(color: str, width_px: float, around: str = "", around_px: float = 0.0) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        colors = {"accent": theme.accent, "text": theme.text, "warning": theme.warning, "": theme.background}
        inside = box.adjusted(20, 3, -20, -3)
        _node(painter, theme, inside)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for name, width in ((around, around_px), (color, width_px)):
            if width:
                painter.setPen(QPen(colors[name], width))
                painter.drawRect(inside)

    return draw


def _dimmed(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.fillRect(box, blend(theme.background, _script(theme), 0.2))


def _nothing(painter: QPainter, theme: Theme, box: QRectF) -> None:
    painter.fillRect(box, QColor.fromRgb(nothing_color(theme.name)))


def _dots(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _crowd(painter, theme, box)
    painter.setPen(QPen(theme.text, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPoints([box.center() + QPointF(x, 0) for x in (-24, -8, 17)])


def _map(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _crowd(painter, theme, box)
    shade = QColor(theme.background)
    shade.setAlpha(150)
    frame = QRectF(box.left() + 34, box.top(), 20, box.height())
    painter.fillRect(QRectF(box.topLeft(), frame.bottomLeft()), shade)
    painter.fillRect(QRectF(frame.topRight(), box.bottomRight()), shade)
    painter.setPen(QPen(theme.accent, 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(frame.adjusted(1, 1, -1, -1))


def _read(painter: QPainter, theme: Theme, box: QRectF) -> None:
    font = bold(Theme.mono_font(SMALL_FONT_PX))
    left, right = box.adjusted(14, 2, -box.width() / 2, -2), box.adjusted(box.width() / 2, 2, -14, -2)
    painter.fillRect(left, theme.span_colors[0])
    write(painter, left, "Wel", theme.span_text, CENTER, font)
    write(painter, right, "come", theme.dim, CENTER, Theme.mono_font(SMALL_FONT_PX))


def _prefix(is_of_text: bool) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        color, x, y = theme.accent if is_of_text else theme.faint, box.left() + 26, box.center().y()
        painter.setPen(QPen(color, 2 if is_of_text else 1))
        painter.drawLine(QLineF(x - 12, box.top(), x - 12, y - 4))
        painter.drawLine(QLineF(x - 12, y, x, y))
        fill(painter, QRectF(x - 2.2, y - 2.2, 4.4, 4.4), color, 2.2)
        font = bold(Theme.mono_font(SMALL_FONT_PX), is_of_text)
        words = box.adjusted(x - box.left() + 8, 0, 0, 0)
        write(painter, words, "the", theme.text if is_of_text else theme.dim, font=font)

    return draw


def _merged(painter: QPainter, theme: Theme, box: QRectF) -> None:
    inside = box.adjusted(26, 3, -26, -3)
    painter.fillRect(inside, theme.raised)
    write(painter, inside, "1,446", theme.dim, CENTER, Theme.mono_font(SMALL_FONT_PX - 1))


IN_TREE: tuple[tuple[Draw, str], ...] = (
    (_below, "a token; under it, in the sunburst farther out, the longer ones that begin with it"),
    (_labelled("come"), "what a token adds to the one above; the whole of it where it fills the middle"),
    (
        _labelled("Han · 4,892", "Han"),
        "a group of tokens that go on in the same script, and how many they are",
    ),
    (_labelled("<E6>", "Han"), "a byte that is only a part of a character"),
    (_crowd, "many tokens, each narrower than a pixel, in their mean colour"),
    (_nothing, "nothing to tell in these colours; the legend says why"),
    (_outlined("text", HOVERED_PX), "the token under the pointer"),
    (_outlined("text", WAY_PX, "", WAY_PX + 2), "on the way to the chosen token"),
    (
        _outlined("accent", CHOSEN_PX, "text", 2 * CHOSEN_PX),
        "the chosen token; a click on it goes one step up",
    ),
    (_dimmed, "not what the search found, and on no way to it"),
    (_dots, "found, and too small to be seen by its colour"),
    (_outlined("warning", CHOSEN_PX, "", 2 * CHOSEN_PX), "of what was found, the one that is looked at"),
    (_map, "the whole tree, and in the frame what of it is in view"),
    (_read, "in the walk: what is read of the next token, and the text behind it"),
    (_prefix(is_of_text=True), "among the prefixes: a token of the whole text"),
    (_prefix(is_of_text=False), "the token that a shorter prefix would end with"),
    (_merged, "under a token that was merged: when, low numbers first; scores where the model has those"),
)
