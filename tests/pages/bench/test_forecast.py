"""How long a plan is expected to take, while the sizes of its texts become known."""

from __future__ import annotations

import threading

import pytest

from guiapp.analysis.bench.corpus import RANDOM_BYTES, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.analysis.bench.plan import Plan
from guiapp.core.demo import sample_text
from guiapp.pages.bench import choice as bench_forecast
from guiapp.pages.bench.choice import BenchForecast, size_of_text


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
    assert forecast.seconds(large, {}) == forecast.seconds(small, {})
    with qtbot.waitSignal(forecast.changed):
        is_there.set()
    assert forecast.seconds(large, {}) > forecast.seconds(small, {})


def test_sizes_of_texts_of_each_kind(tmp_path, monkeypatch):
    (tmp_path / "folder" / "deeper").mkdir(parents=True)
    for name, size in (("folder/a", 3), ("folder/deeper/b", 4)):
        (tmp_path / name).write_bytes(bytes(size))
    assert size_of_text("random") == RANDOM_BYTES
    assert size_of_text("tutorial") == len(TUTORIAL_LINE.encode()) * TUTORIAL_TIMES
    assert size_of_text("sample:english") == len(sample_text("english"))
    assert [size_of_text(str(tmp_path / name)) for name in ("folder", "folder/a", "gone")] == [
        *(7, 3),
        bench_forecast.USUAL_BYTES,
    ]
    monkeypatch.setattr(bench_forecast, "MOST_FILES", 0)
    assert size_of_text(str(tmp_path / "folder")) == 0


def test_the_size_of_a_text_is_known_once_it_was_looked_up(forecast, qtbot, tmp_path):
    (tmp_path / "text").write_bytes(b"12345")
    with qtbot.waitSignal(forecast.changed):
        assert forecast.size_of(str(tmp_path / "text")) is None
    assert forecast.size_of(str(tmp_path / "text")) == 5
