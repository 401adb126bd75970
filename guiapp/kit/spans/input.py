"""What key and input method events say, in bytes and offsets."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent

from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.units import n_units
from guiapp.kit.spans.block import Preedit

SURROUNDING_BYTES = 256  # what input methods are told about the text around the caret


def utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def text_of(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def is_plain(event: QKeyEvent) -> bool:
    """Whether no modifier but Shift makes the key a command."""
    commands = (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    return not event.modifiers() & commands


def types_text(event: QKeyEvent) -> bool:
    """Whether a key event puts characters into the text; AltGr does, Ctrl and Alt alone do not."""
    text = event.text()
    is_command = not is_plain(event) and not event.modifiers() & Qt.KeyboardModifier.GroupSwitchModifier
    altgr = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    if is_command and event.modifiers() & altgr != altgr:
        return False
    return bool(text) and (text.isprintable() or ord(text[0]) >= 0xA0)


def preedit_of(offset: int, event: QInputMethodEvent) -> Preedit:
    """What an input method is composing at an offset."""
    text = event.preeditString()
    caret = n_units(text)
    for attribute in event.attributes():
        if attribute.type == QInputMethodEvent.AttributeType.Cursor:
            caret = attribute.start
    return Preedit(offset, text, caret)


def stretch_to_replace(document: TextDocument, event: QInputMethodEvent) -> tuple[int, int]:
    """The bytes of the characters, counted from the caret, that an input method wants to replace."""
    start = document.caret
    for _ in range(-event.replacementStart()):
        start = document.previous_grapheme(start)
    end = start
    for _ in range(event.replacementLength()):
        end = document.next_grapheme(end)
    return start, end


def told_about_text(document: TextDocument, query: Qt.InputMethodQuery) -> str | int | None:
    """What an input method may know of the text around the caret; None for other questions."""
    names = Qt.InputMethodQuery
    start, end = document.selection
    if query == names.ImCurrentSelection:
        return text_of(document.slice(start, min(end, start + SURROUNDING_BYTES)))
    before = document.character_start(document.caret - SURROUNDING_BYTES)
    if query == names.ImSurroundingText:
        behind = document.character_start(document.caret + SURROUNDING_BYTES)
        return text_of(document.slice(before, behind))
    if query in (names.ImCursorPosition, names.ImAnchorPosition):
        return n_units(text_of(document.slice(before, document.caret)))
    return None
