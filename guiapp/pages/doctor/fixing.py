"""Fixed copies on the Doctor page: a dialog to choose fixes, and a bar that reports progress and results."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QWidget

from guiapp.analysis.doctor.fixes import FileFix
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.widgets.controls import ChoiceBox, push_button
from guiapp.kit.widgets.file_dialogs import ask_to_save
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, READABLE, ThemeSource, plain_label, sentence, set_role

if TYPE_CHECKING:
    from guiapp.analysis.doctor.fixed_copy import Fixed

ABOUT = (
    "The model itself stays as it is. The copy is examined again, and its token ids are compared with those "
    "of the model."
)
LEAVE = "Leave as it is"
WIDTH_PX = 520
SIZE_PX = 760, 420


class FixDialog(QDialog):
    """A check box for each certain fix, and a list for each fix that the user must decide.

    chosen  the codes of the fixes selected at first; a list starts at its first option
    """

    def __init__(self, model: DoctorModel, chosen: Iterable[str], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save a fixed copy")
        self.boxes, self.choices = dict[str, QCheckBox](), dict[str, ChoiceBox]()
        titles = {finding.code: finding.title for finding in model.findings}
        rows = [self._row(fix, titles.get(fix.code, fix.code), fix.code in chosen) for fix in model.fixes]
        self.save_button = push_button("Save…", self.accept, role="primary")
        cancel = push_button("Cancel", self.reject)
        buttons = in_row(STRETCH, cancel, self.save_button)
        in_column(sentence(ABOUT), *rows, STRETCH, buttons, on=self, margins=MARGIN_PX, spacing=GAP_PX)
        self.setMinimumWidth(WIDTH_PX)
        self._refresh()

    @property
    def names(self) -> list[str]:
        """The chosen fixes, in the form that `--only` takes."""
        picked = [code for code, box in self.boxes.items() if box.isChecked()]
        return picked + [
            f"{code}={box.currentData()}" for code, box in self.choices.items() if box.currentData()
        ]

    def _row(self, fix: FileFix, title: str, is_chosen: bool) -> QWidget:
        if fix.is_certain:
            box = self.boxes[fix.code] = QCheckBox(title.replace("&", "&&"))
            box.setChecked(is_chosen)
            box.toggled.connect(self._refresh)
            return box
        choice = ChoiceBox(title, {LEAVE: "", **{name: name for name in fix.choices}})
        choice.setCurrentIndex(int(is_chosen))
        choice.currentIndexChanged.connect(self._refresh)
        self.choices[fix.code], row, label = choice, QWidget(), plain_label(wraps=True)
        label.setText(title)
        in_row((label, 1), choice, on=row, spacing=GAP_PX)
        return row

    def _refresh(self) -> None:
        self.save_button.setEnabled(bool(self.names))


def ask_and_fix(model: DoctorModel, chosen: Iterable[str], parent: QWidget) -> None:
    """Let the user choose fixes, preselecting `chosen`, and then a file; write the fixed copy to it."""
    dialog = FixDialog(model, [*chosen], parent)
    if dialog.exec() and model.diagnosis is not None and model.diagnosis.path is not None:
        path = model.diagnosis.path
        ending = ".gguf" if path.suffix.lower() == ".gguf" else ""
        formats = {ending: "GGUF (*.gguf)" if ending else "All files (*)"}
        if out := ask_to_save(parent, "Save a fixed copy", f"{path.stem}-fixed{ending}", formats):
            model.save_fixed(out, dialog.names)
    dialog.deleteLater()


class FixBar(SavingBar):
    """The progress with a Cancel button; then what was fixed, what was not, and whether ids are equal."""

    doing = "Fixing and comparing"

    def __init__(self, model: DoctorModel, requests: PageRequests, theme_source: ThemeSource) -> None:
        self._fixing, self._requests = model.fixing, requests
        super().__init__(model.fixing, theme_source)
        set_role(self, "bar")
        self.message.setTextInteractionFlags(READABLE)
        self.open_button = push_button("Open the copy", self._open)
        self.changes_button = push_button("What changed…", self._show_changes)
        for button in (self.open_button, self.changes_button):
            self.row.insertWidget(2, button)
        model.fixing.changed.connect(self._show_buttons)
        self._show_buttons()

    def result(self) -> str:
        if (fixed := self._fixing.saved) is None:
            return ""
        from guiapp.analysis.doctor.fixed_report import ids_in_words

        n_fixed, n_left = counted(len(fixed.fixed), "kind"), len(fixed.remaining) + len(fixed.new)
        done = f"{quoted(fixed.path.name)}: {n_fixed} of finding fixed, {n_left} left."
        return f"{done} {ids_in_words(fixed)}"

    def _open(self) -> None:
        if self._fixing.saved is not None:
            self._requests.model_chosen.emit(str(self._fixing.saved.path))

    def _show_changes(self) -> None:
        if self._fixing.saved is not None:
            FixedDialog(self._fixing.saved, self).open()

    def _show_buttons(self) -> None:
        for button in (self.changes_button, self.open_button):
            button.setVisible(self._fixing.saved is not None)


class FixedDialog(QDialog):
    """All changed values of a copy, remaining problems and reasons, and the effect on texts; copyable."""

    def __init__(self, fixed: Fixed, parent: QWidget) -> None:
        from guiapp.analysis.doctor.fixed_report import text_lines

        super().__init__(parent)
        self.setWindowTitle(f"What changed in {quoted(fixed.path.name)}")
        self.text = QPlainTextEdit("\n".join(text_lines(fixed)))
        self.text.setReadOnly(True)
        self.text.setAccessibleName("What changed")
        row = in_row(STRETCH, push_button("Close", self.accept))
        in_column((self.text, 1), row, on=self, margins=MARGIN_PX, spacing=GAP_PX)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*SIZE_PX)
