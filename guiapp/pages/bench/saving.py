"""Runs and charts of the Bench page as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QScrollArea, QVBoxLayout, QWidget

from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.bench.report import report_text
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.core.system.replace_file import replace_file
from guiapp.errors import not_written
from guiapp.kit.charts.chart import PAPER, Chart
from guiapp.kit.charts.pictures import png_of, svg_of
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.widgets import notices as file_names
from guiapp.kit.widgets.layouts import scroll_down
from guiapp.pages.bench.charts import (
    EXACTNESS,
    UNITS,
    Showing,
    chart_class,
    rows_of,
    show_records,
    showing_of,
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

Ask = Callable[[QWidget], Path | None]


def ask_for_file(window: QWidget) -> Path | None:
    return file_names.ask_for_file(window, "Save report", "benchmark.html", FORMATS)


def ask_for_folder(window: QWidget) -> Path | None:
    name = QFileDialog.getExistingDirectory(window, "Save charts in")
    return Path(name) if name else None


class BenchExport:
    """Writes the run of a model; what goes wrong is told by the model.

    Charts are drawn one in each turn of the event loop, and written in a thread: the window stays awake.
    """

    def __init__(
        self,
        model: BenchModel,
        window: QWidget,
        ask_file: Ask = ask_for_file,
        ask_folder: Ask = ask_for_folder,
    ) -> None:
        self._model = model
        self._window = window
        self._ask_file = ask_file
        self._ask_folder = ask_folder
        self._work: Iterator[str] = iter(())
        self._turns = QTimer(window, interval=0)
        self._turns.timeout.connect(self._take_turn)
        self._writing = LatestJob[str](window, model.set_progress, self._fail)

    def save_report(self, baseline: str) -> None:
        """Ask for a file and write the run in the format that its ending names."""
        if (path := self._ask_file(self._window)) is not None:
            self._begin(self._report(path, baseline))

    def save_pictures(self, baseline: str) -> None:
        """Ask for a folder and write each chart of the run into it, as PNG and as SVG."""
        if (folder := self._ask_folder(self._window)) is not None:
            self._begin(self._pictures(folder, baseline))

    def stop(self) -> None:
        """Give up what is being written: the window closes."""
        self._turns.stop()
        self._writing.wait()

    def _begin(self, work: Iterator[str]) -> None:
        self._work = work
        self._turns.start()

    def _take_turn(self) -> None:
        told = next(self._work, None)
        if told is None:
            self._turns.stop()
        else:
            self._model.set_progress(told)

    def _fail(self, why: str) -> None:
        """Say so, and no longer which chart is drawn."""
        self._model.set_progress("")
        self._model.failed.emit(why)

    def _report(self, path: Path, baseline: str) -> Iterator[str]:
        """Write a report; says at each chart that it is drawn."""
        run, charts, ending = self._model.record, {}, path.suffix.lower()
        for title, svg in paper_charts(run, baseline) if ending == ".html" else ():
            charts[title] = svg
            yield DRAWING.format(len(charts))

        def write(_: Progress) -> str:
            _write({path: report_text(ending, run, baseline, charts).encode()})
            return f"The report is in {path}."

        self._writing.start(write)

    def _pictures(self, folder: Path, baseline: str) -> Iterator[str]:
        """Write each chart; says at each that it is drawn."""
        files: dict[Path, bytes] = {}
        for number, picture in enumerate(paper_pictures(self._model.record, baseline), 1):
            files |= {folder / name: data for name, data in _files_of(picture)}
            yield DRAWING.format(number)

        def write(_: Progress) -> str:
            _write(files)
            return f"{len(files)} pictures are in {folder}."

        self._writing.start(write)


def _write(files: Mapping[Path, bytes]) -> None:
    """Raises BenchError, which names the file that cannot be written."""
    for path, data in files.items():
        try:
            replace_file(path, data)
        except OSError as error:
            raise BenchError(not_written(path, error)) from error


def _files_of(picture: ChartPicture) -> Iterator[tuple[str, bytes]]:
    name = re.sub(r"\W+", "-", picture.title.lower()).strip("-")
    yield f"{name}.svg", picture.svg.encode()
    yield f"{name}.png", picture.png


class Sheet(QScrollArea):
    """What is laid out in `column` is seen whole where it can be.

    Signals:
        resized(): there is more or less room.
    """

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._inside = _Inside()
        scroll_down(self, self._inside)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)

    def set_layout(self, column: QVBoxLayout) -> None:
        self._inside.setLayout(column)

    def room_for(self, part: QWidget) -> int:
        """The height that is seen of the last part without scrolling."""
        below = self._inside.contentsRect().bottom() - part.geometry().bottom()
        return self.viewport().height() - part.y() - max(below, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class _Inside(QWidget):
    def heightForWidth(self, width: int) -> int:
        """The least that the parts need: by default it would be what they would like to have."""
        layout = self.layout()
        return -1 if layout is None else layout.minimumHeightForWidth(width)


# All charts of a run for paper, as PNG and SVG


class _Paper(QObject):
    """The light theme on white, whatever the screen shows."""

    changed = Signal()
    theme = PAPER


class ChartPicture(NamedTuple):
    """A chart with its title in it, in two formats; its own title is of no other chart of the run."""

    title: str
    svg: str
    png: bytes


def paper_pictures(run: Record, baseline: str) -> Iterator[ChartPicture]:
    """All charts of a run, one after another."""
    for name, chart in _charts_of(run, baseline):
        yield ChartPicture(name, svg_of(chart), png_of(chart))


def paper_charts(run: Record, baseline: str) -> Iterator[tuple[str, str]]:
    """All charts of a run, one after another: name, and SVG document."""
    for name, chart in _charts_of(run, baseline):
        yield name, svg_of(chart)


def _charts_of(run: Record, baseline: str) -> Iterator[tuple[str, Chart]]:
    """Each chart laid out for paper; only until the next one is asked for."""
    results, showing = run["results"], showing_of(run, PAPER, baseline=baseline, is_speed=False)
    for scenario, row in SCENARIOS.items():
        for text in texts_of(results, scenario):
            rows = rows_of(results, scenario, text)
            name = ", ".join(filter(None, (row.title, text)))
            yield name, _laid_out(scenario, rows, showing)
            if row.grows and not row.own_texts:
                speed = replace(showing, is_speed=True)
                yield f"{name}: {UNITS[speed.unit]}", _laid_out(scenario, rows, speed)
            if scenario == "throughput":
                yield f"Speed × exactness, {text}", _laid_out(EXACTNESS, rows, showing)


def _laid_out(key: str, rows: Sequence[Record], showing: Showing) -> Chart:
    """The chart with these records, as large as they need, without a window."""
    chart = chart_class(key)(_Paper(), "", has_button=False)
    height_px = len({row["contender"] for row in rows}) * ROW_PX + MORE_HEIGHT_PX
    chart.resize(WIDTH_PX, max(height_px, LEAST_HEIGHT_PX))
    show_records(chart, key, rows, showing)
    chart.resize(WIDTH_PX, max(chart.height(), chart.minimumSizeHint().height()))
    chart.grab(QRect(0, 0, 1, 1))  # lays it out; a window of its own would bring warnings
    return chart
