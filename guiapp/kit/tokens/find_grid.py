"""A find as a picture: the tokens of both sides over the same characters, and where only one of them cuts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from guiapp.analysis.hunt.mismatches import Spans
from guiapp.core.text.visible_text import isolate, visible_text

Place = tuple[int, int]
"""A byte of the text, and how many tokens without text come before it there."""
MOST_CHARACTERS = 80
ROOM_PX = 12.0  # around a character, and around an id
LEAST_PX = 22.0


class GridCell(NamedTuple):
    """A character, or what is seen for it."""

    text: str
    left: float
    right: float


class GridToken(NamedTuple):
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

    cells: tuple[GridCell, ...]
    rows: tuple[tuple[GridToken, ...] | None, tuple[GridToken, ...] | None]
    common: tuple[float, ...]
    apart: tuple[float, ...]
    width: float


class CutTwice(NamedTuple):
    """A text, and how two cut it: their ids, and the bytes that each came from, where these are known."""

    text: bytes
    token_ids: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    spans: tuple[Spans | None, Spans | None]


class _Token(NamedTuple):
    """A token of the characters that are shown, and where it stands on the grid."""

    token_id: int
    span: tuple[int, int]
    start: Place
    end: Place


def find_grid(
    find: CutTwice, text_width: Callable[[str], float], id_width: Callable[[str], float]
) -> FindGrid:
    """Lay a find out with the widths of its characters and ids."""
    characters = list(_characters(find.text))[:MOST_CHARACTERS]
    last = characters[-1][1] if characters else 0
    known = [_known(ids, spans, last) for ids, spans in zip(find.token_ids, find.spans, strict=True)]
    of_tokens = [[span for _, span in some or ()] for some in known]
    *of_rows, of_cells = bounds_of([*of_tokens, [(start, end) for start, end, _ in characters]])
    rows = [
        None
        if some is None
        else [_Token(*token, *bounds) for token, bounds in zip(some, of_row, strict=True)]
        for some, of_row in zip(known, of_rows, strict=True)
    ]
    cells = [(*bounds, text) for bounds, (_, _, text) in zip(of_cells, characters, strict=True)]
    needs = [Need(start, end, max(text_width(text) + ROOM_PX, LEAST_PX)) for start, end, text in cells]
    needs += [
        Need(token.start, token.end, id_width(str(token.token_id)) + ROOM_PX)
        for row in rows
        for token in row or ()
    ]
    x = places_of(needs)
    tints: dict[tuple[int, int], int] = {}
    first, second = (None if row is None else tuple(_box(token, x, tints) for token in row) for row in rows)
    cuts = [{token.end for token in row or () if token.span[0] < token.span[1] < last} for row in rows]
    if None in rows:
        cuts = [set(), set()]
    return FindGrid(
        tuple(GridCell(isolate(text), x[start], x[end]) for start, end, text in cells),
        (first, second),
        tuple(x[place] for place in sorted(cuts[0] & cuts[1])),
        tuple(x[place] for place in sorted(cuts[0] ^ cuts[1])),
        max(x.values(), default=0.0),
    )


def _characters(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, end and looks of each; a byte that is no UTF-8 is one."""
    at = 0
    for character in text.decode("utf-8", "surrogateescape"):
        data = character.encode("utf-8", "surrogateescape")
        yield at, at + len(data), visible_text(data)
        at += len(data)


def _known(
    ids: tuple[int, ...] | None, spans: Spans | None, last: int
) -> list[tuple[int, tuple[int, int]]] | None:
    """The tokens of the characters that are shown, with their bytes."""
    if ids is None or spans is None:
        return None
    return [
        (token_id, (start, min(end, last)))
        for token_id, (start, end) in zip(ids, spans, strict=True)
        if start < last or start == end == last
    ]


def _box(token: _Token, x: dict[Place, float], tints: dict[tuple[int, int], int]) -> GridToken:
    start, end = token.span
    tint = -1 if start == end else tints.setdefault(token.span, len(tints))
    return GridToken(token.token_id, x[token.start], x[token.end], tint)


# One grid for the tokens of several models over one text


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
