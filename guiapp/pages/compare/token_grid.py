"""The tokens that each model has in one stretch of the text, on one grid, with their ids below."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.kit.tokens.common_grid import Need, bounds_of, places_of
from guiapp.kit.widgets.painting import CENTER, LEFT, RIGHT, Painted, elided, fill, write
from guiapp.kit.widgets.side_markers import MARKER_PX, draw_marker
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource

ROW_PX = 46
BOX_PX = 26
TOKEN_FONT_PX, ID_FONT_PX = 15, 10
NAME_PX = 84
COUNT_PX = 22
PADDING_PX = 6  # left and right of what is written in a token
BETWEEN_PX = 2
MORE_PX = 14  # for the sign that not all tokens are shown
LEAST_TOKEN_PX = 24  # in less, not even a part of one is shown
RADIUS_PX = 5.0


@dataclass(frozen=True)
class GridToken:
    """A token: its bytes [start, end), how it is written, its id and its colour."""

    start: int
    end: int
    label: str
    token_id: int
    tint: int


@dataclass(frozen=True)
class GridRow:
    """What one model has; it is column `number`."""

    number: int
    name: str
    tokens: tuple[GridToken, ...]


class TokenGrid(Painted):
    """One row for each model; what does not fit is left out at the right."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Tokens of each model here")
        self.rows: list[GridRow] = []
        self._edges: list[list[tuple[float, float]]] = []  # left and right of each token

    def show_rows(self, rows: list[GridRow]) -> None:
        if rows == self.rows:
            return
        self.rows = rows
        bounds = bounds_of([[(token.start, token.end) for token in row.tokens] for row in rows])
        placed = zip(chain(*(row.tokens for row in rows)), chain(*bounds), strict=True)
        x = places_of(Need(*bound, BETWEEN_PX + _width_of(token)) for token, bound in placed)
        self._edges = [[(x[start], x[end]) for start, end in row_bounds] for row_bounds in bounds]
        self.setFixedHeight(ROW_PX * len(rows))
        lines = [
            f"{row.name}: " + " ".join(f"{token.label} {token.token_id}" for token in row.tokens)
            for row in rows
        ]
        self.setAccessibleDescription("; ".join(lines))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(260, ROW_PX * len(self.rows))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        for at, row in enumerate(self.rows):
            top = at * ROW_PX
            draw_marker(painter, QPointF(MARKER_PX / 2, top + BOX_PX / 2), row.number, theme)
            name = QRectF(MARKER_PX + GAP_PX, top, NAME_PX - MARKER_PX - GAP_PX, BOX_PX)
            font = Theme.ui_font(UI_FONT_PX)
            shown = elided(row.name, font, name.width(), Qt.TextElideMode.ElideMiddle)
            write(painter, name, shown, theme.dim, LEFT, font)
            count = QRectF(self.width() - COUNT_PX, top, COUNT_PX, BOX_PX)
            write(painter, count, str(len(row.tokens)), theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))
            room = QRectF(NAME_PX, top, self.width() - NAME_PX - COUNT_PX - UNIT_PX, ROW_PX)
            lefts = [NAME_PX + left for left, _ in self._edges[at]]
            is_cut = bool(lefts) and lefts[-1] > room.right() - LEAST_TOKEN_PX
            painter.save()
            room.setRight(room.right() - MORE_PX * is_cut)
            painter.setClipRect(room)
            self._draw_tokens(painter, theme, at, room)
            painter.restore()
            if is_cut:
                more = QRectF(room.right(), top, MORE_PX, BOX_PX)
                write(painter, more, "…", theme.dim, CENTER)

    def _draw_tokens(self, painter: QPainter, theme: Theme, at: int, room: QRectF) -> None:
        tokens, top, font = self.rows[at].tokens, room.top(), Theme.mono_font(TOKEN_FONT_PX)
        if not tokens:
            place = QRectF(NAME_PX, top, self.width() - NAME_PX, BOX_PX)
            write(painter, place, "no token", theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))
        for token, (left, right) in zip(tokens, self._edges[at], strict=True):
            box = QRectF(NAME_PX + left, top, right - left - BETWEEN_PX, BOX_PX)
            label = token.label
            if box.right() > room.right():
                box.setRight(room.right())
                label = elided(label, font, box.width(), Qt.TextElideMode.ElideMiddle)
            if token.start < token.end:
                fill(painter, box, theme.span_color(token.tint % N_TINTS), RADIUS_PX)
            write(painter, box, label, theme.span_text, CENTER, font)
            below = QRectF(box.left(), top + BOX_PX + 1, box.width(), ROW_PX - BOX_PX - 6)
            write(painter, below, str(token.token_id), theme.dim, CENTER, Theme.mono_font(ID_FONT_PX))


def _width_of(token: GridToken) -> float:
    letters, digits = (QFontMetricsF(Theme.mono_font(size_px)) for size_px in (TOKEN_FONT_PX, ID_FONT_PX))
    label, number = letters.horizontalAdvance(token.label), digits.horizontalAdvance(str(token.token_id))
    return max(label + 2 * PADDING_PX, number + BETWEEN_PX)
