"""Histograms of the rows of a token table by script, length and more; a click on a bar filters by it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QSize, SignalInstance
from PySide6.QtGui import QColor, QPainter, QResizeEvent
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
from guiapp.kit.charts.bars import HATCHED_GROUND, BarList, HistogramChart, HistogramData, PartColor
from guiapp.kit.charts.markers import pattern
from guiapp.kit.token_table.list_model import TokenListModel
from guiapp.kit.widgets.layouts import STRETCH, Part, in_column, in_row, scroll_down
from guiapp.kit.widgets.painting import Painted, fill
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

SAMPLE_PX = 9
TITLES = {"rank": "By merge rank", "score": "By score", "id": "By id"}
HOW_TO = "Click a bar to filter by it. Drag the blue line to set a minimum length."
LEAST_LENGTH = re.compile(r"\blength:>=(\d{1,3})(?!\S)")
N_EDGES = 3  # about how many edges have a number
HEIGHTS_PX = 400, 540  # least heights that show the second and the third chart
Bars = Sequence[tuple[Histogram, Counts]]
Colors = Callable[[Theme], Sequence[PartColor]]


class TokenHistograms(QFrame):
    """Charts by script, by length, and by rank, score or id, one below the other.

    A low page shows only the first ones; old charts stay until there are new data.
    """

    def __init__(
        self,
        model: TokenListModel[Any],
        theme_source: ThemeSource,
        parts: Sequence[str],
        colors: Colors,
        bars: Callable[[], Bars],
        changed: Sequence[SignalInstance],
        choose_part: Callable[[int | None], object] = lambda part: None,
        is_shared_out: bool = False,
    ) -> None:
        """`bars` returns a row of counts for each of `parts`; it is called again on the signals `changed`.

        choose_part    called to list the rows of one part of a bar, None for all
        is_shared_out  whether the bars of scripts all have the same length and show shares, with a legend
        """
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self._parts, self._colors, self._bars, self._choose_part = parts, colors, bars, choose_part
        set_role(self, "panel")
        self.scripts = BarList(theme_source, "Tokens by script", is_shared_out)
        self.lengths = HistogramChart(theme_source, "Tokens by length")
        self.worth = HistogramChart(theme_source, "Tokens by rank or score")
        self._worth_title = heading("")
        self._figures = _small(HOW_TO)
        self._figures.setWordWrap(True)
        self._figures.setFixedHeight(2 * self._figures.fontMetrics().lineSpacing() + UNIT_PX)
        area = QScrollArea()
        scroll_down(area, self.scripts)
        self._lower = QWidget(), QWidget()
        in_column(heading("By length in bytes"), self.lengths, on=self._lower[0], spacing=UNIT_PX)
        in_column(self._worth_title, self.worth, on=self._lower[1], spacing=UNIT_PX)
        titles: list[Part] = [heading("By script")]
        self._samples = [_Sample(theme_source, name, colors, number) for number, name in enumerate(parts)]
        if is_shared_out:
            entries = [in_row(each, _small(each.accessibleName()), spacing=UNIT_PX) for each in self._samples]
            titles.append(in_row(*entries, STRETCH, spacing=3 * UNIT_PX))
        margins = MARGIN_PX, 3 * UNIT_PX, GAP_PX, GAP_PX
        in_column(*titles, (area, 1), *self._lower, self._figures, on=self, margins=margins, spacing=GAP_PX)
        self.setMinimumSize(240, 100)
        self._drawn = tuple[Histogram, ...]()  # the model may have newer ones that are not drawn yet
        for chart in self.all:
            chart.clicked.connect(partial(self._toggle, chart))
            chart.read.connect(self._show_figures)
        self.lengths.line_moved.connect(self._set_least_length)
        for signal in (*changed, theme_source.changed):
            signal.connect(self._refresh)
        model.request_changed.connect(self._on_request_changed)
        self._refresh()

    @property
    def all(self) -> tuple[BarList | HistogramChart, ...]:
        return self.scripts, self.lengths, self.worth

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        for number, (part, least_px) in enumerate(zip(self._lower, HEIGHTS_PX, strict=True), 1):
            part.setVisible(self.height() >= least_px and number < len(self._drawn))

    def _refresh(self) -> None:
        bars = self._bars()
        self._drawn = tuple(histogram for histogram, _ in bars) or self._drawn
        colors = list(self._colors(self._theme_source.theme))
        for chart, (histogram, counts) in zip(self.all, bars, strict=False):
            if isinstance(chart, BarList):
                chart.show_counts(counts, histogram.names, self._parts, colors)
            elif chart is self.lengths:
                least = LEAST_LENGTH.search(self._model.query)
                at = min(int(least[1]), LONGEST_COUNTED) if least else 1
                chart.show_data(
                    HistogramData(counts, histogram.names, self._parts, 1, LENGTH_LABELS, colors, at)
                )
            else:
                labels = edge_labels(histogram)
                chart.show_data(HistogramData(counts, histogram.names, self._parts, 0, labels, colors))
                self._worth_title.setText(TITLES[histogram.name].upper())
        self._fit_height()
        self._on_request_changed()
        for sample in self._samples:
            sample.update()

    def _on_request_changed(self) -> None:
        for chart, histogram in zip(self.all, self._drawn, strict=False):
            chosen = [at for at, term in enumerate(histogram.terms) if has(self._model.query, term)]
            chart.select(chosen[0] if chosen else None)

    def _toggle(self, chart: BarList | HistogramChart, column: int | None, part: int | None) -> None:
        if column is None:
            return
        histogram, group = self._drawn[self.all.index(chart)], self._model.request.group
        term = histogram.terms[column]
        self._choose_part(part)
        if self._model.request.group == group or not has(self._model.query, term):
            self._model.toggle_term(term, histogram.name)  # choosing another part keeps the bar chosen

    def _set_least_length(self, length: int) -> None:
        query = without(self._model.query, "length")
        self._model.set_query(with_term(query, f"length:>={length}") if length > 1 else query)

    def _show_figures(self, figures: str) -> None:
        self._figures.setText(figures or HOW_TO)


def edge_labels(histogram: Histogram) -> dict[float, str]:
    """Labels for the left edges of some bars, by position."""
    edges = [name.split(" ")[1] for name in histogram.names]
    columns = range(0, len(edges), max(len(edges) // N_EDGES, 1))
    return {column - 0.5: _in_few_digits(edges[column]) for column in columns}


def _in_few_digits(number: str) -> str:
    return f"{float(number.replace(',', '')):.3g}" if "." in number else number


def _small(text: str) -> QLabel:
    label = set_role(QLabel(text), "dim")
    label.setFont(Theme.ui_font(SMALL_FONT_PX))
    return label


class _Sample(Painted):
    """A sample of the colour and hatching of a part."""

    def __init__(self, theme_source: ThemeSource, name: str, colors: Colors, part: int) -> None:
        super().__init__(theme_source, name)
        self._colors, self._part = colors, part
        self.setFixedSize(QSize(4 * UNIT_PX, SAMPLE_PX))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        color: QColor
        color, is_hatched = self._colors(theme)[self._part]
        if is_hatched:
            fill(painter, self.rect(), blend(theme.panel, color, HATCHED_GROUND), 1)
        fill(painter, self.rect(), pattern(color, is_hatched), 1)
