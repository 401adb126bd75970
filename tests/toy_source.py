"""A stand-in for the session: a text cut into tokens, and which of them is pointed at."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.core.editing.token_store import N_TINTS
from guiapp.core.vocab.vocabulary import Vocabulary


class ToySource(QObject):
    """Holds what it is given; `set_tokens` puts the tokens' own bytes together as the text."""

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
        self.selected_token: int | None = None
        self.hovered_token: int | None = None
        self.set_tokens(token_ids)

    @property
    def n_tokens(self) -> int:
        return len(self.ids)

    @property
    def n_bytes(self) -> int:
        return int(self.ends[-1]) if len(self.ends) else 0

    def set_tokens(self, token_ids: list[int] | np.ndarray) -> None:
        self.ids = np.asarray(token_ids, np.int32)
        lengths = np.diff(self.vocabulary.token_bytes_table[1])[self.ids]
        self.ends = np.cumsum(lengths)
        self.starts = self.ends - lengths
        self._text = b""
        self._is_spelled = False
        if self.selected_token is not None and self.selected_token >= len(self.ids):
            self.selected_token = None
        self.tokens_changed.emit(None, None)

    def select_token(self, index: int | None) -> None:
        if index != self.selected_token:
            self.selected_token = index
            self.selected_token_changed.emit()

    def hover_token(self, index: int | None) -> None:
        if index != self.hovered_token:
            self.hovered_token = index
            self.hovered_token_changed.emit()

    def token_ids(self, start: int, end: int) -> np.ndarray:
        return self.ids[start:end]

    def tints(self, start: int, end: int) -> np.ndarray:
        return np.arange(len(self.ids), dtype=np.uint8)[start:end] % N_TINTS

    def n_times(self, token_id: int) -> int:
        return self.ids.tolist().count(token_id)

    def span(self, index: int) -> tuple[int, int]:
        return int(self.starts[index]), int(self.ends[index])

    def text_slice(self, start: int, end: int) -> bytes:
        if not self._is_spelled:
            pieces = {token_id: self.vocabulary.token_bytes(token_id) for token_id in set(self.ids.tolist())}
            self._text = b"".join(map(pieces.__getitem__, self.ids.tolist()))
            self._is_spelled = True
        return self._text[start:end]

    def n_characters_before(self, offset: int) -> int:
        return len(self.text_slice(0, offset).decode(errors="replace"))
