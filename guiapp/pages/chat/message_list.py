"""The messages at the left of the Chat page: edit, add, paste or drop them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QFrame,
    QLabel,
    QMenu,
    QPlainTextEdit,
    QScrollArea,
    QSizePolicy,
    QTextEdit,
    QWidget,
)

from guiapp.analysis.chat.hints import Hint
from guiapp.analysis.chat.messages import Conversation, Message, conversation_of
from guiapp.analysis.chat.traced import CONTENT
from guiapp.core.text.normalized import common_ends
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.outside_json import read_json
from guiapp.errors import ChatError
from guiapp.kit.document.document import n_units
from guiapp.kit.prompt.shown import hue_of
from guiapp.kit.prompt.view import BECAME_CONTROL, NEAR_MISS, color_of
from guiapp.kit.spans.legend import EDGE_PX, Draw, LegendIcon
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.file_dialogs import ask_to_open
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down, take_away
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.notices import dropped_files
from guiapp.kit.widgets.painting import fill
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.chat.model import ROLES, ChatModel, EditedConversation, as_json

MOST_LINES = 14  # of a message, before it scrolls
MOST_CHARACTERS = 50_000  # of a message that can be edited; a longer one is shown in part, read-only
DOT_PX = 9
LINE_ENDS = re.compile("\r\n?|\u2029")  # QPlainTextEdit has only one kind
PLACEHOLDER = "Message text"
SIZE_PX = (620, 460)
MARKED = BECAME_CONTROL, NEAR_MISS
MOST_MARKS = 500  # of a hint in its message
AT_ONCE = 60  # cards; the others wait for a click
LONGEST_FAILURE = 300
KEYPAD = Qt.KeyboardModifier.KeypadModifier
MESSAGES_ABOUT = (
    'A list of messages such as [{"role": "user", "content": "Hello"}], '
    "or a request with “messages” and “tools”."
)
TOOLS_ABOUT = "A list of tools, as in a request. An empty list removes all tools."
VARIABLES_ABOUT = 'More variables for the template, by name, such as {"enable_thinking": false}.'
MESSAGE_ABOUT = "The whole message, with all its fields, such as “tool_calls”."
TOOLS_EXAMPLE = """[
  {
    "type": "function",
    "function": {
      "name": "get_weather",
      "description": "The weather in a city",
      "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}
    }
  }
]"""

SAMPLE = (
    {"role": "system", "content": "You are a careful editor. Answer in one sentence."},
    {"role": "user", "content": "What does <|im_end|> mean in a prompt?"},
    {"role": "assistant", "content": "It ends a turn."},
    {"role": "user", "content": "Und auf Deutsch?"},
)


class MessageList(QFrame):
    """A card for each message, and the other inputs of the template: tools, variables, generation prompt."""

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "panel")
        self._model, self._theme_source = model, theme_source
        self.cards: list[MessageCard] = []
        self._n_most = AT_ONCE
        self.paste = tool_button(
            "Paste JSON…", self._edit_all, role="link", tip="Paste or edit messages as JSON"
        )
        self.open = tool_button(
            "Open…", self._ask_for_file, role="link", tip="Open messages from a JSON file"
        )
        self._failure = plain_label("bad", wraps=True)
        self._failure.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, GAP_PX)
        self.add = push_button("+ Message", self.add_message, tip="Add a message (Ctrl+Return)")
        self.add.installEventFilter(self)
        self.tools = push_button("+ Tools", self._edit_tools, role="quiet", tip="Tools for the template")
        about = "Variables for the template, such as “enable_thinking”"
        self.variables = push_button("+ Variables", self._edit_variables, role="quiet", tip=about)
        about = "Insert a short conversation"
        self.sample = push_button("Sample conversation", self._take_sample, role="quiet", tip=about)
        self.further = push_button("", self._show_further, role="quiet")
        self.generation = QCheckBox("Generation prompt")
        self.generation.setToolTip("Let the template begin the assistant's next turn")
        self._n_generation = set_role(QLabel(), "dim")
        self._column = in_column(spacing=UNIT_PX)
        self._area = QScrollArea()
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = in_row(self.add, self.tools, self.variables, STRETCH, margins=(2 * UNIT_PX, GAP_PX))
        sample = in_row(self.sample, STRETCH, margins=(2 * UNIT_PX, 0))
        parts = self._column, self.further, buttons, sample, STRETCH
        scroll_down(self._area, framed(in_column(*parts, margins=(GAP_PX, 0), spacing=UNIT_PX), "panel"))
        margins = MARGIN_PX, GAP_PX
        head = in_row(heading("Messages"), STRETCH, self.open, self.paste, margins=margins, spacing=GAP_PX)
        foot = in_row(self.generation, STRETCH, self._n_generation, margins=margins)
        in_column(head, self._failure, (self._area, 1), foot, on=self, spacing=0)
        self.setAcceptDrops(True)
        self.generation.clicked.connect(self._set_generation)
        model.edited.changed.connect(self._refresh)
        model.result_changed.connect(self._on_result_changed)
        model.selected_changed.connect(self._mark)
        model.settings_changed.connect(self._on_options_changed)
        model.reading.failed.connect(self.show_failure)
        theme_source.changed.connect(self._mark)
        self.show_failure("")
        self._refresh()
        self._on_options_changed()

    # The cards

    def _refresh(self) -> None:
        """Show each message in a card; existing cards keep their caret."""
        messages = self._model.edited.messages
        n_shown = min(len(messages), self._n_most)
        for card in self.cards[n_shown:]:
            card.editor.typed.disconnect()  # an input method may commit a word to it after it is hidden
        take_away(*self.cards[n_shown:])
        del self.cards[n_shown:]
        while len(self.cards) < n_shown:
            self._add_card()
        for card in self.cards:
            card.show_message(messages[card.number])
        n_more = len(messages) - n_shown
        self.further.setText(f"Show {min(n_more, AT_ONCE):,} more of {len(messages):,}")
        self.further.setVisible(n_more > 0)
        self.sample.setVisible(not messages)
        tools = self._model.edited.conversation.tools
        self.tools.setText("+ Tools" if tools is None else counted(len(tools), "tool"))
        self.show_failure("")
        self._on_result_changed()

    def _add_card(self) -> None:
        card = MessageCard(len(self.cards), self._model.edited, self._theme_source)
        card.add_wanted.connect(self.add_message)
        card.json_wanted.connect(self._edit_one)
        self._column.addWidget(card)
        before = self.cards[-1].editor if self.cards else self.paste
        below = self.further, self.add, self.tools, self.variables, self.generation
        for first, then in pairwise((before, card.role, card.more, card.editor, *below)):
            self.setTabOrder(first, then)  # by default, Tab would reach new cards last
        self.cards.append(card)

    def _on_result_changed(self) -> None:
        """Show the number of tokens of each message that has not changed since it was rendered."""
        chat = self._model.chat
        messages = self._model.edited.messages
        rendered = () if chat is None else chat.conversation.messages
        for card in self.cards if chat is None else ():
            card.show_count(None)
        for card, message, before in zip(self.cards, messages, rendered, strict=False):
            if chat is not None and message == before:
                card.show_count(chat.budget.by_message[card.number])
        turns = () if chat is None else chat.turns
        n_tokens = sum(turn.end - turn.start for turn in turns if turn.is_prompt)
        self._n_generation.setText(f"{n_tokens:,}" if n_tokens else "")
        self._mark()

    def _set_generation(self, is_enabled: bool) -> None:
        self._model.choose(replace(self._model.settings, add_generation_prompt=is_enabled))

    def _on_options_changed(self) -> None:
        with QSignalBlocker(self.generation):
            self.generation.setChecked(self._model.settings.add_generation_prompt)
        n_variables = len(self._model.settings.variables)
        self.variables.setText(counted(n_variables, "variable") if n_variables else "+ Variables")

    def _take_sample(self) -> None:
        self._model.edited.take(conversation_of(SAMPLE))
        self.cards[-1].editor.setFocus()

    def _show_further(self) -> None:
        self._n_most += AT_ONCE
        self._refresh()

    def add_message(self) -> None:
        number = self._model.edited.add()
        self._n_most = max(self._n_most, number + 1)
        self._refresh()
        self.cards[number].editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self._area.ensureWidgetVisible(self.cards[number])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """If there is no message yet, begin one by typing or pasting; take pasted JSON as messages."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress or self.cards:
            return super().eventFilter(watched, event)
        is_pasted = event.matches(QKeySequence.StandardKey.Paste)
        if is_pasted and (found := _conversation_on_clipboard()) is not None:
            self._model.edited.take(found)
            return True
        is_plain = not event.modifiers() & ~(Qt.KeyboardModifier.ShiftModifier | KEYPAD)
        if not (is_pasted or (is_plain and event.text().isprintable() and event.text().strip())):
            return super().eventFilter(watched, event)
        self.add_message()
        return QApplication.sendEvent(self.cards[0].editor, event)

    # Marks

    def _mark(self) -> None:
        """Mark the text of hints and of the selected token, unless messages have changed since rendering."""
        chat, theme = self._model.chat, self._theme_source.theme
        by_message: dict[int, list[ContentMark]] = {}
        if chat is not None and not self._model.is_outdated:
            for hint in self._model.hints:
                self._add_marks(by_message, hint)
            index = self._model.selected_token
            if index is not None:
                self._add_mark(by_message, index, index + 1, ContentMark(0, 0, theme.accent))
        for card in self.cards:
            card.editor.show_marks(by_message.get(card.number, ()))

    def _add_marks(self, by_message: dict[int, list[ContentMark]], hint: Hint) -> None:
        if hint.message is not None and hint.code in MARKED:
            color = color_of(hint, self._theme_source.theme)
            mark = ContentMark(0, 0, color, hint.code != BECAME_CONTROL)
            for first, last in hint.ranges[:MOST_MARKS]:
                self._add_mark(by_message, first, last, mark)

    def _add_mark(
        self, by_message: dict[int, list[ContentMark]], first: int, last: int, mark: ContentMark
    ) -> None:
        """Mark the characters of a message's content that tokens [first, last) are made of."""
        origins = self._model.origins[first:last]
        content = [each for each in origins if each.kind == CONTENT and each.field == "content"]
        if content and (message := content[0].message) is not None:
            same = [each for each in content if each.message == message]
            start, end = min(each.start for each in same), max(each.end for each in same)
            by_message.setdefault(message, []).append(mark._replace(start=start, end=end))

    # JSON

    def _edit_all(self) -> None:
        """Edit all messages as JSON; start with the clipboard if it contains messages."""
        found = _conversation_on_clipboard()
        text = (
            as_json(self._model.edited.conversation) if found is None else QGuiApplication.clipboard().text()
        )
        take = self._model.edited.take
        JsonDialog(
            "Messages as JSON", MESSAGES_ABOUT, text, lambda new: take(conversation_of(new)), self
        ).open()

    def _edit_tools(self) -> None:
        tools = self._model.edited.conversation.tools
        text = TOOLS_EXAMPLE if tools is None else _written(tools)
        JsonDialog("Tools as JSON", TOOLS_ABOUT, text, self._take_tools, self).open()

    def _take_tools(self, text: str) -> None:
        checked = conversation_of([{"role": "user"}], text if text.strip() else None)
        self._model.edited.set_tools(checked.tools)

    def _edit_variables(self) -> None:
        text = _written(dict(self._model.settings.variables))
        JsonDialog("Variables as JSON", VARIABLES_ABOUT, text, self._take_variables, self).open()

    def _take_variables(self, text: str) -> None:
        try:
            variables = read_json(text or "{}")
        except ValueError as error:
            raise ChatError(f"This is not valid JSON: {quoted(str(error), 100)}.") from None
        if not isinstance(variables, dict):
            raise ChatError('Variables must be an object, such as {"enable_thinking": false}.')
        self._model.choose(replace(self._model.settings, variables=variables))

    def _edit_one(self, number: int) -> None:
        text, take = _written(self._model.edited.messages[number]), partial(self._take_one, number)
        JsonDialog(f"Message {number + 1} as JSON", MESSAGE_ABOUT, text, take, self).open()

    def _take_one(self, number: int, text: str) -> None:
        checked = conversation_of(text).messages
        if len(checked) != 1:
            raise ChatError(f"There are {len(checked):,} messages here. Keep only one.")
        if number < len(self._model.edited.messages):
            self._model.edited.set_message(number, checked[0])

    def _ask_for_file(self) -> None:
        if path := ask_to_open(self, "Open messages", "JSON (*.json);;All files (*)"):
            self._model.open(path)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        dropped_files(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if paths := dropped_files(event):
            self._model.open(paths[-1])

    def show_failure(self, failure: str) -> None:
        self._failure.setText(quoted(failure, LONGEST_FAILURE))
        self._failure.setVisible(bool(failure))

    @property
    def first_editor(self) -> QWidget:
        return self.cards[-1].editor if self.cards else self.add


def _conversation_on_clipboard() -> Conversation | None:
    try:
        return conversation_of(QGuiApplication.clipboard().text())
    except ChatError:
        return None


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


class JsonDialog(QDialog):
    """Edits JSON; accepts it if it is valid, else shows the error.

    `take` receives the text, and raises ChatError if it is invalid.
    """

    def __init__(
        self, title: str, about: str, text: str, take: Callable[[str], object], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.resize(*SIZE_PX)
        self._take = take
        self.editor = QPlainTextEdit(text)
        self.editor.setFont(Theme.mono_font(UI_FONT_PX))
        self.editor.setAccessibleName(title)
        self.editor.setTabChangesFocus(True)
        self.editor.selectAll()
        self.problem = plain_label("bad", wraps=True)
        self.use_button = push_button("Use", self._use, role="primary")
        cancel = push_button("Cancel", self.reject)
        hint = set_role(QLabel(about, wordWrap=True), "dim")
        foot = in_row((self.problem, 1), STRETCH, cancel, self.use_button)
        in_column(hint, (self.editor, 1), foot, on=self, margins=MARGIN_PX)
        self.setTabOrder(self.editor, self.use_button)  # before the button that discards everything
        self.editor.setFocus()

    def _use(self) -> None:
        try:
            self._take(self.editor.toPlainText())
        except ChatError as error:
            self.problem.setText(str(error))
        else:
            self.accept()


class ContentMark(NamedTuple):
    """Characters [start, end) of a message's content that a hint or the selected token refers to."""

    start: int
    end: int
    color: QColor
    is_line: bool = False


class ContentEditor(QPlainTextEdit):
    """As high as its text; edits go to the model, which also undoes them.

    Signals:
        typed(str): the user has changed the text.
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
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(1)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._is_showing = False
        self.textChanged.connect(self._on_text_changed)

    @property
    def text(self) -> str:
        """The text as typed: `toPlainText` replaces no-break spaces by spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def show_text(self, requested: str) -> bool:
        """Show a text, with the caret at the change; return whether the editor holds it unaltered."""
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
        is_plain = len(text) == n_units(text)  # no character is two UTF-16 units
        for mark in marks:
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            start, end = (at if is_plain else n_units(text[:at]) for at in (mark.start, mark.end))
            cursor.setPosition(start)
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
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
        """Fit the height to the text, up to MOST_LINES."""
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


def _dot(hue: int) -> Draw:
    whole = -EDGE_PX, -EDGE_PX, EDGE_PX, EDGE_PX
    return lambda painter, theme, box: fill(painter, box.adjusted(*whole), theme.roles[hue], 2)


class MessageCard(QFrame):
    """A message of the conversation, by its number.

    Signals:
        json_wanted(int): edit the whole message as JSON.
        add_wanted(): add another message.
    """

    json_wanted = Signal(int)
    add_wanted = Signal()

    def __init__(self, number: int, edited: EditedConversation, theme_source: ThemeSource) -> None:
        super().__init__()
        self.number, self._edited = number, edited
        set_role(self, "message")
        self._dot = LegendIcon(_dot(0), theme_source)
        self._dot.setFixedSize(DOT_PX, DOT_PX)
        self.role = MenuButton(theme_source, role="link")
        self.role.fill_on_open(self._list_roles)
        self.count = set_role(QLabel(), "dim")
        self.more = MenuButton(theme_source, "⋯", role="link", tip="Actions for this message")
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.more.fill_on_open(self._list_actions)
        self.editor = ContentEditor()
        self._others = set_role(FittedLabel(), "about")
        head = in_row(self._dot, self.role, STRETCH, self.count, self.more, spacing=GAP_PX)
        margins = 2 * UNIT_PX, UNIT_PX
        in_column(head, self.editor, self._others, on=self, margins=margins, spacing=2)
        self.editor.typed.connect(partial(edited.type, number))
        self.editor.requested.connect(self._do)
        self.editor.installEventFilter(self)

    def eventFilter(self, watched: object, event: object) -> bool:
        if watched is self.editor and isinstance(event, QFocusEvent):
            set_role(self, "message here" if event.gotFocus() else "message")
        return False

    def show_message(self, message: Message) -> None:
        """Show a message; its number of tokens is unknown until it is rendered."""
        role = quoted(message["role"], 24)
        self._dot.show_drawing(_dot(hue_of(message["role"])))
        self.role.setText(role)
        self.role.setAccessibleName(f"Role of message {self.number + 1}: {role}")
        self.show_count(None)
        content = message.get("content", "")
        is_text = isinstance(content, str)
        shown = content if isinstance(content, str) else _text_of(content)
        is_long = len(shown) > MOST_CHARACTERS
        is_held = self.editor.show_text(shown[:MOST_CHARACTERS])
        self.editor.setReadOnly(is_long or not is_text or not is_held)
        self.editor.setAccessibleName(f"Message {self.number + 1}, {role}")
        others = [key for key in message if key not in ("role", "content")]
        notes = [f"only the first {MOST_CHARACTERS:,} of {len(shown):,} characters"] if is_long else []
        notes += [] if is_text else [counted(len(content), "part")]
        notes += [] if is_held else ["characters that you cannot edit here"]
        notes += [quoted(key, 24) for key in others]
        self._others.set_texts([f"{' · '.join(notes)} – ⋯ Edit as JSON", ", ".join(notes)] if notes else [""])
        self._others.setVisible(bool(notes))

    def show_count(self, n_tokens: int | None) -> None:
        self.count.setText("" if n_tokens is None else f"{n_tokens:,}")
        self.count.setAccessibleName("" if n_tokens is None else counted(n_tokens, "token"))

    def _do(self, requested: str) -> None:
        does = {"add": self.add_wanted.emit, "undo": self._edited.undo, "redo": self._edited.redo}
        does[requested]()

    def _list_roles(self, menu: QMenu) -> None:
        present = self._edited.messages[self.number]["role"]
        for role in dict.fromkeys((*ROLES, present)):
            choose = partial(self._edited.set_role, self.number, role)
            add_choice(menu, quoted(role, 24), role == present, choose)

    def _list_actions(self, menu: QMenu) -> None:
        number, edited = self.number, self._edited
        menu.addAction("Move up", partial(edited.move, number, -1)).setEnabled(number > 0)
        is_last = number == len(edited.messages) - 1
        menu.addAction("Move down", partial(edited.move, number, 1)).setDisabled(is_last)
        menu.addAction("Edit as JSON…", partial(self.json_wanted.emit, number))
        menu.addAction("Delete", partial(edited.remove, number))


def _text_of(parts: list[Message]) -> str:
    return "\n".join(str(part.get("text", part.get("refusal", ""))) for part in parts)
