"""Measure keystrokes and frames of the Vocabulary page: `python …/vocabulary_list.py MODEL`.

The output is the median and the worst processor time of the working thread, in milliseconds; from key to
pixel in the window, wall-clock time, which other programs lengthen, and the time of all threads.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp import open_model
from guiapp.analysis.vocabulary_list.columns import BY_NAME, TokenFigures
from guiapp.analysis.vocabulary_list.filters import histograms, listed
from guiapp.kit.state.settings import Settings
from guiapp.pages.vocabulary.page import VocabularyPage
from guiapp.window.app import build, make_application

KEYSTROKES = (
    "e",
    "th",
    "the",
    "the -is:byte",
    "script:Han length:>=6",
    "is:duplicate",
    "0xE2",
    "rank:..5000",
)
TYPED, EXPRESSION = "the lion script:Latin", "/^[a-z]+ing$/"
N_FRAMES, ROWS_A_FRAME, N_TIMES = 60, 997, 9


def main(model: str) -> None:
    tokenizer = open_model(model)
    figures = TokenFigures(tokenizer)
    bars = histograms(figures)
    listed(figures, " ".join(KEYSTROKES), BY_NAME["length"], False, _nothing)  # makes the arrays

    def keystroke(query: str) -> None:
        ids = listed(figures, query, BY_NAME["length"], False, _nothing)
        for each in bars:
            each.counts(ids)

    for query in KEYSTROKES:
        _print_times(query, [_cost(lambda query=query: keystroke(query)) for _ in range(N_TIMES)])  # type: ignore[misc]
    with _page(model) as page:
        bar, viewport = page.list.view.verticalScrollBar(), page.list.view.viewport()
        costs = []
        for number in range(N_FRAMES):
            bar.setValue(ROWS_A_FRAME * number)
            costs.append(_cost(viewport.repaint))
        _print_times("frame", costs)
        keys = [_key_to_pixel(page, key) for key in TYPED]
        _print_times("key to pixel, by the clock", [wall for wall, _ in keys])
        _print_times("key to pixel, all threads", [cost for _, cost in keys])
        page.model.end()
        QTest.keyClicks(page.bar.field, EXPRESSION[:-1])
        keys = [_key_to_pixel(page, key) for key in EXPRESSION[-1] + " " + N_TIMES * "e"]
        _print_times("the same of a regex, the first", [keys[0][0]])
        _print_times("the same of a regex, others", [wall for wall, _ in keys[2:]])


def _key_to_pixel(page: VocabularyPage, key: str) -> tuple[float, float]:
    """Milliseconds from a key in the filter until the list is painted, by the clock and of all threads."""
    started, started_cpu = time.perf_counter(), time.process_time()
    QTest.keyClick(page.bar.field, key)
    while page.model.shown.request.query != page.bar.field.text():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    page.list.view.viewport().repaint()
    return (time.perf_counter() - started) * 1000, (time.process_time() - started_cpu) * 1000


def _nothing(share: float) -> None:
    """Ignore the progress."""


def _cost(work: Callable[[], object]) -> float:
    started = time.thread_time()
    work()
    return (time.thread_time() - started) * 1000


def _print_times(name: str, costs: list[float]) -> None:
    print(f"{name:30} {statistics.median(costs):6.1f} ms, at most {max(costs):6.1f}")


@contextmanager
def _page(model: str) -> Iterator[VocabularyPage]:
    application = make_application()
    with TemporaryDirectory() as folder:
        shell = build(application, Settings(Path(folder) / "settings.ini"), b"the")
        shell.window.resize(1280, 800)
        shell.window.actions_table["vocabulary"].trigger()
        shell.window.show()
        shell.session.loader.open(model)
        page = shell.window.pages.current
        assert isinstance(page, VocabularyPage)
        while not (page.is_ready and page.model.source):
            QApplication.processEvents()
            time.sleep(0.01)
        yield page
        shell.window.hide()
        shell.stop()


if __name__ == "__main__":
    main(sys.argv[1])
