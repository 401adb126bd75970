"""How many differences are of which cause; a click walks through those of one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from guiapp.core.text.figures import counted
from guiapp.kit.widgets.layouts import in_column, take_away
from guiapp.kit.widgets.painting import LEFT, RIGHT, PaintedButton, elided, fill, write
from guiapp.kit.widgets.plain_tip import plain_tip
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.pages.compare.difference_causes import CauseCount

ROW_PX, BAR_PX = 32, 3
CHOSEN_SHARE = 0.14  # of the accent in the ground of a chosen row


class CauseRow(PaintedButton):
    """A cause, a bar, and how often it is."""

    def __init__(self, row: CauseCount, most: int, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._row = row
        self._most = most
        self.setText(row.title)
        self.setCheckable(True)
        self.setFixedHeight(ROW_PX)
        self.setToolTip(plain_tip(f"{row.title}: walk through these only"))
        self.setAccessibleName(f"{row.title}: {counted(row.count, 'difference')}")

    def sizeHint(self) -> QSize:
        return QSize(260, ROW_PX)

    def ground(self, theme: Theme) -> QColor | None:
        if self.isChecked():
            return blend(theme.raised, theme.accent, CHOSEN_SHARE)
        return theme.raised if self.underMouse() else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        inside = QRectF(self.rect()).adjusted(GAP_PX, UNIT_PX, -GAP_PX, -UNIT_PX)
        above = inside.adjusted(0, 0, 0, -BAR_PX - UNIT_PX)
        count, small, font = f"{self._row.count:,}", Theme.mono_font(SMALL_FONT_PX), Theme.ui_font(UI_FONT_PX)
        room = above.width() - QFontMetricsF(small).horizontalAdvance(count) - GAP_PX
        write(painter, above, elided(self.text(), font, room), theme.text, LEFT, font)
        write(painter, above, count, theme.dim, RIGHT, small)
        bar = max(inside.width() * self._row.count / self._most, 2)
        place = QRectF(inside.left(), inside.bottom() - BAR_PX, bar, BAR_PX)
        fill(painter, place, theme.faint, BAR_PX / 2)


class CauseList(QWidget):
    """A row for each cause.

    Signals:
        chosen(object): walk through those of this kind only, None for all.
    """

    chosen = Signal(object)

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._rows: dict[int, CauseRow] = {}
        self._layout = in_column(on=self, spacing=0)
        self.setAccessibleName("Differences by cause")

    @property
    def rows(self) -> list[CauseRow]:
        return list(self._rows.values())

    def show_counts(self, counts: list[CauseCount], chosen: int | None) -> None:
        """Show these, the most frequent first; the focus stays where it was."""
        focused = next((kind for kind, row in self._rows.items() if row.hasFocus()), None)
        take_away(*self._rows.values())
        most = max((count.count for count in counts), default=1)
        self._rows = {count.kind: CauseRow(count, most, self._theme_source) for count in counts}
        for kind, row in self._rows.items():
            row.setChecked(kind == chosen)
            row.clicked.connect(partial(self._choose, kind))
            self._layout.addWidget(row)
        if focused in self._rows:
            self._rows[focused].setFocus(Qt.FocusReason.OtherFocusReason)

    def show_chosen(self, chosen: int | None) -> None:
        for kind, row in self._rows.items():
            row.setChecked(kind == chosen)

    def _choose(self, kind: int) -> None:
        self.chosen.emit(kind if self._rows[kind].isChecked() else None)
