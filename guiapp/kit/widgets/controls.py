"""Factories for buttons, panels that open below them, and the search field for tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFrame,
    QLabel,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.widgets.layouts import AS_AROUND, STRETCH, in_column, in_row, take_away
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, READABLE, UNIT_PX, heading, plain_label, set_role

SEARCH_PX = 230
SEARCH_HINT = "text, #id, 0x20, /regex/"
FILTER_HINT = "Filter: text, /regex/, 0xE2, #id, 100..200, kind:control, script:Han, length:>=8, is:unreached"
FILTER_TIP = (
    'the, "new york": tokens that contain these characters\n'
    "/^\\s+$/: tokens that match a regular expression\n"
    "0xE282: tokens that contain these bytes\n"
    "#9906, 100..200: an id, or a range of ids\n"
    "kind:control, script:Han: tokens of a kind or script\n"
    "length:8, length:>=8, rank:..500, score:>-5, children:>100, characters:1\n"
    "is:unreached, is:notutf8, is:duplicate, is:byte, is:reserved, is:special\n"
    "A token must match every word. A minus before a word excludes its matches."
)
WIDTH_PX = 360  # of an explanation
INDEX_PX = 90  # fits large numbers, so that the buttons do not move
NO_MODIFIER, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


def tool_button(
    text: str = "",
    clicked: Callable[[], object] | None = None,
    *,
    role: str = "quiet",
    tip: str = "",
    name: str = "",
    is_checkable: bool = False,
) -> QToolButton:
    """A button in one of the styles of the style sheet.

    name  for screen readers, if not the text; by default the tip without its keys
    """
    made = QToolButton()
    made.setText(text)
    made.setToolTip(tip)
    made.setAccessibleName(name or tip.partition(" (")[0])
    made.setCheckable(is_checkable)
    if clicked is not None:
        made.clicked.connect(clicked)
    return set_role(made, role)


def push_button(
    text: str, clicked: Callable[[], object] | None = None, *, role: str = "", tip: str = ""
) -> QPushButton:
    """A button with a text."""
    made = QPushButton(text)
    made.setToolTip(tip)
    if clicked is not None:
        made.clicked.connect(clicked)
    return set_role(made, role) if role else made


def presses_button(event: QKeyEvent, window: QWidget) -> bool:
    """Click the focused button if Return was pressed, and return whether it was; Qt does so only in dialogs.

    Call it in a window's `keyPressEvent`, which gets no keys that the focused widget handles itself.
    """
    focused, is_return = window.focusWidget(), event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    is_return = is_return and event.modifiers() in (NO_MODIFIER, KEYPAD)
    if not (is_return and isinstance(focused, QAbstractButton)) or isinstance(focused, QCheckBox):
        return False
    if not event.isAutoRepeat():
        focused.click()
    return True


class ChoiceBox(QComboBox):
    """A combo box whose items have values as data; `name` is for screen readers."""

    def __init__(self, name: str, choices: Mapping[str, object], tip: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        for title, value in choices.items():
            self.addItem(title, value)

    def show_choice(self, value: object) -> None:
        """Show a choice without emitting signals."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))


class SegmentedTabs(QWidget):
    """Flat tabs.

    Signals:
        chosen(int): the index of the tab, from 0.
    """

    chosen = Signal(int)

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        for number, word in enumerate(words):
            button = tool_button(word, role="tab", is_checkable=True)
            button.setChecked(number == 0)
            self._group.addButton(button, number)
        margins = MARGIN_PX - UNIT_PX, 0, MARGIN_PX, 0
        in_row(*self._group.buttons(), STRETCH, on=self, margins=margins, spacing=UNIT_PX)
        self._group.idToggled.connect(self._on_toggled)

    def choose(self, index: int) -> None:
        self._group.button(index).setChecked(True)

    def _on_toggled(self, index: int, is_checked: bool) -> None:
        if is_checked:
            self.chosen.emit(index)


class TabbedPanels(QFrame):
    """A stack of panels below tabs with their names.

    Signals:
        turned(): `current` is new.
    """

    turned = Signal()

    def __init__(self, panels: Mapping[str, QWidget]) -> None:
        super().__init__()
        set_role(self, "panel")
        self.tabs, self._stack = SegmentedTabs(tuple(panels)), QStackedWidget()
        for panel in panels.values():
            self._stack.addWidget(panel)
        self._names = list(panels)
        in_column(self.tabs, (self._stack, 1), on=self, margins=(0, GAP_PX, 0, 0), spacing=0)
        self.tabs.chosen.connect(self._stack.setCurrentIndex)
        self._stack.currentChanged.connect(self.turned)

    @property
    def current(self) -> QWidget:
        return self._stack.currentWidget() or self

    def turn_to(self, name: str) -> None:
        self.tabs.choose(self._names.index(name))


class WalkButtons(QWidget):
    """Two buttons for two actions, with the current position between them and a key after them."""

    def __init__(self, back: QAction, on: QAction, name: str) -> None:
        super().__init__()
        buttons = [
            tool_button(sign, action.trigger, tip=f"{action.text()} ({_keys(action)})")
            for sign, action in (("‹", back), ("›", on))
        ]
        self._noun = name.lower()
        self.index_label = set_role(QLabel(), "number")
        self.index_label.setMinimumWidth(INDEX_PX)
        self.index_label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.index_label.setAccessibleName(name)
        key = set_role(QLabel(_keys(on)), "dim")
        in_row(buttons[0], self.index_label, buttons[1], key, on=self, spacing=UNIT_PX)

    def show_index(self, index: int | None, n_all: int) -> None:
        """Show the current index of `n_all`, from 0; None for no current item."""
        whole = counted(n_all, self._noun)
        self.show_text(whole if index is None else f"{index + 1:,} of {n_all:,}", n_all > 0)

    def show_text(self, text: str, can_walk: bool) -> None:
        self.index_label.setText(text)
        self.setEnabled(can_walk)


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


class Popover(QFrame):
    """A frame without a title bar that stays within the sides of its window, and within the screen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        set_role(self, "popup")

    def open_under(self, widget: QWidget) -> None:
        """Open below `widget`, moved left if the window is too narrow, and up to fit the screen."""
        self.adjustSize()
        below = widget.mapToGlobal(QPoint(0, widget.height() + GAP_PX // 2))
        window = widget.window()
        right = window.mapToGlobal(QPoint(window.width() - GAP_PX, 0)).x()
        left, room = window.mapToGlobal(QPoint()).x(), widget.screen().availableGeometry()
        top = max(min(below.y(), room.bottom() + 1 - self.height()), room.top())
        self.move(max(min(below.x(), right - self.width()), left), top)
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not presses_button(event, self):
            super().keyPressEvent(event)


class Explanation(Popover):
    """A title with text to read and copy, and buttons for related actions."""

    def __init__(self, title: str, text: str, parent: QWidget, actions: Sequence[QAction] = ()) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self._label = label = plain_label(wraps=True)
        label.setTextInteractionFlags(READABLE)
        label.setMinimumWidth(WIDTH_PX - 2 * MARGIN_PX)
        self._button_column = in_column()
        in_column(heading(title), label, self._button_column, on=self, margins=MARGIN_PX, spacing=AS_AROUND)
        self._actions: list[QAction] = []
        self.buttons: list[QPushButton] = []
        self.setFixedWidth(WIDTH_PX)
        self.show_text(text, actions)

    def show_text(self, text: str, actions: Sequence[QAction]) -> None:
        """Replace text and actions; an open card changes its size."""
        self._label.setText(text)
        if list(actions) != self._actions:
            self._actions = list(actions)
            take_away(*self.buttons)
            self.buttons = [self._button(action) for action in actions]
            for button in self.buttons:
                self._button_column.addWidget(button)
            self._button_column.setContentsMargins(0, GAP_PX if actions else 0, 0, 0)
        self.adjustSize()

    def _button(self, action: QAction) -> QPushButton:
        button = QPushButton(action.text())
        button.clicked.connect(self.close)
        button.clicked.connect(action.trigger)
        return button


class SearchTarget(Protocol):
    """Searches for tokens with queries of `analysis/search/matches.py` or `vocabulary_list/filters.py`."""

    def set_query(self, query: str) -> None: ...

    def step(self, by: int) -> None: ...

    def end(self) -> None: ...


class SearchField(QLineEdit):
    """A search field; Enter goes to the next match, Shift+Enter to the previous one, Escape ends.

    hint, tip  the query syntax, in one line and in several
    width_px   None to use all available width
    """

    def __init__(
        self,
        search: SearchTarget,
        hint: str = SEARCH_HINT,
        tip: str = FILTER_TIP,
        width_px: int | None = SEARCH_PX,
    ) -> None:
        super().__init__()
        self._search = search
        self.setPlaceholderText(hint)
        self.setToolTip(tip)
        self.setAccessibleName("Search tokens")
        self.setClearButtonEnabled(True)
        if width_px is not None:
            self.setFixedWidth(width_px)
        self.textChanged.connect(search.set_query)

    def show_query(self, query: str) -> None:
        """Show the query without searching.  Blocking all signals would leave an outdated clear button."""
        if query == self.text():
            return  # setting it would move the caret
        self.textChanged.disconnect(self._search.set_query)
        self.setText(query)
        self.textChanged.connect(self._search.set_query)

    def come_by_keys(self, page: QWidget) -> None:
        """Take the focus on Ctrl+F anywhere in a page; on the Text page an action has this shortcut."""
        keys = QShortcut(QKeySequence("Ctrl+F"), page, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        keys.activated.connect(self._come)

    def _come(self) -> None:
        self.setFocus()
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._search.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._search.step(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() == Qt.Key.Key_Escape:
            self._search.end()
        else:
            super().keyPressEvent(event)
