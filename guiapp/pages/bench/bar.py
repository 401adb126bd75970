"""The top of the Bench page: the text, a chip for each contender, runs, the report, and the button to run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QLabel,
    QListView,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from guiapp.core.text.figures import counted
from guiapp.kit.charts.markers import paint_marker
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.layouts import WrappingRow, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.painting import LEFT, PaintedButton, icon, write
from guiapp.kit.widgets.tables import AnyIndex
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource, blend, set_role
from guiapp.pages.bench.markers import SWATCH_PX, marker_style_of, swatch
from guiapp.pages.bench.model import BenchModel
from guiapp.pages.bench.run_button import RunButton
from guiapp.pages.bench.saved_runs import RunList
from guiapp.pages.bench.text_button import TextButton

SIZE = 560, 400
ROW_PX = 34
HOW = "Enter opens a run, F2 renames it."
SHOWN = "This run is shown. Choose another one to compare it with."
NO_RUNS = "No run is kept yet. What you measure is kept by itself."
Trigger = QListView.EditTrigger
NO_OTHER = "No other run is kept"
RUN_FILES = "Runs (*.json)"

AskForRun = Callable[[QWidget], Path | None]
HEIGHT_PX, PAD_PX, CROSS_PX = 30, 12, 14
REMOVING_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
TIP = "A click points at it in all charts; the cross, or Delete, takes it out of the next run"
MOST_CHIPS = 8  # that are easily looked over


class BenchBar(QWidget):
    """What most people need, in one row.

    Signals:
        more_wanted(): choose among everything.
    """

    more_wanted = Signal()

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.text_button = TextButton(model.choice, theme_source)
        self.chips: list[ContenderChip] = []
        self.add_button = MenuButton(theme_source, "Add", role="quiet", tip="Let another contender take part")
        self.add_button.setLayoutDirection(self.layoutDirection())  # the plus goes before the word
        self.add_button.fill_on_open(self._list_others)
        self.rest_button = tool_button("", self.more_wanted.emit, tip="Show all that take part")
        self.choices = WrappingRow([])
        self.runs_button = RunsButton(model, theme_source)
        self.report_button = QPushButton("Report…")
        self.run_button = RunButton(model)
        self._row = in_row(
            *((self.choices, 1), self.runs_button, self.report_button, self.run_button), on=self
        )
        model.choice.changed.connect(self._refresh)
        model.running_changed.connect(self._refresh)
        model.isolated_changed.connect(self._on_isolated_changed)
        theme_source.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._refresh()

    def lead_with(self, widget: QWidget) -> None:
        """Show this at the left, in place of what is chosen."""
        for control in (self.choices, self.run_button):
            control.setVisible(False)
        self._row.insertWidget(0, widget, 1)

    def show_choices(self) -> None:
        for control in (self.choices, self.run_button):
            control.setVisible(True)

    def _refresh(self) -> None:
        """Show those that are chosen, with the chips that there are: one of them may have the focus."""
        names, model = self._model.choice.contenders, self._model
        shown = names if len(names) <= MOST_CHIPS else names[: MOST_CHIPS - 1]
        old = {chip.text(): chip for chip in self.chips}
        self.chips = [old.pop(name) if name in old else self._chip(name) for name in shown]
        for chip in self.chips:
            chip.can_be_removed = not model.is_running
            chip.update()
        self.rest_button.setText(f"and {counted(len(names) - len(shown), 'other')}")
        self.rest_button.setVisible(len(shown) < len(names))
        for control in (self.text_button, self.add_button):
            control.setEnabled(not model.is_running)
        self.add_button.setVisible(bool(model.choice.candidates))
        self.choices.show_widgets([self.text_button, *self.chips, self.rest_button, self.add_button])
        for chip in old.values():
            chip.deleteLater()
        self._on_isolated_changed()

    def _chip(self, name: str) -> ContenderChip:
        chip = ContenderChip(name, self._theme_source)
        chip.clicked.connect(partial(self._model.isolate, name))
        chip.removed.connect(self._remove)
        return chip

    def _remove(self, name: str) -> None:
        self._model.choice.set_contender(name, False)

    def _list_others(self, menu: QMenu) -> None:
        choice, theme = self._model.choice, self._theme_source.theme
        for each in choice.candidates:
            if each.name not in choice.contenders:
                action = menu.addAction(
                    f"{each.name}\t{each.note}", partial(choice.set_contender, each.name, True)
                )
                action.setIcon(swatch(marker_style_of(each.name, theme)))
        menu.addSeparator()
        menu.addAction("More…", self.more_wanted.emit)

    def _on_isolated_changed(self) -> None:
        for chip in self.chips:
            chip.setChecked(chip.text() == self._model.isolated)

    def _on_theme_changed(self) -> None:
        self.add_button.setIcon(icon("plus", self._theme_source.theme.dim))


class ContenderChip(PaintedButton):
    """One contender; checked while it is the one that charts point at.

    Signals:
        removed(str): it shall take no part.
    """

    removed = Signal(str)
    radius_px = HEIGHT_PX / 2

    def __init__(self, name: str, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self.can_be_removed = True
        self.setText(name)
        self.setToolTip(TIP)
        self.setAccessibleName(name)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        text_px = QFontMetrics(self._theme_source.theme.ui_font()).horizontalAdvance(self.text())
        return QSize(PAD_PX + SWATCH_PX + GAP_PX + text_px + GAP_PX + CROSS_PX + GAP_PX, HEIGHT_PX)

    @property
    def cross(self) -> QRect:
        """Where a click takes it out."""
        return QRect(self.width() - CROSS_PX - GAP_PX, 0, CROSS_PX + GAP_PX, self.height())

    def ground(self, theme: Theme) -> QColor | None:
        if self.isChecked():
            return blend(theme.raised, theme.accent, 0.24)
        return theme.raised if self.underMouse() else None

    def edge(self, theme: Theme) -> QColor:
        return theme.accent if self.hasFocus() else theme.line

    def paint(self, painter: QPainter, theme: Theme) -> None:
        middle = HEIGHT_PX / 2
        look = marker_style_of(self.text(), theme)
        paint_marker(painter, QPointF(PAD_PX + SWATCH_PX / 2, middle), SWATCH_PX, look)
        left = PAD_PX + SWATCH_PX + GAP_PX
        write(painter, self.rect().adjusted(left, 0, 0, 0), self.text(), theme.text, LEFT, theme.ui_font())
        if self.can_be_removed:
            is_meant = self.underMouse() and self.cross.contains(self.mapFromGlobal(self.cursor().pos()))
            color = theme.text if is_meant else theme.dim
            icon("close", color, CROSS_PX).paint(painter, self.cross.adjusted(0, 0, -GAP_PX, 0))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.isDown() and self.can_be_removed and self.cross.contains(event.position().toPoint()):
            self.setDown(False)
            self.removed.emit(self.text())
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in REMOVING_KEYS and self.can_be_removed:
            self.removed.emit(self.text())
        else:
            super().keyPressEvent(event)


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
        model.saved.changed.connect(self._on_runs_changed)

    def open_run(self) -> None:
        """Ask for a file and show the run that is in it."""
        if (path := self.ask(self.window())) is not None:
            self._model.open_run(path)

    def compare_with_run(self) -> None:
        """Ask for a file and tell what is surely faster or slower than in the run that is in it."""
        if (path := self.ask(self.window())) is not None:
            self._model.compare_with(path)

    def show_saved_runs(self) -> None:
        """List them, to be renamed, opened and compared."""
        dialog = RunsDialog(RunList(self._model.saved, self), self._can_compare, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open_requested.connect(self._model.open_run)
        dialog.compare_requested.connect(self._model.compare_with)
        dialog.open()

    @property
    def _can_compare(self) -> bool:
        return bool(self._model.results) and not self._model.is_running

    def _list_runs(self) -> None:
        self._fill_menu()
        self._model.saved.refresh()

    def _on_runs_changed(self) -> None:
        if self._menu.isVisible():
            self._fill_menu()

    def _fill_menu(self) -> None:
        menu, model = self._menu, self._model
        menu.clear()
        menu.addAction("Open run…", self.open_run).setEnabled(not model.is_running)
        menu.addAction("Compare with run…", self.compare_with_run).setEnabled(self._can_compare)
        menu.addSeparator()
        saved, others = model.saved.runs, model.saved.others
        menu.addAction("Kept runs…", self.show_saved_runs).setEnabled(bool(saved))
        opening, comparing = (menu.addMenu(title) for title in ("Open kept run", "Compare with kept run"))
        opening.setEnabled(bool(saved) and not model.is_running)
        comparing.setEnabled(self._can_compare)
        for run in saved:
            opening.addAction(run.title, partial(model.open_run, run.path))
        if not others:
            comparing.addAction(NO_OTHER).setEnabled(False)
        for run in others:
            comparing.addAction(run.title, partial(model.compare_with, run.path))


class TallRow(QStyledItemDelegate):
    """A row in which a line to edit finds room."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_PX)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        editor.setGeometry(option.rect)


class RunsDialog(QDialog):
    """Shows the rows of a `RunList`.

    Signals:
        open_requested(Path): show this run.
        compare_requested(Path): tell what differs from this run.
    """

    open_requested = Signal(object)
    compare_requested = Signal(object)

    def __init__(self, runs: RunList, can_compare: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Kept runs")
        self._runs = runs
        self.list = QListView()
        self.list.setAccessibleName("Kept runs")
        self.list.setModel(runs)
        self.list.setItemDelegate(TallRow(self.list))
        self.list.setEditTriggers(Trigger.EditKeyPressed | Trigger.SelectedClicked)
        self.list.activated.connect(self._open)
        self.note = set_role(QLabel(wordWrap=True), "dim")
        runs.failed.connect(self.note.setText)
        self.open_button = push_button("Open", self._open, role="primary")
        self.compare_button = push_button("Compare", self._compare)
        self.rename_button = push_button("Rename", self._rename)
        self._can_compare = can_compare
        self._build_layout()
        runs.modelReset.connect(self._on_rows_reset)
        self.list.selectionModel().currentChanged.connect(self._on_current_changed)
        self._on_rows_reset()

    def _build_layout(self) -> None:
        buttons = self.rename_button, self.compare_button, self.open_button
        for button in buttons:
            button.setAutoDefault(False)  # Enter belongs to the list, and to the name that is edited
        in_column((self.list, 1), in_row((self.note, 1), *buttons), on=self, margins=MARGIN_PX)
        self.resize(*SIZE)

    def _on_rows_reset(self) -> None:
        has_runs = bool(self._runs.rowCount())
        for button in (self.open_button, self.rename_button):
            button.setEnabled(has_runs)
        self.list.setCurrentIndex(self._runs.index(0))
        self._on_current_changed()

    def _on_current_changed(self) -> None:
        """A run is not compared with itself."""
        current = self.list.currentIndex()
        is_shown = self._runs.is_shown(current)
        self.compare_button.setEnabled(current.isValid() and self._can_compare and not is_shown)
        told = SHOWN if is_shown and self._can_compare else HOW
        self.note.setText(told if current.isValid() else NO_RUNS)

    def _rename(self) -> None:
        self.list.setFocus()
        self.list.edit(self.list.currentIndex())

    def _open(self) -> None:
        if self.list.currentIndex().isValid():
            self.accept()
            self.open_requested.emit(self._runs.run_at(self.list.currentIndex()).path)

    def _compare(self) -> None:
        if self.list.currentIndex().isValid():
            self.accept()
            self.compare_requested.emit(self._runs.run_at(self.list.currentIndex()).path)
