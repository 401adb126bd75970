"""The list of tokens or merge rules: what it holds, a search, and what can be exported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.analysis.vocabulary_list.filters import LENGTHS
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.state.settings import SharedSpelling
from guiapp.kit.widgets.controls import FILTER_HINT, FILTER_TIP, SearchField, tool_button
from guiapp.kit.widgets.layouts import STRETCH, WrappingRow, in_column
from guiapp.kit.widgets.menu_button import CSV, JSON, MARKDOWN, ExportButton, MenuButton, SavingBar
from guiapp.kit.widgets.tables import LEFT, RIGHT, Column, RowsView, RowTable, shared_out
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource, plain_label
from guiapp.pages.compare.vocabularies import ComparedVocabularies
from guiapp.pages.compare.vocabulary_rows import (
    ABSENT,
    GROUPS,
    NO_ROWS,
    NOTHING,
    Describer,
    RowFilter,
    RowGroup,
    Rows,
    Sides,
    token_of,
    worth_name,
)

LONGEST_TEXT = 60  # characters
FORMS = {"csv": CSV, "json": JSON, "markdown": MARKDOWN}
EXPORT_TIP = "Save all differences, whatever is listed"
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
TITLE_MARGINS_PX = 18


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
        self.table = VocabularyTable(model.spelling, self)
        self.groups = MenuButton(theme_source, tip="Which tokens or merge rules are listed")
        self.groups.new_menu().triggered.connect(self._choose_group)
        self.script = tool_button("", self._drop_script, role="raised")
        self.length = tool_button("", self._drop_length, role="raised")
        self.search = SearchField(model, FILTER_HINT, FILTER_TIP)
        self.export = ExportButton(theme_source, saving, "vocabularies", FORMS, model.export, EXPORT_TIP)
        self._hint = plain_label("dim", wraps=True)
        self._hint.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX)
        self.view = RowsView(self.table, "Tokens", self._widths)
        self.view.horizontalHeader().setStretchLastSection(False)
        bar = WrappingRow([self.groups, self.script, self.length, self.search], self.export)
        head = in_column(bar, margins=(MARGIN_PX, GAP_PX))
        parts = head, SavingBar(saving, theme_source), self._hint, (self.view, 1), STRETCH
        in_column(*parts, on=self, spacing=0)
        self.view.looked_at.connect(model.choose)
        model.comparison_changed.connect(self._list_groups)
        model.filter_changed.connect(self._on_filter_changed)
        model.shown_changed.connect(self._on_shown_changed)
        model.chosen_changed.connect(self._on_chosen_changed)
        self._on_filter_changed()
        self._on_shown_changed()

    def _list_groups(self) -> None:
        if (compared := self._model.compared) is not None:
            titles = {f"{GROUPS[name].title} · {n:,}": name for name, n in compared.sizes.items() if n}
            self.groups.list_choices(titles)

    def _choose_group(self, action: QAction) -> None:
        self._model.show_group(action.data())

    def _widths(self, room_px: int) -> list[int]:
        titles = [each.title for each in self.table.columns]
        metrics = self.view.horizontalHeader().fontMetrics()
        least = [metrics.horizontalAdvance(title) + TITLE_MARGINS_PX for title in titles]
        return shared_out(room_px, [SHARES.get(title, USUAL_SHARE) for title in titles], least)

    def _on_filter_changed(self) -> None:
        script, length = self._model.filter.script, self._model.filter.length
        self.script.setVisible(script is not None)
        self.length.setVisible(length is not None)
        if script is not None:
            self.script.setText(f"{SCRIPT_NAMES[script]}  ✕")
            self.script.setAccessibleName(f"Show all scripts, not only {SCRIPT_NAMES[script]}")
        if length is not None:
            self.length.setText(f"{LENGTHS[length]}  ✕")
            self.length.setAccessibleName(f"Show all lengths, not only {LENGTHS[length]}")
        self.groups.check(self._model.filter.group)
        self.search.show_query(self._model.query)

    def _drop_script(self) -> None:
        self._model.set_filter(self._model.filter._replace(script=None))

    def _drop_length(self) -> None:
        self._model.set_filter(self._model.filter._replace(length=None))

    def _on_shown_changed(self) -> None:
        shown = self._model.shown
        group = GROUPS[shown.filter.group]
        compared = self._model.compared
        self.table.show(None if compared is None else compared.describer, group, shown.rows)
        self.groups.setText(f"{group.title} · {len(shown.rows):,}")
        self.groups.setAccessibleName(f"Listed: {self.groups.text()}")
        self.view.setVisible(len(shown.rows) > 0)
        self._hint.setVisible(len(shown.rows) == 0)
        is_narrowed = shown.filter != RowFilter(shown.filter.group)
        self._hint.setText(shown.problem or (NOT_FOUND if is_narrowed else NONE_HERE))

    def _on_chosen_changed(self) -> None:
        self.view.go_to(self._model.chosen)


class ListingRow(NamedTuple):
    """A row of a group, and who tells about it."""

    lookup: Describer
    group: RowGroup
    place: tuple[int, int]

    @property
    def token(self) -> Sides:
        return token_of(self.lookup.comparison, self.group, self.place)


def _seen(spellings: Iterable[bytes], between: str = " / ") -> str:
    seen = [visible_text(each, LONGEST_TEXT) for each in spellings]
    return seen[0] if len(seen) == 1 else between.join(map(isolate, seen))


def _number(side: int) -> Callable[[ListingRow], str]:
    return lambda row: NOTHING if row.place[side] == ABSENT else str(row.place[side])


SIDES = ("A", _number(0)), ("B", _number(1))
ABOUT = (
    Column[ListingRow]("script", LEFT, lambda row: row.lookup.script(row.token)),
    Column[ListingRow]("bytes", RIGHT, lambda row: f"{len(row.lookup.text(row.group, row.place)):,}"),
)
WORTH = Column[ListingRow]("", RIGHT, lambda row: row.lookup.both(row.token, row.lookup.worth))
TOKEN_COLUMNS = (
    Column[ListingRow]("token", LEFT, lambda row: _seen(row.lookup.shown(row.group, row.place))),
    *(Column[ListingRow](f"id in {side}", RIGHT, text) for side, text in SIDES),
    Column[ListingRow]("kind", LEFT, lambda row: row.lookup.both(row.token, row.lookup.kind)),
    WORTH,
    *ABOUT,
)
RULE_COLUMNS = (
    Column[ListingRow]("merge rule", LEFT, lambda row: _seen(row.lookup.rule(row.place), " + ")),
    *(Column[ListingRow](f"place in {side}", RIGHT, text) for side, text in SIDES),
    Column[ListingRow]("makes", LEFT, lambda row: _seen(row.lookup.shown(row.group, row.place))),
    *ABOUT,
)


class VocabularyTable(RowTable[ListingRow]):
    """One row for each; the column without a title is named after what the tokens are worth."""

    def __init__(self, spelling: SharedSpelling, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._describer: Describer | None = None
        self._group = GROUPS["all"]
        self._rows = NO_ROWS
        spelling.changed.connect(self.notify_all_changed)

    @property
    def columns(self) -> Sequence[Column[ListingRow]]:
        return RULE_COLUMNS if self._group.is_rules else TOKEN_COLUMNS

    @property
    def n_rows(self) -> int:
        return 0 if self._describer is None else len(self._rows)

    def show(self, describer: Describer | None, group: RowGroup, rows: Rows) -> None:
        self.beginResetModel()
        self._describer, self._group, self._rows = describer, group, rows
        self.endResetModel()

    def row(self, index: int) -> ListingRow | None:
        if self._describer is None:
            return None
        first, second = self._rows[index].tolist()
        return ListingRow(self._describer, self._group, (first, second))

    def title(self, column: Column[ListingRow]) -> str:
        if column is not WORTH or self._describer is None:
            return column.title
        tokenizers = self._describer.comparison.tokenizers
        return "/".join(dict.fromkeys(worth_name(each.vocabulary) for each in tokenizers))
