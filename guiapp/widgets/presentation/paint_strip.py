"""Paints letters, boxes, and what comes of those that a step is about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPainterPath, QPen

from guiapp.core.explain.visible_text import SIGNS, isolate
from guiapp.core.vocab.attributes import Attribute
from guiapp.viewmodels.presentation.letters import Letter
from guiapp.viewmodels.presentation.scene import Block, Mark, Scene
from guiapp.viewmodels.steps.flow import Part
from guiapp.widgets.presentation.strip import (
    BELOW_PX,
    BOX_PX,
    CELL_PX,
    EDGE_PX,
    LEAST_LABEL_SCALE,
    LETTER_PX,
    SIGN_PX,
    PlacedBox,
    PlacedLetter,
    Strip,
)
from guiapp.widgets.shared.painting import CENTER, bold, fill, outline, width_of, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import Theme
from guiapp.widgets.spans.painter import faded
from guiapp.widgets.steps.pictures.standing import BADGE_PX, paint_badge

UNCLIPPED = CENTER | Qt.TextFlag.TextDontClip  # lines of some scripts are higher than a cell
RADIUS_PX, LINE_PX, MARKED_LINE_PX = 22, 2, 4
BRACKET_PX, BRACKET_GAP_PX = 42, 12
LABEL_PX, LABEL_FONT_PX, LABEL_PADDING_PX = 64, 38, 26
BADGE_SCALE, BADGE_GAP_PX = 2.4, 14
RANK_FONT_PX, BELOW_FONT_PX = 28, 34
LEAST_LABEL_FONT_PX = 26
DOTS_PX = 20
ROOM_PX = 22  # that a letter leaves free in its cell
MOST_WIDTHS = 4096


def cell_width(letter: Letter) -> float:
    """Wide letters have wider cells."""
    return _cell_width(letter._replace(place=0.0))


@lru_cache(MOST_WIDTHS)
def _cell_width(letter: Letter) -> float:
    return max(CELL_PX, letter_width(letter) + ROOM_PX)


def letter_width(letter: Letter, scale: float = 1.0) -> float:
    """How wide it is where it is painted in that size."""
    return width_of(isolate(letter.text), letter_font(letter, scale))


def letter_font(letter: Letter, scale: float) -> QFont:
    return Theme.mono_font(max(1, round((SIGN_PX if letter.is_sign else LETTER_PX) * scale)))


def paint_strip(painter: QPainter, theme: Theme, scene: Scene, strip: Strip, room: QRectF) -> None:
    """`room` is what labels must not reach out of."""
    for box in strip.boxes:
        shown = box._replace(rect=_opened(box, scene.blocks, strip, room)) if scene.is_one_row else box
        _paint_box(painter, theme, shown, scene.blocks[box.blocks[-1]], scene.mark, strip.scale)
    for placed in strip.letters:
        _paint_letter(painter, theme, placed, scene.blocks[placed.block], strip.scale)
    _paint_below(painter, theme, scene.blocks, strip)
    _paint_mark(painter, theme, scene, strip, room)
    _paint_ranks(painter, theme, scene, strip)
    if len({box.rect.top() for box in strip.boxes}) == 1:
        _paint_cuts(painter, theme, strip, room)
    else:
        _paint_more(painter, theme, strip, room)


def _paint_box(
    painter: QPainter, theme: Theme, box: PlacedBox, block: Block, mark: Mark | None, scale: float
) -> None:
    pen, color = QPen(theme.line, LINE_PX), theme.raised
    if block.is_marked:
        succeeds = mark is None or mark.succeeds
        color = blend(theme.background, theme.accent, 0.26 if succeeds else 0.12)
        pen = QPen(theme.accent, MARKED_LINE_PX)
        if not succeeds or (block.part is Part.TEXT and mark is None):
            pen.setDashPattern([3, 2])
    elif block.part is Part.FINISHED:
        pen, color = QPen(Qt.PenStyle.NoPen), theme.span_color(block.color)
    elif block.part is Part.CONTROL:
        pen, color = outline(theme, Attribute.CONTROL, 3), faded(theme.warning, 24)
    elif block.part is Part.USER_DEFINED:
        pen, color = outline(theme, Attribute.USER_DEFINED), theme.span_color(block.color)
        pen.setWidthF(3)
    painter.setPen(pen)
    painter.setBrush(color)
    radius = RADIUS_PX * scale
    painter.drawRoundedRect(box.rect, radius, radius)
    painter.setPen(QPen(faded(theme.accent, 130), 2, Qt.PenStyle.DotLine))
    for x in box.seams:
        painter.drawLine(QPointF(x, box.rect.top() + radius), QPointF(x, box.rect.bottom() - radius))


def _paint_letter(painter: QPainter, theme: Theme, placed: PlacedLetter, block: Block, scale: float) -> None:
    text = placed.letter.text
    color = theme.text if block.part is Part.TOKEN or block.is_marked else theme.dim
    if block.part not in (Part.TOKEN, Part.TEXT):
        color = theme.span_text
    if text in SIGNS.values() or text in ("Ġ", "▁"):
        color = theme.dim
    write(painter, placed.cell, isolate(text), color, UNCLIPPED, letter_font(placed.letter, scale))


def _paint_below(painter: QPainter, theme: Theme, blocks: Sequence[Block], strip: Strip) -> None:
    """Ids and counts, each only as far as it does not run into the next one."""
    font = Theme.mono_font(max(LEAST_LABEL_FONT_PX, round(BELOW_FONT_PX * min(1.0, 1.2 * strip.scale))))
    ends: dict[float, float] = {}
    for box in strip.boxes:
        below = blocks[box.blocks[-1]].below
        width = width_of(below, font) if below else 0.0
        place = QRectF(box.rect.center().x() - width / 2, box.rect.bottom(), width, 54 * strip.scale)
        if below and place.left() >= ends.get(place.top(), -1e9) + 10:
            ends[place.top()] = place.right()
            write(painter, place.adjusted(-2, 0, 2, 0), below, theme.dim, CENTER, font)


def _paint_mark(painter: QPainter, theme: Theme, scene: Scene, strip: Strip, room: QRectF) -> None:
    """A bracket over what is marked, and what comes of it above."""
    marked = [box for box in strip.boxes if scene.blocks[box.blocks[-1]].is_marked]
    if not marked or scene.mark is None:
        return
    first = marked[0]
    row = [box for box in marked if box.rect.top() == first.rect.top()] if scene.is_one_row else [first]
    left, right = _bracket(strip, row)
    shrink = max(LEAST_LABEL_SCALE, strip.scale)
    top, rise = first.rect.top() - BRACKET_GAP_PX * shrink, BRACKET_PX * shrink
    path = QPainterPath(QPointF(left, top))
    for x, y in ((left, top - rise), (right, top - rise), (right, top)):
        path.lineTo(x, y)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.accent, MARKED_LINE_PX))
    painter.drawPath(path)
    font = bold(Theme.mono_font(round(LABEL_FONT_PX * shrink)))
    height = LABEL_PX * shrink
    badge = (BADGE_PX * BADGE_SCALE + BADGE_GAP_PX) * shrink if scene.mark.wins else 0.0
    width = badge + width_of(scene.mark.label, font) + 2 * LABEL_PADDING_PX * shrink
    x = max(room.left(), min((left + right - width) / 2, room.right() - width))
    bubble = QRectF(x, top - rise - 4 - height, width, height)
    if scene.mark.succeeds:
        fill(painter, bubble, theme.accent, 12)
    else:
        painter.setPen(QPen(theme.accent, 3))
        painter.setBrush(theme.background)
        painter.drawRoundedRect(bubble.adjusted(1.5, 1.5, -1.5, -1.5), 12, 12)
    ink = theme.on_accent if scene.mark.succeeds else theme.text
    write(painter, bubble.adjusted(badge, 0, 0, 0), scene.mark.label, ink, CENTER, font)
    if scene.mark.wins:
        left = bubble.left() + (LABEL_PADDING_PX + BADGE_PX * BADGE_SCALE / 2) * shrink
        paint_badge(painter, theme, QPointF(left, bubble.center().y()), BADGE_SCALE * shrink)


def _bracket(strip: Strip, boxes: Sequence[PlacedBox]) -> tuple[float, float]:
    """From the middle of the first part to that of the last, or over nearly all of one that has no parts."""
    numbers = sorted({at for box in boxes for at in box.blocks})
    if len(numbers) == 1:
        inset = boxes[0].rect.width() * 0.2
        return boxes[0].rect.left() + inset, boxes[-1].rect.right() - inset
    middles = [_middle(strip, number) for number in (numbers[0], numbers[-1])]
    return min(middles), max(middles)


def _middle(strip: Strip, block: int) -> float:
    cells = [each.cell for each in strip.letters if each.block == block]
    return (cells[0].left() + cells[-1].right()) / 2


def _paint_ranks(painter: QPainter, theme: Theme, scene: Scene, strip: Strip) -> None:
    """Over their gaps, below what stands over the bracket; one that would lie on another is left out."""
    font = Theme.mono_font(max(round(RANK_FONT_PX * 0.8), round(RANK_FONT_PX * strip.scale)))
    rects = {at: box.rect for box in strip.boxes for at in box.blocks}
    end = -1e9
    for at, rank in sorted(scene.ranks.items()):
        if at not in rects or at - 1 not in rects:
            continue
        one, other = rects[at - 1], rects[at]
        middle = (min(one.right(), other.right()) + max(one.left(), other.left())) / 2
        width = width_of(rank, font)
        place = QRectF(middle - width / 2, one.top() - 50 * max(0.8, strip.scale), width, 38)
        if place.left() < end + 12:
            continue
        end = place.right()
        write(painter, place.adjusted(-2, 0, 2, 0), rank, theme.dim, CENTER, font)


def _opened(box: PlacedBox, blocks: Sequence[Block], strip: Strip, room: QRectF) -> QRectF:
    """The box, as far as the end of the row where its letters go on out of sight."""
    rect = QRectF(box.rect)
    n_letters = sum(len(blocks[at].letters) for at in box.blocks)
    if sum(each.block in box.blocks for each in strip.letters) < n_letters:
        if strip.cuts[0] and box is strip.boxes[0]:
            rect.setLeft(room.left())
        if strip.cuts[1] and box is strip.boxes[-1]:
            rect.setRight(room.right())
    return rect


def _paint_cuts(painter: QPainter, theme: Theme, strip: Strip, room: QRectF) -> None:
    """A row that goes on out of sight ends in a fade."""
    clear = QColor(theme.background)
    clear.setAlpha(0)
    for is_cut, edge, inner in (
        (strip.cuts[0], room.left(), room.left() + EDGE_PX),
        (strip.cuts[1], room.right(), room.right() - EDGE_PX),
    ):
        if is_cut and strip.letters:
            gradient = QLinearGradient(edge, 0, inner, 0)
            gradient.setColorAt(0.4, theme.background)
            gradient.setColorAt(1, clear)
            top, height = strip.letters[0].cell.top() - 6, BOX_PX * strip.scale + 12
            place = QRectF(min(edge, inner), top, EDGE_PX, height)
            painter.fillRect(place.adjusted(-4, 0, 4, 0), gradient)
            write(painter, place, "…", theme.dim, CENTER, Theme.mono_font(LABEL_FONT_PX))


def _paint_more(painter: QPainter, theme: Theme, strip: Strip, room: QRectF) -> None:
    """Rows that go on out of sight."""
    if not strip.letters:
        return
    first, last = strip.letters[0].cell, strip.letters[-1].cell
    middles = first.top() - DOTS_PX, last.bottom() + DOTS_PX + BELOW_PX * strip.scale
    font = Theme.mono_font(LABEL_FONT_PX)
    for is_cut, y in zip(strip.cuts, middles, strict=True):
        if is_cut:
            dots = QRectF(room.left(), y - DOTS_PX, room.width(), 2 * DOTS_PX)
            write(painter, dots, "⋯", theme.dim, CENTER, font)
