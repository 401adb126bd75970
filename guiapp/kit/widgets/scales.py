"""How long bars are for what they stand for, and the line below or beside them that says so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT, MonoTexts, ShapedTexts
from guiapp.kit.widgets.theme import Theme

FONT_PX = 10
SCALE_PX = 18  # height of a line with its numbers
TICK_PX = 3
GAP_PX = 6  # between two numbers
BETWEEN_PX = 110  # two ticks, with room for a name
NICE = (1, 2, 5, 10)


class BarScale(NamedTuple):
    """From 0 to the highest value: in equal steps, or logarithmic, as log(1 + value)."""

    highest: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """Of the whole length, 0 to 1."""
        value = max(0.0, value)
        if self.is_log:
            return min(1.0, math.log1p(value) / max(1.0, math.log1p(self.highest)))
        return min(1.0, value / self.highest) if self.highest > 0 else 0.0

    def ticks(self, n_most: int) -> list[float]:
        """Round numbers on it, 0 among them."""
        if self.is_log:
            powers = [10.0**power for power in range(1, int(math.log10(max(1.0, self.highest))) + 1)]
            every = max(1, math.ceil(len(powers) / max(1, n_most - 1)))
            return [0.0, *(powers[::-every][::-1] or [self.highest])]
        step = round_step(self.highest / max(1, n_most - 1))
        if step > self.highest > 0:
            step = round_step(step / 2.5)  # the next one below
        return [number * step for number in range(int(self.highest / step + 1e-9) + 1)] if step else [0.0]


def round_step(least: float) -> float:
    """The next of 1, 2, 5, 10, 20 … that is not less."""
    if least <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * nice for nice in NICE if power * nice >= least * (1 - 1e-9))


def tick_text(value: float) -> str:
    """A number of a scale as people write it."""
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.2g}"


def paint_scale_below(
    painter: QPainter, theme: Theme, area: QRectF, scale: BarScale, texts: MonoTexts, name: str
) -> None:
    """A line with ticks and numbers at the top of an area; where there is room, what they count and how."""
    small = texts.of(FONT_PX)
    painter.setPen(QPen(theme.line, 1))
    painter.drawLine(area.topLeft(), area.topRight())
    middle = area.top() + TICK_PX + (SCALE_PX - TICK_PX) / 2
    numbers: list[tuple[float, str]] = []
    end = -math.inf
    for value in scale.ticks(max(2, int(area.width() // BETWEEN_PX))):
        x, text = area.left() + area.width() * scale.share(value), tick_text(value)
        left = max(area.left(), min(x - small.width(text) / 2, area.right() - small.width(text)))
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.top() + TICK_PX))
        if left > end + GAP_PX:
            numbers.append((left, text))
            end = left + small.width(text)
    gap = _last_gap(small.width(name) + 4 * GAP_PX, numbers, area, small)
    while gap is None and len(numbers) > 1:
        numbers.pop()
        gap = _last_gap(small.width(name) + 4 * GAP_PX, numbers, area, small)
    placed = [(left, 0.0, middle, text) for left, text in numbers]
    if gap is not None:
        left = gap[1] - small.width(name) if gap[1] == area.right() else (sum(gap) - small.width(name)) / 2
        placed.append((left, 0.0, middle, name))
    painter.setPen(theme.dim)
    small.draw_all(painter, placed, LEFT)


def _last_gap(
    width: float, numbers: Sequence[tuple[float, str]], area: QRectF, texts: ShapedTexts
) -> tuple[float, float] | None:
    """The last one between or behind numbers that something has room in."""
    ends = [left + texts.width(text) for left, text in numbers]
    starts = [*(left for left, _ in numbers[1:]), area.right()]
    gaps = zip(ends, starts, strict=True)
    return max((gap for gap in gaps if gap[1] - gap[0] >= width), default=None)


def paint_scale_left(
    painter: QPainter, theme: Theme, bars: QRectF, scale: BarScale, texts: MonoTexts
) -> None:
    """Hairlines behind upright bars, each with its number at the left, outside of the bars' area."""
    small = texts.of(FONT_PX)
    end = math.inf
    for value in scale.ticks(max(2, int(bars.height() // 26))):
        y = bars.bottom() - bars.height() * scale.share(value)
        painter.setPen(QPen(theme.line, 1))
        painter.drawLine(QPointF(bars.left(), y), QPointF(bars.right(), y))
        if y < end - FONT_PX:
            painter.setPen(theme.dim)
            small.draw_in(painter, 0, bars.left() - GAP_PX, y, tick_text(value), RIGHT)
            end = y


def left_scale_width(scale: BarScale, texts: MonoTexts) -> float:
    """Room for the numbers at the left of upright bars."""
    small = texts.of(FONT_PX)
    return max(small.width(tick_text(value)) for value in scale.ticks(8)) + 2 * GAP_PX
