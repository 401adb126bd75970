"""How the tokens of the list and all others divide by script, length and rank; a click filters by a bar."""

from __future__ import annotations

from functools import partial

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from guiapp.core.vocabulary_list.filters import has
from guiapp.core.vocabulary_list.histograms import LONGEST_COUNTED, Histogram
from guiapp.viewmodels.vocabulary.model import VocabularyModel
from guiapp.widgets.shared.bars import Bars, ColumnBars, RowBars
from guiapp.widgets.shared.layouts import in_column, scroll_down
from guiapp.widgets.shared.painting import fill
from guiapp.widgets.shared.style_sheet import blend, heading, set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

PARTS = ("listed", "others")
TITLES = {"rank": "By rank of the merge", "score": "By score", "id": "By id"}
LENGTH_LABELS = {length: str(length) for length in (1, 8, 16, 24)} | {LONGEST_COUNTED: f"{LONGEST_COUNTED}+"}
OTHERS = 0.28  # of the colour of words, for tokens that are not listed
HOW_TO = "Point at a bar for its figures; a click filters by it."
HEIGHTS_PX = 400, 540  # of the page, from which on there is room for the second and the third picture


class VocabularyHistograms(QFrame):
    """Three histograms above each other; where the page is low, the first ones."""

    def __init__(self, model: VocabularyModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        set_role(self, "panel")
        self.scripts = RowBars(theme_source, "Tokens by script", PARTS, paint_part, is_shared_out=False)
        self.lengths = ColumnBars(theme_source, "Tokens by length", PARTS, paint_part, first=1)
        self.lengths.labels = LENGTH_LABELS
        self.worth = ColumnBars(theme_source, "Tokens by rank or score", PARTS, paint_part)
        self._worth_title = heading("")
        self._figures = set_role(QLabel(HOW_TO, wordWrap=True), "dim")
        self._figures.setFont(Theme.ui_font(SMALL_FONT_PX))
        self._figures.setFixedHeight(2 * self._figures.fontMetrics().lineSpacing() + UNIT_PX)
        area = QScrollArea()
        scroll_down(area, self.scripts)
        self._lower = QWidget(), QWidget()
        in_column(heading("By length in bytes"), self.lengths, on=self._lower[0], spacing=UNIT_PX)
        in_column(self._worth_title, self.worth, on=self._lower[1], spacing=UNIT_PX)
        parts = heading("By script"), (area, 1), *self._lower, self._figures
        in_column(*parts, on=self, margins=(MARGIN_PX, 3 * UNIT_PX, GAP_PX, GAP_PX), spacing=GAP_PX)
        self.setMinimumSize(240, 100)
        self._drawn = tuple[Histogram, ...]()  # the model may have others before they are here
        for bars in self.all:
            bars.chosen.connect(partial(self._toggle, bars))
            bars.pointed_at.connect(partial(self._tell, bars))
        model.shown_changed.connect(self._follow_shown)
        model.wanted_changed.connect(self._follow_wanted)
        self._follow_shown()

    @property
    def all(self) -> tuple[Bars, ...]:
        """The histograms in the order of `histograms`."""
        return self.scripts, self.lengths, self.worth

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for part, least_px in zip(self._lower, HEIGHTS_PX, strict=True):
            part.setVisible(self.height() >= least_px)

    def _follow_shown(self) -> None:
        if self._model.prepared is not None:
            self._drawn = self._model.prepared.histograms
        for bars, histogram, counts in zip(self.all, self._drawn, self._model.shown.counts, strict=False):
            bars.show_counts(np.stack([counts, histogram.totals - counts]), histogram.names)
            if bars is self.worth:
                self._worth_title.setText(TITLES[histogram.name].upper())
        self._follow_wanted()

    def _follow_wanted(self) -> None:
        for bars, histogram in zip(self.all, self._drawn, strict=False):
            chosen = [at for at, term in enumerate(histogram.terms) if has(self._model.query, term)]
            bars.select(chosen[0] if chosen else None)

    def _toggle(self, bars: Bars, column: int, _part: int | None) -> None:
        histogram = self._drawn[self.all.index(bars)]
        self._model.toggle_term(histogram.terms[column], histogram.name)

    def _tell(self, bars: Bars, column: int | None) -> None:
        self._figures.setText(HOW_TO if column is None else bars.told(column))


def paint_part(painter: QPainter, theme: Theme, place: QRectF, part: int) -> None:
    """A stretch of a bar by its number in PARTS: full for what is listed, grey for the others."""
    fill(painter, place, blend(theme.panel, theme.dim, OTHERS) if part else theme.contenders[0], 1)
