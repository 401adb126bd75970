"""Drawing primitives for the pictures of steps: boxes, rows of candidates, badges, bars and their scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap, QPixmapCache, QRawFont

from guiapp.analysis.trace.breakpoints import Breakpoint
from guiapp.core.text.visible_text import isolate
from guiapp.kit.charts.scales import log_values, round_values
from guiapp.kit.widgets.painting import CENTER as IN_MIDDLE
from guiapp.kit.widgets.painting import LEFT as AT_LEFT
from guiapp.kit.widgets.painting import WRAP, bold, clear_pixmap, elided, fill, in_shared_size, scaled, write
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, Theme, blend

RADIUS_PX = 6
BADGE_PX = 14
TICK = QPointF(-3.2, 0.2), QPointF(-1.0, 2.4), QPointF(3.2, -2.4)  # the tick in a badge, from its centre
DOT_PX = 9
ROW_PX, ROW_GAP_PX = 27, 3
PADDING_PX = 8
BAR_PX = 2
SCALE_PX, TICK_PX = 18, 3
SCALE_FONT_PX = 10
BETWEEN_TICKS_PX = 90
MOST_NAME_SHARE = 0.65  # of a scale's width, for its name
KNOWN_TEXTS = 4096
FIRST_MARK = "\u0300"  # the first combining mark: each character before it has a cell
LEFT, CENTER, RIGHT = 0.0, 0.5, 1.0
"""Alignment of a text in its rectangle: the share of the free width that is left of it."""

STRIKE_SHARE = 0.3  # of the ascent, above the baseline
AnyColor = QColor | Qt.PenStyle


class CandidateStatus(Enum):
    """The status of a candidate at a step."""

    WINNER = "wins: it is taken or comes first"
    NOW = "examined by this step"
    OTHER = "competes"
    OUT = "out: stale or not taken"

    def text(self, theme: Theme) -> QColor:
        return theme.dim if self in (CandidateStatus.OTHER, CandidateStatus.OUT) else theme.text

    def figure(self, theme: Theme) -> QColor:
        """The colour of the candidate's value."""
        return theme.accent if self is CandidateStatus.WINNER else theme.dim

    def ground(self, theme: Theme) -> QColor:
        shares = {CandidateStatus.WINNER: 0.28, CandidateStatus.NOW: 0.12}
        return blend(theme.raised, theme.accent, shares[self]) if self in shares else theme.panel

    def line(self, theme: Theme) -> QPen:
        if self is CandidateStatus.WINNER:
            return QPen(theme.accent, 2)
        if self is CandidateStatus.NOW:
            return QPen(theme.accent, 1.4, Qt.PenStyle.DotLine)
        styles = Qt.PenStyle
        return QPen(theme.line, 1, styles.DashLine if self is CandidateStatus.OUT else styles.SolidLine)

    def bar(self, theme: Theme) -> QColor:
        """The colour of the bar that shows the candidate's value."""
        return theme.accent if self is CandidateStatus.WINNER else blend(theme.raised, theme.dim, 0.35)


class CandidateRow(NamedTuple):
    """A row for a candidate, or for a token that was taken.

    share   length of its bar, 0 to 1; None for no bar
    done    filled part of the bar, on the same scale
    ground  the colour of a token, instead of its status's colour
    """

    text: str
    worth: str = ""
    status: CandidateStatus = CandidateStatus.OTHER
    share: float | None = None
    done: float | None = None
    ground: QColor | None = None


class BarScale(NamedTuple):
    """A scale from 0 to the highest value: linear, or logarithmic as log(1 + value).

    counts  whether ticks are whole numbers only
    """

    highest: float
    is_log: bool = False
    counts: bool = False

    def share(self, value: float) -> float:
        """The share of the whole length, 0 to 1."""
        value = max(0.0, value)
        if self.is_log:
            return min(1.0, math.log1p(value) / max(1.0, math.log1p(self.highest)))
        return min(1.0, value / self.highest) if self.highest > 0 else 0.0

    def ticks(self, n_most: int) -> list[float]:
        """Round numbers on the scale, including 0."""
        if not self.highest > 0:
            return [0.0]
        if self.is_log:
            return [0.0, *log_values(1.0, max(10.0, self.highest), max(1, n_most - 1))]
        values = round_values(0.0, self.highest, n_most)
        return [value for value in values if value.is_integer()] if self.counts else values


class StepCanvas:
    """Draws in a theme; text is elided if it is too long, and monospaced except in `label` and `message`."""

    def __init__(self, painter: QPainter, theme: Theme) -> None:
        self.painter, self.theme = painter, theme

    def write(
        self,
        rect: QRectF,
        text: str,
        color: QColor | None = None,
        side: float = LEFT,
        size_px: int = UI_FONT_PX,
        *,
        is_bold: bool = False,
        is_struck: bool = False,
    ) -> float:
        """Draw one line, vertically centred in `rect`; return its width."""
        painter, face = self.painter, _face(size_px, is_bold)
        room, (width, is_own, shown) = rect.width(), _measured(text, size_px, is_bold)
        if width > room:
            width, is_own, shown = _measured(elided(text, face.font, room), size_px, is_bold)
        left = rect.x() + (room - width) * side
        line = QPointF(round(left), rect.y() + (rect.height() - face.height) / 2 + face.ascent)
        painter.setPen(color or self.theme.text)
        if is_own:
            painter.setFont(face.font)
            painter.drawText(line, shown)
        else:
            painter.setFont(face.shared)
            with scaled(painter, face.factor):
                painter.drawText(line / face.factor, shown)
        if is_struck:  # Qt misplaces a font's own line under a painter that scales
            y = line.y() - face.ascent * STRIKE_SHARE
            painter.drawLine(QPointF(left, y), QPointF(left + width, y))
        return width

    def label(self, rect: QRectF, text: str) -> None:
        """Draw a short label in the font of the user interface."""
        write(self.painter, rect, text, self.theme.dim, AT_LEFT, Theme.ui_font(SMALL_FONT_PX))

    def message(self, rect: QRectF, text: str) -> None:
        """Draw the reason for an empty picture, in the middle."""
        write(self.painter, rect, text, self.theme.dim, IN_MIDDLE | WRAP, Theme.ui_font(SMALL_FONT_PX))

    def box(self, rect: QRectF, ground: QColor, line: QPen | None = None, radius: float = RADIUS_PX) -> None:
        """Draw a rectangle with round corners and its outline inside."""
        if line is None:
            fill(self.painter, rect, ground, radius)
            return
        ratio = self.painter.device().devicePixelRatio() * self.painter.worldTransform().m11()
        colors, look = (ground.rgba(), line.color().rgba()), (line.widthF(), line.style().value, radius)
        key = f"{rect.width()} {rect.height()} {ratio} {colors} {look}"
        picture = QPixmap()
        if not QPixmapCache.find(key, picture):  # a rounded outline takes ten times as long to draw
            picture = _box_picture(rect.size(), ratio, ground, line, radius)
            QPixmapCache.insert(key, picture)
        self.painter.drawPixmap(rect.topLeft(), picture)

    def status_box(self, rect: QRectF, status: CandidateStatus) -> None:
        self.box(rect, status.ground(self.theme), status.line(self.theme))

    def badge(self, middle: QPointF) -> None:
        """Draw the badge of a winner: a tick on a disc of `BADGE_PX`."""
        painter, theme = self.painter, self.theme
        painter.save()
        painter.translate(middle)
        self.disc(QPointF(), BADGE_PX / 2, theme.accent, QPen(theme.raised, 1.5))
        pen = QPen(theme.on_accent, 1.8)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(TICK)
        painter.restore()

    def disc(
        self, middle: QPointF, radius: float, color: AnyColor, line: QPen | AnyColor = Qt.PenStyle.NoPen
    ) -> None:
        self.painter.setPen(line)
        self.painter.setBrush(color if isinstance(color, QColor) else Qt.BrushStyle.NoBrush)
        self.painter.drawEllipse(middle, radius, radius)

    def line(self, pen: QPen | QColor, *points: QPointF) -> None:
        """Draw a line from point to point."""
        self.painter.setPen(pen)
        self.painter.drawPolyline(points)

    def rows(self, area: QRectF, rows: Sequence[CandidateRow], title: str = "") -> float:
        """Draw rows from the top, as many as there is room for; return the bottom of the last one."""
        top = area.top()
        if title:
            self.label(QRectF(area.left(), top, area.width(), ROW_PX - ROW_GAP_PX), title)
            top += ROW_PX
        for row in rows[: max(0, int((area.bottom() - top + ROW_GAP_PX) // ROW_PX))]:
            self._row(QRectF(area.left(), top, area.width(), ROW_PX - ROW_GAP_PX), row)
            top += ROW_PX
        return top

    def _row(self, rect: QRectF, row: CandidateRow) -> None:
        theme, status = self.theme, row.status
        is_winner = status is CandidateStatus.WINNER
        if row.ground is not None:
            self.box(rect, row.ground)
        elif row.share is None or status is not CandidateStatus.OTHER:  # for the others, the bar is enough
            self.status_box(rect, status)
        if row.share is not None:
            top = rect.bottom() - BAR_PX - 2  # within the outline of a box
            bar = QRectF(rect.left(), top, rect.width() * row.share, BAR_PX)
            self.painter.fillRect(bar, status.bar(theme))
            if row.done is not None:
                bar.setWidth(rect.width() * row.done)
                self.painter.fillRect(bar, theme.accent if is_winner else theme.dim)
        inner = rect.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        if is_winner:
            self.badge(QPointF(inner.left() + BADGE_PX / 2, inner.center().y()))
        if row.ground is None:
            inner.setLeft(inner.left() + BADGE_PX + PADDING_PX / 2)
        worth_px = self.write(inner, row.worth, status.figure(theme), RIGHT, SMALL_FONT_PX, is_bold=is_winner)
        color = status.text(theme) if row.ground is None else theme.span_text
        room = inner.adjusted(0, 0, -worth_px - GAP_PX * bool(row.worth), 0)
        is_out = status is CandidateStatus.OUT
        self.write(room, row.text, color, is_bold=is_winner, is_struck=is_out)

    def scale(self, area: QRectF, scale: BarScale, name: str) -> None:
        """Draw a line with ticks and numbers at the top of an area, and the scale's name at its right end."""
        theme, top = self.theme, area.top()
        self.line(QPen(theme.line, 1), area.topLeft(), area.topRight())
        row = QRectF(area.left(), top + TICK_PX, area.width(), SCALE_PX - TICK_PX)
        end, last = area.right(), -math.inf
        if text_width(name, SCALE_FONT_PX) < area.width() * MOST_NAME_SHARE:
            end -= self.write(row, name, theme.dim, RIGHT, SCALE_FONT_PX) + GAP_PX
        for value in scale.ticks(max(2, int(area.width() // BETWEEN_TICKS_PX))):
            x, text = area.left() + area.width() * scale.share(value), f"{value:,.10g}"
            self.line(QPen(theme.line, 1), QPointF(x, top), QPointF(x, top + TICK_PX))
            width = text_width(text, SCALE_FONT_PX)
            left = max(area.left(), x - width / 2)
            if last < left and left + width <= end:
                rect = QRectF(left, row.top(), width + 1, row.height())
                self.write(rect, text, theme.dim, LEFT, SCALE_FONT_PX)
                last = left + width + GAP_PX

    def breakpoint_dot(self, middle: QPointF, matches: Sequence[Breakpoint], size_px: float = DOT_PX) -> None:
        """Draw a disc, or a ring if all breakpoints are off; in another colour if all only write messages."""
        color = self.theme.warning if all(row.log for row in matches) else self.theme.bad
        if any(row.is_enabled for row in matches):
            self.disc(middle, size_px / 2, color)
        else:
            self.disc(middle, size_px / 2, Qt.PenStyle.NoPen, QPen(color, 1.4))


def _box_picture(size: QSizeF, ratio: float, ground: QColor, line: QPen, radius: float) -> QPixmap:
    picture, half = clear_pixmap(size.width(), size.height(), ratio), line.widthF() / 2
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(line)
        painter.setBrush(ground)
        rect = QRectF(QPointF(), size).adjusted(half, half, -half, -half)
        painter.drawRoundedRect(rect, radius, radius)
    return picture


class _Face(NamedTuple):
    """The monospaced font in a size; the font for text that needs fallbacks, and the factor to draw it with.

    cell_px  advance of every character; 0 if the font has several
    """

    font: QFont
    cell_px: float
    raw: QRawFont
    shared: QFont
    factor: float
    ascent: float
    height: float


@cache
def _face(size_px: int, is_bold: bool) -> _Face:
    font = bold(Theme.mono_font(size_px), is_bold)
    metrics = QFontMetricsF(font)
    widths_px = set(map(metrics.horizontalAdvance, "iW0·"))  # Qt recognizes few fonts as fixed-width
    cell_px = widths_px.pop() if len(widths_px) == 1 else 0.0
    return _Face(
        font, cell_px, QRawFont.fromFont(font), *in_shared_size(font), metrics.ascent(), metrics.height()
    )


@lru_cache(KNOWN_TEXTS)
def _measured(text: str, size_px: int, is_bold: bool) -> tuple[float, bool, str]:
    """The width of a line, whether the font has all its characters, and the text to draw."""
    face, shown = _face(size_px, is_bold), isolate(text)
    is_own = text.isascii() or all(map(face.raw.supportsCharacter, map(ord, text)))
    if is_own and face.cell_px and max(text, default="") < FIRST_MARK:
        return len(text) * face.cell_px, True, text
    if is_own:
        return QFontMetricsF(face.font).horizontalAdvance(text), True, shown
    return QFontMetricsF(face.shared).horizontalAdvance(text) * face.factor, False, shown


def text_width(text: str, size_px: int = UI_FONT_PX, is_bold: bool = False) -> float:
    """The width of a line in the monospaced font."""
    return _measured(text, size_px, is_bold)[0]


def boxes_in_rows(
    groups: Sequence[Sequence[float]], width: float, gap: float, group_gap: float
) -> list[list[tuple[float, int]]]:
    """The x and the row of boxes of these widths; a group is split only if it is wider than a row."""
    x, row, positions = 0.0, 0, []
    for group in groups:
        if x > 0 and x + sum(group) + gap * (len(group) - 1) > width:
            x, row = 0.0, row + 1
        group_positions = []
        for box in group:
            if x > 0 and x + box > width:  # the group is wider than a row
                x, row = 0.0, row + 1
            group_positions.append((x, row))
            x += box + gap
        positions.append(group_positions)
        x += group_gap - gap
    return positions
