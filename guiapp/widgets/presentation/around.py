"""The text around a piece in one quiet line: finished tokens, the piece itself, and what is to come."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.presentation.letters import side_of
from guiapp.viewmodels.presentation.scene import Around
from guiapp.widgets.shared.painting import CENTER, elided, fill, width_of, write
from guiapp.widgets.shared.theme import Theme

FONT_PX, LINE_PX, GAP_PX = 34, 52, 4
PADDING_PX = 7
MOST_OF_WIDTH = 0.5  # that the piece takes


class Stretch(NamedTuple):
    """A part of the line; `color` counts, -1 for none."""

    text: str
    rect: QRectF
    color: int
    is_now: bool = False


def lay_out_around(around: Around, area: QRectF) -> list[Stretch]:
    """In the middle of an area, or with the piece near it; what has no room is left out."""
    font = Theme.mono_font(FONT_PX)
    now = isolate(elided(around.now, font, area.width() * MOST_OF_WIDTH))
    widths = [width_of(isolate(each.text), font) + 2 * PADDING_PX for each in around.done]
    now_width = width_of(now, font)
    before = sum(widths) + GAP_PX * len(widths)
    behind_width = width_of(around.to_come, font)
    whole = before + now_width + behind_width
    x = area.left() + (area.width() - whole) / 2 + before
    if whole > area.width():
        least, most = area.left() + min(before, area.width() * 0.4), area.right() - now_width
        x = min(least, most)
    found = [Stretch(now, QRectF(x, area.top(), now_width, LINE_PX), -1, True)]
    at = x
    for element, width in zip(reversed(around.done), reversed(widths), strict=True):
        at -= width + GAP_PX
        if at < area.left() - 1:
            break
        place = QRectF(at, area.top(), width, LINE_PX)
        found.append(Stretch(isolate(element.text), place, element.color))
    room = min(behind_width, area.right() - x - now_width)
    if room > FONT_PX:
        text = elided(around.to_come, font, room + 1)
        place = QRectF(x + now_width, area.top(), room, LINE_PX)
        found.append(Stretch(isolate(text), place, -1))
    if (side_of(around.now) or side_of(around.to_come)) == "R":
        middle = area.left() + area.right()
        return [
            each._replace(rect=each.rect.translated(middle - each.rect.left() - each.rect.right(), 0))
            for each in found
        ]
    return found


def paint_around(painter: QPainter, theme: Theme, line: list[Stretch]) -> None:
    font = Theme.mono_font(FONT_PX)
    for text, rect, color, is_now in line:
        if color >= 0:
            fill(painter, rect.adjusted(0, 3, 0, -3), theme.span_color(color), 7)
        if is_now:
            painter.fillRect(QRectF(rect.left(), rect.bottom() + 2, rect.width(), 4), theme.accent)
        ink = theme.text if is_now else theme.span_text if color >= 0 else theme.dim
        write(painter, rect.adjusted(-4, 0, 4, 0), text, ink, CENTER, font)
