"""All latencies of the window, one after another."""

from __future__ import annotations

import os
import sys

from guiapp.latencies import start
from guiapp.latencies.measurement import Measurement


def measure_all(model: str) -> list[Measurement]:
    """Start-up, opening, typing, scrolling; a few minutes, most of them compiling for the first start."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    measurements = [*start.start_to_first_paint(), *start.command_line()]
    from guiapp.latencies import bench, steps, tree, window

    measurements += [window.measure_opening(model), *window.measure_editing(model)]
    measurements += steps.measure_steps(model)
    measurements += tree.measure_tree(model)
    measurements += bench.measure_bench(model)
    print("Compiling everything anew for the first start …", file=sys.stderr)
    return measurements + start.first_start()
