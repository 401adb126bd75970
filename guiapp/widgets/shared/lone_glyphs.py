"""Characters that look the same next to any others: a text of them needs no shaping, only their glyphs.

These are plain characters of a fixed-pitch font, and the large scripts of East Asia, of which nearly every
text has some that nothing showed before.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QGlyphRun, QPainter, QPixmap, QRawFont, QTextLayout

from guiapp.widgets.shared.painting import in_shared_size

SAME_WIDTH_PX = 0.5
MOST_FONTS = 32  # whose plain characters are remembered
MOST_EVEN = 64  # characters of a text that places are made for in advance
ISOLATES = "\u2068\u2069"
"""They keep directions apart, have no width, and do nothing among lone characters."""


PLAIN = "".join(
    character
    for character in map(
        chr,
        chain(range(0x20, 0x590), range(0x2010, 0x2028), range(0x2190, 0x2200), range(0x2580, 0x25A0)),
    )
    if unicodedata.category(character)[0] not in "MC"  # neither marks, which combine, nor controls
)
"""Latin, Greek and Cyrillic letters, and the signs that stand for spaces."""

EAST_ASIAN = (
    range(0x2E80, 0xA000),
    range(0xAC00, 0xD7A4),
    range(0xF900, 0xFB00),
    range(0xFF01, 0xFFF0),
    range(0x20000, 0x323B0),
)
"""Han, kana and Hangul syllables, with what is written between them."""


def is_east_asian(character: str) -> bool:
    """Whether it is one of these scripts, and no mark that combines with others."""
    is_inside = any(ord(character) in codes for codes in EAST_ASIAN)
    return is_inside and unicodedata.category(character)[0] not in "MC"


Placed = tuple[float, float, float, str]
"""Where the place of a text begins, how wide it is, the middle of its height, and the text."""


class Glyph(NamedTuple):
    """Which font draws a character, by its place among them, and its number there."""

    character: str
    font: int
    number: int
    advance: float


class LoneGlyphs:
    """The glyphs of a font and of those that it borrows from, as far as they are known.

    Plain characters are at once, if the font has a fixed pitch and they are its own; others once they are
    learnt.  What is known stands in dicts of plain numbers: it is ten thousands of characters for a page, and
    whatever looks for garbage would visit an object for each.
    """

    def __init__(self, font: QFont) -> None:
        metrics = QFontMetricsF(font)
        self._shared, _ = in_shared_size(font)
        self._size_px = font.pixelSize()
        self._fonts = [QRawFont.fromFont(font)]
        self._found_as = [QRawFont.fromFont(self._shared)]  # the same ones, before they got their size
        self._advance, self.ascent = metrics.horizontalAdvance("0"), metrics.ascent()
        self.height = float(ceil(metrics.height()))
        self.to_line = self.ascent - self.height / 2  # from the middle of the height down
        is_fixed = metrics.horizontalAdvance("i") == self._advance == metrics.horizontalAdvance("W")
        self._numbers = dict(_plain(QFont(font))) if is_fixed else {}
        self._even = frozenset(self._numbers)
        self._even_run, self._n_even = QGlyphRun(), 0
        self._even_run.setRawFont(self._fonts[0])
        self._make_even_places(MOST_EVEN)
        self._advances = dict.fromkeys(self._numbers, self._advance)
        self._advances |= dict.fromkeys(ISOLATES, 0.0)
        self._borrowed_from: dict[str, int] = {}

    def learn(self, characters: str, scale: float = 1.0) -> None:
        """Find the glyphs of the East Asian ones among them, and draw each once, for all that follow."""
        wanted = "".join(filter(is_east_asian, characters))
        for character, font, number, advance in self._found(wanted):
            self._numbers[character], self._advances[character] = number, advance
            self._borrowed_from[character] = font
        picture = QPixmap(1, 1)
        with QPainter(picture) as painter:
            painter.scale(scale, scale)
            for run in self.runs("".join(filter(self._numbers.__contains__, wanted))) or ():
                painter.drawGlyphRun(QPointF(), run)

    def _found(self, wanted: str) -> Iterable[Glyph]:
        """Which glyph stands for which character, where Qt would take them from.

        In whole pixels each glyph is drawn only once, not for each place between two pixels.
        """
        layout = QTextLayout(wanted, self._shared)
        layout.beginLayout()
        layout.createLine()
        layout.endLayout()
        parts = QTextLayout.GlyphRunRetrievalFlag
        units = wanted.encode("utf-16-le")
        for run in layout.glyphRuns(-1, -1, parts.RetrieveGlyphIndexes | parts.RetrieveStringIndexes):
            font = self._number_of(run.rawFont())
            steps = self._fonts[font].advancesForGlyphIndexes(run.glyphIndexes())
            for glyph, at, step in zip(run.glyphIndexes(), run.stringIndexes(), steps, strict=True):
                character = units[2 * at : 2 * at + 4].decode("utf-16-le", "ignore")[:1]
                if glyph and character:
                    yield Glyph(character, font, glyph, float(round(step.x())))

    def _number_of(self, found: QRawFont) -> int:
        """Of the font in our size: one that gets its size is a new one, with glyphs of its own, each time."""
        if found not in self._found_as:
            sized = QRawFont(found)
            sized.setPixelSize(self._size_px)
            self._found_as.append(found)
            self._fonts.append(sized)
        return self._found_as.index(found)

    def width(self, text: str) -> float | None:
        """None for a text with other characters."""
        if self._even.issuperset(text):
            return len(text) * self._advance
        try:
            return sum(map(self._advances.__getitem__, text))
        except KeyError:
            return None

    def draw_even(self, painter: QPainter, placed: Sequence[Placed], share: float) -> list[Placed]:
        """Draw the texts of plain characters, nearly all of them; return the others, which need more.

        Only numbers of glyphs are handed over: it takes half as long as to make a run for each text.
        """
        is_even, number_of, advance = self._even.issuperset, self._numbers.__getitem__, self._advance
        run, draw, to_line, others = self._even_run, painter.drawGlyphRun, self.to_line, []
        for text_place in placed:
            left, room, middle, text = text_place
            if not is_even(text):
                others.append(text_place)
                continue
            if len(text) > self._n_even:
                self._make_even_places(len(text))
            run.setGlyphIndexes(list(map(number_of, text)))
            draw(QPointF(round(left + (room - len(text) * advance) * share), middle + to_line), run)
        return others

    def _make_even_places(self, n_glyphs: int) -> None:
        """Qt draws as many glyphs as there are both numbers and places."""
        self._n_even = n_glyphs
        self._even_run.setPositions([QPointF(number * self._advance, 0) for number in range(n_glyphs)])

    def runs(self, text: str) -> tuple[QGlyphRun, ...] | None:
        """The glyphs from the start of a line, those of a font together; None for a text with others."""
        if self.width(text) is None:
            return None
        known = text.replace(ISOLATES[0], "").replace(ISOLATES[1], "")
        runs, x = [], 0.0
        for font, group in groupby(known, lambda character: self._borrowed_from.get(character, 0)):
            characters, places = list(group), []
            for character in characters:
                places.append(QPointF(x, 0))
                x += self._advances[character]
            runs.append(self._run(font, characters, places))
        return tuple(runs)

    def _run(self, font: int, characters: Iterable[str], places: list[QPointF]) -> QGlyphRun:
        run = QGlyphRun()
        run.setRawFont(self._fonts[font])
        run.setGlyphIndexes(list(map(self._numbers.__getitem__, characters)))
        run.setPositions(places)
        return run


@lru_cache(MOST_FONTS)
def _plain(font: QFont) -> Mapping[str, int]:
    """The numbers of a fixed-pitch font's plain characters: milliseconds to find, and asked for by each view.

    QFontInfo does not call every font fixed-pitch that is; so each glyph is asked for its width.
    """
    raw, advance = QRawFont.fromFont(font), QFontMetricsF(font).horizontalAdvance("0")
    glyphs = raw.glyphIndexesForString(PLAIN)
    widths = (step.x() for step in raw.advancesForGlyphIndexes(glyphs))
    return {
        character: glyph
        for character, glyph, width in zip(PLAIN, glyphs, widths, strict=True)
        if glyph and abs(width - advance) < SAME_WIDTH_PX
    }
