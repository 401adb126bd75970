"""A find as it is cut by both: A above B, over the same characters."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import visible_text
from guiapp.kit.spans.legend import LegendEntry, characters, line
from guiapp.kit.tokens.find_grid import CutTwice, FindGrid, GridToken, find_grid
from guiapp.kit.widgets.painting import CENTER, LEFT, Painted, fill, ring, write
from guiapp.kit.widgets.side_markers import MARKER_PX, draw_marker
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

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
    LegendEntry(characters("1", "warning"), "Id of a token that stands for no text, such as BOS"),
)


class FindPicture(Painted):
    """Tokens as boxes with their ids; cuts that both make are lines between them, those of one are dotted."""

    def __init__(self, theme_source: ThemeSource, names: tuple[str, str] = LETTERS) -> None:
        super().__init__(theme_source, f"Tokens of {names[0]} and {names[1]}")
        self._names = names
        self._find: CutTwice | None = None
        self._grid = EMPTY_GRID
        self.setFixedHeight(HEIGHT_PX)

    @property
    def grid(self) -> FindGrid:
        return self._grid

    def show_find(self, find: CutTwice) -> None:
        metrics = [QFontMetricsF(Theme.mono_font(size)) for size in (TEXT_PX, ID_PX)]
        self._find = find
        self._grid = find_grid(find, metrics[0].horizontalAdvance, metrics[1].horizontalAdvance)
        self.setMinimumWidth(round(LEFT_PX + self._grid.width) + 2)
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
            row = self._grid.rows[which]
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
                ring(painter, place.adjusted(0, 9, 0, -9), theme.warning, 5)
                write(painter, place, str(box.token_id), theme.warning, CENTER, ids)
                continue
            fill(painter, place, theme.span_color(box.tint), 5)
            write(painter, QRectF(left, id_top, width, ID_ROW_PX), str(box.token_id), theme.dim, CENTER, ids)
        for cell in self._grid.cells:
            place = QRectF(LEFT_PX + cell.left, top, cell.right - cell.left, BOX_PX)
            write(painter, place, cell.text, theme.span_text, CENTER, text)

    def _paint_guides(self, painter: QPainter, theme: Theme) -> None:
        top, bottom = ID_ROW_PX + BOX_PX + UNIT_PX, TOP_B_PX - UNIT_PX
        for places, pen in ((self._grid.common, _common), (self._grid.apart, _apart)):
            painter.setPen(pen(theme))
            for x in places:
                painter.drawLine(QPointF(LEFT_PX + x, top), QPointF(LEFT_PX + x, bottom))


def _ids(ids: tuple[int, ...] | None) -> str:
    return "no ids" if ids is None else " ".join(map(str, ids)) or "nothing"
