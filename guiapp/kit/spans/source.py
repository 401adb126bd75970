"""The tokens of a text as editors, menus and tool tips read them, in any colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.layout import SpanWindow

if TYPE_CHECKING:
    from guiapp.analysis.editing.text_buffer import TextEdit
    from guiapp.analysis.editing.token_store import TokenStore
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.core.vocabulary.vocabulary import Vocabulary
    from guiapp.kit.document.document import TextDocument
    from guiapp.kit.document.live_spans import Instead
    from guiapp.kit.state.settings import SharedSpelling

NO_ID = -1  # for text that has no id


class TokenizedText(QObject):
    """The tokens of a document, with ids of `model`'s vocabulary; a `SpanSource`.

    document  the text
    spelling  the spelling of tokens

    Signals:
        tokens_changed(TextEdit | None, TokenStore): the tokens or their colours are new; with the edit, if
            one caused the change.
    """

    tokens_changed = Signal(object, object)

    def __init__(
        self,
        document: TextDocument,
        model: TokenizedText | None,
        spelling: SharedSpelling,
        tokens: TokenStore | None = None,
        parent: QObject | None = None,
    ) -> None:
        """Without `tokens`, use those of the model."""
        super().__init__(parent)
        self.document = document
        self.spelling = spelling
        self._model = model
        self._tokens = tokens

    @property
    def tokenizer(self) -> Tokenizer | None:
        return None if self._model is None else self._model.tokenizer

    @property
    def vocabulary(self) -> Vocabulary | None:
        return None if self.tokenizer is None else self.tokenizer.vocabulary

    @property
    def tokens(self) -> TokenStore:
        """The tokens of the text; read-only, valid until the next `tokens_changed`."""
        if self._tokens is not None or self._model is None:
            assert self._tokens is not None
            return self._tokens
        return self._model.tokens

    def notify(self, edit: TextEdit | None = None) -> None:
        self.tokens_changed.emit(edit, self.tokens)

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]."""
        tokens = self.tokens
        first, last = tokens.first_ending_from(start), tokens.first_after(end)
        return SpanWindow(first, *tokens.between(first, last))

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        """The `Attribute` bits of token ids; NO_ID is unknown."""
        if self.vocabulary is None:
            return np.zeros(len(ids), np.uint16)
        attributes: NDArray[np.uint16] = self.vocabulary.effective_attributes[ids]
        attributes[ids < 0] = Attribute.UNKNOWN.value
        return attributes

    def label_of(self, token_id: int) -> str:
        """The spelling of a token; "" without a vocabulary."""
        if self.vocabulary is None:
            return ""
        return "no id" if token_id < 0 else self.spelling.now.token(self.vocabulary, token_id)

    def exact_instead(self, index: int) -> Instead | None:
        """The exact encoder's tokens in place of one; None if it produces the same, or is unknown."""
        return None
