"""Runs and charts of the Bench page as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.bench.report import report_text
from guiapp.core.system.replace_file import replace_file
from guiapp.errors import not_written
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.widgets import file_names
from guiapp.pages.bench.chart_images import Picture, paper_charts, paper_pictures
from guiapp.pages.bench.model import BenchModel

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
        self._writing = LatestJob[str](window, model.tell, self._fail)

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
            self._model.tell(told)

    def _fail(self, why: str) -> None:
        """Say so, and no longer which chart is drawn."""
        self._model.tell("")
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


def _files_of(picture: Picture) -> Iterator[tuple[str, bytes]]:
    name = re.sub(r"\W+", "-", picture.title.lower()).strip("-")
    yield f"{name}.svg", picture.svg.encode()
    yield f"{name}.png", picture.png
