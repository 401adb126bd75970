"""Add a contender of one's own to the benchmark: a command, or a Python function."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFileDialog, QFrame, QLabel, QLineEdit, QListWidget, QWidget

from guiapp.analysis.libraries.custom import (
    COMMAND,
    KINDS,
    PYTHON,
    STREAM,
    CustomContender,
    CustomError,
    make_custom,
)
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.choice_box import ChoiceBox
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.style_sheet import heading, plain_label, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme
from guiapp.pages.bench.custom import CustomContenders, CustomTrial

WIDTH_PX, LIST_PX = 560, 96
TITLES = {"A command for each text": COMMAND, "A command that stays": STREAM, "A Python function": PYTHON}
EXAMPLES = {COMMAND: "./tok --ids", STREAM: "./tok --serve", PYTHON: "my_module:encode"}
WARNING = "It runs on this computer as you do, whenever it takes part. Add only what you trust."
NO_MODEL = "Open a model to try it."


class CustomDialog(QDialog):
    """A form with a name, what runs, and Try; below it those that are there.

    chosen  the contender that was added, None for none
    """

    def __init__(self, own: CustomContenders, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Contenders of your own")
        self.chosen: CustomContender | None = None
        self._own = own
        self._trial = CustomTrial(session, self)
        self.kind = ChoiceBox("What it is", TITLES)
        self.about = plain_label("dim", wraps=True)
        self.target = _line("What runs")
        self.name = QLineEdit()
        self.name.setAccessibleName("Name")
        self.told = plain_label(wraps=True)
        self.told.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.list = QListWidget()
        self.list.setAccessibleName("Contenders that are there")
        self.list.setMinimumHeight(LIST_PX)
        self.removed = plain_label("dim", wraps=True)
        self.removed.setText(_removed_text(own.removed))
        self.removed.setVisible(bool(own.removed))
        self.choose_button = push_button("Choose…", self._choose_target)
        self.remove_button = push_button("Remove", self._remove)
        self.try_button = push_button("Try", self.try_it)
        self.add_button = push_button("Add", self.add, role="primary")
        self._lay_out()
        self._connect()
        self._follow_kind()
        self._follow_list()
        self.resize(WIDTH_PX, self.sizeHint().height())

    def contender(self) -> CustomContender:
        """What is filled in; raises CustomError."""
        own = make_custom(self.name.text() or self._suggested, self.kind.currentData(), self.target.text())
        if own.name in (*PEERS, *ALGORITHMS):
            raise CustomError(f"There is a contender “{own.name}” already. Give yours another name.")
        return own

    def try_it(self) -> None:
        """Run it once on the beginning of the text."""
        try:
            self._trial.start(self.contender())
        except CustomError as error:
            self._trial.refuse(str(error))

    def add(self) -> None:
        """Remember it, and close."""
        try:
            self.chosen = self.contender()
        except CustomError as error:
            self._trial.refuse(str(error))
            return
        self._own.add(self.chosen)
        self.accept()

    def done(self, result: int) -> None:
        self._trial.close()
        super().done(result)

    @property
    def _suggested(self) -> str:
        """A name for what is filled in."""
        kind, target = self.kind.currentData(), self.target.text().strip()
        if kind == PYTHON:
            return target.rpartition(":")[0].rpartition("/")[2].removesuffix(".py")
        return Path(target.partition(" ")[0]).name

    def _lay_out(self) -> None:
        self._kept_part = framed(
            in_column(heading("Yours"), self.list, in_row(STRETCH, self.remove_button), spacing=UNIT_PX)
        )
        self._kept_part.setFrameShape(QFrame.Shape.NoFrame)
        close = push_button("Close", self.reject)
        self.add_button.setDefault(True)
        in_column(
            self.kind,
            self.about,
            in_row((self.target, 1), self.choose_button),
            heading("Name"),
            self.name,
            self.told,
            set_role(QLabel(WARNING, wordWrap=True), "dim"),
            in_row(self.try_button, STRETCH, close, self.add_button),
            (self._kept_part, 1),
            self.removed,
            on=self,
            margins=MARGIN_PX,
            spacing=2 * UNIT_PX,
        )

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._follow_kind)
        self.target.textChanged.connect(self._forget)
        self._trial.changed.connect(self._follow_trial)
        self._own.changed.connect(self._follow_list)
        self.list.currentRowChanged.connect(self._fill_in)

    def _follow_kind(self) -> None:
        kind = self.kind.currentData()
        self.about.setText(KINDS[kind])
        self.target.setPlaceholderText(EXAMPLES[kind])
        self._forget()

    def _forget(self) -> None:
        self._trial.forget()
        self.name.setPlaceholderText(self._suggested)

    def _follow_trial(self) -> None:
        trial = self._trial
        self.try_button.setEnabled(trial.is_possible and not trial.is_busy)
        self.try_button.setToolTip("" if trial.is_possible else NO_MODEL)
        set_role(self.told, "bad" if trial.is_bad else "")
        self.told.setText("Trying …" if trial.is_busy else trial.told)
        self.told.setVisible(bool(self.told.text()))

    def _follow_list(self) -> None:
        self.list.clear()
        self.list.addItems([f"{each.name}   {each.shown}" for each in self._own.contenders])
        self._kept_part.setVisible(bool(self._own.contenders))
        self.remove_button.setEnabled(self.list.currentRow() >= 0)

    def _fill_in(self, row: int) -> None:
        """Show one that is there, to be tried or changed."""
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
        """A program, or the file of a module; words behind it stay to be typed."""
        is_python = self.kind.currentData() == PYTHON
        name, _ = QFileDialog.getOpenFileName(self, "Choose", "", "Python (*.py)" if is_python else "")
        if name:
            self.target.setText(f"{name}:encode" if is_python else f'"{name}"' if " " in name else name)


def _removed_text(names: list[str]) -> str:
    return f"Left out, as other Python environments are no longer supported: {quoted(', '.join(names), 200)}."


def _line(name: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setFont(Theme.mono_font(SMALL_FONT_PX))
    return line
