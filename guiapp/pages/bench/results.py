"""Charts and tables of a run behind tabs: two charts beside each other where there is room, a table below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QSizePolicy, QToolButton, QWidget

from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.analysis.bench.tables import published_tables
from guiapp.kit.charts.chart import Chart
from guiapp.kit.charts.rows import LEAST_ROW_PX, MOST_ROW_PX
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import ChoiceBox
from guiapp.kit.widgets.layouts import WrappingRow, in_column, in_row
from guiapp.kit.widgets.theme import GAP_PX, ThemeSource, set_role
from guiapp.pages.bench.charts import (
    BASELINE,
    EXACTNESS,
    UNITS,
    LoadingBar,
    Showing,
    chart_class,
    rows_of,
    show_records,
    showing_of,
    texts_of,
)
from guiapp.pages.bench.choice import THROUGHPUT
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.saving import Sheet
from guiapp.pages.bench.tables import TablesView, changed, figures, published

FIGURES, PUBLISHED, CHANGES = "figures", "published", "changes"
TABLES = {FIGURES: "Figures", PUBLISHED: "Published", CHANGES: "Changes"}
CALM = (THROUGHPUT, EXACTNESS)  # below each other: both are wide and low
WIDE_PX = 760  # from here on there is room for two charts beside each other
HIGH_PX, LEAST_TABLE_PX = 380, 120  # from here on there is room for a table below them
NOTHING_YET = "Nothing measured yet"
HAVE_PLANNED_TEXTS = [name for name, row in SCENARIOS.items() if row.by_text and not row.own_texts]
HEAD_PX, EXACTNESS_PX, LEAST_EXACTNESS_PX = 70, 250, 170
TABLE_ROW = 3  # of the grid, below charts and what is free below them
QWIDGETSIZE_MAX = (1 << 24) - 1
HAVE_SPEEDS, HAVE_CURVES = ("bars", "groups", "curves"), ("curves",)
QUANTITIES = {"Speed": True, "Time": False}


class ResultsView(QWidget):
    """What was measured, as charts are chosen by tabs; before that the two that most runs have."""

    def __init__(
        self, model: BenchModel, theme_source: ThemeSource, sheet: Sheet, settings: Settings | None = None
    ) -> None:
        super().__init__()
        self._model, self._theme_source, self._sheet, self._settings = model, theme_source, sheet, settings
        self._drawn: dict[str, object] = {}  # what each chart shows
        self._preferred: tuple[str, ...] = CALM  # the one chosen first
        self._placed: object = None
        self.keys: list[str] = []  # what there is to see, in the order of its tabs
        self._shows_all = False
        self.tabs: dict[str, QToolButton] = {}
        self.texts, self.own_texts = Chooser("Text"), Chooser("Text of this chart")
        self.units, self.baselines = ChoiceBox("Unit", _swapped(UNITS)), Chooser("Baseline", BASELINE)
        self.quantities = ChoiceBox("What curves show", QUANTITIES)
        if settings is not None:
            self.units.show_choice(settings.bench_unit)
        self.tables = TablesView(theme_source)
        self.tables.setMinimumHeight(LEAST_TABLE_PX)
        self.charts: dict[str, Chart] = {}
        choosers = QWidget()
        in_row(self.texts, self.own_texts, self.quantities, self.units, self.baselines, on=choosers)
        self.bar = WrappingRow([], choosers)
        self._grid = QGridLayout()
        self._grid.setSpacing(GAP_PX + GAP_PX)
        in_column(self.bar, (self._grid, 1), on=self, spacing=GAP_PX)
        for chooser in (self.texts, self.own_texts, self.quantities, self.units, self.baselines):
            chooser.activated.connect(self.redraw)
        self.units.activated.connect(self._save_unit)
        theme_source.changed.connect(self.redraw)
        model.isolated_changed.connect(self._on_isolated_changed)
        sheet.resized.connect(self._fit)
        self.redraw()

    # What is shown

    def _list_keys(self) -> list[str]:
        model = self._model
        measured = {row["scenario"] for row in model.results}
        if not measured:
            return [THROUGHPUT]
        charts = [
            key for name in SCENARIOS if name in measured for key in (CALM if name == THROUGHPUT else [name])
        ]
        is_there = {
            FIGURES: model.can_report,
            PUBLISHED: not model.is_running and any(published_tables(model.record)),
            CHANGES: model.comparison is not None,
        }
        return [*charts, *(name for name in TABLES if is_there[name])]

    @property
    def shown(self) -> tuple[str, ...]:
        """What is in front of it, as far as there is room."""
        keys = self.keys
        there = tuple(key for key in self._preferred if key in keys) or tuple(keys[:1])
        return tuple(sorted(there, key=keys.index)) if self._fits_calm else there[:1]

    def chart(self, key: str) -> Chart:
        """The chart of a scenario or of exactness, made when it is needed first."""
        return self.charts.get(key) or self._new_chart(key)

    @property
    def shown_charts(self) -> list[Chart]:
        return [self.charts[key] for key in self.shown if key not in TABLES]

    @property
    def text(self) -> str:
        """The text that charts are of, and the verdict."""
        return self.texts.currentText()

    @property
    def baseline(self) -> str:
        return self.baselines.currentText() or BASELINE

    def choose(self, key: str) -> None:
        """Show it; throughput and exactness together, where there is room."""
        self._preferred = (key, *(other for other in CALM if other != key)) if key in CALM else (key,)
        self.redraw()

    def show_alone(self, key: str) -> None:
        self._preferred = (key,)
        self.redraw()

    def show_all(self, is_all: bool) -> None:
        """Tabs, also where there is little to choose, and the table of the text below the charts."""
        self._shows_all = is_all

    @property
    def has_table_below(self) -> bool:
        has_room = self._shows_all and self._model.can_report and self._room_px >= HIGH_PX
        return has_room and not {*self.shown} & {*TABLES}

    @property
    def is_column(self) -> bool:
        """Whether charts stand below each other."""
        return self.shown == CALM and self._fits_column and not self.has_table_below

    @property
    def _room_px(self) -> int:
        """The height that is seen without scrolling: its own may be more."""
        return self._sheet.room_for(self)

    @property
    def _fits_calm(self) -> bool:
        return self._fits_two or self._fits_column

    @property
    def _fits_two(self) -> bool:
        return self.width() >= WIDE_PX and self._room_px >= self.bar.height() + LEAST_EXACTNESS_PX

    @property
    def _fits_column(self) -> bool:
        model = self._model
        names = {row["contender"] for row in model.results} | {*model.loading, *model.failed_to_open}
        n_rows = len(names | {*model.awaited} if model.is_running else names)
        return self._room_px >= self.bar.height() + HEAD_PX + n_rows * LEAST_ROW_PX + LEAST_EXACTNESS_PX

    def show_calm(self) -> None:
        """The charts of throughput, which most runs have."""
        self._preferred = CALM
        self.redraw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if (self.shown, self.has_table_below) != self._placed:
            self.redraw()

    def redraw(self) -> None:
        """Draw what is in front with the results that there are now."""
        self.keys = self._list_keys()
        shown = self.shown
        self._offer(shown)
        self._place(shown)
        showing = self._showing
        self._fit_calm(shown, showing)
        for key in shown:
            if key in TABLES:
                self._fill_tables(key)
            else:
                self._show(key, self._rows(key), showing)
        if self.has_table_below:
            rows = [row for row in self._model.record["results"] if row["corpus"] == self.text]
            self.tables.show_tables(*figures({**self._model.record, "results": rows}, self.baseline))

    def _show(self, key: str, rows: Sequence[Record], showing: Showing) -> None:
        """Draw these records, unless they are drawn: times change with their number alone."""
        chart = self.charts[key]
        chart.set_reason("" if rows or (showing.loading and key != EXACTNESS) else NOTHING_YET)
        shows = [(id(row), row["n"]) for row in rows], showing
        if shows != self._drawn.get(key) and not chart.reason:
            self._drawn[key] = shows
            show_records(chart, key, rows, showing)

    def _fit_calm(self, shown: tuple[str, ...], showing: Showing) -> None:
        """Let charts below each other be no higher than they need: what is free stays free at the end."""
        is_calm, n_rows = self.is_column, len({row["contender"] for row in self._rows(THROUGHPUT)})
        heights = ((n_rows + len(showing.loading)) * MOST_ROW_PX + HEAD_PX, EXACTNESS_PX)
        for key, height in zip(CALM, heights, strict=True):
            if key in self.charts:
                self.charts[key].setMaximumHeight(height if is_calm else QWIDGETSIZE_MAX)
        self._grid.setRowStretch(2, int(is_calm))

    def _offer(self, shown: Sequence[str]) -> None:
        """Tabs, and what there is to choose for the charts that are shown."""
        keys, results = self.keys, self._model.results
        for key in keys:
            if key not in self.tabs:
                self.tabs[key] = self._tab(key)
        is_seen = shown[0] != EXACTNESS and self._fits_calm  # with throughput
        apart = [key for key in keys if key != EXACTNESS or not is_seen]
        n_texts = len({row["corpus"] for row in results if row["scenario"] in HAVE_PLANNED_TEXTS})
        has_choice = self._shows_all or bool({*keys} - {*CALM, FIGURES}) or n_texts > 1
        for key, tab in self.tabs.items():
            tab.setVisible(has_choice and key in apart)
            tab.setChecked(key == shown[0])
        self.bar.show_widgets([self.tabs[key] for key in apart] if has_choice else [])
        self.texts.offer([row["corpus"] for row in results if row["scenario"] in HAVE_PLANNED_TEXTS])
        own = next((key for key in shown if key in SCENARIOS and SCENARIOS[key].own_texts), "")
        self.own_texts.offer(texts_of(results, own) if own else [])
        kinds = {SCENARIOS[key].chart for key in shown if key in SCENARIOS}
        has_speeds = not kinds.isdisjoint(HAVE_SPEEDS) or EXACTNESS in shown
        has_units = has_speeds and bool(results)
        self.units.setVisible(has_units)
        self.quantities.setVisible(not kinds.isdisjoint(HAVE_CURVES))
        self.baselines.offer([row["contender"] for row in results if row["mb_per_s"]])
        has_ratios = has_speeds or FIGURES in shown or self.has_table_below
        self.baselines.setVisible(has_choice and has_ratios and self.baselines.count() > 1)
        self.bar.setVisible(has_choice or has_units)

    def _tab(self, key: str) -> QToolButton:
        tab = set_role(QToolButton(), "subtab")
        tab.setText(TABLES.get(key) or ("Exactness" if key == EXACTNESS else SCENARIOS[key].label))
        tab.setCheckable(True)
        tab.clicked.connect(partial(self.choose, key))
        return tab

    def _place(self, shown: tuple[str, ...]) -> None:
        """Give those that are shown all the room, and hide the others."""
        has_table, is_column = self.has_table_below, self.is_column
        if (shown, has_table) == self._placed:
            return
        self._placed = shown, has_table
        for part in (*self.charts.values(), self.tables):
            self._grid.removeWidget(part)
            part.hide()
        for index, key in enumerate(shown):
            part = self.tables if key in TABLES else self.chart(key)
            self._grid.addWidget(part, *((index, 0) if is_column else (0, index)))
            part.show()
        for index, (row, column) in enumerate(
            ((30, 1), (20, 0)) if is_column else ((1, 1), (0, len(shown) - 1))
        ):
            self._grid.setRowStretch(index, row)
            self._grid.setColumnStretch(index, column)
        self._grid.setRowStretch(TABLE_ROW, int(has_table))
        if has_table:
            self._grid.addWidget(self.tables, TABLE_ROW, 0, 1, max(len(shown), 1))
            self.tables.show()

    def _new_chart(self, key: str) -> Chart:
        name = "Speed × exactness" if key == EXACTNESS else SCENARIOS[key].title
        chart = chart_class(key)(self._theme_source, name)
        chart.setParent(self)
        chart.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)  # halves are alike
        chart.set_reason(NOTHING_YET)
        chart.clicked.connect(self._on_chart_clicked)
        chart.notified.connect(self._model.set_progress)
        chart.emphasize(self._model.isolated)
        self.charts[key] = chart
        return chart

    @property
    def _showing(self) -> Showing:
        """What charts tell beside the results."""
        model = self._model
        loading = [LoadingBar(name, each.share or None, each.stage) for name, each in model.loading.items()]
        if model.is_running or not model.results:  # the others will take part
            names = model.awaited if model.is_running else model.choice.contenders
            loading += [LoadingBar(name, None) for name in names if name not in model.loading]
        loading += [LoadingBar(name, None, why, True) for name, why in model.failed_to_open.items()]
        return showing_of(
            model.record,
            self._theme_source.theme,
            baseline=self.baseline,
            unit=self.units.currentData(),
            is_speed=self.quantities.currentData(),
            loading=tuple(loading),
            changes=() if model.comparison is None else model.comparison.changes,
        )

    def _rows(self, key: str) -> list[Record]:
        scenario, text = THROUGHPUT if key == EXACTNESS else key, self.text
        if SCENARIOS[scenario].own_texts:
            text = self.own_texts.currentText()
        return rows_of(self._model.results, scenario, text)

    def _fill_tables(self, key: str) -> None:
        model = self._model
        if key == PUBLISHED:
            self.tables.show_tables(*published(model.record))
        elif key == CHANGES:
            self.tables.show_tables(*changed(model.comparison))
        else:
            self.tables.show_tables(*figures(model.record, self.baseline))

    def _on_isolated_changed(self) -> None:
        for chart in self.charts.values():
            chart.emphasize(self._model.isolated)

    def _on_chart_clicked(self, name: str | None, _part: object) -> None:
        """Fade the others; a second click, or one beside everything, brings them back."""
        self._model.isolate(name or "")

    def _save_unit(self) -> None:
        if self._settings is not None:
            self._settings.bench_unit = self.units.currentData()


def _swapped(titles: Mapping[str, str]) -> dict[str, str]:
    return {title: key for key, title in titles.items()}


class Chooser(QComboBox):
    """Lists names as they come in; what is wanted is chosen as soon as it is there, until then the first.

    It is hidden where there is nothing to choose.
    """

    def __init__(self, title: str, preferred: str = "") -> None:
        super().__init__(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setAccessibleName(title)
        self.setToolTip(title)
        self._preferred = preferred
        self.textActivated.connect(self._prefer)

    def offer(self, names: Sequence[str]) -> None:
        """List these names, each once, in place of those that are there."""
        listed = list(dict.fromkeys(names))
        if listed != [self.itemText(index) for index in range(self.count())]:
            with QSignalBlocker(self):
                self.clear()
                self.addItems(listed)
                self.setCurrentIndex(max(self.findText(self._preferred), 0))
        self.setVisible(len(listed) > 1)

    def minimumSizeHint(self) -> QSize:
        """Qt keeps the one for the names before."""
        return self.sizeHint()

    def _prefer(self, name: str) -> None:
        self._preferred = name
