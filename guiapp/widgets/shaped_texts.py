"""Short texts that are painted over and over, such as tokens: shaped once, then only drawn.

Plain characters of a fixed-pitch font need no shaping at all: their glyphs stand side by side.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QGlyphRun,
    QPainter,
    QRawFont,
    QStaticText,
)

from guiapp.widgets.theme import Theme

MOST_TEXTS = 5000
SAME_WIDTH_PX = 0.5
STRIKE_SHARE = 0.58  # of the height, from above: through small letters
PLAIN = "".join(
    character
    for character in map(
        chr,
        (
            *range(0x20, 0x590),
            *range(0x2010, 0x2028),
            *range(0x2190, 0x2200),
            *range(0x2580, 0x25A0),
        ),
    )
    if unicodedata.category(character)[0] not in "MC"  # neither marks, which combine, nor controls
)
"""Latin, Greek and Cyrillic letters, and the signs that stand for spaces: one glyph each in any order."""

ISOLATES = "\u2068\u2069"
"""They keep directions apart, have no width, and do nothing among plain characters."""

LEFT, CENTER, RIGHT = 0.0, 0.5, 1.0
"""Where in its place a text stands: the share of the free width that is left of it."""


class Shaped(NamedTuple):
    """A text ready to draw, with its size; `ascent` is that of glyphs, which stand on a line."""

    text: QStaticText | QGlyphRun
    width: float
    height: float
    ascent: float


class FixedGlyphs:
    """The glyphs of a fixed-pitch font for plain characters, as far as it has them itself."""

    def __init__(self, font: QFont) -> None:
        metrics = QFontMetricsF(font)
        self._font = QRawFont.fromFont(font)
        self._places: list[QPointF] = []
        self._advance, self._ascent = metrics.horizontalAdvance("0"), metrics.ascent()
        self._height = float(ceil(metrics.height()))
        is_fixed = metrics.horizontalAdvance("i") == self._advance == metrics.horizontalAdvance("W")
        self._glyphs = self._found() if is_fixed else {}
        self._characters = frozenset(self._glyphs).union(ISOLATES if self._glyphs else "")

    def _found(self) -> dict[str, int]:
        """QFontInfo does not call every font fixed-pitch that is; so each glyph is asked for its width."""
        glyphs = self._font.glyphIndexesForString(PLAIN)
        widths = (step.x() for step in self._font.advancesForGlyphIndexes(glyphs))
        return {
            character: glyph
            for character, glyph, width in zip(PLAIN, glyphs, widths, strict=True)
            if glyph and abs(width - self._advance) < SAME_WIDTH_PX
        }

    def width(self, text: str) -> float | None:
        """Without shaping it; None for a text with other characters."""
        if not self._characters.issuperset(text):
            return None
        return (len(text) - sum(map(text.count, ISOLATES))) * self._advance

    def shape(self, text: str) -> Shaped | None:
        """None for a text with other characters."""
        if not self._characters.issuperset(text):
            return None
        glyphs = [self._glyphs[character] for character in text if character not in ISOLATES]
        for number in range(len(self._places), len(glyphs)):
            self._places.append(QPointF(number * self._advance, 0))
        run = QGlyphRun()
        run.setRawFont(self._font)
        run.setGlyphIndexes(glyphs)
        run.setPositions(self._places[: len(glyphs)])
        return Shaped(run, len(glyphs) * self._advance, self._height, self._ascent)


class ShapedTexts:
    """Draws texts of one font."""

    def __init__(self, font: QFont) -> None:
        self._is_struck = font.strikeOut()  # by us: under a painter that scales, Qt does it beside the text
        self._font = QFont(font)
        self._font.setStrikeOut(False)
        self._metrics = QFontMetrics(font)
        self._plain = FixedGlyphs(self._font)
        self._shaped = lru_cache(MOST_TEXTS)(self._shape)

    def width(self, text: str) -> float:
        width = self._plain.width(text)
        return self._shaped(text).width if width is None else width

    def draw(self, painter: QPainter, place: QRectF, text: str, share: float = CENTER) -> None:
        """Draw one line in the middle of the place's height, with the painter's pen."""
        shaped, width, height, ascent = self._shaped(text)
        x = place.x() + (place.width() - width) * share
        y = place.y() + (place.height() - height) / 2
        if isinstance(shaped, QGlyphRun):
            painter.drawGlyphRun(QPointF(x, y + ascent), shaped)
        else:
            painter.setFont(self._font)
            painter.drawStaticText(QPointF(x, y), shaped)
        if self._is_struck:
            middle = y + height * STRIKE_SHARE
            painter.drawLine(QPointF(x, middle), QPointF(x + width, middle))

    def elided(self, text: str, width: float) -> str:
        """The text, cut short where it needs more than that."""
        if self.width(text) <= width:
            return text
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(width))

    def _shape(self, text: str) -> Shaped:
        return self._plain.shape(text) or self._shape_any(text)

    def _shape_any(self, text: str) -> Shaped:
        static = QStaticText(text)
        static.setTextFormat(Qt.TextFormat.PlainText)
        static.prepare(font=self._font)
        size = static.size()
        return Shaped(static, size.width(), size.height(), 0)


class MonoTexts:
    """Texts in the sizes and kinds of the monospaced font that a picture needs."""

    def __init__(self) -> None:
        self._fonts: dict[tuple[int, bool, bool], ShapedTexts] = {}

    def of(self, size_px: int, *, is_bold: bool = False, is_struck: bool = False) -> ShapedTexts:
        key = size_px, is_bold, is_struck
        if key not in self._fonts:
            font = Theme.mono_font(size_px)
            font.setBold(is_bold)
            font.setStrikeOut(is_struck)
            self._fonts[key] = ShapedTexts(font)
        return self._fonts[key]
