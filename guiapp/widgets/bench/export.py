"""Runs and charts of the Bench page as files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from guiapp.core.bench.report import report_text
from guiapp.core.replace_file import replace_file
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.widgets.bench.pictures import Picture, paper_charts, paper_pictures

FORMATS = {
    ".html": "Page with charts (*.html)",
    ".md": "Markdown tables (*.md)",
    ".csv": "Table (*.csv)",
    ".json": "All records (*.json)",
}

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
    """Writes the run of a model; what goes wrong is told by the model.

    Charts are drawn one in each turn of the event loop, so that the window stays awake.
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

    def _begin(self, work: Iterator[str]) -> None:
        self._work = work
        self._turns.start()

    def _take_turn(self) -> None:
        try:
            told = next(self._work, None)
        except OSError as error:
            self._turns.stop()
            place = error.filename or "The file"
            self._model.failed.emit(f"{place} cannot be written: {error.strerror}. Choose another place.")
            return
        if told is None:
            self._turns.stop()
        else:
            self._model.tell(told)

    def _report(self, path: Path, baseline: str) -> Iterator[str]:
        """Write a report, chart by chart; says after each what was done."""
        run, charts = self._model.record, {}
        for title, svg in paper_charts(run, baseline) if path.suffix == ".html" else ():
            charts[title] = svg
            yield f"Drawing chart {len(charts)} for the report …"
        replace_file(path, report_text(path.suffix, run, baseline, charts).encode())
        yield f"The report is in {path}."

    def _pictures(self, folder: Path, baseline: str) -> Iterator[str]:
        n_files = 0
        for picture in paper_pictures(self._model.record, baseline):
            for file, data in _files_of(picture):
                replace_file(folder / file, data)
                n_files += 1
            yield f"{n_files} pictures are in {folder} …"
        yield f"{n_files} pictures are in {folder}."


def _files_of(picture: Picture) -> Iterator[tuple[str, bytes]]:
    name = re.sub(r"\W+", "-", picture.title.lower()).strip("-")
    yield f"{name}.svg", picture.svg.encode()
    yield f"{name}.png", picture.png
