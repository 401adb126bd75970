"""The list of special tokens: which are listed, a search, and forms to copy and save them in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QLabel,
    QMenu,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from guiapp.analysis.export.json_text import json_text
from guiapp.analysis.vocabulary_list.special_tokens import SpecialToken
from guiapp.analysis.vocabulary_list.special_tokens_report import (
    COLUMNS,
    WAYS,
    csv_text,
    json_list,
    plain_list,
    python_list,
    record,
)
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import SearchField, tool_button
from guiapp.kit.widgets.layouts import STRETCH, WrappingRow, in_column
from guiapp.kit.widgets.menu_button import Form, MenuButton, SavingBar, ask_and_save
from guiapp.kit.widgets.painting import elided, width_of
from guiapp.kit.widgets.tables import (
    ATTRIBUTES_ROLE,
    LEFT,
    RIGHT,
    AnyIndex,
    ChipDelegate,
    Column,
    RowsView,
    RowTable,
    shared_out,
)
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, set_role
from guiapp.pages.vocabulary.special_model import GROUPS, SpecialTokensModel

TITLES = [title for title, _ in COLUMNS]
Tokens = Sequence[SpecialToken]
FORMS: tuple[tuple[str, str, Callable[[Tokens], str]], ...] = (
    ("Ids and texts", ".tsv", plain_list),
    ("JSON list of texts", ".json", json_list),
    ("JSON of all that is known", ".json", lambda tokens: json_text(record(tokens), 2) + "\n"),
    ("Python list", ".py", python_list),
    ("CSV", ".csv", csv_text),
)
NOT_FOUND = "Nothing here matches."
SHARES = {"token": 3.1, "role": 1.7, "kind": 1.4, "from text": 1.2, "ends": 0.9, "the file": 2.7}
WITH_ROOM, ALL_WITH_ROOM_PX = ("kind", "the file"), 640  # what the details say, too
LEAST_ID, ID_MARGINS_PX = 1000, 28
MARGINS_PX = 16
SEARCH_HINT = "text, id or role"
MIDDLE = Qt.TextElideMode.ElideMiddle  # many differ by a number at the end


class SpecialTokenList(QWidget):
    """Rows to go through, sort, search and copy; the present row is the token that is looked at."""

    def __init__(self, model: SpecialTokensModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._saving = saving
        self.table = SpecialTable(model)
        self._group = QButtonGroup(self)
        self.groups = {name: self._group_button(name) for name in GROUPS}
        self.search = SearchField(model, SEARCH_HINT, tip="")
        self.export = MenuButton(theme_source, "Copy or save")
        self.export.fill_on_open(self._list_forms)
        self._hint = set_role(QLabel(NOT_FOUND), "dim")
        self._hint.setContentsMargins(MARGIN_PX, GAP_PX, MARGIN_PX, GAP_PX)
        self.view = RowsView(self.table, "Special tokens", self._widths)
        self.view.setItemDelegateForColumn(TITLES.index("token"), _TokenDelegate(theme_source, self.view))
        self.view.horizontalHeader().setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        self.view.setSortingEnabled(True)
        bar = WrappingRow([*self.groups.values(), self.search], self.export)
        parts = in_column(bar, margins=(MARGIN_PX, GAP_PX)), SavingBar(saving, theme_source), self._hint
        in_column(*parts, (self.view, 1), STRETCH, on=self, spacing=0)
        self.view.looked_at.connect(model.choose)
        model.shown_changed.connect(self._on_shown_changed)
        model.tokens_changed.connect(self._on_shown_changed)
        model.chosen_changed.connect(self._on_chosen_changed)
        self._on_shown_changed()

    @property
    def selected(self) -> Tokens:
        """The tokens of the rows that are selected, or where that is one at most all that are listed."""
        rows = self.view.selected_rows
        return [self._model.shown[row] for row in rows] if len(rows) > 1 else self._model.shown

    def _widths(self, room_px: int) -> list[int]:
        """Ids get the room that they need, and the other columns share what is left."""
        last = self._model.tokens[-1].token_id if self._model.tokens else 0
        id_px = self.view.fontMetrics().horizontalAdvance(f"{max(last, LEAST_ID)}") + ID_MARGINS_PX
        are_all = room_px >= ALL_WITH_ROOM_PX
        shares = [share if are_all or title not in WITH_ROOM else 0 for title, share in SHARES.items()]
        widest_px = max(map(self.view.fontMetrics().horizontalAdvance, WAYS.values())) + MARGINS_PX
        least = [widest_px * (title == "from text") for title in SHARES]
        return [id_px, *shared_out(room_px - id_px, shares, least)]

    def _group_button(self, name: str) -> QToolButton:
        button = tool_button("", partial(self._model.show_group, name))
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._group.addButton(button)
        return button

    def _on_shown_changed(self) -> None:
        for name, button in self.groups.items():
            button.setText(f"{GROUPS[name].title} {self._model.sizes.get(name, 0):,}")
            button.setVisible(name == "all" or self._model.sizes.get(name, 0) > 0)
            button.setChecked(name == self._model.filter.group)
        self.search.show_query(self._model.query)
        self.view.setVisible(bool(self._model.shown))
        self._hint.setVisible(not self._model.shown)
        self.export.setEnabled(bool(self._model.shown))
        self._on_chosen_changed()

    def _on_chosen_changed(self) -> None:
        self.view.go_to(self._model.index_of_chosen)

    def _list_forms(self, menu: QMenu) -> None:
        tokens = tuple(self.selected)
        are_all = len(tokens) == len(self._model.shown)
        menu.addAction(f"{'All' if are_all else 'The'} {len(tokens):,} {'listed' if are_all else 'selected'}")
        menu.actions()[0].setEnabled(False)
        for title, _, write in FORMS:
            menu.addAction(f"Copy: {title}", partial(_copy, write, tokens))
        menu.addSeparator()
        for title, ending, write in FORMS:
            menu.addAction(f"Save: {title}…", partial(self._save, Form(title, ending), write, tokens))

    def _save(self, form: Form, write: Callable[[Tokens], str], tokens: Tokens) -> None:
        ask_and_save(self, self._saving, "special_tokens", form, partial(_written, write, tokens))


class _TokenDelegate(ChipDelegate):
    """The token as a chip, as wide as it needs."""

    def chip(self, option: QStyleOptionViewItem, index: AnyIndex) -> tuple[QRectF, str, QColor]:
        room = QRectF(option.rect).adjusted(UNIT_PX + 0.5, 2.5, -UNIT_PX - 0.5, -2.5)
        text = elided(str(index.data()), option.font, room.width() - 2 * UNIT_PX, MIDDLE)
        room.setWidth(min(width_of(text, option.font) + 2 * UNIT_PX, room.width()))
        return room, text, self._theme_source.theme.raised


def _copy(write: Callable[[Tokens], str], tokens: Tokens) -> None:
    QGuiApplication.clipboard().setText(write(tokens))


def _written(write: Callable[[Tokens], str], tokens: Tokens, progress: Progress) -> bytes:
    return write(tokens).encode("utf-8", "surrogateescape")


class SpecialTable(RowTable[SpecialToken]):
    """One row for each token that is listed; tokens are written as people chose to."""

    def __init__(self, model: SpecialTokensModel) -> None:
        super().__init__(model)
        self._model = model
        self._columns = [
            Column(title, RIGHT if title == "id" else LEFT, self._token if title == "token" else text)
            for title, text in COLUMNS
        ]
        self._rows: Sequence[SpecialToken] = model.shown
        model.shown_changed.connect(self._refresh)
        model.session.spelling.changed.connect(self.notify_all_changed)

    @property
    def columns(self) -> Sequence[Column[SpecialToken]]:
        return self._columns

    @property
    def n_rows(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> SpecialToken:
        return self._rows[index]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        vocabulary = self._model.session.vocabulary
        if role == ATTRIBUTES_ROLE and vocabulary is not None:
            return int(vocabulary.effective_attributes[self._rows[index.row()].token_id])
        return super().data(index, role)

    @property
    def order(self) -> tuple[str, bool]:
        column, is_descending = self._model.order
        return TITLES[column], is_descending

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._model.set_order(column, order is Qt.SortOrder.DescendingOrder)

    def _token(self, token: SpecialToken) -> str:
        return self._model.session.label_of(token.token_id)

    def _refresh(self) -> None:
        self.beginResetModel()
        self._rows = self._model.shown
        self.endResetModel()
