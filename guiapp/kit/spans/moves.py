"""Caret moves by keys, and the conversion of keys and input method events to bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent, QKeySequence

from guiapp.kit.document.document import TextDocument, n_units
from guiapp.kit.spans.block import Preedit
from guiapp.kit.spans.rows import SpanRows

SURROUNDING_BYTES = 256  # of text around the caret that input methods can read
Key = QKeySequence.StandardKey


class CaretMoves:
    """Moves the caret of a document as its rows are shown.

    at_row_end  whether a caret between two rows of a line is at the end of the first one
    """

    def __init__(self, document: TextDocument, rows: SpanRows) -> None:
        self._document = document
        self._rows = rows
        self._wanted_x: float | None = None
        self.at_row_end = False
        self.page_px = 400.0

    def move_for(self, event: QKeyEvent) -> Callable[[], None] | None:
        """The move for a key event, ready to be called; None if the key does not move the caret."""
        for standard_key, (method, goal), extend in KEYS:
            if event.matches(standard_key):
                return lambda: method(self, goal, extend)
        return None

    def forget(self) -> None:
        """Reset the state of vertical moves: the caret was moved by other means."""
        self._wanted_x = None
        self.at_row_end = False

    def to_point(self, x: float, y: float, extend: bool) -> None:
        offset, at_row_end = self._rows.caret_at(*self._rows.row_at(y), x)
        self._go(offset, extend, at_row_end)

    def _to_side(self, to_left: bool, extend: bool) -> None:
        """Move to an end of the row."""
        position = self._rows.position_of(self._document.caret, self.at_row_end)
        start, end = self._rows.row_span(position.block, position.row)
        layout = self._rows.layout(position.block)
        is_last = position.row == layout.n_rows - 1
        if to_left:
            self._go(start, extend)
        else:
            self._go(end - layout.n_newlines if is_last else end, extend, at_row_end=not is_last)

    def _to_end(self, of_text: bool, extend: bool) -> None:
        self._go(self._document.size if of_text else 0, extend)

    def _sideways(self, to_left: bool, extend: bool) -> None:
        caret = self._document.caret
        start, end = self._document.selection
        block = self._rows.position_of(caret).block
        layout = self._rows.layout(block)
        forward = to_left == layout.is_right_to_left
        if start != end and not extend:
            self._go(end if forward else start, extend)
            return
        block_start = self._rows.block_span(block)[0]
        step = layout.step(caret - block_start, to_left)
        if step is not None and self._document.caret_stop(block_start + step) != caret:
            self._go(block_start + step, extend)
        elif forward:
            self._go(self._document.next_grapheme(caret), extend)
        else:
            self._go(self._document.previous_grapheme(caret), extend)

    def _word(self, to_left: bool, extend: bool) -> None:
        caret = self._document.caret
        layout = self._rows.layout(self._rows.position_of(caret).block)
        forward = to_left == layout.is_right_to_left
        move = self._document.next_word if forward else self._document.previous_word
        self._go(move(caret), extend)

    def _by_rows(self, n_rows: int, extend: bool) -> None:
        self._by_height(n_rows * self._rows.metrics.row_height, extend)

    def _by_height(self, distance: float, extend: bool) -> None:
        position = self._rows.position_of(self._document.caret, self.at_row_end)
        wanted_x = position.x if self._wanted_x is None else self._wanted_x
        row_px = self._rows.metrics.row_height
        block, row = self._rows.row_at(position.y + distance + row_px / 2)
        if (block, row) == (position.block, position.row) and abs(distance) <= row_px:
            self._go(self._document.size if distance > 0 else 0, extend)
        else:
            offset, at_row_end = self._rows.caret_at(block, row, wanted_x)
            self._go(offset, extend, at_row_end)
        self._wanted_x = wanted_x

    def _by_page(self, direction: int, extend: bool) -> None:
        row_px = self._rows.metrics.row_height
        distance = direction * max(row_px, (self.page_px // row_px - 1) * row_px)
        before = self._rows.scroll_y
        self._by_height(distance, extend)
        self._rows.scroll_by(distance - (self._rows.scroll_y - before))

    def _go(self, offset: int, extend: bool, at_row_end: bool = False) -> None:
        self._wanted_x = None
        self.at_row_end = at_row_end
        self._document.set_caret(offset, extend)


MOVES: tuple[tuple[str, Callable[[CaretMoves, Any, bool], None], object], ...] = (
    ("PreviousChar", CaretMoves._sideways, True),
    ("NextChar", CaretMoves._sideways, False),
    ("PreviousWord", CaretMoves._word, True),
    ("NextWord", CaretMoves._word, False),
    ("PreviousLine", CaretMoves._by_rows, -1),
    ("NextLine", CaretMoves._by_rows, 1),
    ("PreviousPage", CaretMoves._by_page, -1),
    ("NextPage", CaretMoves._by_page, 1),
    ("StartOfLine", CaretMoves._to_side, True),
    ("EndOfLine", CaretMoves._to_side, False),
    ("StartOfDocument", CaretMoves._to_end, False),
    ("EndOfDocument", CaretMoves._to_end, True),
)
KEYS = tuple(
    (getattr(Key, f"{verb}{name}"), (method, goal), extend)
    for name, method, goal in MOVES
    for verb, extend in (("MoveTo", False), ("Select", True))
)


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def is_plain(event: QKeyEvent) -> bool:
    """Whether no modifier other than Shift is pressed."""
    commands = (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    return not event.modifiers() & commands


def types_text(event: QKeyEvent) -> bool:
    """Whether a key event enters text; AltGr does, Ctrl or Alt alone do not."""
    text = event.text()
    is_command = not is_plain(event) and not event.modifiers() & Qt.KeyboardModifier.GroupSwitchModifier
    altgr = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    if is_command and event.modifiers() & altgr != altgr:
        return False
    return bool(text) and (text.isprintable() or ord(text[0]) >= 0xA0)


def preedit_of(offset: int, event: QInputMethodEvent) -> Preedit:
    """The preedit text of an input method at an offset."""
    text = event.preeditString()
    caret = n_units(text)
    for attribute in event.attributes():
        if attribute.type == QInputMethodEvent.AttributeType.Cursor:
            caret = attribute.start
    return Preedit(offset, text, caret)


def span_to_replace(document: TextDocument, event: QInputMethodEvent) -> tuple[int, int]:
    """The bytes that an input method asks to replace, relative to the caret in characters."""
    start = document.caret
    for _ in range(-event.replacementStart()):
        start = document.previous_grapheme(start)
    end = start
    for _ in range(event.replacementLength()):
        end = document.next_grapheme(end)
    return start, end


def input_method_value(document: TextDocument, query: Qt.InputMethodQuery) -> str | int | None:
    """The answer to an input method's query about the text around the caret; None for other queries."""
    names = Qt.InputMethodQuery
    start, end = document.selection
    if query == names.ImCurrentSelection:
        return text_of(document.slice(start, min(end, start + SURROUNDING_BYTES)))
    before = document.character_start(document.caret - SURROUNDING_BYTES)
    if query == names.ImSurroundingText:
        after = document.character_start(document.caret + SURROUNDING_BYTES)
        return text_of(document.slice(before, after))
    if query in (names.ImCursorPosition, names.ImAnchorPosition):
        return n_units(text_of(document.slice(before, document.caret)))
    return None
