"""The card of the Bench page that shows one scenario after another, each in the chart that suits it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.widgets.bench.charts import Chart, HasTheme
from guiapp.widgets.bench.chooser import Chooser
from guiapp.widgets.bench.curves import CurveChart
from guiapp.widgets.bench.groups import GroupChart
from guiapp.widgets.bench.stages import StageChart

CURVES = ("worst", "short", "append", "interval")
STAGES = "stages"
MORE = "More scenarios"
OFFERED = {name: row.label for name, row in SCENARIOS.items() if row.chart != "bars" and name != "scaling"}
HAVE_TEXTS = tuple(name for name, row in SCENARIOS.items() if row.by_text)
BY_TEXT = tuple(name for name in HAVE_TEXTS if not SCENARIOS[name].own_texts)  # of the plan


class ScenarioCard(QStackedWidget):
    """Curves or bars of the scenario that is chosen in `scenarios`; `worst_texts` chooses among its texts.

    Signals:
        enlarge_clicked(bool): whether the card shall be the only one on the page.
    """

    enlarge_clicked = Signal(bool)

    def __init__(self, theme_source: HasTheme) -> None:
        super().__init__()
        self.curves = CurveChart(SCENARIOS[CURVES[0]].title, theme_source)
        self.groups = GroupChart(SCENARIOS["cold"].title, theme_source)
        self.stages = StageChart(SCENARIOS[STAGES].title, theme_source)
        self.scenarios = Chooser("Scenario")
        self.scenarios.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)  # never cut off
        self.worst_texts = Chooser("Worst-case text")
        self._planned: Collection[str] = ()
        for chart in self.charts:
            self.addWidget(chart)
            chart.enlarge_clicked.connect(self.enlarge_clicked)

    @property
    def charts(self) -> tuple[Chart, ...]:
        return self.curves, self.groups, self.stages

    @property
    def scenario(self) -> str:
        """What is chosen, or what there will be to choose first."""
        return str(
            self.scenarios.currentData() or next(filter(self._planned.__contains__, OFFERED), CURVES[0])
        )

    def show_empty(self, planned: Collection[str], reason: str) -> None:
        """Where nothing was measured, say why beside what is planned."""
        self._planned = planned
        if self.scenarios.count():
            return
        chart = self.prepare(self.scenario, ())
        if not any(name in planned for name in OFFERED):
            chart.set_title(MORE)
        chart.set_empty(reason)
        self.setCurrentWidget(chart)

    def show_results(self, results: Sequence[Record], growth: Sequence[Record], text: str) -> None:
        """Draw the chosen scenario, of this text where it has several."""
        self._offer({row["scenario"] for row in results})
        scenario = self.scenario
        own_texts = SCENARIOS[scenario].own_texts
        self.worst_texts.offer(texts_of(results, scenario) if own_texts else [])
        if own_texts:
            text = self.worst_texts.currentText()
        chart = self.prepare(scenario, growth)
        chart.lead_with([self.scenarios, self.worst_texts])
        chart.show_results(rows_of(results, scenario, text))
        self.setCurrentWidget(chart)  # only now: it is drawn again where it had another size before

    def prepare(self, scenario: str, growth: Sequence[Record]) -> Chart:
        """The chart that suits a scenario, told which one its next records are of."""
        chart = self._chart_of(scenario)
        chart.set_title(SCENARIOS[scenario].title)
        if chart is self.groups:
            self.groups.set_scenario(scenario)
        elif chart is self.curves:
            self.curves.set_growth([line for line in growth if line["scenario"] == scenario])
        return chart

    def choose(self, scenario: str) -> bool:
        """Show this one, if it was measured; whether it was."""
        index = self.scenarios.findData(scenario)
        if index >= 0:
            self.scenarios.setCurrentIndex(index)
        return index >= 0

    def _chart_of(self, scenario: str) -> Chart:
        kind = SCENARIOS[scenario].chart
        return {"stages": self.stages, "curves": self.curves}.get(kind, self.groups)

    def _offer(self, measured: set[str]) -> None:
        """List the scenarios that were measured, in the order of OFFERED."""
        names = [name for name in OFFERED if name in measured]
        self.scenarios.setVisible(bool(names))
        if names == [self.scenarios.itemData(index) for index in range(self.scenarios.count())]:
            return
        chosen = self.scenario
        with QSignalBlocker(self.scenarios):
            self.scenarios.clear()
            for name in names:
                self.scenarios.addItem(OFFERED[name], name)
                self.scenarios.setItemData(
                    self.scenarios.count() - 1, SCENARIOS[name].title, Qt.ItemDataRole.ToolTipRole
                )
            self.choose(chosen)


def texts_of(results: Sequence[Record], scenario: str) -> list[str]:
    """The texts that have a chart each; "" for one chart of all."""
    texts = [row["corpus"] for row in results if row["scenario"] == scenario]
    return list(dict.fromkeys(texts if scenario in HAVE_TEXTS else [""] * len(texts)))


def rows_of(results: Sequence[Record], scenario: str, text: str) -> list[Record]:
    """What the chart of a scenario shows, of this text where each has its own."""
    rows = [
        row
        for row in results
        if row["scenario"] == scenario and (scenario not in HAVE_TEXTS or row["corpus"] == text)
    ]
    return [*_beside(results, rows, SCENARIOS[scenario].beside), *rows]


def _beside(results: Sequence[Record], rows: Sequence[Record], scenario: str) -> list[Record]:
    """Results of another scenario of the same contenders with the same text."""
    wanted = {(row["contender"], row["corpus"]) for row in rows}
    return [
        row for row in results if row["scenario"] == scenario and (row["contender"], row["corpus"]) in wanted
    ]
