"""The Special tokens page: the purpose of each, whether text can produce it, and which are unused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QButtonGroup, QSplitter, QToolButton, QWidget

from guiapp.analysis.export.tables import json_text
from guiapp.analysis.vocabulary_list.listing import TokenList
from guiapp.analysis.vocabulary_list.special_tokens import (
    TOKENIZER_KEYS,
    SpecialRows,
    SpecialToken,
    TokenReach,
    csv_text,
    json_list,
    plain_list,
    python_list,
    record,
)
from guiapp.core.text.numbers_in_words import counted, times
from guiapp.kit.session.token_details import FACTS
from guiapp.kit.spans.legend import LegendEntry, characters
from guiapp.kit.token_table.list_model import ChosenDetails
from guiapp.kit.token_table.table_view import MARKDOWN, TEXT, ListForm, TokenTable
from guiapp.kit.widgets.controls import FILTER_TIP, push_button, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import Contents, in_column, in_splitter
from guiapp.kit.widgets.notices import announce
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.vocabulary.special_model import GROUPS, SpecialTokensModel

Tokens = Sequence[SpecialToken]


def _form(title: str, ending: str, write: Callable[[Tokens], str]) -> ListForm:
    def written(shown: TokenList[SpecialRows]) -> Iterator[str]:
        yield write([shown.figures.tokens[row] for row in shown.rows])

    return ListForm(title, ending, written)


FORMS = (
    _form("Ids and texts", ".tsv", plain_list),
    _form("JSON list of texts", ".json", json_list),
    _form("JSON with all details", ".json", lambda tokens: json_text(record(tokens), 2) + "\n"),
    _form("Python list", ".py", python_list),
    _form("CSV", ".csv", csv_text),
    MARKDOWN,
    TEXT,
)
SEARCH_HINT = "text, id or role"
SEARCH_TIP = f"Part of a token's text or role, an id, or a filter:\n{FILTER_TIP}"
OWN_FACTS = (
    *("role", "in the file", "from text", "added to texts", "end of generation"),
    *("white space", "chat template", "reserved", "in this text"),
)
REACHES = {
    TokenReach.TEXT: "always: its text becomes this token",
    TokenReach.UNKNOWN: "every character missing from the vocabulary becomes this token",
    TokenReach.PARSED: "its text becomes this token while special tokens are parsed",
    TokenReach.NEVER: "never: its text does not become this token",
}
STRIPS = {
    "lstrip": "removes white space before it",
    "rstrip": "removes white space after it",
    "single_word": "matches only as a whole word",
}
NOTHING_CHOSEN = "Select a token in the list to see its role."
LIST_PX, DETAILS_PX, FIELD_PX = 900, 360, 170
NO_MODEL = "Open a model to see its special tokens."
WAITING = "Looking for special tokens …"
IN_COLUMNS = (
    LegendEntry(characters("always"), "From text: its text always becomes this token"),
    LegendEntry(characters("if parsed"), "From text: only while special tokens are parsed"),
    LegendEntry(characters("looks so"), "Ends: looks like an end token, but llama.cpp does not stop there"),
)


class SpecialTokensPage(Page):
    """The list and the details, or a message that explains why the list is empty."""

    legend = {"Columns of the list": IN_COLUMNS, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self._requests, self._show_text = setting.requests, setting.actions["inspect"].trigger
        theme_source = setting.theme_source
        self.model = SpecialTokensModel(setting.session, setting.settings, self)
        self._group = QButtonGroup(self)
        self.groups = {name: self._group_button(name) for name in GROUPS}
        self._zoom = TextZoom(self)
        self.list = TokenTable(
            self.model,
            theme_source,
            "Special tokens",
            "special_tokens",
            zoom=self._zoom,
            bar=[*self.groups.values()],
            forms=FORMS,
            hint=SEARCH_HINT,
            tip=SEARCH_TIP,
            field_px=FIELD_PX,
            chips="token",
        )
        self.saving = self.list.saving
        tip = "Insert it into the text at the caret"
        self.insert = push_button("Insert", self._insert, role="primary", tip=tip)
        self.insert.setAccessibleName("Insert into text")
        self.next = push_button("Next in text", self._show_next, role="raised")
        self.tree = push_button("Show in tree", self._show_in_tree, role="raised")
        details = ChosenDetails(self.model, self._facts, (self.model.occurrences_changed,))
        self.card = TokenCard(
            details,
            theme_source,
            self._zoom,
            facts=tuple(dict.fromkeys((*FACTS, *OWN_FACTS))),
            empty=NOTHING_CHOSEN,
            buttons=(self.insert, self.next, self.tree),
        )
        details.details_changed.connect(self._on_details_changed)
        self.splitter = in_splitter(self.list, self.card, sizes=(LIST_PX, DETAILS_PX))
        self.open = push_button("Open model…", self._ask_model, role="primary")
        self.contents = Contents(self, self.splitter, self.open)
        in_column(self.contents, on=self, spacing=0)
        self.list.field.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self.model.source_changed.connect(self._refresh)
        self.model.request_changed.connect(self._refresh_groups)
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        """The widgets that F6 cycles through."""
        return [self.list.view, self.list.field, self.card] if self.model.tokens else [self.open]

    @property
    def is_ready(self) -> bool:
        return not self.model.is_gathering and self.model.is_up_to_date

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"special_tokens": self.splitter}

    def set_text_size(self, size_px: int) -> None:
        self._zoom.set_factor(size_px / TEXT_FONT_PX)

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def _ask_model(self) -> None:
        self._requests.model_wanted.emit(self.open, self.model.session.loader.open)

    def _refresh(self) -> None:
        self._refresh_groups()
        if self.model.tokens:
            self.contents.show_inside(self.list.view)
        else:
            vocabulary, is_known = self.model.session.vocabulary, self.model.tokens is not None
            n_tokens = counted(0 if vocabulary is None else len(vocabulary), "token")
            none = f"This model has no special tokens: all its {n_tokens} are text."
            message = NO_MODEL if vocabulary is None else none if is_known else WAITING
            self.contents.show_message(message, helps=vocabulary is None)

    # Groups

    def _group_button(self, name: str) -> QToolButton:
        button = tool_button("", partial(self.model.show_group, name), is_checkable=True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._group.addButton(button)
        return button

    def _refresh_groups(self) -> None:
        for name, button in self.groups.items():
            n_tokens = self.model.sizes[name]
            button.setText(f"{GROUPS[name].title} {n_tokens:,}")
            button.setVisible(name == "all" or n_tokens > 0)
            button.setChecked(name == self.model.request.group)

    # The chosen token

    def _facts(self, _row: int) -> Iterable[tuple[str, str]]:
        token, is_parsed = self.model.chosen_token, self.model.session.options.parse_special
        return [] if token is None else facts_of(token, is_parsed, self.model.n_occurrences).items()

    def _on_details_changed(self) -> None:
        if (token := self.model.chosen_token) is not None:
            self.insert.setVisible(token.reach is not TokenReach.NEVER)
            self.next.setEnabled(self.model.n_occurrences > 0)

    def _insert(self) -> None:
        where = "caret" if self.model.session.document.caret else "start of the text"
        self.model.insert()
        announce(self, f"Inserted at the {where}")

    def _show_next(self) -> None:
        self.model.select_next()
        self._show_text()

    def _show_in_tree(self) -> None:
        if (token := self.model.chosen_token) is not None:
            self._requests.token_wanted.emit(token.token_id)


def facts_of(token: SpecialToken, is_parsed: bool, n_occurrences: int) -> dict[str, str]:
    """The facts about a token by names of OWN_FACTS; `is_parsed`: special tokens in text are parsed."""
    way = REACHES[token.reach]
    if token.reach is TokenReach.PARSED and not is_parsed:
        way += " (now turned off)"
    values = (
        "\n".join(f"{role.name.upper().replace('_', ' ')}, {_source(role.source)}" for role in token.roles),
        token.mark,
        way,
        f"{token.affix_position.replace('behind', 'after')} each text" if token.affix_position else "",
        _end(token),
        "\n".join(STRIPS[each] for each in token.strips),
        "uses it" if token.in_template else "",
        _reserved(token),
        times(n_occurrences),
    )
    return {name: value for name, value in zip(OWN_FACTS, values, strict=True) if value}


def _source(source: str) -> str:
    """A short form of the source: the details are narrow, and all these keys begin alike."""
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
    return "no, though it looks like one: llama.cpp does not stop" if token.is_end_like else "no"


def _reserved(token: SpecialToken) -> str:
    if token.is_unused:
        return "yes, and the files do not use it"
    return "by name only: the files use it" if token.is_reserved else ""


make_page = SpecialTokensPage
