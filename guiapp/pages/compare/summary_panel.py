"""The summary below the columns: any number of models over the text or a folder, to sort, copy and export."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFileDialog, QFormLayout, QLabel, QLineEdit, QWidget

from guiapp.core.open_model import open_model
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.session.choice import shown_path
from guiapp.kit.session.loader import Load
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import Popover, tool_button
from guiapp.kit.widgets.event_filters import SeenWatch
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, SavingBar
from guiapp.kit.widgets.notices import MODEL_FILTER, ask_for_file
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, heading, plain_label, set_role
from guiapp.pages.compare.summary import REPORTS, SummaryModel
from guiapp.pages.compare.summary_rows import SummaryRow
from guiapp.pages.compare.summary_terms import context_in, price_in
from guiapp.pages.compare.summary_view import SummaryView

if TYPE_CHECKING:
    from guiapp.kit.session.model_session import ComparedModels
    from guiapp.kit.widgets.page_base import PageRequests

FIELD_PX = 130
LEAST_HEIGHT_PX, USUAL_HEIGHT_PX = 96, 230


class SummaryPanel(QWidget):
    """A line with what is counted and what can be done, and the table."""

    def __init__(
        self,
        compared: ComparedModels,
        requests: PageRequests,
        settings: Settings,
        theme_source: ThemeSource,
        load: Load = open_model,
    ) -> None:
        super().__init__()
        self._requests = requests
        self.summary = SummaryModel(compared, settings, load, self)
        self.saving = FileSaving(self)
        self.view = SummaryView(self.summary, theme_source)
        self._note = set_role(FittedLabel(), "dim")
        self._failure = plain_label("bad", wraps=True)
        self._failure.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, UNIT_PX)
        self.add_button = MenuButton(theme_source, "+ Model", role="quiet")
        self.export_button = MenuButton(theme_source, "Export", role="quiet")
        self.folder_button = tool_button("Folder…", self._ask_for_folder, tip="Count all texts of a folder")
        self.text_button = tool_button(
            "This text", self.summary.count_text, tip="Count the text of the window again"
        )
        self.terms_button = tool_button("Cost…", self._open_terms, tip="Prices, and how many tokens fit")
        self._fill_menus()
        buttons = self.add_button, self.text_button, self.folder_button, self.terms_button, self.export_button
        head = in_row(
            heading("Summary"), (self._note, 1), *buttons, margins=(MARGIN_PX, UNIT_PX), spacing=GAP_PX
        )
        saving_bar = SavingBar(self.saving, theme_source)
        in_column(head, self._failure, saving_bar, (self.view, 1), on=self, spacing=0)
        self.setFocusProxy(self.view)
        self.setMinimumHeight(LEAST_HEIGHT_PX)
        self.summary.changed.connect(self._refresh)
        SeenWatch(self, self.summary.watch)
        self._refresh()

    @property
    def is_ready(self) -> bool:
        """Whether all rows have counted what is there now."""
        return not self.summary.is_counting

    def sizeHint(self) -> QSize:
        return QSize(600, USUAL_HEIGHT_PX)

    def stop(self) -> None:
        """End all work in the background."""
        self.summary.stop()
        self.saving.close()

    def export(self, path: Path) -> None:
        """Write all rows to a file, in the format that its ending names."""
        data = self.summary.report(path.suffix.lower())
        self.saving.save(path, lambda _progress: data)

    def _fill_menus(self) -> None:
        adding = self.add_button.new_menu()
        adding.addAction("Choose…", self._want_model)
        adding.addAction("Several files…", self._ask_for_models)
        adding.addAction("All on this machine", self.summary.add_installed)
        exporting = self.export_button.new_menu()
        for ending, title in REPORTS.items():
            exporting.addAction(f"{title.partition(' (')[0]}…", partial(self._ask_and_export, ending))
        exporting.addSeparator()
        exporting.addAction("Copy", self.view.copy)
        exporting.addAction("Copy as Markdown", self.view.copy_markdown)

    def _want_model(self) -> None:
        self._requests.model_wanted.emit(self.add_button, self.summary.add)

    def _ask_for_models(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Add models", "", MODEL_FILTER)
        self.summary.add_all((name, None) for name in names)

    def _ask_for_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, "Count the texts in"):
            self.summary.count_folder(Path(name))

    def _ask_and_export(self, ending: str) -> None:
        formats = {ending: REPORTS[ending]}
        if path := ask_for_file(self, "Export summary", f"summary{ending}", formats):
            self.export(path)

    def _open_terms(self) -> None:
        selected = self.view.selected_rows()
        row = selected[0] if len(selected) == 1 and selected[0].model is not None else None
        popover = TermsPopover(self.summary, row, "" if row is None else quoted(row.title, 32), self)
        popover.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popover.open_under(self.terms_button)
        popover.setFocus()

    def _refresh(self) -> None:
        summary = self.summary
        self.text_button.setVisible(summary.folder is not None or summary.is_listing)
        self.export_button.setEnabled(bool(summary.counted))
        self._failure.setVisible(bool(summary.failure))
        self._failure.setText(summary.failure)
        models = counted(len(summary.rows), "model")
        description = f"{models}, {self._texts_description()}"
        busy = self._busy_description()
        self._note.set_texts(
            [f"{description}{busy} · tokens a word by script", f"{description}{busy}", models, ""]
        )

    def _texts_description(self) -> str:
        summary = self.summary
        if summary.folder is None or summary.texts is None:
            return "this text"
        others = summary.texts.n_others
        left_out = f", {counted(others, 'other file')} left out" if others else ""
        return f"{counted(summary.texts.n_texts, 'text')} in {shown_path(summary.folder)}{left_out}"

    def _busy_description(self) -> str:
        summary = self.summary
        if summary.installed.is_looking or summary.is_listing:
            return f" · looking for {'texts' if summary.is_listing else 'models'}"
        n_due = sum(map(summary.is_due, summary.rows))
        return f" · {counted(n_due, 'model')} to count" if n_due > 1 else ""


class TermsPopover(Popover):
    """A price for all, another for the selected row, and a context; what is no number is not taken."""

    def __init__(self, summary: SummaryModel, row: SummaryRow | None, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._terms = summary.terms
        self._row = row
        self.setAccessibleName("Cost and context")
        self.price, self.own, self.context = QLineEdit(), QLineEdit(), QLineEdit()
        form = QFormLayout()
        form.setHorizontalSpacing(MARGIN_PX)
        form.setVerticalSpacing(GAP_PX)
        rows = [("Price of a million tokens", self.price), ("Tokens that fit", self.context)]
        if row is not None:
            rows.insert(1, (f"Price of {title}", self.own))
        for name, field in rows:
            label = set_role(QLabel(name), "dim")
            label.setTextFormat(Qt.TextFormat.PlainText)
            field.setAccessibleName(name)
            field.setFixedWidth(FIELD_PX)
            form.addRow(label, field)
        self.context.setPlaceholderText("as the files say")
        self.price.setPlaceholderText("none")
        self.own.setPlaceholderText("that of all")
        layout = in_column(heading("Cost and context"), form, on=self, margins=MARGIN_PX)
        if row is None:
            layout.addWidget(set_role(QLabel("Select a row to give a model its own price."), "dim"))
        self._show()
        self.price.editingFinished.connect(self._take_price)
        self.own.editingFinished.connect(self._take_own)
        self.context.editingFinished.connect(self._take_context)
        self.setFocusProxy(self.price)

    def _take_price(self) -> None:
        self._terms.set_price(price_in(self.price.text()))
        self._show()

    def _take_own(self) -> None:
        if self._row is not None:
            self._terms.set_own_price(self._row.name, price_in(self.own.text()))
            self._show()

    def _take_context(self) -> None:
        self._terms.set_context(context_in(self.context.text()))
        self._show()

    def _show(self) -> None:
        own = None if self._row is None else self._terms.own_price(self._row.name)
        for field, value in ((self.price, self._terms.price), (self.own, own)):
            field.setText("" if value is None else f"{value:.12g}")
        context = self._terms.context
        self.context.setText("" if context is None else f"{context:,}")
