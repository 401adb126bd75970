"""How long a plan is expected to take, while the sizes of its texts become known."""

from __future__ import annotations

import threading

import pytest
from told import told_by

from guiapp.core.bench.corpus import RANDOM_BYTES, TUTORIAL_LINE, TUTORIAL_TIMES
from guiapp.core.bench.estimate import expected_s, weights_of
from guiapp.core.bench.forecast import NOTHING_KNOWN
from guiapp.core.bench.plan import Plan
from guiapp.core.demo import sample_text
from guiapp.viewmodels.bench import forecast as bench_forecast
from guiapp.viewmodels.bench.forecast import BenchForecast, duration_text, size_of_text


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


def test_each_text_is_looked_up_once_and_those_of_a_job_that_was_overtaken_again(
    forecast, qtbot, monkeypatch
):
    asked, gate = [], threading.Event()

    def size(name):
        asked.append(name)
        gate.wait()
        return 7

    monkeypatch.setattr(bench_forecast, "size_of_text", size)
    first, both = plan_of("a"), plan_of("a", "b")
    assert forecast._text_bytes(first.corpora, {}) == [bench_forecast.USUAL_BYTES]
    qtbot.waitUntil(lambda: asked == ["a"])
    forecast._text_bytes(first.corpora, {})
    assert asked == ["a"]
    forecast._text_bytes(both.corpora, {})
    told = told_by(forecast)
    gate.set()
    with qtbot.waitSignal(forecast.changed):
        pass
    assert forecast._text_bytes(both.corpora, {}) == [7, 7]
    assert sorted(asked[1:]) == ["a", "b"]
    assert (forecast._text_bytes(["c"], {"c": 3}), told) == ([3], ["changed"])
    assert not forecast._measuring.is_busy


def test_durations_follow_the_sizes_that_are_known(forecast):
    plan = plan_of("a")
    small, large = ({"a": size} for size in (100, 10_000_000))
    assert forecast.seconds(plan, large) > forecast.seconds(plan, small)
    assert forecast.weights_s(plan, small) == weights_of(plan, [100], NOTHING_KNOWN)
    assert forecast.seconds(plan, small) == expected_s(plan, [100], NOTHING_KNOWN)


def test_without_kept_runs_nothing_is_looked_through(forecast, qtbot):
    forecast.look_through("model.gguf")
    assert not forecast._job.is_busy
    known = object()
    with qtbot.waitSignal(forecast.changed):
        forecast._take(known)
    assert forecast._known is known


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.2, "1 s"), (12.4, "12 s"), (99.4, "99 s"), (159, "2 min 40 s"), (180, "3 min"), (3900, "1 h 5 min")],
)
def test_a_time_is_told_no_finer_than_it_is_known(seconds, told):
    assert duration_text(seconds) == told


def test_the_size_of_a_text_is_known_once_it_was_looked_up(forecast, qtbot, tmp_path):
    (tmp_path / "text").write_bytes(b"12345")
    with qtbot.waitSignal(forecast.changed):
        assert forecast.size_of(str(tmp_path / "text")) is None
    assert forecast.size_of(str(tmp_path / "text")) == 5
