"""How the tokens of the list and all others divide by script, length and rank; a click filters by a bar."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from guiapp.analysis.vocabulary_list.filters import (
    LENGTH_LABELS,
    LONGEST_COUNTED,
    Counts,
    Histogram,
    has,
    with_term,
    without,
)
from guiapp.kit.charts.bars import BarList, HistogramChart, HistogramData
from guiapp.kit.spans.legend import Draw, LegendEntry, characters
from guiapp.kit.widgets.layouts import in_column, scroll_down
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    set_role,
)
from guiapp.pages.vocabulary.model import VocabularyModel

OTHERS = 0.28  # of the colour of words, for tokens that are not listed
MARK_PX, KNOWN_PX = 5, 7
PARTS = ("listed", "others")
TITLES = {"rank": "By rank of the merge", "score": "By score", "id": "By id"}
HOW_TO = "Point at a bar for its figures; click it, or drag the line, to filter."
LEAST_LENGTH = re.compile(r"\blength:>=(\d{1,3})(?!\S)")
N_EDGES = 3  # that have a number
HEIGHTS_PX = 400, 540  # of the page, from which on there is room for the second and the third picture


class VocabularyHistograms(QFrame):
    """Three histograms above each other; where the page is low, the first ones."""

    def __init__(self, model: VocabularyModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        set_role(self, "panel")
        self.scripts = BarList(theme_source, "Tokens by script")
        self.lengths = HistogramChart(theme_source, "Tokens by length")
        self.worth = HistogramChart(theme_source, "Tokens by rank or score")
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
            bars.clicked.connect(partial(self._toggle, bars))
            bars.read.connect(self._show_figures)
        self.lengths.line_moved.connect(self._set_least_length)
        model.shown_changed.connect(self._on_shown_changed)
        model.request_changed.connect(self._on_request_changed)
        theme_source.changed.connect(self._on_shown_changed)
        self._on_shown_changed()

    @property
    def all(self) -> tuple[BarList | HistogramChart, ...]:
        """The histograms in the order of `histograms`."""
        return self.scripts, self.lengths, self.worth

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for part, least_px in zip(self._lower, HEIGHTS_PX, strict=True):
            part.setVisible(self.height() >= least_px)

    def _on_shown_changed(self) -> None:
        if self._model.prepared is not None:
            self._drawn = self._model.prepared.histograms
        for bars, histogram, counts in zip(self.all, self._drawn, self._model.shown.counts, strict=False):
            self._show(bars, histogram, np.stack([counts, histogram.totals - counts]))
        self._on_request_changed()

    def _show(self, bars: BarList | HistogramChart, histogram: Histogram, counts: Counts) -> None:
        colors = [(color, False) for color in listed_colors(self._theme_source.theme)]
        if isinstance(bars, BarList):
            bars.show_counts(counts, histogram.names, PARTS, colors)
            return
        if bars is self.lengths:
            least = LEAST_LENGTH.search(self._model.query)
            column = min(int(least[1]), LONGEST_COUNTED) if least else 1
            bars.show_data(HistogramData(counts, histogram.names, PARTS, 1, LENGTH_LABELS, colors, column))
        else:
            bars.show_data(HistogramData(counts, histogram.names, PARTS, 0, edge_labels(histogram), colors))
            self._worth_title.setText(TITLES[histogram.name].upper())

    def _on_request_changed(self) -> None:
        for bars, histogram in zip(self.all, self._drawn, strict=False):
            chosen = [at for at, term in enumerate(histogram.terms) if has(self._model.query, term)]
            bars.select(chosen[0] if chosen else None)

    def _toggle(self, bars: BarList | HistogramChart, column: int | None, _part: object) -> None:
        if column is not None:
            histogram = self._drawn[self.all.index(bars)]
            self._model.toggle_term(histogram.terms[column], histogram.name)

    def _set_least_length(self, length: int) -> None:
        query = without(self._model.query, "length")
        self._model.set_query(with_term(query, f"length:>={length}") if length > 1 else query)

    def _show_figures(self, figures: str) -> None:
        self._figures.setText(figures or HOW_TO)


def edge_labels(histogram: Histogram) -> dict[float, str]:
    """The numbers at which some bars begin."""
    edges = [name.split(" ")[1] for name in histogram.names]
    columns = range(0, len(edges), max(len(edges) // N_EDGES, 1))
    return {column - 0.5: edges[column] for column in columns}


# How charts of the vocabulary and their legend mark tokens


def listed_colors(theme: Theme) -> tuple[QColor, QColor]:
    return theme.contenders[0], blend(theme.panel, theme.dim, OTHERS)


def draw_suspects(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    painter.setPen(QPen(theme.warning, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
    painter.drawPoints(QPolygonF(places))


def draw_hollow(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Squares of what looks untrained, and is not reached by text either."""
    painter.setPen(QPen(theme.warning, 1))
    painter.setBrush(theme.panel)
    for at in places:
        painter.drawRect(QRectF(at.x() - MARK_PX / 2, at.y() - MARK_PX / 2, MARK_PX, MARK_PX))


def draw_known(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    painter.setPen(QPen(theme.dim, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for at in places:
        painter.drawEllipse(at, KNOWN_PX / 2, KNOWN_PX / 2)


def _one(draw: Callable[[QPainter, Theme, list[QPointF]], None]) -> Draw:
    return lambda painter, theme, box: draw(painter, theme, [box.center()])


LEGEND = (
    LegendEntry(characters("<E2 82>"), "Bytes that are not a whole character"),
    LegendEntry(_one(draw_suspects), "Embedding looks untrained; the dashed line is the limit"),
    LegendEntry(_one(draw_hollow), "The same, and no text that was tried gives this token"),
    LegendEntry(_one(draw_known), "Known to be unused, such as a reserved token"),
)
