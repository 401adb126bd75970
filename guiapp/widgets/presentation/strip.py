"""Letters in fixed cells and the boxes around them: laid out in one row, or in as many as there is room for.

All lengths are pixels of a screen that is 1080 high; the painter makes them larger or smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF

from guiapp.viewmodels.presentation.letters import Letter, side_of, visual_order
from guiapp.viewmodels.presentation.scene import Block, Scene, groups
from guiapp.viewmodels.steps.flow import Part

LETTER_PX, CELL_PX, BOX_PX = 124, 104, 193
SIGN_PX = 50  # of type that several characters of a sign stand in
GAP_PX, WORD_GAP_PX = 26, 70
ABOVE_PX, ABOVE_RESULT_PX, BELOW_PX = 128, 30, 56
LEAST_LABEL_SCALE = 0.68  # labels do not become smaller
LEAST_SCALE = 0.6  # of a row; what is too long for that is shown in part
SCALES = (1.0, 0.86, 0.74, 0.64, 0.55, 0.47, 0.4)  # of rows
EDGE_PX = 56  # at an end of a row that goes on out of sight

SPACE = "·"

Width = Callable[[Letter], float]
"""How wide the cell of a letter is in full size."""


class PlacedLetter(NamedTuple):
    """A letter in its cell, and the number of its block."""

    letter: Letter
    cell: QRectF
    block: int


class PlacedBox(NamedTuple):
    """What is around the letters of some blocks in a row; `seams` are where these meet."""

    rect: QRectF
    blocks: tuple[int, ...]
    seams: tuple[float, ...]


class Strip(NamedTuple):
    """Letters and boxes with their places; `cuts` are the ends of rows that go on out of sight."""

    letters: list[PlacedLetter]
    boxes: list[PlacedBox]
    scale: float
    cuts: tuple[bool, bool] = (False, False)


def lay_out(scene: Scene, area: QRectF, width: Width) -> Strip:
    """All in the middle of an area; what is too much for that around the blocks that are marked."""
    if not scene.blocks:
        return Strip([], [], 1.0)
    if not scene.is_one_row:
        return _in_rows(scene, area, width)
    letters = [letter for block in scene.blocks for letter in block.letters]
    natural = sum(map(width, letters)) + GAP_PX * (len(letters) - 1)
    scale = max(LEAST_SCALE, min(1.0, area.width() / natural))
    strip = _in_one_row(scene, area, width, min(scale, area.height() / (ABOVE_PX + BOX_PX)))
    has_focus = any(block.is_marked for block in scene.blocks)
    return strip if has_focus or not any(strip.cuts) else _in_rows(scene, area, width)


def _in_one_row(scene: Scene, area: QRectF, width: Width, scale: float) -> Strip:
    """A row at the foot of the area, in a size that stays while gaps close."""
    top = area.bottom() - BOX_PX * scale
    placed, right = _row(scene.blocks, range(len(scene.blocks)), top, scale, width, base_of(scene.blocks))
    cuts = (False, False)
    shift = area.left() + (area.width() - right) / 2
    if right > area.width():
        marked = [each.cell for each in placed if scene.blocks[each.block].is_marked]
        middle = (marked[0].left() + marked[-1].right()) / 2 if marked else area.width() / 2
        first = max(0.0, min(middle - area.width() / 2, right - area.width()))
        cuts = first > 0, first + area.width() < right
        left, end = first + EDGE_PX * cuts[0], first + area.width() - EDGE_PX * cuts[1]
        placed = [each for each in placed if left <= each.cell.left() and each.cell.right() <= end]
        shift = area.left() - first
    placed = [each._replace(cell=each.cell.translated(shift, 0)) for each in placed]
    return Strip(placed, boxes_around(scene.blocks, placed), scale, cuts)


def _in_rows(scene: Scene, area: QRectF, width: Width) -> Strip:
    """As large as all rows fit into the area; if they never do, some of them in the smallest size."""
    blocks = scene.blocks
    has_below = any(block.below for block in blocks)
    is_result = has_below and not any(block.is_apart for block in blocks)
    rows: list[list[tuple[int, Sequence[Letter]]]] = []
    scale = above = height = 1.0
    for scale in SCALES:
        above = ABOVE_RESULT_PX * scale if is_result else ABOVE_PX * max(scale, LEAST_LABEL_SCALE)
        height = above + (BOX_PX + BELOW_PX * has_below) * scale
        rows = list(_broken(blocks, area.width() / scale, width))
        if len(rows) * height <= area.height():
            break
    n_seen = max(1, int(area.height() / height))
    marked = next((at for at, row in enumerate(rows) if any(blocks[n].is_marked for n, _ in row)), 0)
    first = max(0, min(marked - n_seen // 2, len(rows) - n_seen))
    seen = rows[first : first + n_seen]
    top = area.top() + (area.height() - len(seen) * height) / 2 + above
    placed: list[PlacedLetter] = []
    widest, base = 0.0, base_of(blocks)
    laid: list[tuple[list[PlacedLetter], float]] = []
    for number, row in enumerate(seen):
        shown = [blocks[at]._replace(letters=tuple(letters)) for at, letters in row]
        laid.append(_row(shown, [at for at, _ in row], top + number * height, scale, width, base))
        widest = max(widest, laid[-1][1])
    for letters, right in laid:
        shift = area.left() + (area.width() - widest) / 2 + (widest - right if base == "R" else 0)
        placed += [each._replace(cell=each.cell.translated(shift, 0)) for each in letters]
    return Strip(placed, boxes_around(blocks, placed), scale, (first > 0, first + n_seen < len(rows)))


def base_of(blocks: Sequence[Block]) -> str:
    """From where all of it is read; signs are read from nowhere."""
    return next((side for side in map(_side, blocks) if side), "L")


def _side(block: Block) -> str:
    return side_of("".join(letter.text for letter in block.letters if not letter.is_sign))


def _row(
    blocks: Sequence[Block], numbers: Sequence[int], top: float, scale: float, width: Width, base: str
) -> tuple[list[PlacedLetter], float]:
    """The letters of some blocks from 0 on as they are seen, and where they end."""
    placed: list[PlacedLetter] = []
    x, before = 0.0, -1
    for at, is_turned in visual_order(list(map(_side, blocks)), base):
        if before >= 0:
            x += _gap(blocks, before, at) * scale
        letters = blocks[at].letters
        for letter in reversed(letters) if is_turned else letters:
            cell = QRectF(x, top, width(letter) * scale, BOX_PX * scale)
            placed.append(PlacedLetter(letter, cell, numbers[at]))
            x = cell.right()
        before = at
    return placed, x


def _gap(blocks: Sequence[Block], before: int, at: int) -> float:
    first, second = blocks[min(before, at)], blocks[max(before, at)]
    if second.is_joined or not (_has_box(first) or _has_box(second)):
        return 0
    return WORD_GAP_PX if second.is_apart else GAP_PX


def _has_box(block: Block) -> bool:
    return block.part is not Part.TEXT or block.is_marked


def _broken(
    blocks: Sequence[Block], room: float, width: Width
) -> Iterator[list[tuple[int, Sequence[Letter]]]]:
    """Rows of blocks, each with those of its letters that are in the row; words of a training stay whole."""
    row: list[tuple[int, Sequence[Letter]]] = []
    x = 0.0
    has_words = any(block.is_apart for block in blocks)
    for unit in _units(blocks):
        sizes = [sum(map(width, blocks[at].letters)) for at in unit]
        inner = sum(_gap(blocks, at - 1, at) for at in unit[1:])
        if has_words:  # as wide as it was before any merge, so that it stays in its row
            inner = GAP_PX * (sum(len(blocks[at].letters) for at in unit) - 1)
        gap = _gap(blocks, unit[0] - 1, unit[0]) if row else 0.0
        if row and x + gap + sum(sizes) + inner > room:
            yield row
            row, x, gap = [], 0.0, 0.0
        x += gap + inner
        for at, size in zip(unit, sizes, strict=True):
            if size <= room:
                row.append((at, blocks[at].letters))
                x += size
                continue
            *full, last = _lines(blocks[at].letters, room, x, width)
            for line in full:
                yield [*row, (at, line)] if line else row
                row = []
            row.append((at, last))
            x = sum(map(width, last))
    if row:
        yield row


def _lines(letters: Sequence[Letter], room: float, x: float, width: Width) -> Iterator[Sequence[Letter]]:
    """A long block in parts for rows, the first of which is filled up to `x`; cut before spaces."""
    start = 0
    for end, letter in enumerate(letters):
        if x + width(letter) > room and (end > start or x > 0):
            spaces = [at for at in range(start + 1, end) if letters[at].text == SPACE]
            line_end = spaces[-1] if spaces and letter.text != SPACE else end
            yield letters[start:line_end]
            start, x = line_end, sum(map(width, letters[line_end:end]))
        x += width(letter)
    yield letters[start:]


def _units(blocks: Sequence[Block]) -> list[list[int]]:
    if any(block.is_apart for block in blocks):
        starts = [at for at, block in enumerate(blocks) if block.is_apart or at == 0]
        return [list(range(*pair)) for pair in zip(starts, [*starts[1:], len(blocks)], strict=True)]
    return groups(blocks)


def boxes_around(blocks: Sequence[Block], placed: Sequence[PlacedLetter]) -> list[PlacedBox]:
    """One for each group of blocks in each row."""
    group_of = {at: number for number, members in enumerate(groups(blocks)) for at in members}
    boxes = []
    for _, stretch in groupby(placed, key=lambda each: (each.cell.top(), group_of[each.block])):
        letters = list(stretch)
        if not _has_box(blocks[letters[0].block]):
            continue
        first, last = letters[0].cell, letters[-1].cell
        rect = QRectF(first.topLeft(), QPointF(last.right(), first.bottom()))
        pairs = pairwise(letters)
        seams = tuple(
            (one.cell.right() + other.cell.left()) / 2 for one, other in pairs if one.block != other.block
        )
        boxes.append(PlacedBox(rect, tuple(dict.fromkeys(each.block for each in letters)), seams))
    return boxes


def on_the_way(before: Strip, strip: Strip, blocks: Sequence[Block], share: float) -> Strip:
    """The same letters, at a share of their way from where they were; those that are new stand still."""
    known = {(each.letter.place, each.letter.text): each.cell for each in before.letters}
    placed = []
    for each in strip.letters:
        old = known.get((each.letter.place, each.letter.text), each.cell)
        away = (old.center() - each.cell.center()) * (1 - share)
        is_same_row = old.top() == each.cell.top()
        placed.append(each._replace(cell=each.cell.translated(away)) if is_same_row else each)
    return strip._replace(letters=placed, boxes=boxes_around(blocks, placed))
