"""The measurement of the Inspect page, on a small text and the small demo model."""

import pytest

from guiapp.latencies import inspect
from guiapp.latencies.inspect import measure_editing

N_EVENTS = 4


@pytest.mark.usefixtures("qapp")
def test_each_event_in_the_text_has_its_time(monkeypatch):
    monkeypatch.setattr(inspect, "LONG_TEXT_BYTES", 6000)
    monkeypatch.setattr(inspect, "LONG_LINE_BYTES", 3000)
    measurements = {measurement.name: measurement for measurement in measure_editing("demo:bpe", N_EVENTS)}
    for name in ("keystroke_10mb", "keystroke_1mb_line"):
        assert len(measurements[name].values) == N_EVENTS
    assert len(measurements["scroll_10mb"].values) >= N_EVENTS  # frames, which may be more
    assert len(measurements["find_next_10mb"].values) == N_EVENTS // 2
    assert all(value > 0 for measurement in measurements.values() for value in measurement.values)
