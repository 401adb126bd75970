"""Runs and charts of the Bench page as files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyqtgraph as pg
from PySide6.QtCore import QBuffer, QRect, QSize
from PySide6.QtGui import QImage, QImageWriter, QPaintDevice, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QWidget

from guiapp.core.bench.history import write_whole
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.report import csv_text, html_text, markdown_text
from guiapp.viewmodels.bench_model import BenchModel
from guiapp.widgets.bench_charts import Chart

FORMATS = {
    ".html": "Page with charts (*.html)",
    ".md": "Markdown tables (*.md)",
    ".csv": "Table (*.csv)",
    ".json": "All records (*.json)",
}
PICTURE_SCALE = 2  # of PNG files, for print and projectors

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

    def save_report(self, baseline: str) -> None:
        """Ask for a file and write the run in the format that its ending names."""
        if (path := self._ask_file(self._window)) is not None:
            text = report_text(path.suffix, self._model.record, baseline, self._charts())
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


def report_text(suffix: str, run: Record, baseline: str, charts: Mapping[str, Chart]) -> str:
    """A run in the format of an ending, as a page where it is not among the FORMATS."""
    match suffix:
        case ".md":
            return markdown_text(run, baseline)
        case ".csv":
            return csv_text(run)
        case ".json":
            return json.dumps(run, indent=1, ensure_ascii=False) + "\n"
    return html_text(run, baseline, {title: svg_of(chart) for title, chart in charts.items()})


def svg_of(chart: Chart) -> str:
    """The plot of a chart as an SVG document."""
    plot, buffer = chart.plot, QBuffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(plot.logicalDpiX())  # else the scale is silently wrong
    generator.setSize(plot.size())
    generator.setViewBox(QRect(0, 0, plot.width(), plot.height()))
    generator.setTitle(plot.accessibleName())
    _paint(chart, generator)
    return bytes(buffer.data().data()).decode()


def png_of(chart: Chart) -> bytes:
    """The plot of a chart with twice the dots that it has on screen."""
    size: QSize = chart.plot.size() * PICTURE_SCALE
    image, buffer = QImage(size, QImage.Format.Format_RGB32), QBuffer()
    _paint(chart, image)
    QImageWriter(buffer, b"png").write(image)
    return bytes(buffer.data().data())


def _paint(chart: Chart, device: QPaintDevice) -> None:
    markers = [item for item in chart.plot.scene().items() if isinstance(item, pg.ScatterPlotItem)]
    for item in markers:
        item.setExportMode(True, {"antialias": True})  # as outlines, not as pictures of a few pixels
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    chart.plot.render(painter)
    painter.end()
    for item in markers:
        item.setExportMode(False)


def shown(charts: Sequence[Chart]) -> dict[str, Chart]:
    """Those that have something to show, by their titles."""
    return {chart.plot.accessibleName(): chart for chart in charts if chart.has_results}
