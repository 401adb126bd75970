"""Measure the time from a click on Run to the first bar, to a stable verdict and to the end of the run.

    python tests/benchmarks/first_bar.py MODEL TEXT

The window has an empty home folder, TEXT, and the default contenders.  Times are seconds of wall-clock time;
the load is that of the machine when Run is clicked.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ui import open_window, process_events, show_text

LONGEST_S = 120


def main(model: str, text: str) -> None:
    with open_window(model) as shell:
        show_text(shell, Path(text).read_bytes())
        shell.window.actions_table["bench"].trigger()
        process_events()
        page = shell.window.pages.current
        expected_s, load = page.model.choice.expected_s, os.getloadavg()[0]
        started_s = time.monotonic()
        QTest.mouseClick(page.bar.run_button, Qt.MouseButton.LeftButton)

        def seconds_until(is_so: Callable[[], bool]) -> float:
            while not is_so() and time.monotonic() - started_s < LONGEST_S:
                QApplication.processEvents()
                time.sleep(0.005)
            return time.monotonic() - started_s

        def is_stable() -> bool:
            verdict = page.model.verdict(page.results.text, page.results.baseline)
            return not page.model.is_running or (verdict is not None and verdict.is_stable)

        first_s = seconds_until(lambda: any(row.n for row in page.model.results))
        first = [row.contender for row in page.model.results if row.n]
        all_s = seconds_until(
            lambda: {row.contender for row in page.model.results} >= {*page.model.choice.contenders}
        )
        stable_s = seconds_until(is_stable)
        end_s = seconds_until(lambda: not page.model.is_running)
        print(f"load {load:.1f}; expected {expected_s:.1f} s")
        print(f"first bar {first_s:.2f} s ({', '.join(first)}), all bars {all_s:.2f} s")
        print(f"settled {stable_s:.2f} s, end {end_s:.2f} s")
        print(page.headline.verdict.accessibleName())


if __name__ == "__main__":
    main(*sys.argv[1:])
