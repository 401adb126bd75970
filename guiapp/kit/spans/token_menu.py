"""The context menu of the token under the mouse."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial

from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from guiapp.analysis.explain.id_lists import LONGEST_WORD_BYTES, logit_bias, word_variants
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.document.search import TextSearch
from guiapp.kit.session.token_details import hex_bytes
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.spans.view import SpanView
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.page_base import PageRequests

SHOWN_CHARACTERS = 24


class Kind(Enum):
    """The kind of text: the window's, which Steps goes through, another text, or a list of ids."""

    STEPPED = "stepped"
    OTHER = "other"
    IDS = "ids"


class TokenMenu(QObject):
    """The context menu of a text: commands for a token, then the editor's own."""

    def __init__(
        self,
        editor: SpanView,
        tokens: TokenizedText,
        requests: PageRequests | None = None,
        search: TextSearch | None = None,
        kind: Kind = Kind.STEPPED,
    ) -> None:
        """Pass `requests` for tokens of the window's model, and `search` if its matches are shown."""
        super().__init__(editor)
        self._editor = editor
        self._source = tokens
        self._kind = kind
        self._search = search
        self._requests = requests
        editor.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        editor.customContextMenuRequested.connect(self._open)

    def _open(self, point: QPoint) -> None:
        menu = self.menu_at(point)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if menu.isEmpty():
            return
        menu.popup(self._editor.viewport().mapToGlobal(point))

    def menu_at(self, point: QPoint) -> QMenu:
        """The menu at a point of the editor; without a token there, only the editor's own commands."""
        menu = QMenu(self._editor)
        token = self._editor.token_at(QPointF(point))
        if token >= 0:
            self._add_token(menu, token)
        if token >= 0 and self._editor.actions():
            menu.addSeparator()
        menu.addActions(self._editor.actions())
        return menu

    def _add_token(self, menu: QMenu, index: int) -> None:
        source = self._source
        vocabulary, token_id = source.vocabulary, int(source.tokens.ids(index, index + 1)[0])
        if vocabulary is None or token_id < 0:
            return
        data, (start, end) = vocabulary.token_bytes(token_id), source.tokens.span(index)
        shown = isolate(source.spelling.now.token(vocabulary, token_id, SHOWN_CHARACTERS))
        title = menu.addAction(f"{_plain(shown)}   {token_id}")
        title.setEnabled(False)
        menu.addSeparator()
        copy = partial(copy_text, self._editor)
        menu.addAction(f"Copy id {token_id}", partial(copy, str(token_id), f"id {token_id}"))
        copy_bytes = menu.addAction(f"Copy bytes {hex_bytes(data[:8])}" + (" …" if len(data) > 8 else ""))
        copy_bytes.triggered.connect(partial(copy, data.hex(" ").upper(), counted(len(data), "byte")))
        text = b"" if self._kind is Kind.IDS else source.document.slice(start, end)
        menu.addAction("Copy text", partial(copy, text or data, "the token's text"))
        menu.addSeparator()
        self._add_links(menu, index, token_id, (start, end))
        if self._kind is not Kind.IDS and (word := self._word_at(start)):
            variants = menu.addMenu(f"Variants of “{_plain(isolate(visible_text(word.encode(), 24)))}”")
            variants.aboutToShow.connect(partial(self._fill_variants, variants, word))

    def _add_links(self, menu: QMenu, index: int, token_id: int, span: tuple[int, int]) -> None:
        """Add links to its other occurrences in the text, and to pages with details about it."""
        start, end = span
        if self._search is not None:
            n_others = self._source.tokens.count(token_id) - 1
            others = menu.addAction(
                f"Find {counted(n_others, 'other')} in this text" if n_others else "No others in this text"
            )
            others.setEnabled(n_others > 0)
            find = partial(self._search.search_for, "token", str(token_id), end)
            others.triggered.connect(find)
        if (requests := self._requests) is None:
            return
        links = [
            ("Show in tree", partial(requests.token_wanted.emit, token_id)),
            ("How it is built", partial(requests.building_wanted.emit, token_id)),
        ]
        if self._kind is Kind.STEPPED:
            links.insert(0, ("Why this token", partial(requests.why_wanted.emit, index)))
            links.append(("Break when it is formed", partial(requests.stop_wanted.emit, token_id, start)))
        for text, do in links:
            menu.addAction(text, do)

    def _word_at(self, offset: int) -> str:
        """The word that a token begins in, or the word after its leading space; "" if there is none."""
        document = self._source.document
        start, end = document.word_span(offset)
        if not document.slice(start, end).strip():
            start, end = document.word_span(end)
        word = document.slice(start, min(end, start + LONGEST_WORD_BYTES)).decode("utf-8", "replace")
        return word if word.strip() == word and "\ufffd" not in word else ""

    def _fill_variants(self, menu: QMenu, word: str) -> None:
        """Fill the submenu when it opens, since each variant has to be encoded."""
        tokenizer = self._source.tokenizer
        if tokenizer is None or not menu.isEmpty():
            return
        variants = word_variants(tokenizer, word)
        for variant in variants:
            ids = " ".join(map(str, variant.token_ids))
            shown = _plain(isolate(visible_text(variant.text.encode(), SHOWN_CHARACTERS)))
            copied = counted(len(variant.token_ids), "id")
            menu.addAction(f"{shown}\t{ids}", partial(copy_text, self._editor, ids, copied))
        menu.addSeparator()
        for name, is_llama_cpp in (("OpenAI", False), ("llama.cpp", True)):
            action = menu.addAction(f"Copy logit_bias that bans the one-token variants ({name})")
            action.setEnabled(any(variant.is_one_token for variant in variants))
            bias = logit_bias(variants, is_llama_cpp)
            action.triggered.connect(partial(copy_text, self._editor, bias, "logit_bias"))


def _plain(text: str) -> str:
    """Escape ampersands, which mark access keys in menus."""
    return text.replace("&", "&&")


def copy_action(
    widget: QWidget,
    text: str,
    copy: Callable[[], None],
    shortcut: QKeySequence.StandardKey = QKeySequence.StandardKey.Copy,
) -> QAction:
    """An action whose shortcut works while its widget has the focus."""
    action = QAction(text, widget)
    action.setShortcut(QKeySequence(shortcut))
    action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
    action.triggered.connect(copy)
    return action


def offer_copying(widget: QWidget, text: str, copy: Callable[[], None]) -> None:
    """Add a copy action with the usual shortcut and a context menu."""
    widget.addAction(copy_action(widget, text, copy))
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
