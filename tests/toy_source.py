"""A fake model session: a text split into tokens, with a selected and a hovered token."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.document.document import TextDocument
from guiapp.kit.state.settings import SharedSpelling


class ToySource(QObject):
    """Holds the given tokens; the text is the joined bytes of the tokens."""

    tokens_changed = Signal(object, object)
    vocabulary_changed = Signal()
    selected_token_changed = Signal()
    hovered_token_changed = Signal()

    tokenizer = None
    is_encoding = False
    tokens_of_selected_text: tuple[int, int] | None = None

    def __init__(self, vocabulary: Vocabulary, token_ids: list[int] | np.ndarray) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.spelling = SharedSpelling(parent=self)
        self.selected_token: int | None = None
        self.hovered_token: int | None = None
        self.set_tokens(token_ids)

    def set_tokens(self, token_ids: list[int] | np.ndarray) -> None:
        ids = np.asarray(token_ids, np.int32)
        lengths = np.diff(self.vocabulary.token_bytes_table[1])[ids]
        ends = np.cumsum(lengths)
        self.tokens = TokenStore(FragmentTokens(ids, ends - lengths, ends), int(lengths.sum()))
        self.__dict__.pop("document", None)
        if self.selected_token is not None and self.selected_token >= len(ids):
            self.selected_token = None
        self.tokens_changed.emit(None, self.tokens)

    @cached_property
    def document(self) -> TextDocument:
        ids = self.tokens.ids(0, len(self.tokens)).tolist()
        pieces = {token_id: self.vocabulary.token_bytes(token_id) for token_id in set(ids)}
        return TextDocument(b"".join(map(pieces.__getitem__, ids)))

    def exact_instead(self, index: int) -> None: ...

    def select_token(self, index: int | None) -> None:
        if index != self.selected_token:
            self.selected_token = index
            self.selected_token_changed.emit()

    def hover_token(self, index: int | None) -> None:
        if index != self.hovered_token:
            self.hovered_token = index
            self.hovered_token_changed.emit()
