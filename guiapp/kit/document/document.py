"""The text that is being edited, with caret and selection, and its conversion from UTF-16."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTextBoundaryFinder, Signal

from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.text.normalized import LONGEST_CHARACTER, character_start, decode, encode
from guiapp.core.text.visible_text import invisible_runs

FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")  # of a country
UNTORN = "\U00010000\U000101fd"  # a letter and a mark on it, in place of a flag
WINDOW_BYTES = 512  # how far a grapheme or a word is followed
STAND_INS = "□", "□□"  # for one UTF-16 unit, and for two; Qt 6.11 miscounts signs of two before Indic letters
LOW_SURROGATES = b"\xdc", b"\xdd", b"\xde", b"\xdf"  # the greater bytes of second units
Boundary = QTextBoundaryFinder.BoundaryType
BYTE_ORDER_MARKS = ("\ufeff", "\ufffe")  # in front, Qt takes them away; the second swaps what follows


class TextDocument(QObject):
    """Editable bytes with undo; all offsets count bytes.

    buffer        the storage, to read from: only the document's own methods may change it
    n_characters  of the whole text
    text, view, slice, line_of, line_start, n_characters_before  those of the buffer

    caret         where it is
    anchor        where the selection began; the same as `caret` if nothing is selected

    Signals:
        written(TextEdit): the text is new; for what is kept in step with it, which tells nobody of it yet.
        edited(TextEdit): the text is new, and all that is kept in step with it; sent at once, each time.
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
        """Move the caret, to the start of a character; `extend` leaves the anchor behind."""
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
        """Begin anew with another text, without a way back."""
        self._change(partial(self.buffer.set_text, data), 0)

    def replace(self, start: int, end: int, new: bytes) -> None:
        """Put `new` where [start, end) is; the caret ends up behind it."""
        if start == end and not new:
            return
        self._change(partial(self.buffer.replace, start, end, new), start + len(new))

    def insert(self, new: bytes) -> None:
        """Type: put `new` at the caret, or where the selection is."""
        self.replace(*self.selection, new)

    def erase_to(self, offset: int) -> None:
        """Erase the selection; without one, what lies between the caret and `offset`."""
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
        """Have the text edited and say so; the caret goes behind what is new where no place is named."""
        undo_before = self.can_undo, self.can_redo
        edit = change()
        if caret is None:
            caret = edit.start + edit.added
        moved = (caret, caret) != (self.anchor, self.caret)
        self.anchor = self.caret = caret
        self.n_characters += edit.more_characters
        self.written.emit(edit)
        self.edited.emit(edit)
        self.buffer.text_before = None  # whoever needs it has it
        if moved:
            self.selection_changed.emit()
        if undo_before != (self.can_undo, self.can_redo):
            self.undo_changed.emit()

    # Characters, graphemes and words

    def character_start(self, offset: int) -> int:
        """The start of the character that `offset` lies in, within the text."""
        offset = max(0, min(offset, self.size))
        first = max(0, offset - LONGEST_CHARACTER + 1)
        return first + character_start(self.slice(first, offset + LONGEST_CHARACTER), offset - first)

    def caret_stop(self, offset: int) -> int:
        """Where a caret at `offset` may stand: not within a character, nor within CRLF."""
        start = self.character_start(offset)
        return start - 1 if start and self.slice(start - 1, start + 1) == b"\r\n" else start

    def whole_characters(self, start: int, end: int) -> tuple[int, int]:
        """What can be selected of a stretch: no caret stands within a character."""
        last = self.caret_stop(end)
        return self.caret_stop(start), last if last == end else self.next_grapheme(last)

    def next_grapheme(self, offset: int) -> int:
        """The end of what a person sees as one character behind `offset`; CRLF is one.

        So is each invisible character that is no part of an emoji: it has a chip of its own.
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
        """The start of the word before `offset`, or the end of the line before."""
        text, start = self._text_before(offset)
        finder = QTextBoundaryFinder(Boundary.Word, _for_qt(text))
        finder.toEnd()
        at = finder.toPreviousBoundary()
        while at > 0 and not _starts_word(finder) and not _is_newline(text, at):
            at = finder.toPreviousBoundary()
        return start + _byte_length(text, max(at, 0))

    def word_span(self, offset: int) -> tuple[int, int]:
        """The word, run of spaces or sign that holds the character at `offset`."""
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
    """The text with U+FFFD for byte order marks in front and invalid bytes: no QString may hold these."""
    if text.startswith(BYTE_ORDER_MARKS):
        text = "\ufffd" + text[1:]
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _with_stand_ins(text: str) -> str:
    """The text with signs in place of the characters that have a chip; as many UTF-16 units."""
    parts: list[str] = []
    at = 0
    for run in invisible_runs(text):
        parts += text[at : run.start()], *(STAND_INS[character > "\uffff"] for character in run[0])
        at = run.end()
    return "".join((*parts, text[at:]))


def _whole_character(text: str, move: Callable[[], int]) -> int:
    """Where a finder moves to, beyond the stop between two signs that stand for one character."""
    at = move()
    return move() if text.encode("utf-16-le")[2 * at + 1 : 2 * at + 2] in LOW_SURROGATES else at


def _byte_length(text: str, utf16_end: int) -> int:
    """How many bytes the first `utf16_end` units of a text stand for; all of them for -1, Qt's "none"."""
    if utf16_end < 0:
        return len(encode(text))
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * utf16_end]
    return len(encode(units.decode("utf-16-le", "surrogatepass")))


def _starts_word(finder: QTextBoundaryFinder) -> bool:
    return bool(finder.boundaryReasons() & QTextBoundaryFinder.BoundaryReason.StartOfItem)


def _is_newline(text: str, utf16_at: int) -> bool:
    behind = text.encode("utf-16-le", "surrogatepass")[2 * utf16_at : 2 * utf16_at + 4]
    return behind.startswith(b"\n\0") or behind == b"\r\0\n\0"


def n_units(text: str) -> int:
    """How many UTF-16 units a text has, in which Qt counts: two for each character beyond U+FFFF."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def with_untorn_flags(text: str) -> str:
    """The same text in as many UTF-16 units: QTextBoundaryFinder (Qt 6.11) tears flags behind other emoji."""
    return FLAG.sub(UNTORN, text)
