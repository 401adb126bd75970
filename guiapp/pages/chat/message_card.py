"""One message: its role, what is in it, and what can be done with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QResizeEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QFrame, QLabel, QMenu, QPlainTextEdit, QSizePolicy, QTextEdit

from guiapp.analysis.chat.messages import Message
from guiapp.core.text.common_ends import common_ends
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.document.document import n_units
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.painting import Painted, fill
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, Theme, ThemeSource, set_role
from guiapp.pages.chat.edited_conversation import ROLES, EditedConversation
from guiapp.pages.chat.token_tints import hue_of

MOST_LINES = 14  # of a message, before it scrolls
MOST_CHARACTERS = 50_000  # of a message that can be typed in; a longer one is only shown in part
DOT_PX = 9
LINE_ENDS = re.compile("\r\n?|\u2029")  # an editor has only one kind
PLACEHOLDER = "What is said"


class ContentMark(NamedTuple):
    """Some characters of a content that a hint, or the selected token, is about."""

    start: int
    end: int
    color: QColor
    is_line: bool = False


class ContentEditor(QPlainTextEdit):
    """As high as its text; what is typed goes to the model, which undoes it.

    Signals:
        typed(str): the text is new, by somebody's keys.
        requested(str): "undo", "redo" or "add".
    """

    typed = Signal(str)
    requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        set_role(self, "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setPlaceholderText(PLACEHOLDER)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._is_showing = False
        self.textChanged.connect(self._on_text_changed)

    @property
    def text(self) -> str:
        """As it was typed: in `toPlainText` all spaces may break."""
        return self.document().toRawText().replace("\u2029", "\n")

    def show_text(self, requested: str) -> bool:
        """Show what somebody else changed, the caret where that is; whether it is held as it is."""
        before = self.text
        if before == requested or before == (text := LINE_ENDS.sub("\n", requested)):
            return before == requested
        start, n_behind = common_ends(before, text)
        self._is_showing = True
        cursor = self.textCursor()
        cursor.setPosition(n_units(before[:start]))
        last = n_units(before[: len(before) - n_behind])
        cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[start : len(text) - n_behind])
        self.setTextCursor(cursor)
        self._is_showing = False
        self.fit()
        return self.text == requested

    def show_marks(self, marks: Sequence[ContentMark]) -> None:
        text, selections = self.text if marks else "", []
        for mark in marks:
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(n_units(text[: mark.start]))
            cursor.setPosition(n_units(text[: mark.end]), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor = cursor
            look = selection.format
            if mark.is_line:
                look.setUnderlineStyle(look.UnderlineStyle.SingleUnderline)
                look.setUnderlineColor(mark.color)
            else:
                ground = QColor(mark.color)
                ground.setAlpha(70)
                look.setBackground(ground)
            selections.append(selection)
        self.setExtraSelections(selections)

    def fit(self) -> None:
        """Be as high as the text, up to some lines."""
        layout, height, lines = self.document().documentLayout(), 0.0, 0
        block = self.document().begin()
        while block.isValid() and lines < MOST_LINES:
            height += layout.blockBoundingRect(block).height()
            lines += max(block.layout().lineCount(), 1)
            block = block.next()
        line = self.fontMetrics().lineSpacing()
        is_cut = lines > MOST_LINES or block.isValid()
        requested = round(min(height, MOST_LINES * line) + 2 * self.document().documentMargin()) + 2
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if is_cut else policy.ScrollBarAlwaysOff)
        if requested != self.height():
            self.setFixedHeight(requested)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.keyCombination().toCombined()
        for keys, requested in ((UNDO, "undo"), (REDO, "redo"), (ADD, "add")):
            if key in keys:
                self.requested.emit(requested)
                return
        super().keyPressEvent(event)

    def _on_text_changed(self) -> None:
        if not self._is_showing:
            self.fit()
            self.typed.emit(self.text)


CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
UNDO = ((CTRL | Qt.Key.Key_Z).toCombined(),)
REDO = ((CTRL | SHIFT | Qt.Key.Key_Z).toCombined(), (CTRL | Qt.Key.Key_Y).toCombined())
ADD = ((CTRL | Qt.Key.Key_Return).toCombined(), (CTRL | Qt.Key.Key_Enter).toCombined())


class _Dot(Painted):
    """The colour of the role."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self.hue = 0
        self.setFixedSize(DOT_PX, DOT_PX)

    def sizeHint(self) -> QSize:
        return QSize(DOT_PX, DOT_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        fill(painter, QRectF(0, 0, DOT_PX, DOT_PX), theme.roles[self.hue], 2)


class MessageCard(QFrame):
    """A message of the conversation, by its number.

    Signals:
        entered(int): the message has the keyboard.
        json_wanted(int): people want to edit all of it, as JSON.
        add_wanted(): people want another message.
    """

    entered = Signal(int)
    json_wanted = Signal(int)
    add_wanted = Signal()

    def __init__(self, number: int, edited: EditedConversation, theme_source: ThemeSource) -> None:
        super().__init__()
        self.number, self._edited = number, edited
        set_role(self, "message")
        self._dot = _Dot(theme_source)
        self.role = MenuButton(theme_source, role="link")
        self.role.fill_on_open(self._list_roles)
        self.count = set_role(QLabel(), "dim")
        self.more = MenuButton(theme_source, "⋯", role="link", tip="What can be done with this message")
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.more.fill_on_open(self._list_actions)
        self.editor = ContentEditor()
        self._others = set_role(FittedLabel(), "about")
        head = in_row(self._dot, self.role, STRETCH, self.count, self.more, spacing=GAP_PX)
        margins = 2 * UNIT_PX, UNIT_PX
        in_column(head, self.editor, self._others, on=self, margins=margins, spacing=2)
        self.editor.typed.connect(self._type)
        self.editor.requested.connect(self._do)
        self.editor.installEventFilter(self)

    def eventFilter(self, watched: object, event: object) -> bool:
        if watched is self.editor and isinstance(event, QFocusEvent):
            set_role(self, "message here" if event.gotFocus() else "message")
            if event.gotFocus():
                self.entered.emit(self.number)
        return False

    def show_message(self, message: Message, n_tokens: int | None) -> None:
        """Show this from now on; the number of tokens is not known before it is rendered."""
        role = message["role"]
        self._dot.hue = hue_of(role)
        self._dot.update()
        self.role.setText(quoted(role, 24))
        self.role.setAccessibleName(f"Role of message {self.number + 1}: {quoted(role, 24)}")
        self.show_count(n_tokens)
        content = message.get("content", "")
        is_text = isinstance(content, str)
        shown = content if isinstance(content, str) else _text_of(content)
        is_long = len(shown) > MOST_CHARACTERS
        is_held = self.editor.show_text(shown[:MOST_CHARACTERS])
        self.editor.setReadOnly(is_long or not is_text or not is_held)
        self.editor.setAccessibleName(f"Message {self.number + 1}, {quoted(role, 24)}")
        others = [key for key in message if key not in ("role", "content")]
        said = [f"only the first {MOST_CHARACTERS:,} of {len(shown):,} characters"] if is_long else []
        said += [] if is_text else [counted(len(content), "part")]
        said += [] if is_held else ["characters that cannot be typed here"]
        said += [quoted(key, 24) for key in others]
        self._others.set_texts([f"{' · '.join(said)} – ⋯ Edit as JSON", ", ".join(said)] if said else [""])
        self._others.setVisible(bool(said))

    def show_count(self, n_tokens: int | None) -> None:
        self.count.setText("" if n_tokens is None else f"{n_tokens:,}")
        self.count.setAccessibleName("" if n_tokens is None else counted(n_tokens, "token"))

    def _type(self, text: str) -> None:
        self._edited.type(self.number, text)

    def _do(self, requested: str) -> None:
        if requested == "add":
            self.add_wanted.emit()
        elif requested == "undo":
            self._edited.undo()
        else:
            self._edited.redo()

    def _list_roles(self, menu: QMenu) -> None:
        present = self._edited.messages[self.number]["role"]
        for role in dict.fromkeys((*ROLES, present)):
            add_choice(
                menu, quoted(role, 24), role == present, partial(self._edited.set_role, self.number, role)
            )

    def _list_actions(self, menu: QMenu) -> None:
        number, last = self.number, len(self._edited.messages) - 1
        actions: tuple[tuple[str, Callable[[], object], bool], ...] = (
            ("Move up", partial(self._edited.move, number, -1), number > 0),
            ("Move down", partial(self._edited.move, number, 1), number < last),
            ("Edit as JSON…", partial(self.json_wanted.emit, number), True),
            ("Delete", partial(self._edited.remove, number), True),
        )
        for text, do, is_possible in actions:
            menu.addAction(text, do).setEnabled(is_possible)


def _text_of(parts: list[Message]) -> str:
    return "\n".join(str(part.get("text", part.get("refusal", ""))) for part in parts)
