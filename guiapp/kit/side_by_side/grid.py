"""Several tokenizations of a short text, one below the other, aligned on a grid of characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QWidget

from guiapp.analysis.hunt.mismatches import Spans
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.spans.legend import LegendEntry, characters, line
from guiapp.kit.widgets.layouts import in_row, scroll_across
from guiapp.kit.widgets.painting import (
    CENTER,
    LEFT,
    MARKER_PX,
    Painted,
    draw_marker,
    elided,
    fill,
    ring,
    write,
)
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

Position = tuple[int, int]
"""A byte offset of the text, and how many tokens without text come before the position at it."""
Width = Callable[[str], float]
MOST_CHARACTERS = 80
CELL_ROOM_PX, TOKEN_ROOM_PX, ID_ROOM_PX = 1.0, 12.0, 6.0  # around a character, a token and an id


class GridRow(NamedTuple):
    """One tokenization of a text.

    number     of its marker
    token_ids  None if the text is refused
    spans      the bytes of each token; None if only ids are known
    tints      the colour of each token; if empty, each span gets its own colour
    labels     the label of each token, shown for those without text; if empty, the ids
    is_spelled  whether tokens with text show their labels as well, instead of the text's characters
    n_all      the number of all tokens, if `token_ids` has only some
    """

    name: str
    number: int
    text: bytes
    token_ids: Sequence[int] | None
    spans: Spans | None
    tints: Sequence[int] = ()
    labels: Sequence[str] = ()
    is_spelled: bool = False
    n_all: int = 0

    @property
    def n_tokens(self) -> int:
        return self.n_all or len(self.token_ids or ())

    def id_of(self, at: int) -> str:
        return "" if self.token_ids is None else str(self.token_ids[at])

    def label(self, at: int) -> str:
        return self.labels[at] if self.labels else self.id_of(at)

    def tint(self, at: int, span: tuple[int, int], tints: dict[tuple[int, int], int]) -> int:
        """The colour of a token: its own, or that of its span in `tints`, added if new; -1 without text."""
        if span[0] == span[1]:
            return -1
        return self.tints[at] if self.tints else tints.setdefault(span, len(tints))


class GridCell(NamedTuple):
    """A character, or its visible replacement."""

    text: str
    left: float
    right: float


class GridToken(NamedTuple):
    """A token; `tint` is its colour, or -1 for one without text, which shows its `label`."""

    token_id: str
    left: float
    right: float
    tint: int
    label: str


class RowLayout(NamedTuple):
    """The layout of a row, in pixels from the left.

    tokens  None if their spans are not known
    common  where both this row and the next one split the text
    apart   where only this row splits it
    below   where only the next row splits it
    """

    cells: tuple[GridCell, ...]
    tokens: tuple[GridToken, ...] | None
    common: tuple[float, ...] = ()
    apart: tuple[float, ...] = ()
    below: tuple[float, ...] = ()


def row_layouts(rows: Sequence[GridRow], text_width: Width, id_width: Width) -> list[RowLayout]:
    """Lay out rows by the widths of characters and ids; adjacent rows of the same text share a grid."""
    return [
        layout
        for text, group in groupby(rows, lambda row: row.text)
        for layout in _of_one_text(text, list(group), text_width, id_width)
    ]


def _of_one_text(text: bytes, rows: list[GridRow], text_width: Width, id_width: Width) -> Iterator[RowLayout]:
    shown = list(_characters(text))[:MOST_CHARACTERS]
    last = shown[-1][1] if shown else 0
    spans = [_shown_spans(row, last) for row in rows]
    *of_rows, of_cells = bounds_of(
        [*(each or [] for each in spans), [(start, end) for start, end, _ in shown]]
    )
    needs = [
        Need(*bounds, text_width(seen) + CELL_ROOM_PX)
        for bounds, (_, _, seen) in zip(of_cells, shown, strict=True)
    ]
    for row, row_spans, bounds in zip(rows, spans, of_rows, strict=True):
        for at, ((start, end), bound) in enumerate(zip(row_spans or (), bounds, strict=True)):
            inside = "".join(seen for begin, stop, seen in shown if start <= begin and stop <= end)
            written = row.label(at) if row.is_spelled else inside
            width = (text_width(written) if inside else id_width(row.label(at))) + TOKEN_ROOM_PX
            needs.append(Need(*bound, max(width, id_width(row.id_of(at)) + ID_ROOM_PX)))
    x = x_positions(needs)
    cells = tuple(
        GridCell(seen, x[start], x[end]) for (start, end), (_, _, seen) in zip(of_cells, shown, strict=True)
    )
    tints: dict[tuple[int, int], int] = {}
    ends = [
        None if row_spans is None else {(end, 0) for start, end in row_spans if start < end < last}
        for row_spans in spans
    ]
    for row, row_spans, bounds, (mine, others) in zip(
        rows, spans, of_rows, pairwise([*ends, None]), strict=True
    ):
        if row_spans is None:
            yield RowLayout(cells, None)
            continue
        tokens = tuple(
            GridToken(row.id_of(at), x[start], x[end], row.tint(at, span, tints), row.label(at))
            for at, (span, (start, end)) in enumerate(zip(row_spans, bounds, strict=True))
        )
        cuts = () if mine is None or others is None else (mine & others, mine - others, others - mine)
        yield RowLayout(cells, tokens, *(tuple(x[position] for position in sorted(each)) for each in cuts))


def _characters(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and visible form of each character; an invalid byte of UTF-8 counts as one."""
    at = 0
    for character in text.decode("utf-8", "surrogateescape"):
        data = character.encode("utf-8", "surrogateescape")
        yield at, at + len(data), visible_text(data)
        at += len(data)


def _shown_spans(row: GridRow, last: int) -> list[tuple[int, int]] | None:
    """The spans of the tokens that are shown, those before the byte `last`; None if unknown."""
    if row.token_ids is None or row.spans is None:
        return None
    return [(start, min(end, last)) for start, end in row.spans if start < last or start == end == last]


class Need(NamedTuple):
    """The least width of an item between two positions."""

    start: Position
    end: Position
    width_px: float


def x_positions(needs: Iterable[Need]) -> dict[Position, float]:
    """The x position of each position in `needs`, in pixels from the first one.

    Items that span the fewest positions get their width first; missing width is divided equally between the
    positions.
    """
    needs = list(needs)
    positions = sorted({position for need in needs for position in need[:2]})
    numbers = {position: number for number, position in enumerate(positions)}
    widths = [0.0] * len(positions)
    for start, end, width in sorted(needs, key=lambda need: numbers[need.end] - numbers[need.start]):
        between = slice(numbers[start], numbers[end])
        missing = width - sum(widths[between])
        if missing > 0:
            share = missing / (between.stop - between.start)
            widths[between] = [each + share for each in widths[between]]
    return dict(zip(positions, accumulate(widths, initial=0.0), strict=False))


def bounds_of(rows: Sequence[Sequence[tuple[int, int]]]) -> list[list[tuple[Position, Position]]]:
    """The positions of the bytes [start, end) in each row; empty spans come one by one, before others."""
    n_empty: Counter[int] = Counter()
    for row in rows:
        n_empty |= Counter(start for start, end in row if start == end)
    return [_bounds_in(row, n_empty) for row in rows]


def _bounds_in(row: Sequence[tuple[int, int]], n_empty: Counter[int]) -> list[tuple[Position, Position]]:
    bounds, seen = [], Counter[int]()
    for start, end in row:
        if start == end:
            bounds.append(((start, seen[start]), (start, seen[start] + 1)))
            seen[start] += 1
        else:
            bounds.append(((start, n_empty[start]), (end, 0)))
    return bounds


TEXT_PX, ID_PX = 17, 11
BOX_PX, ID_ROW_PX, GUIDE_PX = 30, 15, 10
ROW_PX = BOX_PX + ID_ROW_PX + GUIDE_PX
NAMES_PX, MOST_NAME_PX, MOST_ID_PX = 84, 130, 160  # widths
NAME_PX = 20  # height
SCROLL_BAR_PX = 12
RADIUS_PX = 5.0


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
    LegendEntry(characters("1", "control"), "Id of a token without text, such as BOS"),
)


class SpanGrid(QWidget):
    """Rows of tokens as boxes above their ids, with names at the left, or above if the boxes need the width.

    Lines between two rows are splits in both; dotted lines, in only one.  The grid scrolls if it is still too
    wide.

    rows, layouts  the rows, and their layout
    above_px       height of the name above each row, 0 if names are at the left
    names_px       width of the names at the left, 0 if names are above
    """

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self.rows: list[GridRow] = []
        self.layouts: list[RowLayout] = []
        self.above_px = self.names_px = self._beside_px = self._boxes_px = 0
        self._tokens = _Boxes(self, theme_source)
        self._area = QScrollArea()
        scroll_across(self._area, self._tokens)
        self._area.horizontalScrollBar().valueChanged.connect(self._tokens.update)
        in_row(self._area, on=self, spacing=0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_rows(self, rows: list[GridRow]) -> None:
        if rows == self.rows:
            return
        self.rows = rows
        metrics = [QFontMetricsF(Theme.mono_font(size)) for size in (TEXT_PX, ID_PX)]
        self.layouts = row_layouts(rows, *(each.horizontalAdvance for each in metrics))
        rights = [cell.right for row in self.layouts for cell in row.cells]
        rights += [token.right for row in self.layouts for token in row.tokens or ()]
        name_metrics, count_metrics = map(QFontMetricsF, (Theme.ui_font(), Theme.ui_font(SMALL_FONT_PX)))
        names = [min(name_metrics.horizontalAdvance(row.name), MOST_NAME_PX) for row in rows]
        counts = [count_metrics.horizontalAdvance(_number(row)) for row in rows]
        wide = MARKER_PX + GAP_PX + round(max([*names, *counts], default=0)) + GAP_PX
        self._beside_px, self._boxes_px = max(NAMES_PX, wide), round(max(rights, default=0)) + 2
        self._fit()
        self._area.horizontalScrollBar().setValue(0)
        self.setAccessibleName(f"Tokens of {' and '.join(row.name for row in rows)}")
        texts = dict.fromkeys(visible_text(row.text) for row in rows)
        self.setAccessibleDescription(
            ". ".join((*texts, *(f"{row.name}, {_number(row)}: {_ids(row)}" for row in rows)))
        )
        self._tokens.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Choose where to put the names, and leave room for a scroll bar if needed."""
        are_above = self._boxes_px > self.width() - self._beside_px
        self.above_px, self.names_px = (NAME_PX, 0) if are_above else (0, self._beside_px)
        height = max(self.row_px * len(self.rows) - GUIDE_PX, 0)
        self._tokens.setMinimumSize(self._boxes_px + self.names_px, height)
        self.setFixedHeight(height + SCROLL_BAR_PX * (self._boxes_px > self.width()))

    @property
    def row_px(self) -> int:
        return self.above_px + ROW_PX

    @property
    def scrolled_px(self) -> int:
        return self._area.horizontalScrollBar().value()


class _Boxes(Painted):
    """The boxes and ids of all rows, and the lines between them."""

    def __init__(self, grid: SpanGrid, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._grid = grid

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        grid = self._grid
        self._paint_names(painter, theme)
        painter.translate(grid.names_px, 0)
        for at, (row, layout) in enumerate(zip(grid.rows, grid.layouts, strict=True)):
            top = at * grid.row_px + grid.above_px
            if layout.tokens is None:  # the spans are not known
                rect = QRectF(0, top, self.width(), BOX_PX)
                write(painter, rect, _ids(row), theme.text, LEFT, Theme.mono_font(ID_PX))
            else:
                self._paint_row(painter, theme, top, () if row.is_spelled else layout.cells, layout.tokens)
            beside_ids, below_ids = top + BOX_PX + 2, top + BOX_PX + ID_ROW_PX  # no line crosses an id
            for borders, start, pen in (
                (layout.common, beside_ids, _common),
                (layout.apart, beside_ids, _apart),
                (layout.below, below_ids, _apart),
            ):
                painter.setPen(pen(theme))
                for x in borders:
                    painter.drawLine(QPointF(x, start), QPointF(x, top + ROW_PX - 1))

    def _paint_names(self, painter: QPainter, theme: Theme) -> None:
        """Paint the name and token count of each row: above it in one line, or at the left in up to three."""
        grid, font, small = self._grid, Theme.ui_font(), Theme.ui_font(SMALL_FONT_PX)
        left, width = grid.scrolled_px, grid.names_px - UNIT_PX if grid.names_px else grid.width()
        for at, (row, layout) in enumerate(zip(grid.rows, grid.layouts, strict=True)):
            n_shown = len(layout.tokens or ())
            more = [_number(row), *([f"first {n_shown:,}"] if 0 < n_shown < row.n_tokens else [])]
            beside = "" if grid.names_px else f" · {' · '.join(more)}"
            line = QRectF(left, at * grid.row_px, width, BOX_PX / 2 + 2)
            draw_marker(painter, QPointF(left + MARKER_PX / 2 + 1, line.center().y()), row.number, theme)
            line.setLeft(left + MARKER_PX + GAP_PX)
            room = line.width() - QFontMetricsF(font).horizontalAdvance(beside)
            name = elided(row.name, font, room, Qt.TextElideMode.ElideMiddle)
            write(painter, line, f"{isolate(name)}{beside}", theme.text, LEFT, font)
            for number, text in enumerate(more if grid.names_px else (), 1):
                write(painter, line.translated(0, number * BOX_PX / 2), text, theme.dim, LEFT, small)

    def _paint_row(
        self,
        painter: QPainter,
        theme: Theme,
        top: int,
        cells: Sequence[GridCell],
        tokens: Sequence[GridToken],
    ) -> None:
        """Paint tokens: whole characters as one word per token, shared ones singly; without cells, labels."""
        ids, text = Theme.mono_font(ID_PX), Theme.mono_font(TEXT_PX)
        if not tokens:
            nothing = QRectF(0, top, self.width(), BOX_PX)
            write(painter, nothing, "no tokens", theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))
            return
        split = list(cells)
        for token in tokens:
            box = QRectF(token.left + 1, top, token.right - token.left - 2, BOX_PX)
            if token.tint < 0:  # without text, such as BOS
                ring(painter, box.adjusted(0, 5, 0, -5), theme.control, RADIUS_PX)
                write(painter, box, token.label, theme.control, CENTER, ids)
            else:
                fill(painter, box, theme.span_color(token.tint), RADIUS_PX)
                whole = [each for each in cells if token.left <= each.left and each.right <= token.right]
                word = "".join(each.text for each in whole) if cells else token.label
                write(painter, box, isolate(word), theme.span_text, CENTER, text)
                split = [each for each in split if each not in whole]
            if token.tint >= 0 or token.label != token.token_id:
                width = min(token.right - token.left, MOST_ID_PX)  # keeps the id of a wide token in view
                below = QRectF(token.left, top + BOX_PX, width, ID_ROW_PX)
                write(painter, below, token.token_id, theme.dim, CENTER, ids)
        n_empty = sum(token.tint < 0 for token in tokens)
        for cell in split if n_empty < len(tokens) else ():
            rect = QRectF(cell.left, top, cell.right - cell.left, BOX_PX)
            write(painter, rect, isolate(cell.text), theme.span_text, CENTER, text)


def _number(row: GridRow) -> str:
    return "refuses it" if row.token_ids is None else counted(row.n_tokens, "token")


def _ids(row: GridRow) -> str:
    return "no ids" if row.token_ids is None else " ".join(map(str, row.token_ids)) or "nothing"
