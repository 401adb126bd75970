"""A find as a picture: the tokens of both sides over the same characters, and where only one of them cuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from guiapp.core.explain.visible_text import isolate, visible_text
from guiapp.core.hunt.finds import Find, Spans

MOST_CHARACTERS = 80
ROOM_PX = 12.0  # around a character, and around an id
LEAST_PX = 22.0


class Cell(NamedTuple):
    """A character, or what is seen for it."""

    text: str
    left: float
    right: float


class Box(NamedTuple):
    """A token; `tint` tells spans apart and the same one on both sides; -1 for an empty one."""

    token_id: int
    left: float
    right: float
    tint: int


@dataclass(frozen=True)
class FindGrid:
    """All in pixels from the left.

    rows    the boxes of A and B; None for one that refuses the text, or of which only ids are known
    common  where both cut
    apart   where one of them does
    """

    cells: tuple[Cell, ...]
    rows: tuple[tuple[Box, ...] | None, tuple[Box, ...] | None]
    common: tuple[float, ...]
    apart: tuple[float, ...]
    width: float


def find_grid(find: Find, text_width: Callable[[str], float], id_width: Callable[[str], float]) -> FindGrid:
    """Lay a find out with the widths of its characters and ids."""
    characters = list(_characters(find.text))[:MOST_CHARACTERS]
    starts = [start for start, _, _ in characters]
    ends = [end for _, end, _ in characters]
    last = ends[-1] if ends else 0
    rows = [_known(ids, spans, last) for ids, spans in zip(find.token_ids, find.spans, strict=True)]
    widths = [max(text_width(text) + ROOM_PX, LEAST_PX) for _, _, text in characters]
    slots: dict[int, list[float]] = {}
    for row in rows:
        _make_room(row or (), starts, ends, widths, slots, id_width)
    lefts, x = [], 0.0
    for start, width in zip(starts, widths, strict=True):
        x += sum(slots.get(start, ()))
        lefts.append(x)
        x += width
    places = _Places(starts, ends, lefts, widths, x)
    tints: dict[tuple[int, int], int] = {}
    boxes = [None if row is None else tuple(_boxes(row, places, slots, tints)) for row in rows]
    cuts = [{end for _, (start, end) in row or () if start < end < last} for row in rows]
    if None in rows:
        cuts = [set(), set()]
    return FindGrid(
        tuple(
            Cell(isolate(text), left, left + width)
            for (_, _, text), left, width in zip(characters, lefts, widths, strict=True)
        ),
        (boxes[0], boxes[1]),
        tuple(map(places.end, sorted(cuts[0] & cuts[1]))),
        tuple(map(places.end, sorted(cuts[0] ^ cuts[1]))),
        x + sum(slots.get(last, ())),
    )


Token = tuple[int, tuple[int, int]]


def _characters(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, end and looks of each; a byte that is no UTF-8 is one."""
    at = 0
    for character in text.decode("utf-8", "surrogateescape"):
        data = character.encode("utf-8", "surrogateescape")
        yield at, at + len(data), visible_text(data)
        at += len(data)


def _known(ids: Sequence[int] | None, spans: Spans | None, last: int) -> list[Token] | None:
    """The tokens of the characters that are shown."""
    if ids is None or spans is None:
        return None
    return [
        (token, (start, min(end, last)))
        for token, (start, end) in zip(ids, spans, strict=True)
        if start <= last
    ]


def _make_room(
    row: Sequence[Token],
    starts: Sequence[int],
    ends: Sequence[int],
    widths: list[float],
    slots: dict[int, list[float]],
    id_width: Callable[[str], float],
) -> None:
    """Widen characters until the ids of their tokens fit, and give places to tokens without any."""
    seen: Counter[int] = Counter()
    for token, (start, end) in row:
        needed = id_width(str(token)) + ROOM_PX
        if start == end:
            at = slots.setdefault(start, [])
            if seen[start] == len(at):
                at.append(needed)
            else:
                at[seen[start]] = max(at[seen[start]], needed)
            seen[start] += 1
            continue
        inside = [i for i in range(len(starts)) if starts[i] < end and ends[i] > start]
        share = sum(
            widths[i] * (min(ends[i], end) - max(starts[i], start)) / (ends[i] - starts[i]) for i in inside
        )
        if share < needed:
            for i in inside:
                widths[i] *= needed / share


class _Places:
    """Where bytes are; a place within a character is where its share of the bytes ends."""

    def __init__(
        self,
        starts: Sequence[int],
        ends: Sequence[int],
        lefts: Sequence[float],
        widths: Sequence[float],
        right: float,
    ) -> None:
        self._cells = list(zip(starts, ends, lefts, widths, strict=True))
        self._right = right

    def start(self, at: int) -> float:
        return next(
            (
                left + width * (at - start) / (end - start)
                for start, end, left, width in self._cells
                if start <= at < end
            ),
            self._right,
        )

    def end(self, at: int) -> float:
        return next(
            (
                left + width * (at - start) / (end - start)
                for start, end, left, width in self._cells
                if start < at <= end
            ),
            0.0,
        )


def _boxes(
    row: Sequence[Token], places: _Places, slots: dict[int, list[float]], tints: dict[tuple[int, int], int]
) -> Iterator[Box]:
    seen: Counter[int] = Counter()
    for token, span in row:
        start, end = span
        if start == end:
            widths = slots[start]
            left = places.end(start) + sum(widths[: seen[start]])
            yield Box(token, left, left + widths[seen[start]], -1)
            seen[start] += 1
        else:
            yield Box(token, places.start(start), places.end(end), tints.setdefault(span, len(tints)))
