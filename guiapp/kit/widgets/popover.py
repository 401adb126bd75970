"""A small panel that opens under a button and explains something; a click elsewhere or Escape closes it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from guiapp.kit.widgets.buttons import presses_button
from guiapp.kit.widgets.layouts import AS_AROUND, in_column, take_away
from guiapp.kit.widgets.style_sheet import READABLE, heading, plain_label, set_role
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX

WIDTH_PX = 360


class Popover(QFrame):
    """A frame without a title bar that keeps inside its window's sides, and the screen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        set_role(self, "popup")

    def open_under(self, widget: QWidget) -> None:
        """Show below `widget`, moved left where the window would be too narrow, and up for the screen."""
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
    """A title and some lines of text, to read and to copy, and actions that follow from them."""

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
        """Say this from now on; a card that is open grows or shrinks with it."""
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
