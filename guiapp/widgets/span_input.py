"""What key and input method events say, in bytes and offsets."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent

from guiapp.widgets.span_block import Preedit


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
    caret = len(text.encode("utf-16-le")) // 2
    for attribute in event.attributes():
        if attribute.type == QInputMethodEvent.AttributeType.Cursor:
            caret = attribute.start
    return Preedit(offset, text, caret)
