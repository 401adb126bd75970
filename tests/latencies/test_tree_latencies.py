"""The measurement of the Tree page, on the small demo model."""

from __future__ import annotations

import pytest

from guiapp.latencies import tree
from guiapp.latencies.tree import measure_tree


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.usefixtures("qapp")
def test_each_distance_has_frames_of_both_shapes_and_none_in_which_nothing_moves(monkeypatch):
    monkeypatch.setattr(tree, "N_FRAMES", 3)
    monkeypatch.setattr(tree, "N_RUNS", 1)
    monkeypatch.setattr(tree, "SIZE", (320, 200))
    measurements = {measurement.name: measurement for measurement in measure_tree("demo:bpe")}
    assert measurements["tree_ready"].unit == "s"
    assert len(measurements["tree_ready"].values) == 1
    for name in tree.VIEWS:
        assert len(measurements[f"tree_frame_{name}"].values) == 2 * (3 if name == "mid" else 2)
        assert len(measurements[f"tree_still_{name}"].values) == 2 * 1
    assert all(value > 0 for measurement in measurements.values() for value in measurement.values)
