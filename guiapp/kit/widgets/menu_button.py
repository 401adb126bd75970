"""A button with an arrow; a click or a key lists what to choose from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QMenu, QToolButton

from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import ThemeSource

Key = Qt.Key
OPENING_KEYS = (Key.Key_Down, Key.Key_Space, Key.Key_Return, Key.Key_Enter)  # Down also with Alt


def add_choice(menu: QMenu, title: str, is_chosen: bool, choose: Callable[[], object]) -> QAction:
    """An entry with a tick where it is chosen; an & in its title stands for itself."""
    action = menu.addAction(title.replace("&", "&&"), choose)
    action.setCheckable(True)
    action.setChecked(is_chosen)
    return action


class MenuButton(QToolButton):
    """A click lists what to choose from; so do keys, which begin at what is chosen now or the first row."""

    def __init__(
        self, theme_source: ThemeSource, title: str = "", *, role: str = "raised", tip: str = ""
    ) -> None:
        super().__init__()
        self._theme_source = theme_source
        set_role(self, role)
        self.setText(title)
        self.setToolTip(tip)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._reading = QGuiApplication.layoutDirection()
        is_turned = self._reading is Qt.LayoutDirection.RightToLeft
        behind = Qt.LayoutDirection.LeftToRight if is_turned else Qt.LayoutDirection.RightToLeft
        self.setLayoutDirection(behind)  # the arrow goes behind the text
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme_source.changed.connect(self._color)
        self._color()

    def new_menu(self) -> QMenu:
        """An empty menu to list things in."""
        menu = QMenu(self)
        menu.setLayoutDirection(self._reading)
        self.setMenu(menu)
        return menu

    def list_anew(self, fill: Callable[[QMenu], None]) -> None:
        """Have the menu filled each time it opens."""
        menu = self.new_menu()
        menu.aboutToShow.connect(menu.clear)
        menu.aboutToShow.connect(partial(fill, menu))

    def list_choices(self, choices: Mapping[str, object]) -> None:
        """Offer these titles, one of them checked; what each stands for is the data of its action."""
        menu = self.menu() or self.new_menu()
        menu.clear()  # it stays the same one: it may be open
        group = menu.findChild(QActionGroup) or QActionGroup(menu)
        for title, choice in choices.items():
            action = menu.addAction(title)
            action.setData(choice)
            action.setCheckable(True)
            group.addAction(action)

    def check(self, choice: object) -> None:
        """Show which one is chosen."""
        for action in self.menu().actions():
            action.setChecked(action.data() == choice)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in OPENING_KEYS:
            super().keyPressEvent(event)
        elif self.menu() is None:  # what a click opens is a list of another kind
            self.click()
        else:
            QTimer.singleShot(0, self._point_at_row)
            self.showMenu()  # until it is closed

    def _point_at_row(self) -> None:
        rows = [row for row in self.menu().actions() if row.isVisible() and row.isEnabled()]
        if rows:
            self.menu().setActiveAction(next((row for row in rows if row.isChecked()), rows[0]))

    def _color(self) -> None:
        self.setIcon(icon("chevron-down", self._theme_source.theme.dim))
