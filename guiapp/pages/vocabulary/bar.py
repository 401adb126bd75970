"""The filter, what can be put into it, the columns, and what can be done with the tokens that are listed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QMenu

from guiapp.analysis.tree.scripts import NAMES
from guiapp.analysis.vocabulary_list.filters import FLAGS, has, script_term
from guiapp.core.vocabulary.attributes import KIND_NAMES
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import FILTER_HINT, FILTER_TIP, SearchField, tool_button
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.menu_button import CSV, JSON, MARKDOWN, TEXT, ExportButton, MenuButton, add_choice
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource, set_role
from guiapp.pages.vocabulary.model import VocabularyModel

FORMS = {"csv": CSV, "json": JSON, "markdown": MARKDOWN, "text": TEXT}
FIELD_PX = 160


class VocabularyBar(QFrame):
    """One row of controls.

    Signals:
        tree_wanted(): light the selected tokens in the tree.
        comparison_wanted(): filter two vocabularies like this.
    """

    tree_wanted = Signal()
    comparison_wanted = Signal()

    def __init__(self, model: VocabularyModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        set_role(self, "bar")
        self.field = SearchField(model, FILTER_HINT, FILTER_TIP, None)
        self.field.setMinimumWidth(FIELD_PX)
        self.field.setAccessibleName("Filter tokens")
        self.terms = MenuButton(theme_source, "Filter", tip="What can be filtered by")
        self.terms.fill_on_open(self._list_terms)
        self.columns = MenuButton(theme_source, "Columns", tip="What is shown of each token")
        self.columns.fill_on_open(self._list_columns)
        self.embeddings = tool_button("Embeddings", tip="Which tokens look as if they were never trained")
        self.embeddings.setCheckable(True)
        self.go = MenuButton(
            theme_source, "Show", tip="The selected tokens elsewhere, or all that are listed"
        )
        menu = self.go.new_menu()
        self.tree = menu.addAction("In the tree", self.tree_wanted.emit)
        self.compare = menu.addAction("Beside another model", self.comparison_wanted.emit)
        self.export = ExportButton(theme_source, saving, "tokens", FORMS, model.export, "Save what is listed")
        buttons = self.terms, self.columns, self.embeddings, self.go, self.export
        in_row((self.field, 1), *buttons, on=self, margins=(MARGIN_PX, GAP_PX))
        model.request_changed.connect(self._on_request_changed)
        model.prepared_changed.connect(self._on_prepared_changed)
        self._on_request_changed()
        self._on_prepared_changed()

    def _on_request_changed(self) -> None:
        self.field.show_query(self._model.query)

    def _on_prepared_changed(self) -> None:
        for part in (self.field, self.terms, self.columns, self.embeddings, self.go, self.export):
            part.setEnabled(self._model.prepared is not None)

    def _list_terms(self, menu: QMenu) -> None:
        if (prepared := self._model.prepared) is None:
            return
        kinds, scripts = menu.addMenu("Kind"), menu.addMenu("Script")
        for number, name in enumerate(KIND_NAMES):
            if n_tokens := int((prepared.figures.vocabulary.kinds == number).sum()):
                self._add_term(kinds, f"{name} · {n_tokens:,}", f"kind:{name}", "kind")
        totals = prepared.histograms[0].totals
        for script in sorted(range(len(NAMES)), key=lambda each: -int(totals[each])):
            if totals[script]:
                title = f"{NAMES[script]} · {totals[script]:,}"
                self._add_term(scripts, title, script_term(script), "script")
        menu.addSeparator()
        for name, flag in FLAGS.items():
            self._add_term(menu, f"{flag.about[0].upper()}{flag.about[1:]}", f"is:{name}")

    def _add_term(self, menu: QMenu, title: str, term: str, key: str = "") -> None:
        add_choice(menu, title, has(self._model.query, term), partial(self._model.toggle_term, term, key))

    def _list_columns(self, menu: QMenu) -> None:
        for column in self._model.choices:
            is_shown = column.name in self._model.columns
            show = partial(self._model.show_column, column.name, not is_shown)
            add_choice(menu, f"{column.name}: {column.about}", is_shown, show)
