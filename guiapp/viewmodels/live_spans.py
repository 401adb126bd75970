"""The tokens of the document at this moment, for whoever paints or lists them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.core.editing.live_encoding import LiveEncoding, Options
from guiapp.core.editing.text_buffer import TextEdit
from guiapp.core.encoding import Encoding
from guiapp.core.errors import EncodeError
from guiapp.core.explain.characters import n_characters
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.tokenizer import Tokenizer
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.text_document import TextDocument
from guiapp.viewmodels.token_layout import SpanWindow

MOST_AT_ONCE = 1 << 15  # bytes around an edit that are encoded in the GUI thread
SMALL = 1 << 17  # bytes that are encoded in no time

NO_IDS = np.zeros(0, np.int32)
NO_OFFSETS = np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class EncodedText:
    """What an encoder made of the whole text, and how long the text is.

    elapsed_ns, timed_bytes  the last whole encoding: its time, and the length of the text then
    """

    token_ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    n_bytes: int
    n_characters: int
    elapsed_ns: int
    timed_bytes: int


NOTHING = EncodedText(NO_IDS, NO_OFFSETS, NO_OFFSETS, 0, 0, 0, 0)


@dataclass(frozen=True, eq=False)
class _Encoded:
    """What a background job delivers."""

    live: LiveEncoding
    elapsed_ns: int


class LiveSpans(QObject):
    """Keeps the spans of a document that is being edited.

    A small edit is encoded at once, together with its neighbourhood.  Where that reaches far, or while
    a model's first encoding is still being made, the old spans stay, moved to where their text is now,
    until a job in the background has encoded the whole text.

    Signals:
        spans_changed(): spans are new or moved.
        encoded(): `encoded_text` is new, and up to date.
        failed(str): why the text cannot be encoded; there are no spans then.
    """

    spans_changed = Signal()
    encoded = Signal()
    failed = Signal(str)

    def __init__(self, document: TextDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._tokenizer: Tokenizer | None = None
        self._options = Options()
        self._n_characters = n_characters(document.text())
        self._text = NOTHING
        self._live: LiveEncoding | None = None
        self.job = LatestJob[_Encoded](self)
        self.job.done.connect(self._take)
        self.job.failed.connect(self._fail)
        document.edited.connect(self._edit)

    @property
    def encoded_text(self) -> EncodedText:
        """The newest encoding, its spans moved along with edits since; valid until the next edit."""
        return self._text

    def use(self, tokenizer: Tokenizer, options: Options) -> None:
        """Encode with another tokenizer or other options from now on."""
        if tokenizer is not self._tokenizer:
            self._show_nothing()  # ids of the old vocabulary mean nothing in the new one
        self._tokenizer, self._options = tokenizer, options
        self.encode_again()

    def encode_again(self) -> None:
        self._live = None
        if self._tokenizer is not None:
            self.job.start(partial(_encode, self._tokenizer, self._document.text(), self._options))

    # What an editor asks

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]."""
        text = self._text
        return SpanWindow(0, text.token_ids, text.starts, text.ends).within(start, end)

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        if self._tokenizer is None:
            return np.zeros(len(ids), np.uint16)
        attributes: NDArray[np.uint16] = self._tokenizer.vocabulary.attributes[ids]
        return attributes

    def label_of(self, token_id: int) -> str:
        """What to call a token that is not in the text."""
        return "" if self._tokenizer is None else visible_text(self._tokenizer.vocabulary.raw_text(token_id))

    def _edit(self, edit: TextEdit) -> None:
        self._n_characters += edit.more_characters
        text = replace(self._text, n_bytes=self._document.size, n_characters=self._n_characters)
        if self._live is not None and _update(self._live, self._document, edit):
            self._show(_with_tokens(text, self._live))
            self.encoded.emit()
            return
        starts, ends = _moved(text.starts, text.ends, edit)
        self._show(replace(text, starts=starts, ends=ends))
        self.encode_again()

    def _take(self, result: _Encoded) -> None:
        self._live = result.live
        n_bytes = self._document.size
        text = replace(NOTHING, n_bytes=n_bytes, n_characters=self._n_characters)
        text = replace(text, elapsed_ns=result.elapsed_ns, timed_bytes=n_bytes)
        self._show(_with_tokens(text, result.live))
        self.encoded.emit()

    def _fail(self, message: str) -> None:
        self._show_nothing()
        self.encoded.emit()
        self.failed.emit(message)

    def _show_nothing(self) -> None:
        """No tokens, but the text is still as long as it is."""
        self._show(replace(NOTHING, n_bytes=self._document.size, n_characters=self._n_characters))

    def _show(self, text: EncodedText) -> None:
        self._text = text
        self.spans_changed.emit()


def _update(live: LiveEncoding, document: TextDocument, edit: TextEdit) -> bool:
    """Encode the neighbourhood of an edit; False where that is too much to do at once, or fails."""
    text = document.view()
    window = live.window(text, edit.start, edit.removed, edit.added)
    if window.end - window.start > MOST_AT_ONCE:
        return False
    try:
        live.update(text, window)
    except EncodeError:
        return False  # the job will fail as well, and say so
    return True


def _with_tokens(text: EncodedText, live: LiveEncoding) -> EncodedText:
    tokens = live.tokens
    return replace(text, token_ids=tokens.ids, starts=tokens.starts, ends=tokens.ends)


def _encode(tokenizer: Tokenizer, text: bytes, options: Options, progress: Progress) -> _Encoded:
    def encode() -> Encoding:
        return tokenizer.encode(text, options.add_special, options.parse_special, options.encoder)

    encoding = encode()
    progress(0.8)
    if len(text) < SMALL:
        encoding = encode()  # the first run may have loaded kernels, and its time would tell of that
    return _Encoded(LiveEncoding(tokenizer, encoding, options), encoding.elapsed_ns)


def _moved(
    starts: NDArray[np.int64], ends: NDArray[np.int64], edit: TextEdit
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where spans of the text before an edit are after it: moved, cut, or left alone.

    New text between two tokens belongs to none; tokens before the whole text stay there.
    """
    removed_end = edit.start + edit.removed
    stays = ends == 0
    new_starts = np.where(
        (starts >= removed_end) & ~stays, starts + edit.shift, np.minimum(starts, edit.start)
    )
    new_ends = np.where(ends > removed_end, ends + edit.shift, np.minimum(ends, edit.start))
    return new_starts, np.maximum(new_starts, new_ends)
