"""Buttons with a menu, an export button, and a bar that shows the progress of saving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QWidget

from guiapp.core.text.numbers_in_words import percent
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving, Saving
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.file_dialogs import ask_to_save
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.notices import announce
from guiapp.kit.widgets.painting import SIZE_PX, ShareBar, icon
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role

BAR_WIDTH_PX = 220
Make = Callable[[Progress], bytes]
Key = Qt.Key
OPENING_KEYS = (Key.Key_Down, Key.Key_Space, Key.Key_Return, Key.Key_Enter)  # Down opens it with Alt, too


def add_choice(menu: QMenu, title: str, is_chosen: bool, choose: Callable[[], object]) -> QAction:
    """A checkable menu entry; an & in its title is shown literally."""
    action = menu.addAction(title.replace("&", "&&"), choose)
    action.setCheckable(True)
    action.setChecked(is_chosen)
    return action


class IconButton(QToolButton):
    """An icon in a colour of the theme, with an optional text next to it.

    name  for screen readers, if neither the text nor the tip without its keys
    """

    def __init__(
        self,
        theme_source: ThemeSource,
        icon_name: str,
        clicked: Callable[[], object] | None = None,
        *,
        text: str = "",
        role: str = "quiet",
        tip: str = "",
        name: str = "",
        color: str = "dim",
        size_px: int = SIZE_PX,
    ) -> None:
        super().__init__()
        self._theme_source, self._icon = theme_source, (icon_name, color)
        self.setIconSize(QSize(size_px, size_px))
        set_role(self, role)
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(name or text or tip.partition(" (")[0])
        if text:
            self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        if clicked is not None:
            self.clicked.connect(clicked)
        theme_source.changed.connect(self._color)
        self._color()

    def _color(self) -> None:
        name, color = self._icon
        self.setIcon(icon(name, getattr(self._theme_source.theme, color), self.iconSize().width()))


class ButtonMenu(QMenu):
    """Opens below its button, moved left to fit the window."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if (button := self.parentWidget()) is not None:
            window, left = button.window(), button.mapToGlobal(QPoint()).x()
            first = window.mapToGlobal(QPoint()).x()
            self.move(max(min(left, first + window.width() - self.width()), first), self.y())


class MenuButton(IconButton):
    """Opens a menu on click or key press; keys start at the checked row, or the first."""

    def __init__(
        self, theme_source: ThemeSource, title: str = "", *, role: str = "raised", tip: str = ""
    ) -> None:
        super().__init__(theme_source, "chevron-down", role=role, tip=tip)
        self.setAccessibleName("")
        self.setText(title)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._reading = QGuiApplication.layoutDirection()
        is_turned = self._reading is Qt.LayoutDirection.RightToLeft
        after = Qt.LayoutDirection.LeftToRight if is_turned else Qt.LayoutDirection.RightToLeft
        self.setLayoutDirection(after)  # puts the arrow after the text

    def new_menu(self) -> QMenu:
        menu = ButtonMenu(self)
        menu.setLayoutDirection(self._reading)
        self.setMenu(menu)
        return menu

    def fill_on_open(self, fill: Callable[[QMenu], None]) -> None:
        menu = self.new_menu()
        menu.aboutToShow.connect(menu.clear)
        menu.aboutToShow.connect(partial(fill, menu))

    def list_choices(self, choices: Mapping[str, object]) -> None:
        """List these titles, exclusively checkable; each action's data is its choice."""
        menu = self.menu() or self.new_menu()
        menu.clear()  # reuse the menu: it may be open
        group = menu.findChild(QActionGroup) or QActionGroup(menu)
        for title, choice in choices.items():
            action = menu.addAction(title)
            action.setData(choice)
            action.setCheckable(True)
            group.addAction(action)

    def check(self, choice: object) -> None:
        for action in self.menu().actions():
            action.setChecked(action.data() == choice)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in OPENING_KEYS:
            super().keyPressEvent(event)
        elif self.menu() is None:  # a click opens another kind of list
            self.click()
        else:
            QTimer.singleShot(0, self._point_at_row)
            self.showMenu()  # blocks until it is closed

    def _point_at_row(self) -> None:
        rows = [row for row in self.menu().actions() if row.isVisible() and row.isEnabled()]
        if rows:
            self.menu().setActiveAction(next((row for row in rows if row.isChecked()), rows[0]))


class ChoiceButton(MenuButton):
    """Shows the current choice after a title; a click lists all choices.

    Signals:
        chosen(object): the user's choice.
    """

    chosen = Signal(object)

    def __init__(
        self, theme_source: ThemeSource, title: str, choices: Mapping[str, object], tip: str
    ) -> None:
        super().__init__(theme_source, tip=tip)
        self._title = title
        self.list_choices(choices)
        self.menu().triggered.connect(self._choose)

    def list_choices(self, choices: Mapping[str, object]) -> None:
        self._choices = choices
        super().list_choices(choices)

    def show_choice(self, choice: object) -> None:
        title = next(title for title, each in self._choices.items() if each == choice)
        self.setText(f"{self._title}{title}")
        self.setAccessibleName(f"{self.toolTip()}: {title}")
        self.check(choice)

    def fix_width(self) -> None:
        """Make the button as wide as its longest title needs."""
        self.ensurePolished()
        for title in self._choices:
            self.setText(f"{self._title}{title}")
            self.setMinimumWidth(max(self.minimumWidth(), self.sizeHint().width()))

    def _choose(self, action: QAction) -> None:
        self.chosen.emit(action.data())


class Form(NamedTuple):
    """The title and file name ending of a file format."""

    title: str
    ending: str


CSV, JSON, MARKDOWN, TEXT = (
    Form("CSV", ".csv"),
    Form("JSON", ".json"),
    Form("Markdown", ".md"),
    Form("Text", ".txt"),
)


class ExportButton(MenuButton):
    """Lists file formats by key; `export(key)` returns the function that makes the file.

    name  of the file, without an ending
    """

    def __init__(
        self,
        theme_source: ThemeSource,
        saving: FileSaving,
        name: str,
        forms: Mapping[str, Form],
        export: Callable[[str], Make],
        tip: str,
    ) -> None:
        super().__init__(theme_source, "Export", tip=tip)
        self._saving, self._name, self._export = saving, name, export
        menu = self.new_menu()
        for key, form in forms.items():
            menu.addAction(f"{form.title}…", partial(self._save, key, form))

    def _save(self, key: str, form: Form) -> None:
        make = self._export(key)  # taken now: the page may change while the dialog is open
        ask_and_save(self, self._saving, self._name, form, make)


def ask_and_save(window: QWidget, saving: FileSaving, name: str, form: Form, make: Make) -> None:
    """Ask where to save in a format, and start saving."""
    title, ending = form
    formats = {ending: f"{title} (*{ending})"}
    if path := ask_to_save(window, f"Save as {title}", f"{name}{ending}", formats):
        saving.save(path, make)


class SavingBar(QFrame):
    """Shows the progress of saving, with Cancel, or its failure; success is only announced by default."""

    doing = "Saving"

    def __init__(self, saving: Saving[Any], theme_source: ThemeSource) -> None:
        super().__init__()
        self._saving, self._announced = saving, saving.saved
        self._theme_source = theme_source
        self.message = plain_label(wraps=True)
        self.bar = ShareBar("Progress of saving", BAR_WIDTH_PX)
        self.button = tool_button("", self._cancel_or_dismiss, role="raised")
        parts = (self.message, 1), self.bar, self.button
        self.row = in_row(*parts, on=self, margins=(MARGIN_PX, UNIT_PX))
        saving.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def result(self) -> str:
        """The message about a written file, shown until dismissed; "" to announce it only."""
        return ""

    def _cancel_or_dismiss(self) -> None:
        if self._saving.is_busy:
            self._saving.cancel()
        else:
            self._saving.dismiss()

    def _refresh(self) -> None:
        saving, theme, result = self._saving, self._theme_source.theme, self.result()
        if saving.saved not in (None, self._announced) and not result:
            announce(self, f"Saved {saving.saved}")
        self._announced = saving.saved
        self.setVisible(saving.is_busy or bool(saving.failure or result))
        self.bar.setVisible(saving.is_busy)
        self.bar.show_share(saving.progress)
        self.button.setText("Cancel" if saving.is_busy else "Dismiss")
        self.message.setText(saving.failure or result or f"{self.doing}: {percent(saving.progress)}")
        self.message.setStyleSheet(f"color: {(theme.bad if saving.failure else theme.text).name()}")
