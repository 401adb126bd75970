"""The Bench page: the plan at the left, charts that follow the run, and who differs or is missing."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.plan import BenchError
from guiapp.viewmodels.bench_model import BenchModel
from guiapp.widgets.bench_bars import UNITS, BarChart
from guiapp.widgets.bench_charts import Chart
from guiapp.widgets.bench_curves import CurveChart
from guiapp.widgets.bench_exactness import ExactnessChart
from guiapp.widgets.bench_export import BenchExport, shown
from guiapp.widgets.bench_plan import PlanPanel
from guiapp.widgets.bench_scenarios import BY_TEXT, ScenarioCard, chooser, offer
from guiapp.widgets.pages import Page
from guiapp.widgets.style_sheet import set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource

PLAN_WIDTH_PX = 250
HISTORY_WIDTH_PX = 150
MOST_CHANGES = 3
STRETCHES = (5, 4)  # of the columns
FRAME_MS = 150  # between two pictures of a run
EMPTY = "Tick encoders and libraries at the left, choose texts, and press Run."
HAVE_TEXTS = ("throughput", *BY_TEXT)


class BenchPage(Page):
    """Puts plan and charts together and redraws them a few times a second while a run is going."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.plan = PlanPanel(model, theme_source)
        self.bars = BarChart("Throughput", theme_source)
        self.scaling = CurveChart("Time by length", theme_source)
        self.exactness = ExactnessChart("Speed × exactness", theme_source)
        self.scenario_card = ScenarioCard(theme_source)
        self.texts = chooser("Text")
        self.units = chooser("Unit")
        for key, unit in UNITS.items():
            self.units.addItem(unit, key)
        self.baselines = chooser("Baseline")
        self.saved_runs = chooser("Saved runs")
        self.comparisons = chooser("Compare with")
        self.progress = QLabel(EMPTY)
        self.notes = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        set_role(self.notes, "dim")
        self.export = BenchExport(model, self, lambda: shown(self.shown_charts))
        self.report_button = QPushButton("Report…")
        self._frames = QTimer(self, interval=FRAME_MS, singleShot=True)
        self._frames.timeout.connect(self.redraw)
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        self._grid = QGridLayout()
        self._lay_out()
        self._connect()
        self.redraw()

    @property
    def panels(self) -> list[QWidget]:
        return [self.plan.presets, *(chart.plot for chart in self.charts)]

    @property
    def is_ready(self) -> bool:
        return not self._frames.isActive()

    @property
    def charts(self) -> list[Chart]:
        return [self.scaling, self.exactness, self.bars, *self.scenario_card.charts]

    @property
    def _cards(self) -> tuple[Chart | ScenarioCard, ...]:
        return self.scaling, self.exactness, self.bars, self.scenario_card

    @property
    def shown_charts(self) -> list[Chart]:
        """Those that are in front."""
        return [chart for chart in self.charts if chart.isVisibleTo(self)]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"bench": self.splitter}

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.redraw()  # nothing is drawn while other pages are in front

    def stop(self) -> None:
        self._frames.stop()
        self.export.stop()
        self.model.close()

    def show_only(self, name: str) -> None:
        """Enlarge one chart, by its scenario or as "exactness"; raises BenchError if it is not there."""
        self.redraw()
        cards = {"throughput": self.bars, "scaling": self.scaling, "exactness": self.exactness}
        if name not in cards and not self.scenario_card.choose(name):
            raise BenchError(f"This run has no chart “{name}”.")
        self.redraw()
        self._enlarge(cards.get(name, self.scenario_card), True)

    def save_report(self) -> None:
        self.export.save_report(self.baselines.currentText() or "fast")

    def redraw(self) -> None:
        """Draw the results that there are now."""
        results = self.model.results
        speeds = [row for row in results if row["scenario"] == "throughput"]
        offer(self.texts, [row["corpus"] for row in results if row["scenario"] in HAVE_TEXTS])
        offer(self.baselines, [row["contender"] for row in speeds])
        self.bars.set_baseline(self.baselines.currentText() or "fast")
        one_text = [row for row in speeds if row["corpus"] == self.texts.currentText()]
        self.bars.show_results(one_text)
        self.exactness.show_results(one_text)
        growth = self.model.growth
        self.scaling.set_growth([line for line in growth if line["scenario"] == "scaling"])
        self.scaling.show_results([row for row in results if row["scenario"] == "scaling"])
        self.scenario_card.show_results(results, growth, self.texts.currentText())
        self.report_button.setEnabled(bool(results))
        self._tell(results)

    def _connect(self) -> None:
        self.model.results_changed.connect(self._plan_frame)
        self.model.progress_changed.connect(self._follow_progress)
        self.model.failed.connect(self.progress.setText)
        self.model.isolated_changed.connect(self._follow_isolated)
        self.notes.linkActivated.connect(self.model.open_difference)
        for chart in self.charts:
            chart.contender_clicked.connect(self.model.isolate)
        for card in self._cards:
            card.enlarge_clicked.connect(partial(self._enlarge, card))
        for box in (self.texts, self.baselines, self.scenario_card.scenarios, self.scenario_card.worst_texts):
            box.activated.connect(self.redraw)
        self.report_button.clicked.connect(self.save_report)
        self.units.activated.connect(self._choose_unit)
        self.saved_runs.activated.connect(self._open_run)
        self.comparisons.activated.connect(self._compare)
        self.model.running_changed.connect(self._list_runs)
        self._list_runs()

    def _lay_out(self) -> None:
        bar = QHBoxLayout()
        bar.addWidget(self.progress, 1)
        for box in (
            self.saved_runs,
            self.comparisons,
            self.texts,
            self.units,
            self.baselines,
            self.scenario_card.scenarios,
        ):
            bar.addWidget(box)
        bar.addWidget(self.scenario_card.worst_texts)
        bar.addWidget(self.report_button)
        self._grid.setSpacing(GAP_PX + 4)
        for index, card in enumerate(self._cards):
            self._grid.addWidget(card, index // 2, index % 2)
        self._enlarge(self.scaling, False)
        charts = QWidget()
        column = QVBoxLayout(charts)
        column.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX)
        column.addLayout(bar)
        column.addLayout(self._grid, 1)
        column.addWidget(self.notes)
        self.splitter.addWidget(self.plan)
        self.splitter.addWidget(charts)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([PLAN_WIDTH_PX, 1100])
        self.splitter.setHandleWidth(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.splitter)
        self.setFocusProxy(self.plan.run_button)

    def _enlarge(self, card: Chart | ScenarioCard, is_alone: bool) -> None:
        """Show this card alone, or all in their places."""
        for each in self._cards:
            each.setVisible(each is card or not is_alone)
        row, column = divmod(self._cards.index(card), 2)
        for index, stretch in enumerate(STRETCHES):
            self._grid.setColumnStretch(index, 0 if is_alone and index != column else stretch)
            self._grid.setRowStretch(index, 0 if is_alone and index != row else 1)
        for chart in self.charts:
            chart.enlarge_button.setChecked(is_alone)

    def _plan_frame(self) -> None:
        if self.isVisible() and not self._frames.isActive():
            self._frames.start()

    def _follow_isolated(self) -> None:
        for chart in self.charts:
            chart.isolate(self.model.isolated)

    def _follow_progress(self) -> None:
        self.progress.setText(self.model.progress)

    def _list_runs(self) -> None:
        for box in (self.saved_runs, self.comparisons):
            box.clear()
            box.addItem(box.accessibleName())
            for run in self.model.saved_runs:
                box.addItem(run.title, run)
            box.setMaximumWidth(HISTORY_WIDTH_PX)
            box.view().setMinimumWidth(2 * HISTORY_WIDTH_PX)
            box.setVisible(box.count() > 1)

    def _open_run(self, index: int) -> None:
        run = self.saved_runs.itemData(index)
        if run is not None and not self.model.is_running:
            self.model.open_run(run.path)

    def _compare(self, index: int) -> None:
        run = self.comparisons.itemData(index)
        if run is not None and not self.model.is_running and self.model.results:
            self.model.compare_with(run.path)

    def _choose_unit(self) -> None:
        self.bars.set_unit(self.units.currentData())

    def _tell(self, results: list[Record]) -> None:
        """What changed since the last run, who differs from the exact ids, and who takes no part."""
        told: dict[str, str] = {}
        for row in results:
            if row["exact"] is False:
                link = f'<a href="{row["contender"]}">first difference</a>'
                share = f"{row['contender']} ≈ {row['agreement']:.1%} of spans"
                told.setdefault(row["contender"], f"{share}, {link}")
        missing = {
            each["contender"]: f"{each['contender']}: {each['reason']}"
            for each in self.model.left_out
            if each["scenario"] is None
        }
        changes = [f"{change.verdict} than before: {change.title}" for change in self.model.changes]
        plain = [escape(note) for note in (*changes[:MOST_CHANGES], *self.model.warnings, *missing.values())]
        notes = [*told.values(), *plain]
        self.notes.setText(" &nbsp; ".join(notes))
        self.notes.setVisible(bool(notes))
