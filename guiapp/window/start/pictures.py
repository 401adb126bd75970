"""What each way in looks like: small pictures whose tokens are those of the demo models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from guiapp.kit.widgets.painting import CENTER, LEFT, RIGHT, Painted, bold, fill, write
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

PICTURE_SIZE = QSize(240, 148)
CORNER_PX = 8
FONT_PX = 14
ROW_PX, BOX_PX = 29, 30
INDENT_PX = 20
SPACE = "·"

Draw = Callable[[QPainter, Theme, QRectF], None]

LINES = (
    ("U", "n", "b", "el", "ie", "v", "able", " token", "iz", "ation", ":"),
    ("t", "he", " cat", ",", " The", " cat", ","),
    (" ", "7", " ", "3", "65", " ", "3", "14", "1", "59"),
)
"""Tokens of demo:bpe, line by line."""

MERGED = ("un", "b", "el", "ie", "v", "ab", "le")
MERGE_RANK = 464
"""`unbelievable` before its last merge in demo:bpe, which joins the last two."""

BESIDE = (
    ("BPE", ("   ", " return", " gr", "ö", "ß", "er")),
    ("Longest match", ("    ", "re", "tu", "rn", " g", "r", "ö", "ß", "er")),
)
"""The same text in demo:bpe and demo:rwkv."""

BARS = ((3, 1.0, 0.07), (0, 0.84, 0.05), (4, 0.05, 0.015))
"""Colour, length and whisker of bars that stand for no measurement."""


class CardPicture(Painted):
    """One of the drawings below, on the upper half of a card."""

    def __init__(self, draw: Draw, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._draw = draw
        self.setFixedHeight(PICTURE_SIZE.height())
        self.setMinimumWidth(PICTURE_SIZE.width())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        place = QRectF(self.rect()).adjusted(1, 1, -1, 0)
        ground = QPainterPath()
        ground.addRoundedRect(place.adjusted(0, 0, 0, CORNER_PX), CORNER_PX - 1, CORNER_PX - 1)
        painter.setClipRect(self.rect())
        painter.fillPath(ground, theme.raised)
        painter.fillRect(QRectF(0, place.bottom() - 1, self.width(), 1), theme.line)
        self._draw(painter, theme, place.adjusted(INDENT_PX, 0, -INDENT_PX, 0))


def draw_text(painter: QPainter, theme: Theme, place: QRectF) -> None:
    """Coloured tokens, line by line."""
    top, tint = place.center().y() - ROW_PX * len(LINES) / 2, 0
    for tokens in LINES:
        _draw_tokens(painter, theme, QPointF(place.left(), top), tokens, tint)
        top, tint = top + ROW_PX, tint + len(tokens)


def draw_merge(painter: QPainter, theme: Theme, place: QRectF) -> None:
    """Two tokens that are joined, with the rank of their merge."""
    font = Theme.mono_font(FONT_PX)
    metrics, gap = QFontMetricsF(font), UNIT_PX + 1
    widths = [metrics.horizontalAdvance(token) + 2 * GAP_PX for token in MERGED]
    left = place.center().x() - (sum(widths) + gap * (len(widths) - 1)) / 2
    boxes = []
    for width in widths:
        boxes.append(QRectF(left, place.center().y() - BOX_PX / 2 + UNIT_PX, width, BOX_PX))
        left += width + gap
    for at, (box, token) in enumerate(zip(boxes, MERGED, strict=True)):
        is_joined = at >= len(boxes) - 2
        painter.setPen(QPen(theme.accent if is_joined else theme.line, 1.5 if is_joined else 1))
        painter.setBrush(theme.panel)
        painter.drawRoundedRect(box, 5, 5)
        write(painter, box, token, theme.text, CENTER, font)
    _draw_joint(painter, theme, boxes[-2], boxes[-1])


def _draw_joint(painter: QPainter, theme: Theme, one: QRectF, other: QRectF) -> None:
    """The rank over two boxes, and below them what they become."""
    ends, level = (one.center().x(), other.center().x()), one.top() - GAP_PX
    middle = sum(ends) / 2
    painter.setPen(QPen(theme.accent, 1.5))
    painter.drawLine(QPointF(ends[0], level), QPointF(ends[1], level))
    for end in ends:
        painter.drawLine(QPointF(end, level), QPointF(end, one.top() - 1))
    tag = QRectF(middle - 20, level - 21, 40, 20)
    fill(painter, tag, theme.accent, UNIT_PX)
    write(painter, tag, str(MERGE_RANK), theme.on_accent, CENTER, bold(Theme.mono_font(SMALL_FONT_PX)))
    below = QRectF(middle - 40, one.bottom() + UNIT_PX, 80, 20)
    write(painter, below, "".join(MERGED[-2:]), theme.dim, CENTER, Theme.mono_font(FONT_PX - 1))


def draw_comparison(painter: QPainter, theme: Theme, place: QRectF) -> None:
    """One text in two models, and how many tokens each makes of it."""
    top = place.center().y() - ROW_PX * 2
    for name, tokens in BESIDE:
        line = QRectF(place.left(), top, place.width(), ROW_PX - UNIT_PX)
        write(painter, line, name, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))
        count = f"{len(tokens)} tokens"
        write(painter, line, count, theme.text, RIGHT, bold(Theme.mono_font(SMALL_FONT_PX)))
        _draw_tokens(painter, theme, QPointF(place.left(), top + ROW_PX - UNIT_PX), tokens, 0)
        top += 2 * ROW_PX


def draw_bars(painter: QPainter, theme: Theme, place: QRectF) -> None:
    """Bars with whiskers."""
    top = place.center().y() - ROW_PX * len(BARS) / 2
    for color, share, whisker in BARS:
        bar = QRectF(place.left(), top + 5, place.width() * 0.88 * share, ROW_PX - 10)
        fill(painter, bar, theme.contenders[color], 3)
        ends = [bar.right() + sign * place.width() * whisker for sign in (-1, 1)]
        painter.setPen(QPen(theme.text, 1.2))
        painter.drawLine(QPointF(ends[0], bar.center().y()), QPointF(ends[1], bar.center().y()))
        for end in ends:
            painter.drawLine(QPointF(end, bar.center().y() - 4), QPointF(end, bar.center().y() + 4))
        top += ROW_PX


def _draw_tokens(
    painter: QPainter, theme: Theme, corner: QPointF, tokens: Sequence[str], first_tint: int
) -> None:
    """Tokens side by side, as in the text; a middle dot stands for a space."""
    font = Theme.mono_font(FONT_PX)
    advance = QFontMetricsF(font).horizontalAdvance("x")
    left = corner.x()
    for tint, token in enumerate(tokens, first_tint):
        box = QRectF(left, corner.y() + 3, advance * len(token), ROW_PX - 7)
        fill(painter, box, theme.span_color(tint), 3)
        for at, sign in enumerate(_shown(token)):
            cell = QRectF(left + at * advance, box.top(), advance, box.height())
            write(painter, cell, sign, theme.faint if sign == SPACE else theme.span_text, CENTER, font)
        left = box.right()


def _shown(token: str) -> Iterable[str]:
    return token.replace(" ", SPACE)
