"""A dialog that decodes pasted token ids and inserts their text into the document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QCheckBox, QDialog, QPlainTextEdit, QTextEdit, QWidget

from guiapp.analysis.explain.id_lists import NO_IDS, IdsError, parse_ids
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import EncodeError
from guiapp.kit.document.document import n_units
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Background, Progress
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.theme import MARGIN_PX, UI_FONT_PX, Theme, ThemeSource, heading, plain_label

SHOWN_ROWS = 4
LONGEST_TOKEN = 60  # characters that are shown
MOST_TOKENS = 500
MOST_CHARACTERS = 200_000


@dataclass(frozen=True, eq=False)
class Decoded:
    """The parsed ids and their text, or an error.

    error       for the user; empty if there is none
    error_span  the erroneous part of the pasted text
    """

    token_ids: NDArray[np.int32] = field(default_factory=lambda: NO_IDS)
    decoded: bytes = b""
    error: str = ""
    error_span: tuple[int, int] | None = None


class DecodeInput(NamedTuple):
    """The pasted text and the options.

    remove_special   whether to remove BOS at the start and EOS at the end
    unparse_special  whether to write control tokens as their text; otherwise they are omitted
    """

    text: str = ""
    remove_special: bool = False
    unparse_special: bool = True


def _decode(tokenizer: Tokenizer, given: DecodeInput, progress: Progress) -> Decoded:
    try:
        token_ids = parse_ids(given.text, len(tokenizer.vocabulary))
        progress(0.5)
        return Decoded(token_ids, tokenizer.decode_bytes(token_ids, *given[1:]))
    except IdsError as error:
        return Decoded(error=str(error), error_span=(error.start, error.end))
    except EncodeError as error:
        return Decoded(error=str(error))


class DecodeDialog(QDialog):
    """Ids at the top, their text decoded by the session's tokenizer below, and buttons to use it.

    decoded  the result for the entered ids, once available; see `outcome`

    Signals:
        insert_requested(bytes): insert this text at the caret.
        replace_requested(bytes): replace the whole text with this text.
    """

    insert_requested = Signal(object)
    replace_requested = Signal(object)

    def __init__(
        self, session: ModelSession, theme_source: ThemeSource, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._theme_source = session, theme_source
        self._given = DecodeInput()
        self.decoded = Background[Decoded](self, self._decoding, is_watched=True)
        self.setWindowTitle("Decode token ids")
        self._ids = _editor("Token ids")
        self._ids.setPlaceholderText("128000 9906 11 1917    [1, 2, 3]    int tokens[] = {1, 2, 3};")
        self._ids.setTabChangesFocus(True)
        self._error = plain_label("bad", wraps=True)
        self._remove = QCheckBox("remove BOS and EOS")
        self._unparse = QCheckBox("write control tokens as text")
        self._unparse.setChecked(self._given.unparse_special)
        self._text = _editor("Decoded text")
        self._text.setReadOnly(True)
        self._tokens = StyledText(Theme.mono_font(UI_FONT_PX), SHOWN_ROWS, "Tokens")
        self._n_tokens = heading("Tokens")
        self._copy = push_button("Copy text", self._copy_text)
        self._insert = push_button("Insert into text", self._request_insert, role="primary")
        self._replace = push_button("Replace text", self._request_replace, role="raised")
        self._insert.setDefault(True)
        in_column(
            *(heading("Token ids"), (self._ids, 2), self._error),
            in_row(self._remove, self._unparse, STRETCH),
            *(heading("Text"), (self._text, 3), self._n_tokens, self._tokens),
            in_row(self._copy, STRETCH, self._replace, self._insert),
            on=self,
            margins=MARGIN_PX,
        )
        self.resize(620, 560)
        for changed in (self._ids.textChanged, self._remove.toggled, self._unparse.toggled):
            changed.connect(self._read_ids)
        self.decoded.changed.connect(self._on_changed)
        session.vocabulary_changed.connect(self._decode)
        for changed in (session.spelling.changed, theme_source.changed):
            changed.connect(self._show_result)
        self._show_result()

    @property
    def outcome(self) -> Decoded:
        if self._session.tokenizer is None:
            return Decoded(error="Open a model first: ids have no meaning without its vocabulary.")
        return self.decoded.value or Decoded()

    def paste(self) -> None:
        """Open with the contents of the clipboard."""
        self._ids.setPlainText(QGuiApplication.clipboard().text())
        self.show()
        self.raise_()
        self._ids.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Restore the position: Qt forgets the window's frame, and would reopen it lower by its title bar."""
        super().hideEvent(event)
        self.move(self.pos())

    def _read_ids(self) -> None:
        switches = self._remove.isChecked(), self._unparse.isChecked()
        given = DecodeInput(self._ids.toPlainText(), *switches)
        if given != self._given:
            self._given = given
            self._decode()

    def _decode(self) -> None:
        self.decoded.refresh()
        self._on_changed()

    def _decoding(self) -> partial[Decoded] | None:
        tokenizer = self._session.tokenizer
        return partial(_decode, tokenizer, self._given) if tokenizer and self._given.text else None

    def _on_changed(self) -> None:
        if self.decoded.is_busy:
            self._enable_buttons()
        else:
            self._show_result()

    def _show_result(self) -> None:
        text = self.outcome.decoded.decode("utf-8", "replace")
        cut = text[:MOST_CHARACTERS] + ("…" if len(text) > MOST_CHARACTERS else "")
        self._text.setPlainText(cut)
        token_ids = self.outcome.token_ids
        self._tokens.set_spans(self._token_spans(token_ids[:MOST_TOKENS].tolist()))
        first = f", FIRST {MOST_TOKENS} SHOWN" if len(token_ids) > MOST_TOKENS else ""
        self._n_tokens.setText(f"{len(token_ids):,} TOKENS{first}")
        self._error.setText(self.outcome.error)
        self._error.setVisible(bool(self.outcome.error))
        self._mark_error()
        self._enable_buttons()

    def _token_spans(self, token_ids: list[int]) -> Iterator[Span]:
        theme, vocabulary = self._theme_source.theme, self._session.vocabulary
        for number, token_id in enumerate(token_ids if vocabulary else ()):
            assert vocabulary is not None
            text = self._session.spelling.now.token(vocabulary, token_id, LONGEST_TOKEN)
            is_control = bool(vocabulary.effective_attributes[token_id] & Attribute.CONTROL)
            color, ground = (
                (theme.control, None) if is_control else (theme.span_text, theme.span_color(number))
            )
            yield Span(isolate(text), color, ground)
            yield Span(" ", theme.dim)

    def _enable_buttons(self) -> None:
        for button in (self._copy, self._insert, self._replace):
            button.setEnabled(bool(self.outcome.decoded) and not self.decoded.is_busy)

    def _mark_error(self) -> None:
        if (error_span := self.outcome.error_span) is None:
            self._ids.setExtraSelections([])
            return
        mark, cursor, bad = QTextEdit.ExtraSelection(), self._ids.textCursor(), self._theme_source.theme.bad
        start, end = (n_units(self._given.text[:at]) for at in error_span)
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        mark.cursor = cursor
        mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        mark.format.setUnderlineColor(bad)
        mark.format.setForeground(bad)
        self._ids.setExtraSelections([mark])

    def _copy_text(self) -> None:
        n_ids = len(self.outcome.token_ids)
        copy_text(self, self.outcome.decoded, f"the text of {counted(n_ids, 'id')}")

    def _request_insert(self) -> None:
        self.insert_requested.emit(self.outcome.decoded)
        self.accept()

    def _request_replace(self) -> None:
        self.replace_requested.emit(self.outcome.decoded)
        self.accept()


def _editor(name: str) -> QPlainTextEdit:
    editor = QPlainTextEdit()
    editor.setAccessibleName(name)
    editor.setFont(Theme.mono_font(UI_FONT_PX))
    return editor
