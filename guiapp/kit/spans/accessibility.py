"""What screen readers get of a span editor: its text, caret, selection, and the token at the caret.

Screen readers count in UTF-16 units, documents in bytes.  Long texts are therefore shown to them in part:
some lines around the caret, which move on when the caret leaves them.

PySide6 6.11 does not let Python answer which attributes a character has, nor where the selection is.  So the
token at the caret is told as the editor's description, and selections are told as they happen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEditableTextInterface,
    QAccessibleEvent,
    QAccessibleInterface,
    QAccessibleTextCursorEvent,
    QAccessibleTextInterface,
    QAccessibleTextSelectionEvent,
    QAccessibleTextUpdateEvent,
)
from PySide6.QtWidgets import QAccessibleWidget
from shiboken6 import VoidPtr

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.kit.document.document import TextDocument, n_units
from guiapp.kit.spans.layout import SpanSource
from guiapp.kit.spans.moves import utf8

if TYPE_CHECKING:
    from guiapp.kit.spans.editor import SpanEditor

NULL = VoidPtr(0)
STRETCH_BYTES = 1 << 15  # a text up to twice as long is shown whole
REPLACEMENTS = dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd")  # of stray bytes, as they are decoded here


class SpanAccessibility(QObject):
    """Tells assistive technology what happens in an editor; costs nothing while there is none."""

    def __init__(self, editor: SpanEditor, document: TextDocument, spans: SpanSource) -> None:
        super().__init__(editor)
        self.editor, self.document, self.spans = editor, document, spans
        document.edited.connect(self._report_edit)
        document.selection_changed.connect(self._report_caret)
        QAccessible.installFactory(_accessible)

    # The part of the text that is shown

    @property
    def start(self) -> int:
        """The byte where it begins."""
        if self.document.size <= 2 * STRETCH_BYTES:
            return 0
        stretch = max(self.document.caret // STRETCH_BYTES - 1, 0)
        return self.document.character_start(stretch * STRETCH_BYTES)

    @property
    def text(self) -> str:
        return self._characters().translate(REPLACEMENTS)

    def position(self, offset: int) -> int:
        """Where a byte offset is, for the screen reader."""
        start = self.start
        return n_units(_decoded(self.document.slice(start, offset))) if offset > start else 0

    def offset(self, position: int) -> int:
        """The byte offset of a screen reader's position."""
        return self.start + len(_utf16_head(self._characters(), position).encode("utf-8", "surrogateescape"))

    def _characters(self) -> str:
        end = min(self.start + 3 * STRETCH_BYTES, self.document.size)
        return _decoded(self.document.slice(self.start, self.document.character_start(end)))

    # The token at the caret

    @property
    def token(self) -> str:
        """What stands behind the caret."""
        caret = self.document.caret
        window = self.spans.spans_in(caret, caret + 1)
        for token_id, start, end in zip(window.ids, window.starts, window.ends, strict=True):
            if start <= caret < end:
                return f"Token {self.spans.label_of(int(token_id))}, id {int(token_id)}"
        return ""

    # What happens

    def _report_edit(self, edit: TextEdit) -> None:
        if QAccessible.isActive():
            added = _decoded(self.document.slice(edit.start, edit.start + min(edit.added, STRETCH_BYTES)))
            event = QAccessibleTextUpdateEvent(
                self.editor, self.position(edit.start), "", added.translate(REPLACEMENTS)
            )
            QAccessible.updateAccessibility(event)

    def _report_caret(self) -> None:
        if not QAccessible.isActive():
            return
        start, end = (self.position(offset) for offset in self.document.selection)
        update = QAccessible.updateAccessibility
        update(QAccessibleTextSelectionEvent(self.editor, start, end))
        update(QAccessibleTextCursorEvent(self.editor, self.position(self.document.caret)))
        update(QAccessibleEvent(self.editor, QAccessible.Event.DescriptionChanged))


class _AccessibleEditor(QAccessibleWidget):
    """An editor as assistive technology sees it."""

    def __init__(self, editor: SpanEditor, source: SpanAccessibility) -> None:
        super().__init__(editor, QAccessible.Role.EditableText)
        self._source = source
        self._text, self._editable_text = _Text(source), _EditableText(source)

    def text(self, kind: QAccessible.Text) -> str:
        if kind is QAccessible.Text.Value:
            return self._source.text
        if kind is QAccessible.Text.Description and (token := self._source.token):
            return token
        return super().text(kind)

    def state(self) -> QAccessible.State:
        state = super().state()
        state.editable = state.multiLine = state.selectableText = True
        return state

    def interface_cast(self, kind: QAccessible.InterfaceType) -> object:  # type: ignore[override]  # a pointer
        if kind is QAccessible.InterfaceType.TextInterface:
            return self._text
        if kind is QAccessible.InterfaceType.EditableTextInterface:
            return self._editable_text
        return NULL  # neither None nor the inherited answer survives the way through PySide6 6.11


class _Text(QAccessibleTextInterface):
    """Reading, and moving caret and selection."""

    def __init__(self, source: SpanAccessibility) -> None:
        super().__init__()
        self._source = source

    def characterCount(self) -> int:
        return n_units(self._source.text)

    def text(self, start: int, end: int) -> str:
        text = self._source.text
        head = _utf16_head(text, end) if end >= 0 else text
        return head[len(_utf16_head(text, start)) :]

    def cursorPosition(self) -> int:
        return self._source.position(self._source.document.caret)

    def setCursorPosition(self, position: int) -> None:
        self._source.document.set_caret(self._source.offset(position))

    def selectionCount(self) -> int:
        return 0  # whoever sees one asks where it is, which has no answer

    def addSelection(self, start: int, end: int) -> None:
        self.setSelection(0, start, end)

    def setSelection(self, index: int, start: int, end: int) -> None:
        self._source.document.select(self._source.offset(start), self._source.offset(end))

    def removeSelection(self, index: int) -> None:
        self._source.document.set_caret(self._source.document.caret)

    def characterRect(self, position: int) -> QRect:
        """Where the caret is on the screen; other places are not asked for by those who follow it."""
        editor = self._source.editor
        caret = editor.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
        assert isinstance(caret, QRectF)
        return caret.toRect().translated(editor.mapToGlobal(QPoint()))

    def offsetAtPoint(self, point: QPoint) -> int:
        return -1

    def scrollToSubstring(self, start: int, end: int) -> None:
        offsets = self._source.offset(start), self._source.offset(end)
        self._source.editor.reveal(*offsets)


class _EditableText(QAccessibleEditableTextInterface):
    """Changing the text; undo takes it back."""

    def __init__(self, source: SpanAccessibility) -> None:
        super().__init__()
        self._source = source

    def deleteText(self, start: int, end: int) -> None:
        self.replaceText(start, end, "")

    def insertText(self, position: int, text: str) -> None:
        self.replaceText(position, position, text)

    def replaceText(self, start: int, end: int, text: str) -> None:
        offsets = self._source.offset(start), self._source.offset(end)
        self._source.document.replace(*offsets, utf8(text))


def _accessible(class_name: str, thing: QObject) -> QAccessibleInterface | None:
    """The factory that Qt asks for every object that assistive technology looks at."""
    source = thing.findChild(SpanAccessibility) if class_name == "SpanEditor" else None
    return None if source is None else _AccessibleEditor(source.editor, source)


def _decoded(data: bytes) -> str:
    """Text in which each stray byte is one character, so that lengths can be told from it."""
    return data.decode("utf-8", "surrogateescape")


def _utf16_head(text: str, length: int) -> str:
    """The first characters of a text, as many as fit into so many UTF-16 units."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * max(length, 0)]
    if units[-2:] and units[-1] & 0xFC == 0xD8:
        units = units[:-2]  # half of a pair
    return units.decode("utf-16-le", "surrogatepass")
