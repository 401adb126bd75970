"""A text as two models cut it: A above B, on one grid of characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from guiapp.analysis.hunt.mismatches import Spans
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.spans.legend import LegendEntry, characters, line
from guiapp.kit.widgets.painting import CENTER, LEFT, MARKER_PX, Painted, draw_marker, fill, ring, write
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

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


LETTERS = ("A", "B")
TEXT_PX, ID_PX = 20, 12
BOX_PX, GUIDE_PX, ID_ROW_PX = 40, 36, 18
TOP_B_PX = ID_ROW_PX + BOX_PX + GUIDE_PX
HEIGHT_PX = TOP_B_PX + BOX_PX + ID_ROW_PX
LEFT_PX = 78  # of the boxes
EMPTY_GRID = FindGrid((), (None, None), (), (), 0.0)


def _common(theme: Theme) -> QPen:
    return QPen(theme.faint, 1)


def _apart(theme: Theme) -> QPen:
    return QPen(theme.accent, 2, Qt.PenStyle.DotLine)


CUTS = (
    LegendEntry(line(_common, is_upright=True), "Both split here"),
    LegendEntry(line(_apart, is_upright=True), "Only one of the two splits here"),
)
LEGEND = (
    *CUTS,
    LegendEntry(characters("1", "control"), "Id of a token that stands for no text, such as BOS"),
)


class FindPicture(Painted):
    """Tokens as boxes with their ids; cuts that both make are lines between them, those of one are dotted."""

    def __init__(self, theme_source: ThemeSource, names: tuple[str, str] = LETTERS) -> None:
        super().__init__(theme_source, f"Tokens of {names[0]} and {names[1]}")
        self._names = names
        self._find: CutTwice | None = None
        self.grid = EMPTY_GRID
        self.setFixedHeight(HEIGHT_PX)

    def show_find(self, find: CutTwice) -> None:
        metrics = [QFontMetricsF(Theme.mono_font(size)) for size in (TEXT_PX, ID_PX)]
        self._find = find
        self.grid = find_grid(find, metrics[0].horizontalAdvance, metrics[1].horizontalAdvance)
        self.setMinimumWidth(round(LEFT_PX + self.grid.width) + 2)
        told = [f"{name}: {_ids(ids)}" for name, ids in zip(self._names, find.token_ids, strict=True)]
        self.setAccessibleDescription(". ".join((visible_text(find.text), *told)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(self.minimumWidth(), HEIGHT_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self._find is None:
            return
        for which, top in enumerate((ID_ROW_PX, TOP_B_PX)):
            self._paint_head(painter, theme, which, top)
            row = self.grid.rows[which]
            if row is None:
                self._paint_ids(painter, theme, which, top)
            else:
                id_top = top - ID_ROW_PX if which == 0 else top + BOX_PX
                self._paint_row(painter, theme, row, top, id_top)
        self._paint_guides(painter, theme)

    def _paint_head(self, painter: QPainter, theme: Theme, which: int, top: int) -> None:
        assert self._find is not None
        middle = top + BOX_PX / 2
        draw_marker(painter, QPointF(MARKER_PX / 2 + 1, middle - GAP_PX), which, theme)
        upper = QRectF(MARKER_PX + GAP_PX, top, LEFT_PX, BOX_PX / 2)
        write(painter, upper, self._names[which], theme.text, LEFT, Theme.ui_font())
        ids = self._find.token_ids[which]
        told = "refuses it" if ids is None else counted(len(ids), "token")
        lower = QRectF(0, middle, LEFT_PX - UNIT_PX, BOX_PX / 2)
        write(painter, lower, told, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))

    def _paint_ids(self, painter: QPainter, theme: Theme, which: int, top: int) -> None:
        """Where it is not known what each token stands for."""
        assert self._find is not None
        place = QRectF(LEFT_PX, top, self.width() - LEFT_PX, BOX_PX)
        write(painter, place, _ids(self._find.token_ids[which]), theme.text, LEFT, Theme.mono_font(ID_PX))

    def _paint_row(
        self, painter: QPainter, theme: Theme, row: tuple[GridToken, ...], top: int, id_top: int
    ) -> None:
        ids, text = Theme.mono_font(ID_PX), Theme.mono_font(TEXT_PX)
        for box in row:
            left, width = LEFT_PX + box.left + 1, box.right - box.left - 2
            place = QRectF(left, top, width, BOX_PX)
            if box.tint < 0:  # BOS and the like
                ring(painter, place.adjusted(0, 9, 0, -9), theme.control, 5)
                write(painter, place, str(box.token_id), theme.control, CENTER, ids)
                continue
            fill(painter, place, theme.span_color(box.tint), 5)
            write(painter, QRectF(left, id_top, width, ID_ROW_PX), str(box.token_id), theme.dim, CENTER, ids)
        for cell in self.grid.cells:
            place = QRectF(LEFT_PX + cell.left, top, cell.right - cell.left, BOX_PX)
            write(painter, place, cell.text, theme.span_text, CENTER, text)

    def _paint_guides(self, painter: QPainter, theme: Theme) -> None:
        top, bottom = ID_ROW_PX + BOX_PX + UNIT_PX, TOP_B_PX - UNIT_PX
        for places, pen in ((self.grid.common, _common), (self.grid.apart, _apart)):
            painter.setPen(pen(theme))
            for x in places:
                painter.drawLine(QPointF(LEFT_PX + x, top), QPointF(LEFT_PX + x, bottom))


def _ids(ids: tuple[int, ...] | None) -> str:
    return "no ids" if ids is None else " ".join(map(str, ids)) or "nothing"
