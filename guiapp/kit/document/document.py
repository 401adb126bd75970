"""The text being edited, with caret and selection, and conversions from UTF-16."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTextBoundaryFinder, Signal

from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.text.normalized import LONGEST_CHARACTER, character_start, decode, encode
from guiapp.core.text.visible_text import invisible_runs

FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")  # two regional indicators: the flag of a country
UNTORN = "\U00010000\U000101fd"  # a letter and a combining mark, in place of a flag
WINDOW_BYTES = 512  # how far the end of a grapheme or word is searched for
STAND_INS = "□", "□□"  # for one and two UTF-16 units; Qt 6.11 miscounts surrogate pairs before Indic letters
LOW_SURROGATES = b"\xdc", b"\xdd", b"\xde", b"\xdf"  # the high bytes of second units
Boundary = QTextBoundaryFinder.BoundaryType
BYTE_ORDER_MARKS = ("\ufeff", "\ufffe")  # Qt drops both at the start; the second one swaps all bytes


class TextDocument(QObject):
    """Editable bytes with undo; all offsets count bytes.

    buffer        the storage, read-only: only the document's own methods may change it
    n_characters  the length of the whole text in characters
    text, view, slice, line_of, line_start, n_characters_before  methods of the buffer

    caret         its offset
    anchor        the offset where the selection began; the same as `caret` if nothing is selected

    Signals:
        written(TextEdit): the text changed; only for objects that follow the text and emit nothing yet.
        edited(TextEdit): the text, and all objects that follow it, changed; emitted at once per edit.
        selection_changed(): `caret` or `anchor` is new.
        undo_changed(): `can_undo` or `can_redo` is new.
    """

    written = Signal(object)
    edited = Signal(object)
    selection_changed = Signal()
    undo_changed = Signal()

    def __init__(self, data: bytes = b"", parent: QObject | None = None) -> None:
        super().__init__(parent)
        buffer = self.buffer = TextBuffer(data)
        self.text, self.view, self.slice = buffer.text, buffer.view, buffer.slice
        self.line_of, self.line_start = buffer.line_of, buffer.line_start
        self.n_characters_before = buffer.n_characters_before
        self.n_characters = n_characters(data)
        self.caret = 0
        self.anchor = 0

    @property
    def size(self) -> int:
        return len(self.buffer)

    # Lines

    @property
    def n_lines(self) -> int:
        return self.buffer.n_lines

    def line_span(self, line: int) -> tuple[int, int]:
        """Start and end of a line, its newline included."""
        end = self.line_start(line + 1) if line + 1 < self.n_lines else self.size
        return self.line_start(line), end

    # Caret and selection

    @property
    def selection(self) -> tuple[int, int]:
        return min(self.caret, self.anchor), max(self.caret, self.anchor)

    @property
    def has_selection(self) -> bool:
        return self.caret != self.anchor

    def set_caret(self, offset: int, extend: bool = False) -> None:
        """Move the caret to the start of a character; `extend` leaves the anchor where it is."""
        caret = self.caret_stop(offset)
        self.select(self.anchor if extend else caret, caret)

    def select(self, anchor: int, caret: int) -> None:
        anchor, caret = self.caret_stop(anchor), self.caret_stop(caret)
        self.buffer.end_undo_step()
        if (anchor, caret) != (self.anchor, self.caret):
            self.anchor, self.caret = anchor, caret
            self.selection_changed.emit()

    def select_all(self) -> None:
        self.select(0, self.size)

    # Editing

    def set_text(self, data: bytes) -> None:
        """Replace the whole text; this cannot be undone."""
        self._change(partial(self.buffer.set_text, data), 0)

    def replace(self, start: int, end: int, new: bytes) -> None:
        """Replace [start, end) with `new`; the caret moves to the end of `new`."""
        if start == end and not new:
            return
        self._change(partial(self.buffer.replace, start, end, new), start + len(new))

    def insert(self, new: bytes) -> None:
        """Type: insert `new` at the caret, or replace the selection."""
        self.replace(*self.selection, new)

    def erase_to(self, offset: int) -> None:
        """Erase the selection; without one, the text between the caret and `offset`."""
        start, end = self.selection
        if start == end:
            start, end = min(offset, end), max(offset, end)
        self.replace(start, end, b"")

    @property
    def can_undo(self) -> bool:
        return self.buffer.can_undo

    @property
    def can_redo(self) -> bool:
        return self.buffer.can_redo

    def undo(self) -> None:
        if self.can_undo:
            self._change(self.buffer.undo)

    def redo(self) -> None:
        if self.can_redo:
            self._change(self.buffer.redo)

    def _change(self, change: Callable[[], TextEdit], caret: int | None = None) -> None:
        """Apply a change and emit the signals; by default the caret moves to the end of the new text."""
        undo_before = self.can_undo, self.can_redo
        edit = change()
        if caret is None:
            caret = edit.start + edit.added
        moved = (caret, caret) != (self.anchor, self.caret)
        self.anchor = self.caret = caret
        self.n_characters += edit.more_characters
        self.written.emit(edit)
        self.edited.emit(edit)
        self.buffer.text_before = None  # all listeners have used it by now
        if moved:
            self.selection_changed.emit()
        if undo_before != (self.can_undo, self.can_redo):
            self.undo_changed.emit()

    # Characters, graphemes and words

    def character_start(self, offset: int) -> int:
        """The start of the character that contains `offset`, clamped to the text."""
        offset = max(0, min(offset, self.size))
        first = max(0, offset - LONGEST_CHARACTER + 1)
        return first + character_start(self.slice(first, offset + LONGEST_CHARACTER), offset - first)

    def caret_stop(self, offset: int) -> int:
        """The valid caret position at or before `offset`: not within a character, nor within CRLF."""
        start = self.character_start(offset)
        return start - 1 if start and self.slice(start - 1, start + 1) == b"\r\n" else start

    def whole_characters(self, start: int, end: int) -> tuple[int, int]:
        """Extend a span to caret positions: no caret stands within a character."""
        last = self.caret_stop(end)
        return self.caret_stop(start), last if last == end else self.next_grapheme(last)

    def next_grapheme(self, offset: int) -> int:
        """The end of the grapheme after `offset`; CRLF is one.

        So is each invisible character that is not part of an emoji: it has its own chip.
        """
        text = self._text_after(offset)
        finder = _graphemes(text)
        return offset + _byte_length(text, _whole_character(_for_qt(text), finder.toNextBoundary))

    def previous_grapheme(self, offset: int) -> int:
        text, start = self._text_before(offset)
        finder = _graphemes(text)
        finder.toEnd()
        return start + _byte_length(text, _whole_character(_for_qt(text), finder.toPreviousBoundary))

    def next_word(self, offset: int) -> int:
        """The start of the next word, or the next end of a line."""
        text = self._text_after(offset)
        finder = QTextBoundaryFinder(Boundary.Word, _for_qt(text))
        at = finder.toNextBoundary()
        while at >= 0 and not _starts_word(finder) and not _is_newline(text, at):
            at = finder.toNextBoundary()
        return offset + _byte_length(text, at)

    def previous_word(self, offset: int) -> int:
        """The start of the previous word, or the end of the previous line."""
        text, start = self._text_before(offset)
        finder = QTextBoundaryFinder(Boundary.Word, _for_qt(text))
        finder.toEnd()
        at = finder.toPreviousBoundary()
        while at > 0 and not _starts_word(finder) and not _is_newline(text, at):
            at = finder.toPreviousBoundary()
        return start + _byte_length(text, max(at, 0))

    def word_span(self, offset: int) -> tuple[int, int]:
        """The word, run of spaces or symbol that contains the character at `offset`."""
        before, start = self._text_before(offset)
        text = before + self._text_after(offset)
        finder = QTextBoundaryFinder(Boundary.Word, _for_qt(text))
        finder.setPosition(n_units(before))
        left = finder.position() if finder.isAtBoundary() else finder.toPreviousBoundary()
        finder.setPosition(n_units(before))
        right = finder.toNextBoundary()
        return start + _byte_length(text, max(left, 0)), start + _byte_length(text, right)

    def _text_after(self, offset: int) -> str:
        return decode(self.slice(offset, self.character_start(offset + WINDOW_BYTES)))

    def _text_before(self, offset: int) -> tuple[str, int]:
        start = self.character_start(max(0, offset - WINDOW_BYTES))
        return decode(self.slice(start, offset)), start


def _graphemes(text: str) -> QTextBoundaryFinder:
    return QTextBoundaryFinder(Boundary.Grapheme, _for_qt(with_untorn_flags(_with_stand_ins(text))))


def _for_qt(text: str) -> str:
    """Replace initial byte order marks and invalid bytes by U+FFFD: a QString cannot hold them."""
    if text.startswith(BYTE_ORDER_MARKS):
        text = "\ufffd" + text[1:]
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _with_stand_ins(text: str) -> str:
    """Replace the characters that have a chip with stand-ins of as many UTF-16 units."""
    parts: list[str] = []
    at = 0
    for run in invisible_runs(text):
        parts += text[at : run.start()], *(STAND_INS[character > "\uffff"] for character in run[0])
        at = run.end()
    return "".join((*parts, text[at:]))


def _whole_character(text: str, move: Callable[[], int]) -> int:
    """Move a finder; skip the stop between two stand-ins that represent one character."""
    at = move()
    return move() if text.encode("utf-16-le")[2 * at + 1 : 2 * at + 2] in LOW_SURROGATES else at


def _byte_length(text: str, utf16_end: int) -> int:
    """The byte length of the first `utf16_end` units of a text; of all of it for -1 (Qt: no boundary)."""
    if utf16_end < 0:
        return len(encode(text))
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * utf16_end]
    return len(encode(units.decode("utf-16-le", "surrogatepass")))


def _starts_word(finder: QTextBoundaryFinder) -> bool:
    return bool(finder.boundaryReasons() & QTextBoundaryFinder.BoundaryReason.StartOfItem)


def _is_newline(text: str, utf16_at: int) -> bool:
    after = text.encode("utf-16-le", "surrogatepass")[2 * utf16_at : 2 * utf16_at + 4]
    return after.startswith(b"\n\0") or after == b"\r\0\n\0"


def n_units(text: str) -> int:
    """The number of UTF-16 units, which Qt counts in: two for each character beyond U+FFFF."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def with_untorn_flags(text: str) -> str:
    """Replace flags at equal UTF-16 length: QTextBoundaryFinder (Qt 6.11) splits flags after other emoji."""
    return FLAG.sub(UNTORN, text)
