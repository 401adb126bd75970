"""In the status line: how much of the text nobody sees; a click goes there."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton

from guiapp.core.text.figures import counted
from guiapp.kit.document.hidden_characters import HiddenCharacters
from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme, ThemeSource

ICON_PX = 14


class HiddenButton(QToolButton):
    """There only while anything hides.

    is_short  whether it says no more than how many they are
    """

    def __init__(self, hidden: HiddenCharacters, go_on: QAction, themes: ThemeSource) -> None:
        super().__init__()
        self._hidden = hidden
        self._themes = themes
        self._is_short = False
        set_role(self, "hidden")
        self.setFont(Theme.ui_font(SMALL_FONT_PX))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        key = go_on.shortcut().toString()
        self.setToolTip(f"Characters that nobody sees and a model reads. A click shows the next ({key}).")
        self.clicked.connect(go_on.trigger)
        hidden.changed.connect(self._follow)
        themes.changed.connect(self._color)
        self._color()
        self._follow()

    def set_short(self, is_short: bool) -> None:
        if is_short != self._is_short:
            self._is_short = is_short
            self._follow()

    def _follow(self) -> None:
        n_characters, n_places = self._hidden.n_characters, self._hidden.n_places
        whole = f"Hidden characters: {n_characters:,} in {counted(n_places, 'place')}"
        text = f"{n_characters:,} hidden" if self._is_short else whole
        if text != self.text():
            self.setText(text)
            self.setAccessibleName(whole)
        self.setVisible(n_characters > 0)

    def _color(self) -> None:
        self.setIcon(icon("eye", self._themes.theme.warning, ICON_PX))
