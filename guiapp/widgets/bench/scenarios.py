"""Which chart shows a scenario, which texts have one each, and which records it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.widgets.bench.bars import BarChart
from guiapp.widgets.bench.charts import Chart, HasTheme
from guiapp.widgets.bench.curves import CurveChart
from guiapp.widgets.bench.latency import LatencyChart
from guiapp.widgets.bench.stages import StageChart

CHARTS: Mapping[str, type[Chart]] = {
    "bars": BarChart,
    "groups": BarChart,
    "memory": BarChart,
    "curves": CurveChart,
    "latency": LatencyChart,
    "stages": StageChart,
}


def chart_of(scenario: str, theme_source: HasTheme) -> Chart:
    """An empty one of the kind that the scenario's row names."""
    return CHARTS[SCENARIOS[scenario].chart](scenario, theme_source)


def texts_of(results: Sequence[Record], scenario: str) -> list[str]:
    """The texts that have a chart each; "" for one chart of all."""
    texts = [row["corpus"] for row in results if row["scenario"] == scenario]
    return list(dict.fromkeys(texts if SCENARIOS[scenario].by_text else [""] * len(texts)))


def rows_of(results: Sequence[Record], scenario: str, text: str) -> list[Record]:
    """What the chart of a scenario shows, of this text where each has its own.

    For a scenario that another one stands beside, also that one's of the same contenders and texts.
    """
    row = SCENARIOS[scenario]
    mine = [
        each
        for each in results
        if each["scenario"] == scenario and (not row.by_text or each["corpus"] == text)
    ]
    wanted = {(each["contender"], each["corpus"]) for each in mine}
    beside = [
        each
        for each in results
        if each["scenario"] == row.beside and (each["contender"], each["corpus"]) in wanted
    ]
    return [*mine, *beside]
