"""The top row of the Bench page: the text, a badge for each contender, saved runs, the report, and Run."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QPointF, QRect, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from guiapp.core.text.numbers_in_words import counted, elided, in_bytes
from guiapp.kit.charts.markers import paint_marker
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.file_dialogs import ask_for_folder, ask_to_open, ask_to_open_several
from guiapp.kit.widgets.layouts import WrappingRow, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.painting import LEFT, PaintedButton, icon, write
from guiapp.kit.widgets.tables import AnyIndex
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource, blend, set_role
from guiapp.pages.bench.charts import SWATCH_PX, marker_style_of, swatch
from guiapp.pages.bench.choice import BenchChoice
from guiapp.pages.bench.history import SavedRuns
from guiapp.pages.bench.model import BenchModel

LONGEST_TITLE = 28  # characters
SETTLING_MS = 600  # the button ignores clicks this long after its action changed: longer than a double click
SIZE = 640, 440
ROW_PX = 54
HOW = "Enter opens a run, F2 renames it."
SHOWN = "This run is shown. Choose another run to compare."
NO_RUNS = "No saved runs yet. Each run is saved automatically."
Trigger, RUN_ROLE = QListWidget.EditTrigger, Qt.ItemDataRole.UserRole
RUN_FILES = "Runs (*.json)"

HEIGHT_PX, PAD_PX, CROSS_PX = 30, 12, 14
REMOVING_KEYS = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
TIP = "Click to highlight it in all charts. The cross or Delete removes it from the next run"
MOST_CHIPS = 8  # more are hard to take in at a glance


class BenchBar(QWidget):
    """The controls that most users need, in one row; `more` opens the panel with all choices."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.text_button = TextButton(model.choice, theme_source)
        self.more = QAction("More…", self)
        self.chips: list[ContenderChip] = []
        self._is_small = False
        self.add_button = MenuButton(theme_source, "Add", role="quiet", tip="Add an encoder to the run")
        self.add_button.setLayoutDirection(self.layoutDirection())  # puts the plus before the word
        self.add_button.fill_on_open(self._list_others)
        self.rest_button = tool_button("", self.more.trigger, tip="Show all encoders of the run")
        self.choices = WrappingRow([])
        self.runs_button = RunsButton(model, theme_source)
        self.report_button = QPushButton("Report…")
        self.run_button = RunButton(model)
        in_row((self.choices, 1), self.runs_button, self.report_button, self.run_button, on=self)
        model.choice.changed.connect(self._refresh)
        model.running_changed.connect(self._refresh)
        model.isolated_changed.connect(self._on_isolated_changed)
        theme_source.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self._refresh()

    def set_small(self, is_small: bool) -> None:
        """Show only the number of contenders instead of their badges, or the badges again."""
        self._is_small = is_small
        self._refresh()

    def _refresh(self) -> None:
        """Show the chosen contenders; reuse existing badges, because one may have the focus."""
        names, model = self._model.choice.contenders, self._model
        n_most = len(names) if len(names) <= MOST_CHIPS else MOST_CHIPS - 1
        shown = names[: 0 if self._is_small else n_most]
        old = {chip.text(): chip for chip in self.chips}
        self.chips = [old.pop(name) if name in old else self._chip(name) for name in shown]
        for chip in self.chips:
            chip.can_be_removed = not model.is_running
            chip.update()
        rest = f"and {counted(len(names) - len(shown), 'other')}"
        self.rest_button.setText(rest if shown else counted(len(names), "encoder"))
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
        chip.removed.connect(partial(self._model.choice.set_contender, takes_part=False))
        return chip

    def _list_others(self, menu: QMenu) -> None:
        choice, theme = self._model.choice, self._theme_source.theme
        for name, note, *_ in choice.candidates:
            if name not in choice.contenders:
                add = partial(choice.set_contender, name, True)
                menu.addAction(f"{name}\t{note}", add).setIcon(swatch(name, theme))
        menu.addSeparator()
        menu.addAction(self.more)

    def _on_isolated_changed(self) -> None:
        for chip in self.chips:
            chip.setChecked(chip.text() == self._model.isolated)

    def _on_theme_changed(self) -> None:
        self.add_button.setIcon(icon("plus", self._theme_source.theme.dim))


class ContenderChip(PaintedButton):
    """The badge of one contender; checked while the charts highlight it.

    Signals:
        removed(str): remove the contender of this name from the next run.
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
        """The area in which a click removes the contender."""
        return QRect(self.width() - CROSS_PX - GAP_PX, 0, CROSS_PX + GAP_PX, self.height())

    def ground(self, theme: Theme) -> QColor | None:
        if self.isChecked():
            return blend(theme.raised, theme.accent, 0.24)
        return theme.raised if self.underMouse() else None

    def edge(self, theme: Theme) -> QColor:
        return theme.accent if self.hasFocus() else theme.line

    def paint(self, painter: QPainter, theme: Theme) -> None:
        center = QPointF(PAD_PX + SWATCH_PX / 2, HEIGHT_PX / 2)
        paint_marker(painter, center, SWATCH_PX, marker_style_of(self.text(), theme))
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


class RunsButton(MenuButton):
    """A menu to open a saved run, or to compare the present run with one."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Runs", role="quiet")
        self._model = model
        self.fill_on_open(self._fill_menu)

    def open_run(self) -> None:
        if (path := self._ask("Open run")) is not None:
            self._model.open_run(path)

    def compare_with_run(self) -> None:
        if (path := self._ask("Choose a run to compare with")) is not None:
            self._model.compare_with(path)

    def _ask(self, title: str) -> Path | None:
        return ask_to_open(self.window(), title, RUN_FILES, str(self._model.saved.folder or ""))

    def show_saved_runs(self) -> None:
        dialog = RunsDialog(self._model.saved, self._can_compare, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open_requested.connect(self._model.open_run)
        dialog.compare_requested.connect(self._model.compare_with)
        dialog.open()

    @property
    def _can_compare(self) -> bool:
        return bool(self._model.results) and not self._model.is_running

    def _fill_menu(self, menu: QMenu) -> None:
        menu.addAction("Open run…", self.open_run).setEnabled(not self._model.is_running)
        menu.addAction("Compare with run…", self.compare_with_run).setEnabled(self._can_compare)
        menu.addAction("Saved runs…", self.show_saved_runs)


class NameDelegate(QStyledItemDelegate):
    """Rows with room for a line editor, which edits only the name of a run, not its whole title."""

    def __init__(self, saved: SavedRuns, parent: QWidget) -> None:
        super().__init__(parent)
        self._saved = saved

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_PX)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        editor.setGeometry(option.rect)

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        editor.setProperty("text", index.data(RUN_ROLE).name)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: AnyIndex) -> None:
        """Only request the name: the row changes once the file contains it."""
        run, name = index.data(RUN_ROLE), editor.property("text")
        if name != run.name:
            self._saved.rename(run, name)


class RunsDialog(QDialog):
    """Opens, compares and renames the newest saved runs.

    Signals:
        open_requested(Path): show this run.
        compare_requested(Path): compare the run shown with this one.
    """

    open_requested = Signal(object)
    compare_requested = Signal(object)

    def __init__(self, saved: SavedRuns, can_compare: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Saved runs")
        self._saved, self._can_compare = saved, can_compare
        self.list = QListWidget()
        self.list.setAccessibleName("Saved runs")
        self.list.setItemDelegate(NameDelegate(saved, self.list))
        self.list.setEditTriggers(Trigger.EditKeyPressed | Trigger.SelectedClicked)
        self.list.activated.connect(self._open)
        self.note = set_role(QLabel(wordWrap=True), "dim")
        self.open_button = push_button("Open", self._open, role="primary")
        self.compare_button = push_button("Compare", self._compare)
        self.rename_button = push_button("Rename", self._rename)
        buttons = self.rename_button, self.compare_button, self.open_button
        for button in buttons:
            button.setAutoDefault(False)  # Enter is for the list and for the name being edited
        in_column((self.list, 1), in_row((self.note, 1), *buttons), on=self, margins=MARGIN_PX)
        self.resize(*SIZE)
        saved.failed.connect(self.note.setText)
        saved.changed.connect(self._show_runs)
        self.list.currentRowChanged.connect(self._on_current_changed)
        self._show_runs()
        self._on_current_changed()
        saved.refresh()

    def _show_runs(self) -> None:
        """List the runs; keep the selected row if the files are the same."""
        runs, items = self._saved.runs, [self.list.item(row) for row in range(self.list.count())]
        is_same = [item.data(RUN_ROLE).path for item in items] == [run.path for run in runs]
        if not is_same:
            self.list.clear()
            items = [QListWidgetItem(self.list) for _ in runs]
        for item, run in zip(items, runs, strict=True):
            item.setText("\n".join(filter(None, [run.title, run.details])))
            item.setToolTip(plain_tip(str(run.path)))
            item.setData(RUN_ROLE, run)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        if not is_same:
            self.list.setCurrentRow(0)

    @property
    def _path(self) -> Path | None:
        item = self.list.currentItem()
        path: Path | None = None if item is None else item.data(RUN_ROLE).path
        return path

    def _on_current_changed(self) -> None:
        """Enable the buttons; a run cannot be compared with itself."""
        has_run, is_shown = self._path is not None, self._path == self._saved.shown
        for button in (self.open_button, self.rename_button):
            button.setEnabled(has_run)
        self.compare_button.setEnabled(has_run and self._can_compare and not is_shown)
        how = SHOWN if is_shown and self._can_compare else HOW
        self.note.setText(how if has_run else NO_RUNS)

    def _rename(self) -> None:
        self.list.setFocus()
        self.list.edit(self.list.currentIndex())

    def _open(self) -> None:
        self._request(self.open_requested)

    def _compare(self) -> None:
        self._request(self.compare_requested)

    def _request(self, signal: SignalInstance) -> None:
        if (path := self._path) is not None:
            self.accept()
            signal.emit(path)


class RunButton(QPushButton):
    """Starts and stops a run; a click that comes right after its action changed is ignored."""

    def __init__(self, model: BenchModel) -> None:
        super().__init__()
        self._model = model
        self._was_running, self._is_stopping = False, False
        self._settling = later(self, SETTLING_MS, self._refresh)
        self.clicked.connect(self._run_or_stop)
        model.choice.changed.connect(self._refresh)
        model.running_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        """Show the action of a click; right after it changed, show the new state and ignore clicks."""
        model = self._model
        if model.is_running != self._was_running:
            self._was_running, self._is_stopping = model.is_running, False
            self._settling.start()
        settled = "Stopping …" if self._is_stopping else "Stop" if model.is_running else "Run"
        settling = "Starting …" if model.is_running else "Done"
        self.setText(settling if self._settling.isActive() else settled)
        self.setEnabled(model.is_running or model.can_run)
        role = "raised" if model.is_running else "primary"
        if self.property("role") != role:
            set_role(self, role)

    def _run_or_stop(self) -> None:
        if self._settling.isActive():
            self._settling.start()  # the click was meant for the previous action: wait until clicks stop
        elif self._model.is_running:
            self._is_stopping = True
            self._model.stop()
            self._refresh()
        else:
            self._model.run()


class TextButton(MenuButton):
    """Shows the chosen text, and a menu that chooses another; several are chosen in the More panel."""

    def __init__(self, choice: BenchChoice, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, tip="Text to encode")
        self._choice = choice
        self.fill_on_open(self._fill)
        choice.changed.connect(self.show_choice)
        self.show_choice()

    def show_choice(self) -> None:
        """Show the chosen text and its size, which changes with each key in the editor."""
        texts = self._choice.texts
        if len(texts) == 1:
            title = self._choice.known_texts[texts[0]]
            self.setText(f"{elided(title, LONGEST_TITLE)}  {size_of(self._choice, texts[0])}")
        else:
            self.setText(counted(len(texts), "text"))

    def _fill(self, menu: QMenu) -> None:
        choice, group = self._choice, QActionGroup(menu)
        for name, title in choice.known_texts.items():
            told, choose = f"{title}\t{size_of(choice, name)}", partial(choice.set_texts, [name])
            group.addAction(add_choice(menu, told, name in choice.texts, choose))
        menu.addSeparator()
        menu.addAction("Files…", partial(add_files, choice, self))
        menu.addAction("Folder…", partial(add_folder, choice, self))


def size_of(choice: BenchChoice, text: str) -> str:
    size = choice.size_of(text)
    return "" if size is None else in_bytes(size).replace(".0 ", " ")


def add_files(choice: BenchChoice, window: QWidget) -> None:
    choice.add_texts([str(path) for path in ask_to_open_several(window, "Choose texts to encode")])


def add_folder(choice: BenchChoice, window: QWidget) -> None:
    if folder := ask_for_folder(window, "Choose a folder of texts"):
        choice.add_texts([str(folder)])
