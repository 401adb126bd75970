"""Token ids that come from elsewhere, such as a server, as somebody pastes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.analysis.explain.id_lists import IdsError, ListedId, listed_ids
from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens
from guiapp.core.text.character_starts import code_points, sizes_in_bytes
from guiapp.core.text.common_ends import common_ends
from guiapp.core.text.figures import in_bytes
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.live_spans import move_spans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.spans.layout import SpanWindow
from guiapp.kit.state.background import LatestJob, Progress

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

LARGEST_TEXT_BYTES = 1 << 26  # that ids stand for; a few of a file made for it may stand for any number
NO_ID = -1  # of what is written but is no id


@dataclass(frozen=True, eq=False)
class ReadIds:
    """What a list says, up to the first mistake in it.

    token_ids  int32[n]
    numbers    the same and where they are written, NO_ID where the mistake is
    text       what the tokens stand for
    tokens     the same and where in `text` they are; control tokens at its ends are before and behind it
    error      what the mistake is, "" for none
    """

    token_ids: NDArray[np.int32]
    numbers: FragmentTokens
    text: bytes
    tokens: FragmentTokens
    error: str = ""


class ListedSpans(QObject):
    """A `SpanSource` of tokens that somebody else finds.

    Signals:
        tokens_changed(TextEdit | None, TokenStore): as of a `ModelSession`.
    """

    tokens_changed = Signal(object, object)

    def __init__(self, document: TextDocument, model: ModelSession, parent: QObject) -> None:
        super().__init__(parent)
        self.document = document
        self.spelling = model.spelling
        self._model = model
        self._coming: FragmentTokens | None = None
        self.tokens = TokenStore(NO_TOKENS, document.size)
        document.written.connect(self._on_written)
        document.edited.connect(self._notify)

    @property
    def tokenizer(self) -> Tokenizer | None:
        return self._model.tokenizer

    @property
    def vocabulary(self) -> Vocabulary | None:
        return self._model.vocabulary

    def show(self, tokens: FragmentTokens, text: bytes) -> None:
        """Show a text with these tokens; what is the same as before stays where it is on screen."""
        before = self.document.text()
        if text == before:
            self.tokens = TokenStore(tokens, len(text))
            self._notify()
            return
        self._coming = tokens
        start, n_behind = common_ends(before, text)
        self.document.replace(start, len(before) - n_behind, text[start : len(text) - n_behind])

    def spans_in(self, start: int, end: int) -> SpanWindow:
        first, last = self.tokens.first_ending_from(start), self.tokens.first_after(end)
        return SpanWindow(first, *self.tokens.between(first, last))

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        attributes = self._model.attributes_of(np.maximum(ids, 0))
        return np.where(ids < 0, np.uint16(Attribute.UNKNOWN.value), attributes)

    def label_of(self, token_id: int) -> str:
        return "no id" if token_id < 0 else self._model.label_of(token_id)

    def exact_instead(self, index: int) -> None:
        """No encoder has made these."""

    def _on_written(self, edit: TextEdit) -> None:
        if self._coming is None:
            move_spans(self.tokens, edit)
        else:
            self.tokens, self._coming = TokenStore(self._coming, self.document.size), None

    def _notify(self, edit: TextEdit | None = None) -> None:
        self.tokens_changed.emit(edit, self.tokens)


class PastedIds(QObject):
    """A list of ids, in any form that `parse_ids` takes, and its tokens by the model's vocabulary.

    text     the list, to edit; it stays when another model is opened
    numbers  the ids where they are written in it
    decoded  what they stand for

    Signals:
        changed(): `read` is new; None where no model is open.
        busy_changed(): `is_busy` is new.
    """

    changed = Signal()
    busy_changed = Signal()

    def __init__(self, model: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.text = TextSession(parent=self)
        self.numbers = ListedSpans(self.text.document, model, self)
        self.decoded = ListedSpans(TextDocument(parent=self), model, self)
        self.read: ReadIds | None = None
        self._job = LatestJob[ReadIds](self, self._take)
        self._job.busy_changed.connect(self.busy_changed)
        self.text.document.edited.connect(self._read)
        model.vocabulary_changed.connect(self._reread)

    @property
    def is_busy(self) -> bool:
        """Whether the list is newer than `read`."""
        return self._job.is_busy

    def stop(self) -> None:
        """Give up work in the background, and wait for it."""
        self._job.wait()
        self.text.close()

    def _reread(self) -> None:
        """The old ids mean nothing any more."""
        self.read = None
        document = self.text.document
        self.numbers.show(NO_TOKENS, document.text())
        self.decoded.show(NO_TOKENS, b"")
        self.changed.emit()
        self._read()

    def _read(self) -> None:
        if (vocabulary := self._model.vocabulary) is not None:
            self._job.start(partial(_read, vocabulary, self.text.document.text()))

    def _take(self, read: ReadIds) -> None:
        self.read = read
        self.numbers.show(read.numbers, self.text.document.text())
        self.decoded.show(read.tokens, read.text)
        self.changed.emit()


def _read(vocabulary: Vocabulary, written: bytes, progress: Progress) -> ReadIds:
    text = written.decode("utf-8", "surrogateescape")
    listed, error = [], ""
    try:
        for each in listed_ids(text, len(vocabulary)):
            listed.append(each)
    except IdsError as caught:
        error = str(caught)
        listed.append(ListedId(NO_ID, caught.start, caught.end))
    ids, starts, ends = np.array(listed, np.int64).reshape(-1, 3).T
    offsets = _byte_offsets(text)
    numbers = FragmentTokens(ids.astype(np.int32), offsets[starts], offsets[ends])
    token_ids = numbers.ids[: len(listed) - bool(error)]
    progress(0.5)
    return _decoded(vocabulary, token_ids, numbers, error)


def _decoded(
    vocabulary: Vocabulary, token_ids: NDArray[np.int32], numbers: FragmentTokens, error: str
) -> ReadIds:
    lengths = np.diff(vocabulary.token_bytes_table[1])[token_ids]
    is_text = np.flatnonzero((vocabulary.attributes[token_ids] & Attribute.CONTROL.value) == 0)
    first, last = (int(is_text[0]), int(is_text[-1]) + 1) if len(is_text) else (len(token_ids),) * 2
    lengths[:first] = lengths[last:] = 0
    ends = np.cumsum(lengths)
    n_bytes = int(ends[-1]) if len(ends) else 0
    if n_bytes > LARGEST_TEXT_BYTES:
        error = f"These ids stand for {in_bytes(n_bytes)} of text, more than can be shown. Paste fewer."
        return ReadIds(token_ids[:0], numbers, b"", NO_TOKENS, error)
    text = vocabulary.decoder.decode(token_ids[first:last], n_bytes).tobytes()
    return ReadIds(token_ids, numbers, text, FragmentTokens(token_ids, ends - lengths, ends), error)


def _byte_offsets(text: str) -> NDArray[np.int64]:
    """int64[n + 1]: where the characters of a text begin in its bytes, and where the last one ends."""
    if text.isascii():
        return np.arange(len(text) + 1)
    return np.append(0, np.cumsum(sizes_in_bytes(code_points(text))))
