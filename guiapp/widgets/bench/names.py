"""Where the names of points go: beside them, or away with a line that leads there and crosses no other name.

All in pixels from the lower left corner of a plot.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

NEAREST = 0.7  # lines from a place to the edge of a name
TOUCHING = 1.0  # lines from the rightmost place of a block to its others
BLOCK_GAP = 0.7  # lines that are free around a block of several names, to tell it from its neighbours
MOST_LINES = 24
FEW = 7  # blocks, for which all orders are tried
CROWDED = 1000  # crossed names that are better than one that covers something
BESIDE = (0.0, 0.3, -0.3)  # widths that a name right above or below may be moved
SIDEWAYS = (0.0, 0.6, -0.6, 1.2, -1.2, 2.0, -2.0, 3.0, -3.0)  # widths that one farther away may be moved
Place = tuple[float, float]


class Box(NamedTuple):
    left: float
    right: float
    bottom: float
    top: float

    @classmethod
    def around(cls, middle: Place, width: float, height: float) -> Box:
        (x, y) = middle
        return cls(x - width / 2, x + width / 2, y - height / 2, y + height / 2)

    def covers(self, other: Box) -> bool:
        beside = self.right < other.left or other.right < self.left
        return not (beside or self.top <= other.bottom or other.top <= self.bottom)

    def nearest(self, place: Place) -> Place:
        """The point of this box that is nearest to a place."""
        (x, y) = place
        return min(max(x, self.left), self.right), min(max(y, self.bottom), self.top)

    def is_crossed_by(self, line: Line) -> bool:
        """Whether a stretch of a line lies inside; Liang and Barsky's clipping."""
        first, last = 0.0, 1.0
        (x, y), (to_x, to_y) = line
        for start, way, low, high in (
            (x, to_x - x, self.left, self.right),
            (y, to_y - y, self.bottom, self.top),
        ):
            if way == 0.0:
                if not low < start < high:
                    return False
                continue
            enters, leaves = sorted(((low - start) / way, (high - start) / way))
            first, last = max(first, enters), min(last, leaves)
        return first < last


class Line(NamedTuple):
    start: Place
    end: Place


class Name(NamedTuple):
    """The middle of a name, and the line that leads to it or to the block that it stands on top of."""

    middle: Place
    leader: Line | None


def place_names(
    places: Sequence[Place],
    widths: Sequence[float],
    line: float,
    room: Place,
    drawn: Sequence[Line] = (),
) -> list[Name]:
    """Names `line` high and so wide, so that none covers a name, a place, a line or leaves the room.

    `drawn` are lines that are there already.

    Places that nearly touch have their names below each other in one block, the rightmost place on top.
    Large blocks and those of crowded places choose first; where lines cross something then, others do, and
    where they always do, it is as few lines as in any of these orders.  Many blocks have one order only: a
    live chart waits for it.
    """
    blocks = _blocks(places, TOUCHING * line)
    blocks.sort(key=lambda block: (-len(block), _loneliness(places, block[0])))
    fewest: tuple[int, list[Name]] | None = None
    for first in range(max(1, len(blocks) if len(blocks) <= FEW else 1)):
        order = blocks[first:] + blocks[:first]
        n_crossed, names = _place_blocks(order, places, widths, line, room, drawn)
        if fewest is None or n_crossed < fewest[0]:
            fewest = n_crossed, names
        if n_crossed == 0:
            break
    assert fewest is not None
    return fewest[1]


def _place_blocks(
    blocks: list[list[int]],
    places: Sequence[Place],
    widths: Sequence[float],
    line: float,
    room: Place,
    drawn: Sequence[Line],
) -> tuple[int, list[Name]]:
    """The names when blocks choose in this order, and how many of them a line crosses or leads across.

    Where there is no free room, names cover places, and where that is not enough, names.
    """
    markers = [Box.around(place, line, line) for place in places]
    taken: list[Box] = []
    leaders = list(drawn)
    chosen: dict[int, Name] = {}
    n_crossed = 0
    for block in blocks:
        others = [box for index, box in enumerate(markers) if index not in block]
        gap = BLOCK_GAP * line if len(block) > 1 else 0.0
        size = max(widths[index] for index in block), line * len(block) + gap
        for n_covering, spared in ((0, markers + taken), (CROWDED, taken), (CROWDED, [])):
            n_crossed += n_covering
            tries = _tries(places[block[0]], size, line, room)
            free = (each for each in tries if not any(map(each[0].covers, spared)))
            if (found := _first_uncrossed(free, others + taken, leaders)) is not None:
                break
        assert found is not None  # everything is free where nothing is spared
        box, leader, is_crossed = found
        n_crossed += is_crossed
        taken.append(box)
        x, top = (box.left + box.right) / 2, box.top - gap / 2
        middles = [(x, top - (row + 0.5) * line) for row in range(len(block))]
        if leader is not None:
            leader = _to_nearest(leader.start, middles, [widths[index] for index in block], line)
            leaders.append(leader)
        for row, index in enumerate(block):
            chosen[index] = Name(middles[row], None if row else leader)
    return n_crossed, [chosen[index] for index in range(len(places))]


def _to_nearest(place: Place, middles: Sequence[Place], widths: Sequence[float], line: float) -> Line:
    """A line to that name of a block which is nearest."""
    boxes = [Box.around(middle, width, line) for middle, width in zip(middles, widths, strict=True)]
    return Line(place, min((box.nearest(place) for box in boxes), key=lambda end: math.dist(place, end)))


def _first_uncrossed(
    tries: Iterable[tuple[Box, Line | None]], boxes: Sequence[Box], leaders: Sequence[Line]
) -> tuple[Box, Line | None, bool] | None:
    """The first that neither crosses nor is crossed, or else the first of all; and whether it is that."""
    first: tuple[Box, Line | None] | None = None
    for box, leader in tries:
        first = first or (box, leader)
        crosses = leader is not None and any(each.is_crossed_by(leader) for each in boxes)
        if not crosses and not any(map(box.is_crossed_by, leaders)):
            return box, leader, False
    return None if first is None else (*first, True)


def _blocks(places: Sequence[Place], reach: float) -> list[list[int]]:
    """The numbers of places, those together that are near the first of their block, from right to left."""
    blocks: list[list[int]] = []
    for index in sorted(range(len(places)), key=lambda index: -places[index][0]):
        near = (block for block in blocks if _distance(places[index], places[block[0]]) < reach)
        block = next(near, None)
        if block is None:
            blocks.append([index])
        else:
            block.append(index)
    return blocks


def _distance(one: Place, other: Place) -> float:
    """The larger of both directions."""
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def _tries(place: Place, size: Place, line: float, room: Place) -> Iterator[tuple[Box, Line | None]]:
    """Boxes around a place, the nearest first, within the room; with a line to those farther away."""
    width, height = size
    for (middle_x, middle_y), is_beside in _middles(place, width, height, line):
        x = min(max(middle_x, width / 2), room[0] - width / 2)
        y = min(max(middle_y, height / 2), room[1] - height / 2)
        if y == middle_y or not is_beside:
            box = Box.around((x, y), width, height)
            yield box, None if is_beside else Line(place, box.nearest(place))


def _middles(place: Place, width: float, height: float, line: float) -> Iterator[tuple[Place, bool]]:
    """Middles of boxes, and whether they are right beside the place."""
    x, y = place
    away = height / 2 + NEAREST * line
    for sideways in BESIDE:
        yield (x + sideways * width, y + away), True
        yield (x + sideways * width, y - away), True
    yield (x + width / 2 + NEAREST * line, y), True
    yield (x - width / 2 - NEAREST * line, y), True
    for n_lines in range(1, MOST_LINES):
        for sideways in SIDEWAYS:
            for up in (-1, 1):
                yield (x + sideways * width, y + up * (away + n_lines * line)), False


def _loneliness(places: Sequence[Place], index: int) -> float:
    """The distance to the nearest other place."""
    x, y = places[index]
    others = (abs(x - a) + abs(y - b) for at, (a, b) in enumerate(places) if at != index)
    return min(others, default=math.inf)
