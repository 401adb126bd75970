"""Runs and charts of the Bench page as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from guiapp.core.bench.history import write_whole
from guiapp.core.bench.report import report_text
from guiapp.viewmodels.bench_model import BenchModel
from guiapp.widgets.bench_charts import Chart
from guiapp.widgets.bench_pictures import paper_charts, png_of, svg_of

FORMATS = {
    ".html": "Page with charts (*.html)",
    ".md": "Markdown tables (*.md)",
    ".csv": "Table (*.csv)",
    ".json": "All records (*.json)",
}

Charts = Callable[[], Mapping[str, Chart]]
Ask = Callable[[QWidget], Path | None]


def ask_for_file(window: QWidget) -> Path | None:
    filters = ";;".join(FORMATS.values())
    name, chosen = QFileDialog.getSaveFileName(window, "Save report", "benchmark.html", filters)
    if not name:
        return None
    path = Path(name)
    suffix = next(suffix for suffix, text in FORMATS.items() if text == (chosen or FORMATS[".html"]))
    return path if path.suffix in FORMATS else path.with_name(path.name + suffix)


def ask_for_folder(window: QWidget) -> Path | None:
    name = QFileDialog.getExistingDirectory(window, "Save charts in")
    return Path(name) if name else None


class BenchExport:
    """Writes what the page shows; what goes wrong is told by the model.

    `charts` gives the charts that show something, by their titles.
    """

    def __init__(
        self,
        model: BenchModel,
        window: QWidget,
        charts: Charts,
        ask_file: Ask = ask_for_file,
        ask_folder: Ask = ask_for_folder,
    ) -> None:
        self._model = model
        self._window = window
        self._charts = charts
        self._ask_file = ask_file
        self._ask_folder = ask_folder
        self._unfinished: tuple[Path, str, dict[str, str]]
        self._pictures: Iterator[tuple[str, str]]
        self._turns = QTimer(window, interval=0)
        self._turns.timeout.connect(self._draw_next)

    def save_report(self, baseline: str) -> None:
        """Ask for a file and write the run in the format that its ending names, charts one by one."""
        path = self._ask_file(self._window)
        if path is None:
            return
        self._unfinished = path, baseline, {}
        self._pictures = paper_charts(self._model.record, baseline) if path.suffix == ".html" else iter(())
        self._turns.start()

    def stop(self) -> None:
        """Give up the report that is being written: the window closes."""
        self._turns.stop()

    def _draw_next(self) -> None:
        """One chart in each turn of the event loop, so that the window stays awake."""
        path, baseline, charts = self._unfinished
        if (picture := next(self._pictures, None)) is not None:
            charts[picture[0]] = picture[1]
            self._model.tell(f"Drawing chart {len(charts)} for the report …")
            return
        self._turns.stop()
        text = report_text(path.suffix, self._model.record, baseline, charts)
        self._write({path: text.encode()}, f"The report is in {path}.")

    def save_pictures(self) -> None:
        """Ask for a folder and write each chart into it, as PNG and as SVG."""
        if (folder := self._ask_folder(self._window)) is not None:
            files = {}
            for title, chart in self._charts().items():
                name = re.sub(r"\W+", "-", title.lower()).strip("-")
                files[folder / f"{name}.svg"] = svg_of(chart).encode()
                files[folder / f"{name}.png"] = png_of(chart)
            self._write(files, f"{len(files)} pictures are in {folder}.")

    def _write(self, files: Mapping[Path, bytes], message: str) -> None:
        try:
            for path, data in files.items():
                write_whole(path, data)
        except OSError as error:
            self._model.failed.emit(f"{path} cannot be written: {error.strerror}. Choose another place.")
        else:
            self._model.tell(message)


def shown(charts: Sequence[Chart]) -> dict[str, Chart]:
    """Those that have something to show, by their titles."""
    return {chart.plot.accessibleName(): chart for chart in charts if chart.has_results}
