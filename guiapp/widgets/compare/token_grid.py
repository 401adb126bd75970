"""The tokens that each model has in one stretch of the text, on one grid, with their ids below."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from guiapp.core.editing.token_store import N_TINTS
from guiapp.viewmodels.tokens.common_grid import Need, Place, places_of
from guiapp.widgets.compare.markers import MARKER_PX, draw_marker
from guiapp.widgets.shared.painting import CENTER, LEFT, RIGHT, Painted, elided, fill, write
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource

ROW_PX = 46
BOX_PX = 26
TOKEN_FONT_PX, ID_FONT_PX = 15, 10
NAME_PX = 84
COUNT_PX = 22
PADDING_PX = 6  # left and right of what is written in a token
BETWEEN_PX = 2
MORE_PX = 14  # for the sign that not all tokens are shown
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
        self._x: dict[Place, float] = {}

    def show_rows(self, rows: list[GridRow]) -> None:
        if rows == self.rows:
            return
        self.rows = rows
        letters, digits = (QFontMetricsF(Theme.mono_font(size_px)) for size_px in (TOKEN_FONT_PX, ID_FONT_PX))
        self._x = places_of(
            Need(
                (token.start, 0),
                (token.end, 0),
                BETWEEN_PX
                + max(
                    letters.horizontalAdvance(token.label) + 2 * PADDING_PX,
                    digits.horizontalAdvance(str(token.token_id)) + BETWEEN_PX,
                ),
            )
            for row in rows
            for token in row.tokens
        )
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
            is_cut = NAME_PX + max(self._x.values(), default=0.0) - BETWEEN_PX > room.right()
            painter.save()
            painter.setClipRect(room.adjusted(0, 0, -MORE_PX if is_cut else 0, 0))
            self._draw_tokens(painter, theme, row, top)
            painter.restore()
            if is_cut:
                more = QRectF(room.right() - MORE_PX, top, MORE_PX, BOX_PX)
                write(painter, more, "…", theme.dim, CENTER)

    def _draw_tokens(self, painter: QPainter, theme: Theme, row: GridRow, top: float) -> None:
        if not row.tokens:
            place = QRectF(NAME_PX, top, self.width() - NAME_PX, BOX_PX)
            write(painter, place, "no token", theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))
        for token in row.tokens:
            left, right = NAME_PX + self._x[token.start, 0], NAME_PX + self._x[token.end, 0] - BETWEEN_PX
            box = QRectF(left, top, right - left, BOX_PX)
            if token.start < token.end:
                fill(painter, box, theme.span_color(token.tint % N_TINTS), RADIUS_PX)
            write(painter, box, token.label, theme.span_text, CENTER, Theme.mono_font(TOKEN_FONT_PX))
            below = QRectF(left, top + BOX_PX + 1, right - left, ROW_PX - BOX_PX - 6)
            write(painter, below, str(token.token_id), theme.dim, CENTER, Theme.mono_font(ID_FONT_PX))
