"""One grid for the tokens of several models over one text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

Place = tuple[int, int]
"""A byte of the text, and how many tokens without text come before it there."""


class Need(NamedTuple):
    """The room that something from one place to another needs."""

    start: Place
    end: Place
    width_px: float


def places_of(needs: Iterable[Need]) -> dict[Place, float]:
    """Where each place lies that something begins or ends at, in pixels behind the first one.

    What lies between the fewest places is given its room first, in equal parts between those.
    """
    needs = list(needs)
    places = sorted({place for need in needs for place in need[:2]})
    numbers = {place: number for number, place in enumerate(places)}
    widths = [0.0] * len(places)
    for start, end, width in sorted(needs, key=lambda need: numbers[need.end] - numbers[need.start]):
        between = slice(numbers[start], numbers[end])
        missing = width - sum(widths[between])
        if missing > 0:
            share = missing / (between.stop - between.start)
            widths[between] = [each + share for each in widths[between]]
    return dict(zip(places, accumulate(widths, initial=0.0), strict=False))


def bounds_of(rows: Sequence[Sequence[tuple[int, int]]]) -> list[list[tuple[Place, Place]]]:
    """Where the bytes [start, end) of each row stand; those without text one by one, before others."""
    n_empty: Counter[int] = Counter()
    for row in rows:
        n_empty |= Counter(start for start, end in row if start == end)
    return [_bounds_in(row, n_empty) for row in rows]


def _bounds_in(row: Sequence[tuple[int, int]], n_empty: Counter[int]) -> list[tuple[Place, Place]]:
    bounds, seen = [], Counter[int]()
    for start, end in row:
        if start == end:
            bounds.append(((start, seen[start]), (start, seen[start] + 1)))
            seen[start] += 1
        else:
            bounds.append(((start, n_empty[start]), (end, 0)))
    return bounds
