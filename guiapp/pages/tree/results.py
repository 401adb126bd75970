"""The search results of the Tree page, and statistics of the whole tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.analysis.tree.reports import LARGEST, TreeFigure, tree_figures
from guiapp.analysis.vocabulary_list.columns import TokenFigures
from guiapp.analysis.vocabulary_list.filters import Histogram, doubling_histogram, has
from guiapp.kit.charts.bars import HistogramChart, HistogramData
from guiapp.kit.state.background import Background, Progress
from guiapp.kit.token_table.table_view import TokenTable
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import (
    AS_AROUND,
    STRETCH,
    Part,
    framed,
    in_column,
    in_row,
    scroll_down,
    take_away,
)
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    UNIT_PX,
    ThemeSource,
    heading,
    plain_label,
    sentence,
    set_role,
)
from guiapp.pages.tree.model import FOUND, TreeSearch

ABOUT_FIGURES = "Counts of all tokens of the model. Click one to list its tokens."
CHARTS = {
    "depth": ("Tokens by depth", "Depth: tokens on the path from the root, including this one.", 16),
    "children": ("Tokens by children", "Children: the longer tokens directly below a token.", 8),
}
POINT_AT_BARS = "Point at a bar to read it; click it to list its tokens."
NO_MODEL = "Open a model to count its tokens."
HOW_TO_SEARCH = (
    "Type a filter in the search field: text, #9906 for an id, 0x20E6 for bytes, /^the?$/, script:Thai."
)
ABOUT = "Search results, nearest first. Select a row to show its token in the tree."
NOT_FOUND = "No token matches."
VALUE_PX, LINK_PX = 62, 6  # width of a value; padding of a link
N_LABELS = 5


class ResultsPanel(QWidget):
    """A table of found tokens; its current row is the chosen node of the tree."""

    def __init__(self, search: TreeSearch, theme_source: ThemeSource) -> None:
        super().__init__()
        self._search = search
        self._title = heading(FOUND)
        self._title.setWordWrap(True)
        self._hint = plain_label("dim", wraps=True)
        self.table = TokenTable(search, theme_source, "Found tokens", "tokens", counts=False)
        self.view = self.table.view
        self.clear = push_button("Clear", search.end, tip="Clear the search (Escape)")
        head = in_row((self._title, 1), self.clear, self.table.export)
        parts = head, sentence(ABOUT), self._hint, (self.table, 1), STRETCH
        in_column(*parts, on=self, margins=(MARGIN_PX, GAP_PX), spacing=AS_AROUND)
        search.shown_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        search, n_found = self._search, len(self._search.shown.rows)
        self._title.setText((f"{search.title} · {n_found:,}" if search.title else FOUND).upper())
        self.clear.setVisible(bool(search.title))
        self.table.export.setVisible(n_found > 0)
        has_rows = n_found > 0 or search.shown.wider is not None
        self.table.setVisible(has_rows)
        self._hint.setVisible(not has_rows)
        self._hint.setText(search.note or (NOT_FOUND if search.title else HOW_TO_SEARCH))


class _Counted(NamedTuple):
    """Statistics of all tokens."""

    figures: tuple[TreeFigure, ...]
    histograms: tuple[Histogram, ...]


def _counted(figures: TokenFigures, progress: Progress) -> _Counted:
    histograms = (doubling_histogram(figures, name, n_single) for name, (_, _, n_single) in CHARTS.items())
    return _Counted(tuple(tree_figures(figures, progress)), tuple(histograms))


class FiguresPanel(QScrollArea):
    """Statistics of the tree, and histograms of its tokens; a click on one searches for its tokens.

    figures  the statistics, computed while the panel is shown

    Signals:
        listed(): a search for the tokens of a figure has started.
    """

    listed = Signal()

    def __init__(self, search: TreeSearch, theme_source: ThemeSource) -> None:
        super().__init__()
        self._search, self._theme_source = search, theme_source
        self.figures = Background[_Counted](self, self._prepare)
        self.rows: list[QWidget] = []
        self._column = in_column(spacing=0)
        self._state, self._bar = plain_label("dim", wraps=True), plain_label("dim", wraps=True)
        self.charts = {name: HistogramChart(theme_source, title) for name, (title, _, _) in CHARTS.items()}
        parts: list[Part] = [sentence(ABOUT_FIGURES), self._column, self._state]
        for name, chart in self.charts.items():
            title, about, _ = CHARTS[name]
            parts += [framed(in_column(heading(title), sentence(about), chart, spacing=UNIT_PX))]
            chart.clicked.connect(partial(self._list_bar, name))
            chart.read.connect(self._read_bar)
        margins = MARGIN_PX, GAP_PX, MARGIN_PX, MARGIN_PX
        inside = in_column(*parts, self._bar, STRETCH, margins=margins, spacing=GAP_PX)
        scroll_down(self, framed(inside, "panel"))
        self._read_bar("")
        self.figures.changed.connect(self._refresh)
        search.source_changed.connect(self._on_source_changed)
        search.request_changed.connect(self._select_bars)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._search.try_reaching()
        self.figures.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.figures.watch(False)

    def _prepare(self) -> Callable[[Progress], _Counted] | None:
        return None if self._search.source is None else partial(_counted, self._search.source)

    def _on_source_changed(self) -> None:
        if self._search.source is None:
            self.figures.forget()
        elif self.isVisible():
            self._search.try_reaching()
        self.figures.refresh()

    def _refresh(self) -> None:
        counted = self.figures.value
        take_away(*self.rows)
        self.rows = [] if counted is None else list(map(self._row, counted.figures))
        for row in self.rows:
            self._column.addWidget(row)
        waits = "Counting …" if self._search.source is not None or self._search.is_gathering else NO_MODEL
        self._state.setText(waits if counted is None else self._search.problem)
        self._state.setVisible(bool(self._state.text()))
        for histogram in () if counted is None else counted.histograms:
            labels = dict(
                list(enumerate(map(_span, histogram.terms)))[:: 1 + len(histogram.terms) // N_LABELS]
            )
            colors, parts = [(self._theme_source.theme.contenders[0], False)], ["tokens"]
            first = int(np.argmax(histogram.totals > 0))
            data = HistogramData(histogram.totals[None], histogram.names, parts, first, labels, colors)
            self.charts[histogram.name].show_data(data)
        self._select_bars()

    def _row(self, figure: TreeFigure) -> QWidget:
        value, note = set_role(QLabel(figure.value), "number"), set_role(FittedLabel(), "dim")
        value.setFixedWidth(VALUE_PX)
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        note.set_texts([figure.note, ""])
        tip = f"List these tokens: {figure.query}\n{figure.note}".strip()
        name: QWidget
        if figure.query:
            slot = partial(self._list, figure.query, figure.name in dict(LARGEST))
            name = tool_button(figure.name, slot, role="figure", tip=tip)
        else:
            name = set_role(QLabel(figure.name), "dim")
            name.setContentsMargins(LINK_PX, LINK_PX, 0, LINK_PX)
        name.setAccessibleName(f"{figure.name}: {figure.value}")
        return framed(in_row(value, name, (note, 1), spacing=GAP_PX))

    def _list(self, query: str, goes: bool = False) -> None:
        """Search for the tokens of a figure; `goes` also goes to the first one."""
        self._search.set_query(query)
        if goes:
            self._search.step(1)
        self.listed.emit()

    def _list_bar(self, name: str, column: int | None, _part: object) -> None:
        if column is not None and self.figures.value is not None:
            at = list(CHARTS).index(name)
            self._list(self.figures.value.histograms[at].terms[column])

    def _select_bars(self) -> None:
        """Highlight the bars whose terms are in the query."""
        for histogram in () if self.figures.value is None else self.figures.value.histograms:
            asked = (at for at, term in enumerate(histogram.terms) if has(self._search.query, term))
            self.charts[histogram.name].select(next(asked, None))

    def _read_bar(self, text: str) -> None:
        self._bar.setText(text or POINT_AT_BARS)


def _span(term: str) -> str:
    return term.partition(":")[2].replace("..", "–")
