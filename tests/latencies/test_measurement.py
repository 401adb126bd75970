"""What latencies are told with."""

import pytest

from guiapp.core.bench import stolen_time
from guiapp.latencies.measurement import Measurement, report, table_lines
from guiapp.latencies.run import measured


def test_what_the_host_gave_to_others_meanwhile_stands_beside_each_figure(tmp_path, monkeypatch):
    statistics = tmp_path / "stat"
    monkeypatch.setattr(stolen_time, "STATISTICS", statistics)
    statistics.write_text("cpu  100 0 0 0 0 0 0 0 0 0\n")

    def group():
        statistics.write_text("cpu  175 0 0 500 0 0 0 25 0 0\n")
        return [Measurement("seek", "ms", (1.0, 2.0, 9.0))]

    (seek,) = report(measured(group))["measurements"]
    assert seek["stolen_share"] == pytest.approx(0.25)
    head, row = table_lines(measured(group))
    assert head.split() == ["n", "median", "p95", "worst", "stolen"]
    assert row.split() == ["seek", "3", "2.000", "8.300", "9.000", "ms", "0.0", "%"]


def test_a_system_that_tells_nothing_leaves_it_out():
    row = table_lines([Measurement("seek", "s", (1.0,))])[-1]
    assert row.endswith("1.000 s")
