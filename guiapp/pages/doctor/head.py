"""The bar above the findings: the verdict, the original to compare with, and what saves all of it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from guiapp.analysis.doctor.report import count
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.session.loader import title_of
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.menu_button import JSON, MARKDOWN, ExportButton
from guiapp.kit.widgets.painting import ShareBar
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role

FORMS = {"markdown": MARKDOWN, "json": JSON}
ORIGINAL_TIP = "What the model was converted from, such as tokenizer.json: tell what differs"
BAR_PX = 160


class DoctorHead(QFrame):
    """What there is, in a few words.

    Signals:
        original_wanted(QWidget): let people choose the original under this widget.
    """

    original_wanted = Signal(object)

    def __init__(self, model: DoctorModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self._model = model
        self.verdict = plain_label("title")
        self.about = plain_label("dim", wraps=True)
        self.bar = ShareBar("Progress of the checks", BAR_PX)
        self.cancel = push_button("Cancel", model.cancel)
        self.again = push_button("Examine", model.examine)
        self.leave = push_button("Back to the open model", model.leave_file)
        self.original = push_button("", self._ask_original, tip=ORIGINAL_TIP)
        self.drop = tool_button("✕", self._drop_original, tip="Compare with no original")
        self.export = ExportButton(theme_source, saving, "findings", FORMS, model.export, "Save the findings")
        told = in_column(self.verdict, self.about, spacing=UNIT_PX)
        tools = self.bar, self.cancel, self.again, self.leave, self.original, self.drop, self.export
        in_row((told, 1), *tools, on=self, margins=(MARGIN_PX, 3 * UNIT_PX), spacing=GAP_PX)
        model.changed.connect(self._refresh)
        model.progress_changed.connect(self._on_progress_changed)
        self._refresh()

    def _ask_original(self) -> None:
        self.original_wanted.emit(self.original)

    def _drop_original(self) -> None:
        self._model.set_original("")

    def _refresh(self) -> None:
        model = self._model
        has_found = model.diagnosis is not None
        self.verdict.setText(_verdict(model))
        self.about.setText(_about(model))
        for part in (self.bar, self.cancel):
            part.setVisible(model.is_busy)
        self.again.setVisible(bool(model.name) and not has_found and not model.is_waiting)
        self.leave.setVisible(model.is_of_failed_file)
        name = quoted(title_of(model.original), 30)
        self.original.setText(f"Original: {name}" if model.original else "Compare with original…")
        can_open = model.diagnosis is None or model.diagnosis.tokenizer is not None
        self.original.setEnabled(bool(model.name) and can_open)
        self.drop.setVisible(bool(model.original))
        self.export.setEnabled(has_found)

    def _on_progress_changed(self) -> None:
        self.bar.show_share(self._model.progress)


def _verdict(model: DoctorModel) -> str:
    if model.is_busy:
        return "Examining …"
    if model.diagnosis is None:
        return "Not examined" if model.name else "No model"
    return count(model.findings)


def _about(model: DoctorModel) -> str:
    if not model.name:
        return "Open a model: what is wrong with its files is told here."
    if model.problem:
        return model.problem
    return quoted(model.title)
