"""The layout of one block of text: its rows, and conversions between bytes and positions on screen."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QRawFont,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
    QTextOption,
)

from guiapp.analysis.editing.text_buffer import Unbroken
from guiapp.kit.document.display_text import DisplayText, begins_from_right, display_text
from guiapp.kit.document.document import n_units
from guiapp.kit.spans.layout import RowGeometry

ROW_HEIGHT = 1.95  # row height over font size: leaves room between the spans of two rows
CHIP_FONT = 0.62
CHIP_PADDING_PX = 7
TAB_COLUMNS = 4
FIGURE_SPACE = 0x2007
KNOWN_EMOJI = 1000
WRAP_MODE = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


@dataclass(frozen=True, eq=False)
class TextMetrics:
    """Fonts and the sizes that follow from them.

    is_even        whether all printable ASCII characters have the same width
    widens_spaces  whether the font can show spaces that keep their width at a row's end
    draws_as_one   whether the font has a single glyph for an emoji sequence
    """

    font: QFont
    chip_font: QFont
    char_width: float
    row_height: int
    baseline: float
    is_even: bool
    widens_spaces: bool
    draws_as_one: Callable[[str], bool]

    @classmethod
    def of(cls, font: QFont) -> TextMetrics:
        chip_font = QFont(font)
        chip_font.setPixelSize(max(7, round(font.pixelSize() * CHIP_FONT)))
        sizes = QFontMetricsF(font)
        width = sizes.horizontalAdvance("0")
        height = round(font.pixelSize() * ROW_HEIGHT)
        has_wide_space = QRawFont.fromFont(font).supportsCharacter(FIGURE_SPACE)
        return cls(
            font,
            chip_font,
            width,
            height,
            (height + sizes.ascent() - sizes.descent()) / 2,
            all(sizes.horizontalAdvance(sample) == width for sample in "iW ~"),
            has_wide_space and sizes.horizontalAdvance("\u2007") == sizes.horizontalAdvance(" "),
            lru_cache(KNOWN_EMOJI)(partial(_draws_as_one, QFont(font))),
        )

    def room_for_digits(self, n_digits: int) -> float:
        """The extra width of a chip in the text over the character that reserves its position."""
        digits = QFontMetricsF(self.chip_font).horizontalAdvance("0" * n_digits)
        return digits + CHIP_PADDING_PX - self.char_width


@dataclass(frozen=True)
class Preedit:
    """The text that an input method is composing, at an offset in the document's text."""

    offset: int
    text: str
    caret: int  # in UTF-16 units of `text`


class BlockLayout:
    """The rows of one block; offsets are relative to the block's first byte."""

    def __init__(
        self,
        data: bytes,
        metrics: TextMetrics,
        width: float,
        preedit: Preedit | None = None,
        unbroken: Unbroken = (),
    ) -> None:
        self.data = data
        self.n_newlines = len(data) - len(data.rstrip(b"\n"))  # at the end
        self.size = len(data)
        self.preedit = preedit
        self._metrics = metrics
        self.display = display_text(
            data[: len(data) - self.n_newlines], metrics.widens_spaces, metrics.draws_as_one
        )
        if preedit is not None:
            self.display = _with_preedit(self.display, preedit)
        self._layout = QTextLayout(self.display.text, metrics.font)
        self._layout.setCacheEnabled(True)
        self._layout.setTextOption(_text_option(metrics, self.is_right_to_left))
        self._layout.setFormats(self._formats())
        self._break_lines(max(width, 4 * metrics.char_width), unbroken)
        self._geometry: dict[int, RowGeometry] = {}

    def _formats(self) -> list[QTextLayout.FormatRange]:
        formats = []
        for length, group in groupby(self.display.chips, key=lambda chip: len(chip.label)):
            char_format = QTextCharFormat()
            char_format.setForeground(Qt.GlobalColor.transparent)
            char_format.setFontLetterSpacingType(QFont.SpacingType.AbsoluteSpacing)
            char_format.setFontLetterSpacing(self._metrics.room_for_digits(length))
            for first, n_chips in _runs([chip.unit for chip in group]):
                formats.append(_format_range(first, n_chips, char_format))
        if self.preedit is not None:
            char_format = QTextCharFormat()
            char_format.setFontUnderline(True)
            cell = int(np.searchsorted(self.display.cells, self.preedit.offset))
            length = n_units(self.preedit.text)
            formats.append(_format_range(int(self.display.units[cell]) - length, length, char_format))
        return formats

    def _break_lines(self, width: float, unbroken: Unbroken) -> None:
        self._lines: list[QTextLine] = []
        starts, ends = ([self._unit(span[side]) for span in unbroken] for side in (0, 1))
        self._layout.beginLayout()
        while (line := self._layout.createLine()).isValid():
            line.setLineWidth(width)
            if unbroken:
                self._keep_whole(line, starts, ends, width)
            line.setPosition(QPointF(0, self._metrics.baseline - line.ascent()))
            self._lines.append(line)
        self._layout.endLayout()
        self._row_units = np.array([line.textStart() for line in self._lines] or [0], np.int64)
        self._row_cells: list[int] = np.searchsorted(self.display.units, self._row_units).tolist()
        self._row_cells[0] = 0
        self._row_cells.append(len(self.display.cells) - 1)

    def _keep_whole(self, line: QTextLine, starts: list[int], ends: list[int], width: float) -> None:
        """Move the end of a line if it lies within an unbroken span."""
        end = line.textStart() + line.textLength()
        at = bisect_left(starts, end) - 1
        if at >= 0 and end < ends[at]:
            self._end_at(line, starts[at] if line.textStart() < starts[at] else ends[at], width)

    def _end_at(self, line: QTextLine, unit: int, width: float) -> None:
        """End a line before a character, as far as it fits, even within a word."""
        option = self._layout.textOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self._layout.setTextOption(option)
        for n_columns in range(unit - line.textStart(), 0, -1):  # combining characters are one column
            line.setNumColumns(n_columns, width)
            if line.textStart() + line.textLength() <= unit:
                break
        option.setWrapMode(WRAP_MODE)
        self._layout.setTextOption(option)

    @property
    def n_rows(self) -> int:
        return max(1, len(self._lines))

    @cached_property
    def is_right_to_left(self) -> bool:
        """Whether the base direction of the block is right-to-left."""
        return self.display.has_right_to_left and begins_from_right(self.display.text)

    @property
    def is_ascii(self) -> bool:
        """Whether each byte is a separate character, so that no token can contain part of one."""
        return len(self.display.text) == self.size - self.n_newlines and self.display.text.isascii()

    def row_extent(self, row: int) -> tuple[float, float]:
        """The left and right edges of what is drawn of a row, without its newline."""
        if not self._lines:
            return 0.0, 0.0
        rect = self._lines[row].naturalTextRect()
        return rect.left(), rect.right()

    def likeness(self, row: int) -> tuple[object, ...] | None:
        """Compares equal for rows of any blocks that look the same; None if only measuring can decide."""
        first, last = self._cell_range(row)
        if self.preedit is not None or self.is_right_to_left or self.display.may_turn[first:last].any():
            return None
        return (self.data[slice(*self.row_span(row))], *self.row_extent(row))

    def row_span(self, row: int) -> tuple[int, int]:
        """The bytes of a row; the last one includes the newline."""
        first, last = self._cell_range(row)
        end = self.size if row == self.n_rows - 1 else int(self.display.cells[last])
        return int(self.display.cells[first]), end

    def row_of(self, offset: int, at_row_end: bool = False) -> int:
        """The row of a caret; a caret between two rows is in the second one, unless `at_row_end`."""
        unit = self._unit(offset)
        row = int(np.searchsorted(self._row_units, unit, side="right")) - 1
        return row - 1 if at_row_end and row > 0 and self._row_units[row] == unit else max(row, 0)

    def is_measured(self, row: int) -> bool:
        """Whether the result of `geometry` is cached."""
        return row in self._geometry

    def geometry(self, row: int) -> RowGeometry:
        """The positions of a row's characters, newline included."""
        if row not in self._geometry:
            self._geometry[row] = self._measure(row)
        return self._geometry[row]

    def caret_x(self, offset: int, row: int) -> float:
        if not self._lines:
            return 0.0
        unit = self._unit(offset)
        if self.preedit is not None and offset == self.preedit.offset:
            unit += self.preedit.caret - n_units(self.preedit.text)
        return _x(self._lines[row], unit)

    def caret_at(self, row: int, x: float) -> tuple[int, bool]:
        """The offset nearest to a position, and whether it is the end of a wrapped row."""
        first, last = self._cell_range(row)
        if first == last:  # empty, or nothing but preedit text
            return int(self.display.cells[first]), False
        unit = self._lines[row].xToCursor(x)
        cell = max(int(np.searchsorted(self.display.units, unit, side="right")) - 1, first)
        is_wrapped = row + 1 < self.n_rows and cell >= last - 1
        if is_wrapped:  # Qt keeps carets before a wrapped row's last character
            cell = last - 1
        if is_wrapped or unit > self.display.units[cell]:  # or within the units of one cell
            geometry = self.geometry(row)
            leading, trailing = geometry.leading[cell - first], geometry.trailing[cell - first]
            cell += int(abs(x - trailing) < abs(x - leading))
        return int(self.display.cells[cell]), is_wrapped and cell == last

    def byte_at(self, row: int, x: float) -> int:
        """The first byte of the character at a position; -1 outside the text."""
        geometry = self.geometry(row)
        left = np.minimum(geometry.leading, geometry.trailing)
        right = np.maximum(geometry.leading, geometry.trailing)
        hit = np.flatnonzero((left <= x) & (x < right))
        if not len(hit):
            return -1
        cell = int(hit[0])
        start, end = int(geometry.cells[cell]), int(geometry.cells[cell + 1])
        share = (x - geometry.leading[cell]) / (geometry.trailing[cell] - geometry.leading[cell])
        return min(start + int(share * (end - start)), end - 1)

    def chip_span(self, offset: int) -> tuple[int, int] | None:
        """The bytes of the chip that includes the byte at `offset`; None if no chip does."""
        cell = int(np.searchsorted(self.display.cells, offset, side="right")) - 1
        if not self.display.chips_in(cell, cell + 1):
            return None
        return int(self.display.cells[cell]), int(self.display.cells[cell + 1])

    def step(self, offset: int, to_left: bool) -> int | None:
        """The offset one grapheme to the left or right on screen; None beyond the block."""
        unit = self._unit(offset)
        move = self._layout.leftCursorPosition if to_left else self._layout.rightCursorPosition
        while (moved := move(unit)) != unit:
            unit = moved
            cell = int(np.searchsorted(self.display.units, unit))
            if int(self.display.cells[cell]) != offset:
                return int(self.display.cells[cell])
        return None

    def draw_row(self, painter: QPainter, row: int, x: float, y: float) -> None:
        if self._lines:
            self._lines[row].draw(painter, QPointF(x, y))

    def _unit(self, offset: int) -> int:
        cell = int(np.searchsorted(self.display.cells, offset, side="right")) - 1
        return int(self.display.units[cell])

    def _cell_range(self, row: int) -> tuple[int, int]:
        return self._row_cells[row], self._row_cells[row + 1]

    def _measure(self, row: int) -> RowGeometry:
        first, last = self._cell_range(row)
        cells = self.display.cells[first : last + 1]
        is_mixed = self.is_right_to_left or bool(self.display.may_turn[first:last].any())
        if not self._lines:
            leading = trailing = np.zeros(0)
        elif is_mixed:
            leading, trailing = self._mixed_edges(self._lines[row], first, last)
        else:
            edges = self._edges(self._lines[row], first, last)
            leading, trailing = edges[:-1], edges[1:]
        characters = self.display.characters
        inside = slice(np.searchsorted(characters, cells[0]), np.searchsorted(characters, cells[-1]) + 1)
        geometry = RowGeometry(cells, leading, trailing, characters[inside], is_mixed)
        if self.n_newlines and row == self.n_rows - 1:
            return self._with_newlines(geometry)
        return geometry

    def _edges(self, line: QTextLine, first: int, last: int) -> NDArray[np.float64]:
        """The x of each cell's left edge and of the last one's right edge, in a left-to-right row.

        Qt is called only where a run of equally wide characters begins or ends: each call takes microseconds.
        """
        units = self.display.units[first : last + 1]
        asked = np.ones(len(units), np.bool_)
        if self._metrics.is_even and last > first:
            even = self.display.is_even[first:last]
            asked[1:-1] = ~(even[1:] & even[:-1])
        edges = np.zeros(len(units))
        for at in np.flatnonzero(asked):
            edges[at] = _x(line, int(units[at]))
        anchor = np.maximum.accumulate(np.where(asked, np.arange(len(units)), 0))
        edges = edges[anchor] + (np.arange(len(units)) - anchor) * self._metrics.char_width
        np.minimum(edges, edges[-1], out=edges)  # Qt collapses all spaces beyond a row's end
        return edges

    def _mixed_edges(
        self, line: QTextLine, first: int, last: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        starts, ends = self._shown_units(first, last)
        edge = QTextLine.Edge.Trailing
        leading = [_x(line, unit) for unit in starts]
        trailing = [_x(line, unit, edge) for unit in ends]
        turned = _cells_after_turns(line, starts)
        for at, (enters, leaves) in turned.items():
            leading[at], trailing[at] = enters, leaves
        for chip in self.display.chips_in(first, last):
            if (at := chip.cell - first) in turned:  # measured as one character so far
                edges = leading if leading[at] > trailing[at] else trailing
                edges[at] += self._metrics.room_for_digits(len(chip.label))
        for at, following in enumerate(leading[1:]):
            if min(leading[at], trailing[at]) < following < max(leading[at], trailing[at]):
                trailing[at] = following  # Qt assigns a combining character to the previous cell
        for at in np.flatnonzero(self.display.is_tab[first:last]).tolist():
            beyond = leading[at + 1 :] + trailing[at + 1 :] or [_x(line, int(self.display.units[last]))]
            trailing[at] = max(beyond) if self.is_right_to_left else min(beyond)  # Qt has the leading edge
        return np.array(leading, np.float64), np.array(trailing, np.float64)

    def _shown_units(self, first: int, last: int) -> tuple[list[int], list[int]]:
        """The first and last unit of each cell; for a cell with a chip, the chip's unit twice."""
        starts = self.display.units[first:last].tolist()
        ends = (self.display.units[first + 1 : last + 1] - 1).tolist()
        for chip in self.display.chips_in(first, last):
            starts[chip.cell - first] = ends[chip.cell - first] = chip.unit
        return starts, ends

    def _with_newlines(self, row: RowGeometry) -> RowGeometry:
        width = -self._metrics.char_width if self.is_right_to_left else self._metrics.char_width
        edge = 0.0
        if len(row.leading):
            ends = np.concatenate((row.leading, row.trailing))
            edge = float(ends.min() if self.is_right_to_left else ends.max())
        edges = edge + width * np.arange(self.n_newlines + 1)
        newlines = np.arange(self.size - self.n_newlines, self.size) + 1
        return row._replace(
            cells=np.append(row.cells, newlines),
            leading=np.append(row.leading, edges[:-1]),
            trailing=np.append(row.trailing, edges[1:]),
            characters=np.append(row.characters, newlines),
        )


def _x(line: QTextLine, unit: int, edge: QTextLine.Edge = QTextLine.Edge.Leading) -> float:
    answer = line.cursorToX(unit, edge)
    x: float = answer[0] if isinstance(answer, tuple) else answer  # type: ignore[assignment]
    return x


def _cells_after_turns(line: QTextLine, units: list[int]) -> dict[int, tuple[float, float]]:
    """The cells at which the direction changes, with their leading and trailing edges.

    For these, QTextLine.cursorToX returns the end of the previous character.
    """
    runs = line.glyphRuns(-1, -1, QTextLayout.GlyphRunRetrievalFlag.RetrieveAll)
    if len({run.isRightToLeft() for run in runs}) < 2:
        return {}
    left: dict[int, float] = {}
    right: dict[int, float] = {}
    leftward: dict[int, bool] = {}
    for run in runs:
        is_leftward = run.isRightToLeft()
        advances = run.rawFont().advancesForGlyphIndexes(run.glyphIndexes())
        for unit, position, advance in zip(run.stringIndexes(), run.positions(), advances, strict=True):
            x = position.x()
            left[unit] = min(left.get(unit, x), x)
            right[unit] = max(right.get(unit, x), x + advance.x())
            leftward[unit] = is_leftward
    turns = {}
    is_leftward = leftward.get(units[0], False)
    for at, unit in enumerate(units):
        turned = leftward.get(unit, is_leftward) != is_leftward
        is_leftward ^= turned
        if turned and at:
            turns[at] = (right[unit], left[unit]) if is_leftward else (left[unit], right[unit])
    return turns


def _draws_as_one(font: QFont, emoji: str) -> bool:
    glyphs = _glyphs(font, emoji)
    return len(glyphs) == 1 and glyphs != _glyphs(font, emoji[0])


def _glyphs(font: QFont, text: str) -> list[int]:
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]


def _text_option(metrics: TextMetrics, is_right_to_left: bool) -> QTextOption:
    option = QTextOption(Qt.AlignmentFlag.AlignRight if is_right_to_left else Qt.AlignmentFlag.AlignLeft)
    option.setWrapMode(WRAP_MODE)
    option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
    option.setTabStopDistance(TAB_COLUMNS * metrics.char_width)
    return option


def _format_range(start: int, length: int, char_format: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start, found.length, found.format = start, length, char_format
    return found


def _runs(units: list[int]) -> list[tuple[int, int]]:
    """Runs of consecutive numbers as (first, length)."""
    runs: list[tuple[int, int]] = []
    for unit in units:
        if runs and sum(runs[-1]) == unit:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((unit, 1))
    return runs


def _with_preedit(display: DisplayText, preedit: Preedit) -> DisplayText:
    """Insert the preedit text into the display text; it corresponds to no bytes."""
    cell = int(np.searchsorted(display.cells, preedit.offset))
    unit = int(display.units[cell])
    shown = display.text.encode("utf-16-le")
    shown = shown[: 2 * unit] + preedit.text.encode("utf-16-le") + shown[2 * unit :]
    units, n_added = display.units.copy(), n_units(preedit.text)
    units[cell:] += n_added
    is_even = display.is_even.copy()
    is_even[cell - 1 : cell] = False  # the previous cell now includes the width of the preedit text
    chips = tuple(
        chip._replace(unit=chip.unit + n_added) if chip.unit >= unit else chip for chip in display.chips
    )
    return display._replace(text=shown.decode("utf-16-le"), units=units, is_even=is_even, chips=chips)
