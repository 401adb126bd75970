"""The Special tokens page: what each is for, whether text leads to it, and which are free."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QLabel,
    QMenu,
    QScrollArea,
    QSplitter,
    QStyleOptionViewItem,
    QToolButton,
    QWidget,
)

from guiapp.analysis.export.tables import json_text
from guiapp.analysis.vocabulary_list.special_tokens import (
    COLUMNS,
    TOKENIZER_KEYS,
    WAYS,
    SpecialToken,
    TokenReach,
    csv_text,
    json_list,
    plain_list,
    python_list,
    record,
)
from guiapp.core.text.numbers_in_words import counted, times
from guiapp.core.text.visible_text import visible_runs
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.legend import LegendEntry, characters
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import SearchField, push_button, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import (
    CARD_MARGIN_PX,
    STRETCH,
    Contents,
    WrappingRow,
    card,
    framed,
    in_column,
    in_splitter,
    scroll_down,
)
from guiapp.kit.widgets.menu_button import Form, MenuButton, SavingBar, ask_and_save
from guiapp.kit.widgets.page_base import Actions, Page, PageRequests, PageSetting
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
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, Theme, ThemeSource, heading, set_role
from guiapp.kit.widgets.token_card import FactTable
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
FACTS = (
    *("id", "kind", "role", "the file says", "from text", "around texts", "end of generation"),
    *("white space", "chat template", "reserved", "in this text"),
)
REACHES = {
    TokenReach.TEXT: "always: its own text leads to it",
    TokenReach.UNKNOWN: "each character does that the vocabulary does not know",
    TokenReach.PARSED: "its own text does while special tokens are parsed",
    TokenReach.NEVER: "its own text does not lead to it",
}
STRIPS = {
    "lstrip": "takes the blanks before it along",
    "rstrip": "takes the blanks behind it along",
    "single_word": "is found only where no letter is beside it",
}
TOKEN_FONT_PX = 22
NOTHING_CHOSEN = "Choose a token of the list to see what it is for."
LIST_PX, DETAILS_PX = 900, 360
NO_MODEL = "Open a model to see its special tokens."
WAITING = "Looking for special tokens …"
IN_COLUMNS = (
    LegendEntry(characters("always"), "From text: its text always becomes this token"),
    LegendEntry(characters("if parsed"), "From text: only while special tokens are parsed"),
    LegendEntry(characters("looks so"), "Ends: looks like an end, but llama.cpp does not stop there"),
)


class SpecialTokensPage(Page):
    """Puts list and details together, or says why there is nothing to list."""

    legend = {"Columns of the list": IN_COLUMNS, **Page.legend}

    def __init__(
        self, session: ModelSession, requests: PageRequests, actions: Actions, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._requests = requests
        self.model = SpecialTokensModel(session, self)
        self.saving = FileSaving(self)
        self.list = SpecialTokenList(self.model, self.saving, theme_source)
        self.details = SpecialDetails(self.model, theme_source)
        self.splitter = in_splitter(self.list, self.details, sizes=(LIST_PX, DETAILS_PX))
        self.open = push_button("Open model…", self._ask_model, role="primary")
        self.contents = Contents(self, self.splitter, self.open)
        in_column(self.contents, on=self, spacing=0)
        self.details.text_wanted.connect(actions["inspect"].trigger)
        self.details.tree_wanted.connect(requests.token_wanted)
        self.list.search.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self.model.tokens_changed.connect(self._refresh)
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        return [self.list.view, self.list.search, self.details] if self.model.tokens else [self.open]

    @property
    def is_ready(self) -> bool:
        return not self.model.is_busy

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"special_tokens": self.splitter}

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def _ask_model(self) -> None:
        self._requests.model_wanted.emit(self.open, self.model.session.loader.open)

    def _refresh(self) -> None:
        if self.model.tokens:
            self.contents.show_inside(self.list.view)
        else:
            vocabulary, is_known = self.model.session.vocabulary, self.model.tokens is not None
            n_tokens = counted(0 if vocabulary is None else len(vocabulary), "token")
            none = f"This model has no special tokens: its {n_tokens} are text."
            message = NO_MODEL if vocabulary is None else none if is_known else WAITING
            self.contents.show_message(message, helps=vocabulary is None)


class SpecialDetails(QScrollArea):
    """The column at the right: the token that is looked at, to read, to copy, and to put into the text.

    Signals:
        text_wanted(): show the text; the token is selected there.
        tree_wanted(int): show this token in the tree.
    """

    text_wanted = Signal()
    tree_wanted = Signal(object)

    def __init__(self, model: SpecialTokensModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._theme_source = theme_source
        self._empty = set_role(QLabel(NOTHING_CHOSEN, wordWrap=True), "dim")
        self._token = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3)
        self._token.setAccessibleName("Token text")
        self.facts = FactTable(FACTS, TextZoom(self))
        self.insert = push_button(
            "Insert", model.insert, role="primary", tip="Put it into the text, where the caret is"
        )
        self.insert.setAccessibleName("Insert into text")
        self.next = push_button("Next in text", self._show_next, role="raised")
        self.tree = push_button("Show in tree", self._want_tree, role="raised")
        self.copy_button = push_button("Copy", self.copy, role="quiet", tip="Copy all that is said here")
        self._all = QWidget()
        buttons = WrappingRow([self.insert, self.next, self.tree, self.copy_button])
        in_column(card(self._token, self.facts), buttons, on=self._all, spacing=GAP_PX)
        parts = heading("Special token"), self._empty, self._all, STRETCH
        scroll_down(self, framed(in_column(*parts, margins=MARGIN_PX), "panel"))
        self.setMinimumWidth(270)
        self.addAction(copy_action(self, "Copy details", self.copy))
        model.chosen_changed.connect(self._show)
        model.occurrences_changed.connect(self._show)
        model.session.spelling.changed.connect(self._show)
        theme_source.changed.connect(self._show)
        self._show()

    def copy(self) -> None:
        if (token := self._model.chosen) is not None:
            lines = [f"token\t{self._model.session.label_of(token.token_id)}"]
            facts = facts_of(token, self._model.is_parsed, self._model.n_occurrences)
            lines += [f"{name}\t{value}".replace("\n", "; ") for name, value in facts.items()]
            QGuiApplication.clipboard().setText("\n".join(lines) + "\n")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.facts.fit_into(self.width() - 2 * MARGIN_PX - 2 * CARD_MARGIN_PX)

    def _show(self) -> None:
        token = self._model.chosen
        self._empty.setVisible(token is None)
        if token is not None:
            theme = self._theme_source.theme
            self._token.set_spans(self._token_spans(token))
            facts = facts_of(token, self._model.is_parsed, self._model.n_occurrences)
            self.facts.show_facts(facts, theme.text)
            self.insert.setVisible(token.reach is not TokenReach.NEVER)
            self.next.setEnabled(self._model.n_occurrences > 0)
        self._all.setVisible(token is not None)

    def _token_spans(self, token: SpecialToken) -> Iterator[Span]:
        theme, session = self._theme_source.theme, self._model.session
        if session.vocabulary is not None:
            color = theme.control if token.kind == "control" else theme.text
            data = session.spelling.now.token_data(session.vocabulary, token.token_id)
            yield from (Span(run.text, theme.dim if run.is_symbol else color) for run in visible_runs(data))

    def _show_next(self) -> None:
        self._model.select_next()
        self.text_wanted.emit()

    def _want_tree(self) -> None:
        if self._model.chosen is not None:
            self.tree_wanted.emit(self._model.chosen.token_id)


def facts_of(token: SpecialToken, is_parsed: bool, n_occurrences: int) -> dict[str, str]:
    """Names of FACTS with what there is to say; `is_parsed`: special tokens are looked for in the text."""
    way = REACHES[token.reach]
    if token.reach is TokenReach.PARSED and not is_parsed:
        way += ", which is switched off now"
    values = (
        str(token.token_id),
        token.kind,
        "\n".join(f"{role.name.upper().replace('_', ' ')}, {_source(role.source)}" for role in token.roles),
        token.mark,
        way,
        f"stands {token.affix_position} each" if token.affix_position else "",
        _end(token),
        "\n".join(STRIPS[each] for each in token.strips),
        "writes it" if token.in_template else "",
        _reserved(token),
        times(n_occurrences),
    )
    return {name: value for name, value in zip(FACTS, values, strict=True) if value}


def _source(source: str) -> str:
    """In few letters: the details are narrow, and all these keys begin alike."""
    if source == "its text":
        return "from its text"
    return source if source.startswith("usual") else f"by {source.removeprefix(TOKENIZER_KEYS)}"


def _end(token: SpecialToken) -> str:
    if token.end:
        return (
            "yes, from its text"
            if token.end == "its text"
            else f"yes, as {token.end.replace(TOKENIZER_KEYS, '')}"
        )
    return "no, though it looks like one: llama.cpp goes on" if token.is_end_like else "no"


def _reserved(token: SpecialToken) -> str:
    if token.is_unused:
        return "yes, and nothing in the files uses it"
    return "by its name, but it is used" if token.is_reserved else ""


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
            button.setChecked(name == self._model.group)
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
            menu.addAction(f"Copy: {title}", partial(self._copy, write, tokens))
        menu.addSeparator()
        for title, ending, write in FORMS:
            menu.addAction(f"Save: {title}…", partial(self._save, Form(title, ending), write, tokens))

    def _copy(self, write: Callable[[Tokens], str], tokens: Tokens) -> None:
        QGuiApplication.clipboard().setText(write(tokens))

    def _save(self, form: Form, write: Callable[[Tokens], str], tokens: Tokens) -> None:
        def data(_: Progress) -> bytes:
            return write(tokens).encode("utf-8", "surrogateescape")

        ask_and_save(self, self._saving, "special_tokens", form, data)


class _TokenDelegate(ChipDelegate):
    """The token as a chip, as wide as it needs."""

    def chip(self, option: QStyleOptionViewItem, index: AnyIndex) -> tuple[QRectF, str, QColor]:
        room = QRectF(option.rect).adjusted(UNIT_PX + 0.5, 2.5, -UNIT_PX - 0.5, -2.5)
        text = elided(str(index.data()), option.font, room.width() - 2 * UNIT_PX, MIDDLE)
        room.setWidth(min(width_of(text, option.font) + 2 * UNIT_PX, room.width()))
        return room, text, self._theme_source.theme.raised


class SpecialTable(RowTable[SpecialToken]):
    """One row for each token that is listed; tokens are written as people chose to."""

    columns: Sequence[Column[SpecialToken]] = ()

    def __init__(self, model: SpecialTokensModel) -> None:
        super().__init__(model)
        self._model = model
        self.columns = [
            Column(title, RIGHT if title == "id" else LEFT, self._token if title == "token" else text)
            for title, text in COLUMNS
        ]
        self._rows: Sequence[SpecialToken] = model.shown
        model.shown_changed.connect(self._refresh)
        model.session.spelling.changed.connect(self.notify_all_changed)

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


def make_page(setting: PageSetting) -> SpecialTokensPage:
    return SpecialTokensPage(setting.session, setting.requests, setting.actions, setting.theme_source)
