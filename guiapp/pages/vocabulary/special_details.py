"""The column at the right: all about the token that is looked at, and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.analysis.vocabulary_list.special_tokens import TOKENIZER_KEYS, SpecialToken, TokenReach
from guiapp.core.text.figures import times
from guiapp.core.text.visible_text import visible_runs
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import (
    CARD_MARGIN_PX,
    STRETCH,
    WrappingRow,
    card,
    framed,
    in_column,
    scroll_down,
)
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource, heading, set_role
from guiapp.kit.widgets.token_card import FactTable
from guiapp.pages.vocabulary.special_model import SpecialTokensModel

FACTS = (
    *("id", "kind", "role", "the file says", "from text", "around texts", "end of generation"),
    *("white space", "chat template", "reserved", "in this text"),
)
WAYS = {
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


class SpecialDetails(QScrollArea):
    """One special token, to read, to copy, and to put into the text.

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
        """Put all facts on the clipboard, one a line."""
        if (token := self._model.chosen) is not None:
            lines = [f"token\t{self._model.session.label_of(token.token_id)}"]
            lines += [f"{name}\t{value}".replace("\n", "; ") for name, value in self._facts_of(token).items()]
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
            self.facts.show_facts(self._facts_of(token), theme.text)
            self.insert.setVisible(token.reach is not TokenReach.NEVER)
            self.next.setEnabled(self._model.n_occurrences > 0)
        self._all.setVisible(token is not None)

    def _facts_of(self, token: SpecialToken) -> dict[str, str]:
        return facts_of(token, self._model.is_parsed, self._model.n_occurrences)

    def _token_spans(self, token: SpecialToken) -> Iterator[Span]:
        theme, session = self._theme_source.theme, self._model.session
        if session.vocabulary is not None:
            color = theme.warning if token.kind == "control" else theme.text
            data = session.spelling.now.token_data(session.vocabulary, token.token_id)
            yield from (Span(run.text, theme.dim if run.is_symbol else color) for run in visible_runs(data))

    def _show_next(self) -> None:
        self._model.select_next()
        self.text_wanted.emit()

    def _want_tree(self) -> None:
        if self._model.chosen is not None:
            self.tree_wanted.emit(self._model.chosen.token_id)


# All about a special token in words, for the column at the right


def facts_of(token: SpecialToken, is_parsed: bool, n_occurrences: int) -> dict[str, str]:
    """Names of FACTS with what there is to say; `is_parsed`: special tokens are looked for in the text."""
    way = WAYS[token.reach]
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
