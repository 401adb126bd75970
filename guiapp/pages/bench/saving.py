"""Saves runs and charts of the Bench page as files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QRect, QTimer
from PySide6.QtWidgets import QWidget

from guiapp.analysis.bench.plan import SCENARIOS, BenchError
from guiapp.analysis.bench.report import report_text
from guiapp.analysis.bench.run_results import BenchResult, BenchRun
from guiapp.core.sources.files import replace_file
from guiapp.errors import not_written
from guiapp.kit.charts.chart import PAPER, Chart, file_name, png_of, svg_of
from guiapp.kit.state.background import LatestJob
from guiapp.kit.widgets.file_dialogs import ask_for_folder, ask_to_save
from guiapp.kit.widgets.notices import announce
from guiapp.pages.bench.charts import (
    EXACTNESS,
    UNITS,
    Showing,
    chart_class,
    data_of,
    rows_of,
    showing_of,
    source_of,
    texts_of,
)
from guiapp.pages.bench.model import BenchModel

WIDTH_PX, ROW_PX, LEAST_HEIGHT_PX, MORE_HEIGHT_PX = 900, 30, 300, 110
FORMATS = {
    ".html": "Page with charts (*.html)",
    ".md": "Markdown tables (*.md)",
    ".csv": "Table (*.csv)",
    ".json": "All records (*.json)",
}
DRAWING = "Drawing chart {} …"


class BenchExport:
    """Saves the run of a model, whose `failed` signal reports errors.

    It draws one chart in each turn of the event loop and writes in a thread, so the window stays responsive.
    """

    def __init__(self, model: BenchModel, window: QWidget) -> None:
        self._model, self._window = model, window
        self._work: Iterator[str] = iter(())
        self._turns = QTimer(window, interval=0)
        self._turns.timeout.connect(self._take_turn)
        self._writing = LatestJob[str](window, self._take, self._fail)

    @property
    def is_busy(self) -> bool:
        return self._turns.isActive() or self._writing.is_busy

    def save_report(self, baseline: str) -> None:
        """Ask for a file and write the run in the format of its extension."""
        if (path := ask_to_save(self._window, "Save report", "benchmark.html", FORMATS)) is not None:
            self._begin(self._report(path, baseline))

    def save_pictures(self, baseline: str) -> None:
        """Ask for a folder and write each chart of the run into it, as PNG and as SVG."""
        if (folder := ask_for_folder(self._window, "Save charts in")) is not None:
            self._begin(self._pictures(folder, baseline))

    def stop(self) -> None:
        """Stop drawing and writing, before the window closes."""
        self._turns.stop()
        self._writing.wait()

    def _begin(self, work: Iterator[str]) -> None:
        self._work = work
        self._turns.start()

    def _take_turn(self) -> None:
        progress = next(self._work, None)
        if progress is None:
            self._turns.stop()
        else:
            self._model.set_progress(progress)

    def _take(self, done: str) -> None:
        self._model.set_progress("")
        announce(self._window, done)

    def _fail(self, why: str) -> None:
        self._model.set_progress("")
        self._model.failed.emit(why)

    def _report(self, path: Path, baseline: str) -> Iterator[str]:
        run, charts, ending = self._model.measured, {}, path.suffix.lower()
        for title, svg in paper_charts(run, baseline) if ending == ".html" else ():
            charts[title] = svg
            yield DRAWING.format(len(charts))
        done = f"Saved {path}"
        self._writing.start(
            lambda _: _written({path: report_text(ending, run, baseline, charts).encode()}, done)
        )

    def _pictures(self, folder: Path, baseline: str) -> Iterator[str]:
        files: dict[Path, bytes] = {}
        for number, (title, chart) in enumerate(_charts_of(self._model.measured, baseline), 1):
            name = file_name(title)
            files[folder / f"{name}.svg"] = svg_of(chart).encode()
            files[folder / f"{name}.png"] = png_of(chart)
            yield DRAWING.format(number)
        self._writing.start(lambda _: _written(files, f"Saved {len(files)} pictures in {folder}"))


def _written(files: Mapping[Path, bytes], done: str) -> str:
    """Write the files and return `done`; raises BenchError, which names a file that cannot be written."""
    for path, data in files.items():
        try:
            replace_file(path, data)
        except OSError as error:
            raise BenchError(not_written(path, error)) from error
    return done


# All charts of a run for paper


def paper_charts(run: BenchRun, baseline: str) -> Iterator[tuple[str, str]]:
    """Yield the charts of a run one by one, as unique name and SVG document."""
    for name, chart in _charts_of(run, baseline):
        chart.source = ""  # the page around the charts contains it once
        yield name, svg_of(chart)


def _charts_of(run: BenchRun, baseline: str) -> Iterator[tuple[str, Chart]]:
    """Yield each name and chart, laid out for paper; a chart is valid only until the next."""
    results, showing = run.finished, showing_of(run, PAPER, baseline=baseline, is_speed=False)
    for scenario, row in SCENARIOS.items():
        for text in texts_of(results, scenario):
            rows = rows_of(results, scenario, text)
            name, source = ", ".join(filter(None, (row.title, text))), source_of(run, rows[0].corpus)
            yield name, _laid_out(scenario, rows, showing, source)
            if row.grows and not row.own_texts:
                speed = replace(showing, is_speed=True)
                yield f"{name}: {UNITS[speed.unit]}", _laid_out(scenario, rows, speed, source)
            if scenario == "throughput":
                yield f"Speed × exactness, {text}", _laid_out(EXACTNESS, rows, showing, source)


def _laid_out(key: str, rows: Sequence[BenchResult], showing: Showing, source: str) -> Chart:
    """A chart of these records, as large as they need, without a window."""
    chart = chart_class(key)(None, "")
    chart.source = source
    height_px = len({row.contender for row in rows}) * ROW_PX + MORE_HEIGHT_PX
    chart.resize(WIDTH_PX, max(height_px, LEAST_HEIGHT_PX))
    chart.show_data(data_of(key, rows, showing))
    chart.resize(WIDTH_PX, max(chart.height(), chart.minimumSizeHint().height()))
    chart.grab(QRect(0, 0, 1, 1))  # lays it out; showing a window would cause warnings
    return chart
