"""The legend of the page that is shown, and the choice of how tokens are written."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from guiapp.analysis.explain.spelling import Spelling
from guiapp.kit.spans.legend import Legend, LegendList
from guiapp.kit.state.settings import SharedSpelling
from guiapp.kit.widgets.controls import Popover, SegmentedTabs
from guiapp.kit.widgets.layouts import in_column, scroll_down
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, heading

WIDTH_PX = 500
CHOICES = {Spelling.SIGNS: "·  ↵  and hex", Spelling.FILE: "As in the file:  Ġ  ▁  <0x0A>"}


class LegendCard(Popover):
    """A section for each part of a legend; a click elsewhere or Escape closes it."""

    def __init__(
        self, legend: Legend, spelling: SharedSpelling, theme_source: ThemeSource, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Legend")
        self._shared = spelling
        switch = SegmentedTabs(tuple(CHOICES.values()))
        switch.choose(list(CHOICES).index(spelling.now))
        switch.chosen.connect(self._choose)
        sections = [
            part
            for title, entries in legend.items()
            for part in (heading(title), LegendList(entries, theme_source))
        ]
        parts = *sections, heading("Characters of tokens"), switch
        self._inside, self._area = QWidget(), QScrollArea()
        in_column(*parts, on=self._inside, margins=MARGIN_PX, spacing=GAP_PX)
        scroll_down(self._area, self._inside)
        in_column(self._area, on=self, margins=1)

    def _choose(self, choice: int) -> None:
        self._shared.choose(list(CHOICES)[choice])

    def open_below(self, bar: QWidget) -> None:
        """Show at the right of the window below one of its bars, as high as there is room for."""
        window = bar.window()
        top = bar.mapToGlobal(QPoint(0, bar.height() + UNIT_PX)).y()
        corner = window.mapToGlobal(QPoint(window.width() - GAP_PX, window.height() - GAP_PX))
        self._inside.ensurePolished()
        wanted = self._inside.heightForWidth(WIDTH_PX - 2 * GAP_PX) + 2 * UNIT_PX
        self.setFixedSize(WIDTH_PX, min(wanted, corner.y() - top))
        self.move(corner.x() - WIDTH_PX, top)
        self.show()
