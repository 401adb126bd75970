"""The measurement of each look of the Inspect page, on a small text and the small demo model."""

import pytest

from guiapp.latencies import looks
from guiapp.latencies.looks import KEYS, TURNS, measure_looks

LOOKS = ("cost", "kind", "rarity", "line_tokens", "budget", "pieces", "inexact_greedy")


@pytest.mark.usefixtures("qapp")
def test_each_look_is_a_row_with_its_ratio_to_plain_text(monkeypatch):
    monkeypatch.setattr(looks, "SIZES", {"6kb": 6000})
    monkeypatch.setattr(looks, "PACE_MS", 0)
    rows = {row.name: row for row in measure_looks("demo:bpe", n_rounds=1)}
    for event, n_events in (("key", len(KEYS)), ("scroll", TURNS)):
        assert len(rows.pop(f"{event}_6kb_plain").values) == n_events
        for look in LOOKS:
            times, ratio = rows.pop(f"{event}_6kb_{look}"), rows.pop(f"{event}_6kb_{look}_ratio")
            assert (len(times.values), times.unit, ratio.unit) == (n_events, "ms", "×")
            assert min(times.values) > 0 < ratio.values[0]
    assert not rows
