"""Measure milliseconds of the GUI thread to update two visible charts: bars, and curves of 200 values each.

    python tests/benchmarks/live_charts.py [CONTENDERS] [UPDATES]

Each update changes the time of every contender, as a run does four or five times a second.
"""

import os
import random
import statistics
import sys
import time

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from guiapp.kit.charts.bars import BarPart, BarRow, RowChart, RowsData
from guiapp.kit.charts.curves import Curve, CurveChart, CurvesData
from guiapp.kit.charts.scales import Scale
from guiapp.kit.widgets.theme import DARK, ThemeSource
from guiapp.pages.bench.charts import ORDER, marker_style_of

N_VALUES = 200
SIZE = 1400, 800


def main() -> None:
    n_contenders, n_updates = (int(word) for word in (*sys.argv[1:], "12", "60")[:2])
    application = QApplication([])
    source, window, dice = ThemeSource(application, "dark"), QWidget(), random.Random(1)
    bars, curves = RowChart(source, "Throughput"), CurveChart(source, "By length")
    layout = QHBoxLayout(window)
    for chart in (bars, curves):
        layout.addWidget(chart)
    window.resize(*SIZE)
    window.show()
    names, sizes = ORDER[:n_contenders], np.geomspace(128, 4e6, N_VALUES)
    values = []
    for _ in range(n_updates + 5):
        rows, lines = [], []
        for number, name in enumerate(names, 1):
            style, speed = marker_style_of(name, DARK), 1e8 / number * (0.9 + 0.2 * dice.random())
            part = BarPart(0, speed, style.color)
            rows.append(BarRow(name, name, style, "1.0", (part,), (speed * 0.9, speed * 1.1), f"{speed:.3g}"))
            y = speed * sizes / (sizes + 1000)
            lines.append(Curve(name, name, style, sizes, y, y * 0.9, y * 1.1, [name] * N_VALUES, ("linear",)))
        started = time.perf_counter(), time.process_time()
        bars.show_data(
            RowsData(["Throughput"], ["in tokens/s"], rows, scale=Scale("tokens/s", "{:.3g}".format))
        )
        x, y_scale = Scale("bytes", "{:.3g}".format, True), Scale("tokens/s", "{:.3g}".format, True)
        curves.show_data(CurvesData(["By length"], ["logarithmic"], lines, x, y_scale))
        application.processEvents()
        values.append([1000 * (time.perf_counter() - started[0]), 1000 * (time.process_time() - started[1])])
    for name, each in zip(("elapsed", "processor"), zip(*values[5:], strict=True), strict=True):
        print(f"{name:10}{statistics.median(each):6.1f} ms median{max(each):7.1f} ms worst")
    os._exit(0)


if __name__ == "__main__":
    main()
