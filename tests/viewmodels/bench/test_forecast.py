"""How long a plan is expected to take, while the sizes of its texts become known."""

from __future__ import annotations

import threading

import pytest

from guiapp.core.bench.plan import Plan
from guiapp.viewmodels.bench import forecast as bench_forecast
from guiapp.viewmodels.bench.forecast import BenchForecast


@pytest.fixture
def forecast(qapp):
    forecast = BenchForecast(None)
    yield forecast
    forecast.close()


def plan_of(*texts: object) -> Plan:
    return Plan("demo:bpe", tuple(map(str, texts)), ("heap",), scenarios=("throughput",))


def test_a_folder_that_takes_long_to_look_through_does_not_keep_anybody_waiting(
    forecast, qtbot, tmp_path, monkeypatch
):
    is_there, size_of_text = threading.Event(), bench_forecast.size_of_text
    monkeypatch.setattr(bench_forecast, "size_of_text", lambda name: is_there.wait() and size_of_text(name))
    for name, size in (("large", 10_000_000), ("small", 10)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text").write_bytes(bytes(size))
    large, small = (plan_of(tmp_path / name) for name in ("large", "small"))
    assert forecast.duration(large, {}) == forecast.duration(small, {})
    with qtbot.waitSignal(forecast.changed):
        is_there.set()
    assert forecast.duration(large, {}).high_s > forecast.duration(small, {}).high_s
