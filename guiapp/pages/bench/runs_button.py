"""Runs as files: opened, compared with, and those that are kept in a menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.run_list import RunList
from guiapp.pages.bench.runs_dialog import RunsDialog

NO_OTHER = "No other run is kept"
RUN_FILES = "Runs (*.json)"

AskForRun = Callable[[QWidget], Path | None]


def ask_for_run(window: QWidget) -> Path | None:
    name, _ = QFileDialog.getOpenFileName(window, "Open run", "", RUN_FILES)
    return Path(name) if name else None


class RunsButton(MenuButton):
    """Lists runs to show in place of the present one, and to compare it with."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource, ask: AskForRun = ask_for_run) -> None:
        super().__init__(theme_source, "Runs", role="quiet")
        self._model = model
        self.ask = ask
        self._menu = self.new_menu()
        self._menu.setToolTipsVisible(True)
        self._menu.aboutToShow.connect(self._list_runs)
        model.kept.changed.connect(self._follow_runs)

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
