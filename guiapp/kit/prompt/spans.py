"""The tokens of a prompt as a text with colours by origin, and the origin of a token in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from guiapp.analysis.chat.as_text import is_control
from guiapp.analysis.chat.chat import ADDED, TokenOrigin
from guiapp.analysis.chat.traced import CHANGED, CONTENT
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.encoding import NO_TOKENS, FragmentTokens
from guiapp.core.text.normalized import common_ends
from guiapp.core.text.numbers_in_words import quoted
from guiapp.kit.document.document import TextDocument
from guiapp.kit.prompt.shown import ShownPrompt
from guiapp.kit.spans.layout import SpanWindow
from guiapp.kit.spans.source import TokenizedText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guiapp.core.encode.tokenizer import Tokenizer

LONGEST_ROLE = 24


class ChatSpans(TokenizedText):
    """The tokens of the model's prompt.

    by_origin  whether colours show the origin of tokens, or only separate them
    turns      int64[k]: the bytes where turns begin, each repeated once for each empty row before it
    controls   int64[c, 2]: the bytes of each control token
    """

    def __init__(self, model: ShownPrompt, parent: QObject | None = None) -> None:
        session = model.session
        super().__init__(TextDocument(), session, session.spelling, TokenStore(NO_TOKENS, 0), parent)
        self._chat_model = model
        self.by_origin = True
        self.turns = np.zeros(0, np.int64)
        self.controls = np.zeros((0, 2), np.int64)
        self._looks = np.zeros(0, np.uint8)
        model.result_changed.connect(self._refresh)

    @property
    def tokenizer(self) -> Tokenizer | None:
        return self._chat_model.tokenizer

    def leave_rows(self, starts: Sequence[int], n_rows: Sequence[int]) -> None:
        """Leave `n_rows` empty rows before the turns that begin at these bytes."""
        self.turns = np.repeat(np.array(starts, np.int64), n_rows)

    def show_by_origin(self, by_origin: bool) -> None:
        if by_origin != self.by_origin:
            self.by_origin = by_origin
            self.notify()

    def spans_in(self, start: int, end: int) -> SpanWindow:
        window = super().spans_in(start, end)
        last = window.first_index + len(window.ids)
        return window._replace(tints=self._looks[window.first_index : last]) if self.by_origin else window

    def _refresh(self) -> None:
        """Replace only the part of the prompt that differs, so that the rest keeps its position."""
        encoding, chat, vocabulary = self._chat_model.encoding, self._chat_model.chat, self.vocabulary
        text, tokens = b"", NO_TOKENS
        self.turns, self.controls = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
        if encoding is not None and vocabulary is not None:
            text, tokens = encoding.text_bytes, FragmentTokens(encoding.token_ids, *encoding.spans.T)
            firsts = [] if chat is None else [turn.start for turn in chat.turns]
            starts = encoding.spans[np.array(firsts, np.int64), 0]
            self.turns = np.unique(starts[(starts > 0) & (starts < len(text))])
            self.controls = encoding.spans[is_control(vocabulary)[encoding.token_ids]]
        self._tokens = TokenStore(tokens, len(text))
        if self._chat_model.shown is not None:
            self._looks = self._chat_model.shown.token_tints
        edit, before = None, self.document.text()
        if text != before:
            start, n_behind = common_ends(before, text)
            lengths = len(before) - start - n_behind, len(text) - start - n_behind
            edit = TextEdit(start, *lengths, len(text.decode()) - len(before.decode()))
            self.document.set_text(text)
        self.notify(edit)


def origin_descriptions(origin: TokenOrigin) -> list[str]:
    """The origin of a token in words, in several lengths, the longest first."""
    if origin.kind == ADDED:
        return ["added by the tokenizer, not by the template", "added"]
    if not origin.is_content:
        whom = "" if origin.message is None else f", for message {origin.message + 1}"
        return [f"from the template{whom}", "template"]
    role = quoted(origin.role, LONGEST_ROLE)
    owner = "a tool" if origin.message is None else f"message {origin.message + 1}, {role}"
    field = "its text" if origin.field in ("", "content") else quoted(origin.field)
    parts, shorter = [owner], list[str]()
    if origin.kind == CONTENT:
        parts.append(f"characters {origin.start:,}–{origin.end:,} of {field}")
        shorter.append(f"{owner} · characters {origin.start:,}–{origin.end:,}")
    elif origin.kind == CHANGED:
        parts.append(f"made from {field}")
    if origin.is_mixed:
        parts.append("with adjacent text")
    return [" · ".join(parts), *shorter, owner]


def line_of(origin: TokenOrigin) -> str:
    """A phrase with the line of the template that wrote a token; "" if none did."""
    return f"written by line {origin.line}" if origin.line else ""
