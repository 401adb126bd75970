"""Short texts that are painted over and over, such as tokens: shaped once, then only drawn."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QRawFont, QStaticText

from guiapp.kit.widgets.painting import in_shared_size, scaled
from guiapp.kit.widgets.script_fonts import draw_once
from guiapp.kit.widgets.theme import Theme

MOST_TEXTS = 256
MOST_FONTS = 32  # some sizes of larger text; each keeps so many texts
STRIKE_SHARE = 0.58  # of the height, from above: through small letters
ISOLATES = "\u2068\u2069"  # keep directions apart, and have no width
LEFT, CENTER, RIGHT = 0.0, 0.5, 1.0
"""Where in its place a text stands: the share of the free width that is left of it."""

Placed = tuple[float, float, float, str]
"""Where the place of a text begins, how wide it is, the middle of its height, and the text."""


class ShapedTexts:
    """Draws texts of one font.

    ascent  from the top of a line of text to where its letters stand
    height  of a line whose letters are all of the font
    """

    def __init__(self, font: QFont) -> None:
        self._is_struck = font.strikeOut()  # by us: under a painter that scales, Qt does it beside the text
        self._font = QFont(font)
        self._font.setStrikeOut(False)
        self._shared, self._factor = in_shared_size(self._font)
        self._metrics = QFontMetricsF(self._shared)
        own = QFontMetricsF(self._font)
        self.ascent, self.height = own.ascent(), float(ceil(own.height()))
        self._shaped = lru_cache(MOST_TEXTS)(partial(_shaped, self._font, QRawFont.fromFont(self._font)))

    def learn(
        self,
        characters: str,
        scale: float = 1.0,
        colors: Sequence[QColor | Qt.GlobalColor] = (Qt.GlobalColor.black,),
    ) -> None:
        """Load now what takes too long when it is first painted, by painters of that scale and those pens."""
        draw_once(self._font, characters, scale, colors)

    def draw(self, painter: QPainter, place: QRectF, text: str, share: float = CENTER) -> None:
        """Draw one line in the middle of the place's height, with the painter's pen."""
        self.draw_in(painter, place.x(), place.width(), place.y() + place.height() / 2, text, share)

    def draw_in(
        self, painter: QPainter, left: float, room: float, middle: float, text: str, share: float = CENTER
    ) -> None:
        """The same for those who know the place by its numbers: `middle` is its height."""
        self.draw_all(painter, [(left, room, middle, text)], share)

    def draw_all(self, painter: QPainter, placed: Sequence[Placed], share: float = CENTER) -> None:
        """Draw many at once, which takes less time than one by one.

        Each begins at a whole pixel: between two pixels its glyphs would have to be drawn anew.
        """
        shared: list[tuple[QPointF, QStaticText]] = []
        painter.setFont(self._font)
        for left, room, middle, text in placed:
            static, factor = self._shaped(text)
            x = round(left + (room - static.size().width() * factor) * share)
            top_left = QPointF(x, middle - static.size().height() * factor / 2)
            if factor == 1:
                painter.drawStaticText(top_left, static)
            else:
                shared.append((top_left / factor, static))
        painter.setFont(self._shared)
        with scaled(painter, self._factor):
            for place, static in shared:
                painter.drawStaticText(place, static)
        if self._is_struck:
            self._strike(painter, placed, share)

    def _strike(self, painter: QPainter, placed: Sequence[Placed], share: float) -> None:
        for left, room, middle, text in placed:
            width = self.width(text)
            x = round(left + (room - width) * share)
            y = middle + self._height_of(text) * (STRIKE_SHARE - 0.5)
            painter.drawLine(QPointF(x, y), QPointF(x + width, y))

    def width(self, text: str) -> float:
        static, factor = self._shaped(text)
        return static.size().width() * factor

    def _height_of(self, text: str) -> float:
        """Of the line that it needs: higher than others, for a font that it borrows from."""
        static, factor = self._shaped(text)
        return static.size().height() * factor

    def draw_on(self, painter: QPainter, left: float, line: float, text: str) -> None:
        """The same from the left on a line that letters of other fonts stand on, too."""
        self.draw_in(painter, left, 0, line - self.ascent + self.height / 2, text, LEFT)

    def is_high(self, text: str) -> bool:
        """Whether it needs a higher line than others, for a font that it borrows from."""
        return self._height_of(text) > self.height

    def elided(self, text: str, width: float) -> str:
        """The text, cut short where it needs more than that."""
        if self.width(text) <= width:
            return text
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, width / self._factor)


def _shaped(font: QFont, raw: QRawFont, text: str) -> tuple[QStaticText, float]:
    """The text in the font, or in the shared size, to be scaled, where it borrows from others."""
    is_own = all(raw.supportsCharacter(ord(character)) for character in text if character not in ISOLATES)
    used, factor = (font, 1.0) if is_own else in_shared_size(font)
    static = QStaticText(text)
    static.setTextFormat(Qt.TextFormat.PlainText)
    static.prepare(font=used)
    return static, factor


class MonoTexts:
    """Texts in the sizes and kinds of the monospaced font that a picture needs, and needed not long ago."""

    def __init__(self) -> None:
        self._of_font = lru_cache(MOST_FONTS)(_in_mono_font)

    def of(self, size_px: int, *, is_bold: bool = False, is_struck: bool = False) -> ShapedTexts:
        return self._of_font(size_px, is_bold, is_struck)


def _in_mono_font(size_px: int, is_bold: bool, is_struck: bool) -> ShapedTexts:
    font = Theme.mono_font(size_px)
    font.setBold(is_bold)
    font.setStrikeOut(is_struck)
    return ShapedTexts(font)
