"""The characters shown for the bytes of a block, with stand-ins for those that have no glyph."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QTextBoundaryFinder

from guiapp.core.text.normalized import code_points, decode, distinct, sizes_in_bytes
from guiapp.core.text.visible_text import invisible_runs, unassigned
from guiapp.kit.document.document import n_units, with_untorn_flags

CHIP = "□"  # reserves the position of a chip, which shows hex digits or the number of hidden characters
WIDE_SPACE = "\u2007\u200b"  # a space that keeps its width at a row's end, and a break opportunity after it
# Shown as chips: control characters, bytes that are not UTF-8, and unassigned characters, for which Qt would
# query each font in each size and cache all answers. A run of invisible characters shares one chip.
LONE = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\udc80-\udcff]")
# Bidirectional controls stay in the text next to their chip, outside the text that they enclose.
ORDERING = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
CLOSING = "\u202c\u2069"
# Characters that modify the previous one stay after it, and belong to its cell.
SHAPING = re.compile("(?<![0-9#*])[\u180b-\u180d\u180f\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]")
SPACES = re.compile("  +")
# Characters that never combine with a neighbour into one grapheme, as ranges.
ALONE = (
    (0x20, 0x2FF),
    (0x370, 0x482),
    (0x2010, 0x2027),
    (0x3000, 0x3029),
    (0x3041, 0x3096),
    (0x30A0, 0x30FF),
    (0x3400, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xDC80, 0xDCFF),
    (0xFF01, 0xFF9D),
)
RIGHT_TO_LEFT = (
    (0x590, 0x8FF),
    (0x200F, 0x200F),
    (0x202A, 0x202E),
    (0x2066, 0x2069),
    (0xFB1D, 0xFDFF),
    (0xFE70, 0xFEFE),
    (0x10800, 0x10FFF),
    (0x1E800, 0x1EFFF),
)
EMBEDDING = ((0x202A, 0x202E), (0x2066, 0x2069))
# Some of the letters that certainly end a right-to-left run.
LEFT_TO_RIGHT = ((0x41, 0x5A), (0x61, 0x7A), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x2B8), (0x3041, 0xD7A3))


class Chip(NamedTuple):
    """A position in the display text that shows hex digits, or a count, instead of characters."""

    cell: int
    unit: int
    label: str


class _StandIn(NamedTuple):
    """The replacement for the characters [start, end); `shaping` is appended to the previous character."""

    start: int
    end: int
    shaping: str
    shown: str
    label: str


class DisplayText(NamedTuple):
    """The text laid out for some bytes, and the mapping between both.

    text        what is laid out
    cells       int64[m + 1]  cell i, a grapheme, shows the bytes [cells[i], cells[i + 1])
    units       int64[m + 1]  and consists of the UTF-16 units [units[i], units[i + 1]) of `text`
    characters  int64[n + 1]  the byte offsets of the characters
    is_even     bool[m]       whether a cell is a printable ASCII character, as wide as any other
    is_space    bool[m]
    is_tab      bool[m]
    may_turn    bool[m]       whether a cell may be shown to the left of the previous one, in a text that
                              begins left to right
    """

    text: str
    cells: NDArray[np.int64]
    units: NDArray[np.int64]
    characters: NDArray[np.int64]
    is_even: NDArray[np.bool_]
    is_space: NDArray[np.bool_]
    is_tab: NDArray[np.bool_]
    may_turn: NDArray[np.bool_]
    chips: tuple[Chip, ...]
    has_right_to_left: bool

    def chips_in(self, first: int, last: int) -> tuple[Chip, ...]:
        """The chips of the cells [first, last)."""
        from_, to = (bisect_left(self.chips, cell, key=attrgetter("cell")) for cell in (first, last))
        return self.chips[from_:to]


def display_text(
    data: bytes, widens_spaces: bool, draws_as_one: Callable[[str], bool] = lambda _: True
) -> DisplayText:
    """Return the text to lay out for one block without its newline.

    `widens_spaces` needs a font that supports it; `draws_as_one` returns whether the font has a glyph for an
    emoji sequence.
    """
    text = decode(data)
    points = code_points(text)
    widths = 1 + (points >= 0x10000).astype(np.int64)
    is_space = points == 0x20
    is_plain = text.isascii() and text.isprintable()
    stand_ins = () if is_plain else tuple(_stand_ins(text, draws_as_one))
    shown = _with_stand_ins(text, stand_ins)
    if widens_spaces and "  " in text:
        shown = SPACES.sub(lambda run: WIDE_SPACE * len(run[0]), shown)
        widths[_in_runs(is_space)] = len(WIDE_SPACE)
    for each in stand_ins:
        widths[each.start : each.end] = 0
        widths[each.start] = len(each.shown)
        if each.shaping:
            widths[each.start - 1] += n_units(each.shaping)
    units = _offsets(widths)
    characters = _offsets(sizes_in_bytes(points))
    firsts = _cell_starts(shown, points, units)
    cells = np.append(firsts, len(points))
    is_single = np.diff(cells) == 1
    heads = points[firsts]
    may_turn = _may_turn(points)
    return DisplayText(
        text=shown,
        cells=characters[cells],
        units=units[cells],
        characters=characters,
        is_even=is_single & (heads >= 0x20) & (heads < 0x7F),
        is_space=is_single & is_space[firsts],
        is_tab=heads == 0x09,
        may_turn=may_turn[firsts],
        chips=tuple(_chips(stand_ins, cells, units)),
        has_right_to_left=bool(may_turn.any()),
    )


def begins_from_right(text: str) -> bool:
    """Whether the first letter outside of isolates is right-to-left; Qt applies the same rule."""
    depth = 0
    for kind in map(unicodedata.bidirectional, text):
        if kind in ("LRI", "RLI", "FSI"):
            depth += 1
        elif kind == "PDI":
            depth = max(depth - 1, 0)
        elif depth == 0 and kind in ("L", "R", "AL"):
            return kind != "L"
    return False


def _stand_ins(text: str, draws_as_one: Callable[[str], bool]) -> Iterator[_StandIn]:
    runs = [*LONE.finditer(text), *invisible_runs(text, draws_as_one)]
    if not text.isprintable() and unassigned().search("".join(set(text))):  # the set is shorter
        runs += unassigned().finditer(text)
    for run in sorted(runs, key=lambda run: run.start()):
        start, end = run.span()
        shaping = text[start] if start and SHAPING.match(text, start) else ""
        ordering = "".join(ORDERING.findall(run[0]))
        opening = ordering.lstrip(CLOSING)
        closing = ordering[: len(ordering) - len(opening)]
        yield _StandIn(start, end, shaping, closing + CHIP + opening, _label(run[0]))


def _label(run: str) -> str:
    """`200B`, `200B×3` or `7 hidden`; the two hex digits of a byte that is not UTF-8."""
    if len(set(run)) > 1:
        return f"{len(run)} hidden"
    point = ord(run[0])
    digits = f"{point - 0xDC00:02X}" if 0xDC80 <= point <= 0xDCFF else f"{point:02X}"
    return digits if len(run) == 1 else f"{digits}×{len(run)}"


def _with_stand_ins(text: str, stand_ins: Iterable[_StandIn]) -> str:
    parts: list[str] = []
    at = 0
    for each in stand_ins:
        parts += text[at : each.start], each.shaping, each.shown
        at = each.end
    return "".join((*parts, text[at:]))


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))


def _in_runs(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Where the mask is set both here and at a neighbour."""
    beside = np.zeros(len(mask), np.bool_)
    beside[1:] |= mask[:-1]
    beside[:-1] |= mask[1:]
    return mask & beside


def _in_ranges(points: NDArray[np.uint32], ranges: tuple[tuple[int, int], ...]) -> NDArray[np.bool_]:
    found = np.zeros(len(points), np.bool_)
    for low, high in ranges:
        found |= (points >= low) & (points <= high)
    return found


def _may_turn(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Mark the characters from each right-to-left character up to the next left-to-right letter."""
    if points.max(initial=0) < RIGHT_TO_LEFT[0][0]:
        return np.zeros(len(points), np.bool_)
    if _in_ranges(points, EMBEDDING).any():
        return np.ones(len(points), np.bool_)
    indexes = np.arange(len(points))
    turns = np.where(_in_ranges(points, RIGHT_TO_LEFT), indexes, -1)
    ends = np.where(_in_ranges(points, LEFT_TO_RIGHT), indexes, -1)
    may_turn: NDArray[np.bool_] = np.maximum.accumulate(turns) > np.maximum.accumulate(ends)
    return may_turn


def _cell_starts(shown: str, points: NDArray[np.uint32], units: NDArray[np.int64]) -> NDArray[np.intp]:
    """The characters that begin a grapheme, or a run that has one chip."""
    if points.max(initial=0) < 0x300 or _in_ranges(points, ALONE).all():
        return np.flatnonzero(np.diff(units))
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, with_untorn_flags(shown))
    bounds = [0]
    while (bound := finder.toNextBoundary()) >= 0:
        bounds.append(bound)
    return distinct(np.searchsorted(units, bounds[:-1], side="right") - 1)


def _chips(
    stand_ins: Iterable[_StandIn], cells: NDArray[np.intp], units: NDArray[np.int64]
) -> Iterator[Chip]:
    for each in stand_ins:
        cell = int(np.searchsorted(cells, each.start, side="right")) - 1
        yield Chip(cell, int(units[each.start]) + each.shown.index(CHIP), each.label)
