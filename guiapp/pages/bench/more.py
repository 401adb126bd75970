"""The More panel: all choices for a run, each with the time that it adds."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QScrollArea,
    QWidget,
)

from guiapp.analysis.bench.findings import PACKAGE
from guiapp.analysis.bench.plan import SCENARIOS, Plan
from guiapp.analysis.bench.worker import TrialResult, try_custom
from guiapp.analysis.libraries.custom import (
    COMMAND,
    KINDS,
    PYTHON,
    STREAM,
    CustomContender,
    CustomError,
    make_custom,
)
from guiapp.analysis.libraries.peer import pip_install
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import ALGORITHMS, TOKENLOUPE
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, later
from guiapp.kit.widgets.controls import ChoiceBox, Popover, push_button, tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.file_dialogs import ALL_FILES, ask_to_open
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    READABLE,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.bench.bar import RunButton, add_files, add_folder, size_of
from guiapp.pages.bench.charts import SWATCH_PX, swatch
from guiapp.pages.bench.choice import AIMS, BenchChoice, CustomContenders, duration_text
from guiapp.pages.bench.model import BenchModel

DIALOG_PX, LIST_PX = 560, 96
TITLES = {"A command for each text": COMMAND, "A running command": STREAM, "A Python function": PYTHON}
EXAMPLES = {COMMAND: "./tok --ids", STREAM: "./tok --serve", PYTHON: "my_module:encode"}
WARNING = "It runs on this computer with your permissions. Add only programs that you trust."
NO_MODEL = "Open a model to try it."
WIDTH_PX = 428
MOST_REASONS_PX = 220  # height; the rest scrolls
TRIED_BYTES = 2000
SOME_TEXT = b"Hello world"
CORES = os.cpu_count() or 1
SECONDS_EACH = {"5 s each": 5.0, "10 s each": 10.0, "30 s each": 30.0, "2 min each": 120.0}
THREADS = {
    "1 thread": (1,),
    f"1 and {CORES} threads": Plan.threads,
    "all numbers": tuple(range(1, CORES + 1)),
}
SIZES = {"all sizes": None, "≤ 1 MB": 1 << 20, "≤ 100 kB": 100_000, "≤ 10 kB": 10_000}
REPEAT = {"skip them": "never", "repeat the text": "same", "use new text": "fresh"}


class Tick(NamedTuple):
    """One row to tick; `adds` is the time that it adds, as text."""

    name: str
    title: str
    is_chosen: bool
    adds: str
    tip: str = ""
    icon: QIcon = QIcon()


class TickList(QWidget):
    """Check boxes below a title, each with the time that it adds.

    Signals:
        ticked(str, bool): the name of a box, and whether it is now ticked.
    """

    ticked = Signal(str, bool)

    def __init__(self, title: str) -> None:
        super().__init__()
        self.boxes: dict[str, QCheckBox] = {}
        self._adds: dict[str, QLabel] = {}
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, UNIT_PX, 0, UNIT_PX)
        self._grid.setVerticalSpacing(UNIT_PX)
        self._grid.setHorizontalSpacing(GAP_PX)
        self._grid.setColumnStretch(0, 1)
        in_column(heading(title), self._grid, on=self, spacing=0)

    def show_ticks(self, ticks: Sequence[Tick]) -> None:
        """List these rows; reuse the boxes if the names are the same, because one may have the focus."""
        if [tick.name for tick in ticks] != list(self.boxes):
            for widget in (*self.boxes.values(), *self._adds.values()):
                widget.deleteLater()
            self.boxes, self._adds = {}, {}
            for row, tick in enumerate(ticks):
                self._add_row(row, tick)
        for tick in ticks:
            box = self.boxes[tick.name]
            with QSignalBlocker(box):
                box.setChecked(tick.is_chosen)
            box.setIcon(tick.icon)
            box.setToolTip(plain_tip(tick.tip))
            self._adds[tick.name].setText(tick.adds)

    def _add_row(self, row: int, tick: Tick) -> None:
        box = self.boxes[tick.name] = QCheckBox(tick.title)
        box.setAccessibleName(tick.title)
        box.setIconSize(QSize(SWATCH_PX, SWATCH_PX))
        box.toggled.connect(partial(self.ticked.emit, tick.name))
        self._grid.addWidget(box, row, 0)
        label = self._adds[tick.name] = set_role(QLabel(), "seconds")
        self._grid.addWidget(label, row, 1, Qt.AlignmentFlag.AlignRight)


class LimitsCard(Popover):
    """The limits of a run: time, threads, largest size, and sizes beyond the text."""

    def __init__(self, choice: BenchChoice, parent: QWidget) -> None:
        super().__init__(parent)
        self._choice = choice
        self.boxes = {
            "time_budget_s": ChoiceBox("Time for each chart", SECONDS_EACH),
            "threads": ChoiceBox("Threads", THREADS),
            "largest_bytes": ChoiceBox("Largest size in a series", SIZES),
            "repeat": ChoiceBox("Sizes beyond the text", REPEAT),
        }
        rows = (in_row((QLabel(box.accessibleName()), 1), box) for box in self.boxes.values())
        in_column(*rows, on=self, margins=MARGIN_PX)
        for name, box in self.boxes.items():
            box.show_choice(getattr(choice.limits, name))
            box.activated.connect(partial(self._choose, name))

    def _choose(self, name: str, index: int) -> None:
        self._choice.adjust(**{name: self.boxes[name].itemData(index)})


class MissingCard(Popover):
    """Libraries that cannot take part and why, with a command that installs missing packages."""

    def __init__(self, choice: BenchChoice, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Libraries that are not available")
        self._choice = choice
        self.reasons = plain_label(wraps=True)
        self.reasons.setTextInteractionFlags(READABLE)
        self.install = QLineEdit(readOnly=True)
        self.install.setAccessibleName("Command to install them")
        self.install.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.copy_button = push_button("Copy", self._copy)
        self.again_button = push_button("Check again", choice.look_again)
        self.again_button.setToolTip("Check for newly installed libraries")
        self._area = QScrollArea()
        scroll_down(self._area, self.reasons)
        self._area.viewport().setAutoFillBackground(False)
        self.reasons.setAutoFillBackground(False)
        self._line = framed(in_row((self.install, 1), self.copy_button))
        buttons = in_row(STRETCH, self.again_button)
        parts = heading("Libraries that are not available"), self._line, self._area, buttons
        in_column(*parts, on=self, margins=MARGIN_PX, spacing=GAP_PX)
        self.setFixedWidth(WIDTH_PX)
        choice.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        missing = self._choice.missing
        packages = [match[1] for each in missing if (match := PACKAGE.search(each.reason))]
        absent = ", ".join(each.name for each in missing if PACKAGE.search(each.reason))
        others = [f"Not installed: {absent}."] if absent else []
        others += [each.reason for each in missing if not PACKAGE.search(each.reason)]
        self.install.setText(pip_install(" ".join(packages)))
        self.install.setCursorPosition(0)
        self._line.setVisible(bool(packages))
        self.reasons.setText("\n".join(others) if missing else "All libraries are available.")
        needed_px = self.reasons.heightForWidth(WIDTH_PX - 3 * MARGIN_PX)
        self._area.setFixedHeight(min(needed_px, MOST_REASONS_PX))
        self._area.setVisible(bool(self.reasons.text()))
        self.adjustSize()

    def _copy(self) -> None:
        copy_text(self, self.install.text(), "the command")


class MorePanel(QFrame):
    """Lists of contenders, scenarios and texts, and the expected time of the run."""

    def __init__(self, model: BenchModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self.setMinimumWidth(WIDTH_PX)
        self._model, self._choice, self._theme_source = model, model.choice, theme_source
        self.contenders, self.scenarios, self.texts = map(
            TickList, ("Encoders and libraries", "Scenarios", "Texts")
        )
        self.close_button = tool_button("More", role="name")
        self.close_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.aims_button = MenuButton(theme_source, "Choose", role="quiet")
        self.aims_button.fill_on_open(self._list_aims)
        self.missing_button = tool_button("", self._show_missing, role="link")
        self.own_button = tool_button("Add your own…", self._add_own, role="link")
        self.own_button.setVisible(model.choice.own is not None)
        self.limits_button = tool_button("Sizes and threads…", self._show_limits, role="link")
        self.files_button = tool_button("Files…", partial(add_files, self._choice, self), role="link")
        self.folder_button = tool_button("Folder…", partial(add_folder, self._choice, self), role="link")
        self.time = set_role(QLabel(), "time")
        self.what = set_role(QLabel(), "about")
        self.run_button = RunButton(model)
        self._counting = later(self, 0, self._refresh)  # takes some milliseconds
        self._build_layout()
        self._connect()
        self._on_theme_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def _build_layout(self) -> None:
        top = in_row(self.close_button, (set_role(QLabel("time of each"), "dim"), 1), self.aims_button)
        left = in_column(self.contenders, self.own_button, self.missing_button, (STRETCH, 1), spacing=0)
        texts = in_row(self.files_button, self.folder_button, (STRETCH, 1))
        parts = self.scenarios, self.limits_button, MARGIN_PX, self.texts, texts, (STRETCH, 1)
        right = in_column(*parts, spacing=0)
        inner = set_role(QWidget(), "panel")
        in_row((left, 1), (right, 1), on=inner, margins=(MARGIN_PX, 0), spacing=MARGIN_PX + GAP_PX)
        area = QScrollArea()
        scroll_down(area, inner)
        said = in_column(self.time, self.what, spacing=0)
        bottom = framed(in_row((said, 1), self.run_button, margins=(MARGIN_PX, GAP_PX + UNIT_PX)), "status")
        head = framed(top, "panel")
        head.setContentsMargins(MARGIN_PX - UNIT_PX, GAP_PX, GAP_PX, 0)
        in_column(head, (area, 1), bottom, on=self, spacing=0)

    def _connect(self) -> None:
        model, choice = self._model, self._choice
        for signal in (choice.changed, model.running_changed):
            signal.connect(self._refresh_later)
        self.contenders.ticked.connect(choice.set_contender)
        self.scenarios.ticked.connect(choice.set_scenario)
        self.texts.ticked.connect(choice.set_text)
        for ticks in (self.scenarios, self.texts):
            ticks.ticked.connect(self._refresh_later)  # the last one stays ticked
        self._theme_source.changed.connect(self._on_theme_changed)

    def _refresh_later(self) -> None:
        if self.isVisible():
            self._counting.start()

    def _refresh(self) -> None:
        choice, theme, n_missing = self._choice, self._theme_source.theme, len(self._choice.missing)
        contenders = choice.contenders
        self.contenders.show_ticks(
            [
                self._tick("contender", name, name, tip or note, contenders)._replace(
                    icon=swatch(name, theme)
                )
                for name, note, _, tip in choice.candidates
            ]
        )
        self.scenarios.show_ticks(
            [
                self._tick("scenario", name, row.label, row.help, choice.scenarios)
                for name, row in SCENARIOS.items()
            ]
        )
        sizes = {name: size_of(choice, name) for name in choice.known_texts}
        self.texts.show_ticks(
            [
                self._tick("text", name, title, ", ".join(filter(None, (title, sizes[name]))), choice.texts)
                for name, title in choice.known_texts.items()
            ]
        )
        self.missing_button.setText(f"{n_missing} more not available: why?")
        self.missing_button.setVisible(n_missing > 0)
        self.time.setText(duration_text(choice.expected_s))
        numbers = {"encoder": contenders, "scenario": choice.scenarios, "text": choice.texts}
        self.what.setText(", ".join(counted(len(names), noun) for noun, names in numbers.items()))
        lists, buttons = (self.contenders, self.scenarios, self.texts), (self.aims_button, self.limits_button)
        for control in (*lists, *buttons, self.own_button):
            control.setEnabled(not self._model.is_running)

    def _tick(self, kind: str, name: str, title: str, tip: str, chosen: Collection[str]) -> Tick:
        seconds = duration_text(self._choice.adds_s(**{kind: name}))
        return Tick(name, title, name in chosen, seconds if name in chosen else f"+ {seconds}", tip)

    def _on_theme_changed(self) -> None:
        self.close_button.setIcon(icon("chevron-down", self._theme_source.theme.dim))
        self._refresh_later()

    def _list_aims(self, menu: QMenu) -> None:
        for aim in AIMS:
            menu.addAction(aim.title, partial(self._choice.aim_at, aim))

    def _show_missing(self) -> None:
        card = MissingCard(self._choice, self)
        card.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        card.open_under(self.missing_button)

    def _add_own(self) -> None:
        """Let the user define a contender, which is saved and chosen."""
        assert self._choice.own is not None
        dialog = CustomDialog(self._choice.own, self._choice.session, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.accepted.connect(partial(self._take_own, dialog))
        dialog.open()

    def _take_own(self, dialog: CustomDialog) -> None:
        if dialog.chosen is not None:
            self._choice.set_contender(dialog.chosen.name, True)

    def _show_limits(self) -> None:
        card = LimitsCard(self._choice, self)
        card.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        card.open_under(self.limits_button)


class CustomDialog(QDialog):
    """Adds and removes the user's own contenders: a form with Try, above a list of those that exist.

    chosen  the contender that was added, None if none was
    """

    def __init__(self, own: CustomContenders, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Your own encoders")
        self.chosen: CustomContender | None = None
        self._own = own
        self._session = session
        self._trial = LatestJob[TrialResult](self, self._show_trial, self._refuse)
        self.kind = ChoiceBox("Type", TITLES)
        self.about = plain_label("dim", wraps=True)
        self.target = QLineEdit()
        self.target.setAccessibleName("Command or function")
        self.target.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.name = QLineEdit()
        self.name.setAccessibleName("Name")
        self.message = plain_label(wraps=True)
        self.message.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = QListWidget()
        self.list.setAccessibleName("Your encoders")
        self.list.setMinimumHeight(LIST_PX)
        self.choose_button = push_button("Choose…", self._choose_target)
        self.remove_button = push_button("Remove", self._remove)
        self.try_button = push_button("Try", self.try_it)
        self.add_button = push_button("Add", self.add, role="primary")
        self._build_layout()
        self._connect()
        self._on_kind_changed()
        self._on_contenders_changed()
        self.resize(DIALOG_PX, self.sizeHint().height())

    def contender(self) -> CustomContender:
        own = make_custom(self.name.text() or self._suggested, self.kind.currentData(), self.target.text())
        if own.name in (*PEERS, *ALGORITHMS, TOKENLOUPE):
            raise CustomError(f"The name “{own.name}” is taken. Choose another name.")
        return own

    def try_it(self) -> None:
        """Run the contender on the beginning of the session's text."""
        tokenizer, model = self._session.tokenizer, self._session.loader.model
        if tokenizer is None or model is None:
            return
        try:
            own = self.contender()
        except CustomError as error:
            self._refuse(str(error))
            return
        text = self._session.document.text()[:TRIED_BYTES].decode("utf-8", "ignore").encode() or SOME_TEXT
        self._trial.start(partial(_tried, own, tokenizer, str(model.name), text))
        self._show_message("Trying …")

    def add(self) -> None:
        try:
            self.chosen = self.contender()
        except CustomError as error:
            self._refuse(str(error))
            return
        self._own.add(self.chosen)
        self.accept()

    def done(self, result: int) -> None:
        self._trial.wait()
        super().done(result)

    @property
    def _suggested(self) -> str:
        kind, target = self.kind.currentData(), self.target.text().strip()
        if kind == PYTHON:
            return target.rpartition(":")[0].rpartition("/")[2].removesuffix(".py")
        return Path(target.partition(" ")[0]).name

    def _build_layout(self) -> None:
        self._kept_part = framed(
            in_column(heading("Yours"), self.list, in_row(STRETCH, self.remove_button), spacing=UNIT_PX)
        )
        close = push_button("Close", self.reject)
        self.add_button.setDefault(True)
        in_column(
            self.kind,
            self.about,
            in_row((self.target, 1), self.choose_button),
            heading("Name"),
            self.name,
            self.message,
            set_role(QLabel(WARNING, wordWrap=True), "dim"),
            in_row(self.try_button, STRETCH, close, self.add_button),
            (self._kept_part, 1),
            on=self,
            margins=MARGIN_PX,
            spacing=2 * UNIT_PX,
        )

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        self.target.textChanged.connect(self._forget)
        self._session.vocabulary_changed.connect(self._on_vocabulary_changed)
        self._own.changed.connect(self._on_contenders_changed)
        self.list.currentRowChanged.connect(self._fill_in)

    def _on_kind_changed(self) -> None:
        kind = self.kind.currentData()
        self.about.setText(KINDS[kind])
        self.target.setPlaceholderText(EXAMPLES[kind])
        self._forget()

    def _forget(self) -> None:
        """Drop the trial: its target has changed."""
        self._trial.cancel()
        self._show_message("")
        self.name.setPlaceholderText(self._suggested)

    def _show_trial(self, trial: TrialResult) -> None:
        self._show_message(str(trial))

    def _refuse(self, reason: str) -> None:
        self._show_message(reason, "bad")

    def _show_message(self, message: str, role: str = "") -> None:
        set_role(self.message, role)
        self.message.setText(message)
        self.message.setVisible(bool(message))
        self._on_vocabulary_changed()

    def _on_vocabulary_changed(self) -> None:
        """Enable Try only with a model to compare with."""
        can_try = self._session.tokenizer is not None
        self.try_button.setEnabled(can_try and not self._trial.is_busy)
        self.try_button.setToolTip("" if can_try else NO_MODEL)

    def _on_contenders_changed(self) -> None:
        self.list.clear()
        self.list.addItems([f"{each.name}   {each.shown}" for each in self._own.contenders])
        self._kept_part.setVisible(bool(self._own.contenders))
        self.remove_button.setEnabled(self.list.currentRow() >= 0)

    def _fill_in(self, row: int) -> None:
        self.remove_button.setEnabled(row >= 0)
        if row < 0:
            return
        own = self._own.contenders[row]
        self.kind.setCurrentIndex(self.kind.findData(own.kind))
        self.name.setText(own.name)
        self.target.setText(own.target)

    def _remove(self) -> None:
        if (row := self.list.currentRow()) >= 0:
            self._own.remove(self._own.contenders[row].name)

    def _choose_target(self) -> None:
        """Choose a program, or the file of a module; the user types further arguments."""
        is_python = self.kind.currentData() == PYTHON
        path = ask_to_open(self, "Choose", "Python (*.py)" if is_python else ALL_FILES)
        if path is not None:
            name = str(path)
            self.target.setText(f"{name}:encode" if is_python else f'"{name}"' if " " in name else name)


def _tried(
    own: CustomContender, tokenizer: Tokenizer, model: str, text: bytes, progress: Progress
) -> TrialResult:
    def shall_stop() -> bool:
        progress(0.0)  # raises if so
        return False

    return try_custom(own, tokenizer, model, text, shall_stop)
