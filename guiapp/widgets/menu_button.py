"""A button with an arrow; a click lists what to choose from."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from guiapp.widgets.icons import icon
from guiapp.widgets.style_sheet import set_role
from guiapp.widgets.theme import ThemeSource


class MenuButton(QToolButton):
    """A click lists what to choose from."""

    def __init__(self, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme_source = theme_source
        set_role(self, "raised")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow goes behind the text
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme_source.changed.connect(self._color)
        self._color()

    def _color(self) -> None:
        self.setIcon(icon("chevron-down", self._theme_source.theme.dim))
