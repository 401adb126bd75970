"""A tokenizer for tests of the editor: each word, with the space before it, is one token."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.layout import SpanWindow

WORDS = re.compile(rb"<\|\w+\|>| ?[A-Za-z]+| ?[0-9]+|[ \t]+|[\x80-\xff]{2}|.", re.DOTALL)
BOS, EOS, WORD, CONTROL, USER, BYTE, UNKNOWN = range(7)
ATTRIBUTES = np.array(
    [
        Attribute.CONTROL,
        Attribute.CONTROL,
        Attribute.NORMAL,
        Attribute.CONTROL,
        Attribute.USER_DEFINED,
        Attribute.BYTE,
        Attribute.UNKNOWN,
    ],
    np.uint16,
)
LABELS = {BOS: "<|begin_of_text|>", EOS: "<|end_of_text|>"}


class FakeSpans(QObject):
    """Tokenizes the whole text again after each edit.  Non-ASCII bytes are grouped in pairs."""

    tokens_changed = Signal(object, object)

    def __init__(self, document: TextDocument) -> None:
        super().__init__()
        self._document = document
        self.adds_special = True
        self.special: dict[bytes, int] = {}
        document.written.connect(self._follow)
        document.edited.connect(self._tell)
        self._follow()

    def tokenize(self) -> None:
        self._follow()
        self._tell()

    def _tell(self, edit: TextEdit | None = None) -> None:
        self.tokens_changed.emit(edit, None)

    def _follow(self) -> None:
        text = self._document.text()
        spans = [match.span() for match in WORDS.finditer(text)]
        ids = [self._id_of(text[start:end]) for start, end in spans]
        if self.adds_special:
            spans = [(0, 0), *spans, (len(text), len(text))]
            ids = [BOS, *ids, EOS]
        columns = np.array(spans, np.int64).reshape(-1, 2)
        self.ids = np.array(ids, np.int32)
        self.starts, self.ends = columns[:, 0].copy(), columns[:, 1].copy()
        self.tints = (np.arange(len(ids)) % N_TINTS).astype(np.uint8)

    def _id_of(self, word: bytes) -> int:
        if word.startswith(b"<|"):
            return CONTROL
        return self.special.get(word, WORD)

    def spans_in(self, start: int, end: int) -> SpanWindow:
        return SpanWindow(0, self.ids, self.starts, self.ends, self.tints).within(start, end)

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        return ATTRIBUTES[ids]

    def label_of(self, token_id: int) -> str:
        return LABELS.get(token_id, f"token {token_id}")
