"""The accessible interface of a span editor: its text, caret, selection, and the token at the caret.

Screen readers count in UTF-16 units, documents in bytes.  They get only a part of a long text: some lines
around the caret, replaced by others when the caret leaves them.

In PySide6 6.11, Python cannot return the attributes of a character or the range of the selection.  So the
token at the caret is the editor's accessible description, and selections are reported as they change.
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
STRETCH_BYTES = 1 << 15  # a text of up to twice this size is exposed whole
REPLACEMENTS = dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd")  # for invalid bytes, decoded as surrogates


class SpanAccessibility(QObject):
    """Reports changes in an editor to assistive technology; costs nothing while none is active."""

    def __init__(self, editor: SpanEditor, document: TextDocument, spans: SpanSource) -> None:
        super().__init__(editor)
        self.editor, self.document, self.spans = editor, document, spans
        document.edited.connect(self._report_edit)
        document.selection_changed.connect(self._report_caret)
        QAccessible.installFactory(_accessible)

    # The exposed part of the text

    @property
    def start(self) -> int:
        """The byte where the exposed part begins."""
        if self.document.size <= 2 * STRETCH_BYTES:
            return 0
        stretch = max(self.document.caret // STRETCH_BYTES - 1, 0)
        return self.document.character_start(stretch * STRETCH_BYTES)

    @property
    def text(self) -> str:
        return self._characters().translate(REPLACEMENTS)

    def position(self, offset: int) -> int:
        """The screen reader's position of a byte offset."""
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
        """A description of the token at the caret; "" if there is none."""
        caret = self.document.caret
        window = self.spans.spans_in(caret, caret + 1)
        for token_id, start, end in zip(window.ids, window.starts, window.ends, strict=True):
            if start <= caret < end:
                return f"Token {self.spans.label_of(int(token_id))}, id {int(token_id)}"
        return ""

    # Events

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
    """The interface of an editor for assistive technology."""

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
        return NULL  # PySide6 6.11 can pass on neither None nor the inherited answer


class _Text(QAccessibleTextInterface):
    """Reads the text, and moves caret and selection."""

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
        return 0  # with a count, clients would ask for the range, which Python cannot return

    def addSelection(self, start: int, end: int) -> None:
        self.setSelection(0, start, end)

    def setSelection(self, index: int, start: int, end: int) -> None:
        self._source.document.select(self._source.offset(start), self._source.offset(end))

    def removeSelection(self, index: int) -> None:
        self._source.document.set_caret(self._source.document.caret)

    def characterRect(self, position: int) -> QRect:
        """The caret's rectangle on the screen, for any position: clients only follow the caret."""
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
    """Changes the text; undo reverts it."""

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
    """The factory that Qt calls for each object that assistive technology inspects."""
    source = thing.findChild(SpanAccessibility) if class_name == "SpanEditor" else None
    return None if source is None else _AccessibleEditor(source.editor, source)


def _decoded(data: bytes) -> str:
    """Decode so that each invalid byte is one character, which preserves lengths."""
    return data.decode("utf-8", "surrogateescape")


def _utf16_head(text: str, length: int) -> str:
    """The longest prefix of a text that fits into `length` UTF-16 units."""
    units = text.encode("utf-16-le", "surrogatepass")[: 2 * max(length, 0)]
    if units[-2:] and units[-1] & 0xFC == 0xD8:
        units = units[:-2]  # the first half of a surrogate pair
    return units.decode("utf-16-le", "surrogatepass")
