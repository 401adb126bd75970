"""The list of tokens or merge rules: what it holds, a search, and what can be exported."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QTableView, QWidget

from guiapp.core.tree.scripts import NAMES
from guiapp.viewmodels.compare.vocabularies import ComparedVocabularies
from guiapp.viewmodels.compare.vocabulary_rows import GROUPS, Filter
from guiapp.viewmodels.compare.vocabulary_table import VocabularyTable
from guiapp.viewmodels.saving import FileSaving
from guiapp.widgets.compare_vocabularies.picture import length_name
from guiapp.widgets.shared.buttons import tool_button
from guiapp.widgets.shared.file_names import ask_for_file
from guiapp.widgets.shared.layouts import STRETCH, in_column
from guiapp.widgets.shared.menu_button import MenuButton
from guiapp.widgets.shared.saving_bar import SavingBar
from guiapp.widgets.shared.search_field import SearchField
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.tables import show_rows
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.shared.token_actions import copy_action
from guiapp.widgets.shared.wrapping_row import WrappingRow

FORMS = {"csv": (".csv", "CSV"), "json": (".json", "JSON"), "markdown": (".md", "Markdown")}
NONE_HERE = "None."
NOT_FOUND = "Nothing here matches."
SHARES = {
    "token": 2.4,
    "merge rule": 3,
    "place in A": 1.4,
    "place in B": 1.4,
    "makes": 2.2,
    "kind": 1.5,
    "": 2.1,  # score or rank
    "script": 1.7,
    "bytes": 0.9,
}
USUAL_SHARE = 1.15
CELLS = "QTableView::item { padding: 0 5px; }"  # as far from the edges as the titles


class VocabularyList(QWidget):
    """Rows to go through, search and copy; the present row is the one that is looked at."""

    def __init__(
        self,
        model: ComparedVocabularies,
        saving: FileSaving,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self._model = model
        self._saving = saving
        self.table = VocabularyTable(model.spelling, self)
        self.groups = MenuButton(theme_source, tip="Which tokens or merge rules are listed")
        self.groups.new_menu().triggered.connect(self._choose_group)
        self.script = tool_button("", self._drop_script, role="raised")
        self.length = tool_button("", self._drop_length, role="raised")
        self.search = SearchField(model)
        self.export = self._export_button(theme_source)
        self._hint = set_role(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "dim")
        self._hint.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX)
        self.view = QTableView()
        self._set_looks()
        bar = WrappingRow([self.groups, self.script, self.length, self.search], self.export)
        head = in_column(bar, margins=(MARGIN_PX, GAP_PX))
        parts = head, SavingBar(saving, theme_source), self._hint, (self.view, 1), STRETCH
        in_column(*parts, on=self, spacing=0)
        self.addAction(copy_action(self, "Copy rows", self.copy, QKeySequence.StandardKey.Copy))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.view.selectionModel().currentRowChanged.connect(self._choose)
        self.view.selectionModel().selectionChanged.connect(self._choose)
        model.found_changed.connect(self._list_groups)
        model.filter_changed.connect(self._follow_filter)
        model.shown_changed.connect(self._follow_shown)
        model.chosen_changed.connect(self._follow_chosen)
        self._follow_filter()
        self._follow_shown()

    def copy(self) -> None:
        """Put the selected rows on the clipboard."""
        rows = sorted({index.row() for index in self.view.selectionModel().selectedRows()})
        QGuiApplication.clipboard().setText(self.table.as_text(rows))

    def _export_button(self, theme_source: ThemeSource) -> MenuButton:
        button = MenuButton(theme_source, "Export", tip="Save all differences, whatever is listed")
        menu = button.new_menu()
        for form, (ending, title) in FORMS.items():
            menu.addAction(f"{title}…", partial(self._save, form, f"vocabularies{ending}", title))
        return button

    def _list_groups(self) -> None:
        """Offer those that have rows."""
        if (compared := self._model.compared) is not None:
            titles = {f"{GROUPS[name].title} · {n:,}": name for name, n in compared.sizes.items() if n}
            self.groups.list_choices(titles)

    def _choose_group(self, action: QAction) -> None:
        self._model.show_group(action.data())

    def _save(self, form: str, suggested: str, title: str) -> None:
        ending, export = FORMS[form][0], self._model.export(form)  # of now: another model may come meanwhile
        if path := ask_for_file(self, f"Save as {title}", suggested, {ending: f"{title} (*{ending})"}):
            self._saving.save(path, export)

    def _set_looks(self) -> None:
        view = self.view
        view.setModel(self.table)
        view.setFont(Theme.mono_font(SMALL_FONT_PX))
        view.setStyleSheet(CELLS)
        show_rows(view)
        view.horizontalHeader().setStretchLastSection(False)
        view.horizontalHeader().setMinimumSectionSize(3 * UNIT_PX)
        view.setAccessibleName("Tokens")
        view.verticalHeader().setDefaultSectionSize(view.fontMetrics().height() + 2 * UNIT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Share the room beside the scroll bar."""
        titles = [column.title for column in self.table.columns]
        scroll_bar = self.view.verticalScrollBar().sizeHint().width()
        room = (self.width() - scroll_bar) / sum(SHARES.get(title, USUAL_SHARE) for title in titles)
        for column, title in enumerate(titles):
            self.view.setColumnWidth(column, int(room * SHARES.get(title, USUAL_SHARE)))

    def _choose(self) -> None:
        """Look at the row that is selected; one that the keyboard merely begins at is not."""
        current = self.view.currentIndex()
        if current.isValid() and self.view.selectionModel().isSelected(current):
            self._model.choose(current.row())

    def _follow_filter(self) -> None:
        script, length = self._model.filter.script, self._model.filter.length
        self.script.setVisible(script is not None)
        self.length.setVisible(length is not None)
        if script is not None:
            self.script.setText(f"{NAMES[script]}  ✕")
            self.script.setAccessibleName(f"Show all scripts, not only {NAMES[script]}")
        if length is not None:
            self.length.setText(f"{length_name(length)}  ✕")
            self.length.setAccessibleName(f"Show all lengths, not only {length_name(length)}")
        self.groups.check(self._model.filter.group)
        if self.search.text() != self._model.query:
            self.search.show_query(self._model.query)

    def _drop_script(self) -> None:
        self._model.set_filter(self._model.filter._replace(script=None))

    def _drop_length(self) -> None:
        self._model.set_filter(self._model.filter._replace(length=None))

    def _follow_shown(self) -> None:
        shown, n_columns = self._model.shown, self.table.columnCount()
        group = GROUPS[shown.filter.group]
        compared = self._model.compared
        self.table.show(None if compared is None else compared.describer, group, shown.rows)
        if self.table.columnCount() != n_columns:
            self._fit_columns()
        self.groups.setText(f"{group.title} · {len(shown.rows):,}")
        self.groups.setAccessibleName(f"Listed: {self.groups.text()}")
        self.view.setVisible(len(shown.rows) > 0)
        self._hint.setVisible(len(shown.rows) == 0)
        is_narrowed = shown.filter != Filter(shown.filter.group)
        self._hint.setText(shown.problem or (NOT_FOUND if is_narrowed else NONE_HERE))

    def _follow_chosen(self) -> None:
        chosen = self._model.chosen
        if chosen is not None and chosen != self.view.currentIndex().row():
            self.view.selectRow(chosen)
