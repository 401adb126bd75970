"""Above the charts of the Bench page: what is shown, and runs and reports as files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QGridLayout, QPushButton, QWidget

from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.run_list import RunList
from guiapp.widgets.bench.runs_dialog import RunsDialog
from guiapp.widgets.shared.layouts import AS_AROUND, STRETCH, in_row
from guiapp.widgets.shared.menu_button import MenuButton
from guiapp.widgets.shared.segments import Segments
from guiapp.widgets.shared.theme import ThemeSource

VIEWS = ("Charts", "Published", "Changes", "Figures")
CHARTS, PUBLISHED, CHANGES, FIGURES = range(len(VIEWS))
WIDE_PX = 930  # from this width on there is one row
NO_OTHER = "No other run is kept"
RUN_FILES = "Runs (*.json)"

AskForRun = Callable[[QWidget], Path | None]


def ask_for_run(window: QWidget) -> Path | None:
    name, _ = QFileDialog.getOpenFileName(window, "Open run", "", RUN_FILES)
    return Path(name) if name else None


class BenchBar(QWidget):
    """Views to choose from, what charts show, runs and the report.

    Signals:
        view_chosen(int): one of VIEWS.
    """

    view_chosen = Signal(int)

    def __init__(
        self,
        model: BenchModel,
        theme_source: ThemeSource,
        choosers: Sequence[QWidget],
        ask: AskForRun = ask_for_run,
    ) -> None:
        super().__init__()
        self._model = model
        self.ask = ask
        self.views = Segments(VIEWS)
        self.views.chosen.connect(self.view_chosen)
        self.runs_button = MenuButton(theme_source, "Runs")
        self._menu = self.runs_button.new_menu()
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._list_runs)
        model.kept.changed.connect(self._follow_runs)
        model.compared.connect(self._show_changes)
        self.report_button = QPushButton("Report…")
        self.choosers = QWidget()
        in_row((STRETCH, 1), *choosers, on=self.choosers, spacing=AS_AROUND)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.views, 0, 0)
        self._grid.addWidget(self.runs_button, 0, 2)
        self._grid.addWidget(self.report_button, 0, 3)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The choosers have a row of their own where one is too narrow."""
        super().resizeEvent(event)
        self._grid.removeWidget(self.choosers)
        if self.width() >= WIDE_PX:
            self._grid.addWidget(self.choosers, 0, 1)
        else:
            self._grid.addWidget(self.choosers, 1, 0, 1, 4)

    def open_run(self) -> None:
        """Ask for a file and show the run that is in it."""
        if (path := self.ask(self.window())) is not None:
            self._model.open_run(path)

    def compare_with_run(self) -> None:
        """Ask for a file and tell what is surely faster or slower than in the run that is in it."""
        if (path := self.ask(self.window())) is not None:
            self._model.compare_with(path)

    def show_kept_runs(self) -> None:
        """List them, to be renamed, opened and compared."""
        dialog = RunsDialog(RunList(self._model.kept, self), self._can_compare, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open_requested.connect(self._model.open_run)
        dialog.compare_requested.connect(self._model.compare_with)
        dialog.open()

    @property
    def _can_compare(self) -> bool:
        return bool(self._model.results) and not self._model.is_running

    def _list_runs(self) -> None:
        self._fill_menu()
        self._model.kept.refresh()

    def _follow_runs(self) -> None:
        if self._menu.isVisible():
            self._fill_menu()

    def _show_changes(self) -> None:
        self.views.choose(CHANGES)

    def _fill_menu(self) -> None:
        menu, model = self._menu, self._model
        menu.clear()
        menu.addAction("Open run…", self.open_run).setEnabled(not model.is_running)
        menu.addAction("Compare with run…", self.compare_with_run).setEnabled(self._can_compare)
        menu.addSeparator()
        kept, others = model.kept.runs, model.kept.others
        menu.addAction("Kept runs…", self.show_kept_runs).setEnabled(bool(kept))
        opening, comparing = (menu.addMenu(title) for title in ("Open kept run", "Compare with kept run"))
        opening.setEnabled(bool(kept) and not model.is_running)
        comparing.setEnabled(self._can_compare)
        for run in kept:
            opening.addAction(run.title, partial(model.open_run, run.path))
        if not others:
            comparing.addAction(NO_OTHER).setEnabled(False)
        for run in others:
            comparing.addAction(run.title, partial(model.compare_with, run.path))
