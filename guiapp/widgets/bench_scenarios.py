"""The card of the Bench page that shows one scenario after another, each in the chart that suits it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QStackedWidget

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.widgets.bench_charts import Chart
from guiapp.widgets.bench_curves import CurveChart
from guiapp.widgets.bench_groups import KINDS, GroupChart
from guiapp.widgets.bench_stages import StageChart
from guiapp.widgets.theme import ThemeSource

CURVES = ("worst", "short", "append", "interval")
STAGES = "stages"
OFFERED = (*CURVES, STAGES, *KINDS)
BY_TEXT = ("cold", "decode", "batch", STAGES)  # those that have a record for each text


class ScenarioCard(QStackedWidget):
    """Curves or bars of the scenario that is chosen in `scenarios`; `worst_texts` chooses among its texts.

    Signals:
        enlarge_clicked(bool): whether the card shall be the only one on the page.
    """

    enlarge_clicked = Signal(bool)

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self.curves = CurveChart(SCENARIOS[CURVES[0]].title, theme_source)
        self.groups = GroupChart(SCENARIOS["cold"].title, theme_source)
        self.stages = StageChart(SCENARIOS[STAGES].title, theme_source)
        self.scenarios = chooser("Scenario")
        self.worst_texts = chooser("Worst-case text")
        for chart in self.charts:
            self.addWidget(chart)
            chart.enlarge_clicked.connect(self.enlarge_clicked)

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.curves, self.groups, self.stages

    @property
    def scenario(self) -> str:
        """What is chosen, or what there is to choose first."""
        return str(self.scenarios.currentData() or CURVES[0])

    def show_results(self, results: Sequence[Record], growth: Sequence[Record], text: str) -> None:
        """Draw the chosen scenario, of this text where it has several."""
        self._offer({row["scenario"] for row in results})
        scenario = self.scenario
        rows = [row for row in results if row["scenario"] == scenario]
        offer(self.worst_texts, [row["corpus"] for row in rows] if scenario == "worst" else [])
        self.worst_texts.setVisible(scenario == "worst" and self.worst_texts.count() > 1)
        chart = self._chart_of(scenario)
        self.setCurrentWidget(chart)
        chart.set_title(SCENARIOS[scenario].title)
        if scenario == "worst":
            text = self.worst_texts.currentText()
        if scenario in (*BY_TEXT, "worst"):
            rows = [row for row in rows if row["corpus"] == text]
        if scenario == "cold":
            rows = [*_warm(results, rows), *rows]
        if chart is self.groups:
            self.groups.set_scenario(scenario)
        elif chart is self.curves:
            self.curves.set_growth([line for line in growth if line["scenario"] == scenario])
        chart.show_results(rows)

    def choose(self, scenario: str) -> bool:
        """Show this one, if it was measured; whether it was."""
        index = self.scenarios.findData(scenario)
        if index >= 0:
            self.scenarios.setCurrentIndex(index)
        return index >= 0

    def _chart_of(self, scenario: str) -> Chart:
        if scenario == STAGES:
            return self.stages
        return self.curves if scenario in CURVES else self.groups

    def _offer(self, measured: set[str]) -> None:
        """List the scenarios that were measured, in the order of OFFERED."""
        names = [name for name in OFFERED if name in measured]
        self.scenarios.setVisible(len(names) > 1)
        if names == [self.scenarios.itemData(index) for index in range(self.scenarios.count())]:
            return
        chosen = self.scenario
        with QSignalBlocker(self.scenarios):
            self.scenarios.clear()
            for name in names:
                self.scenarios.addItem(SCENARIOS[name].title, name)
            self.choose(chosen)


def _warm(results: Sequence[Record], cold: Sequence[Record]) -> list[Record]:
    """The throughput of the same contenders with the same text."""
    wanted = {(row["contender"], row["corpus"]) for row in cold}
    return [
        row
        for row in results
        if row["scenario"] == "throughput" and (row["contender"], row["corpus"]) in wanted
    ]


def chooser(name: str) -> QComboBox:
    """A drop-down list that people who cannot see it are told about."""
    box = QComboBox(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
    box.setAccessibleName(name)
    box.setToolTip(name)
    return box


def offer(box: QComboBox, names: Sequence[str]) -> None:
    """List the names that are not yet there; a list with nothing to choose is hidden."""
    for name in dict.fromkeys(names):
        if box.findText(name) < 0:
            box.addItem(name)
    box.setVisible(box.count() > 1)
