"""The ways in: a picture, what is there, and an example that runs by one click."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel

from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import UNIT_PX, ThemeSource
from guiapp.window.start.pictures import INDENT_PX, Draw, Picture

OUTSIDE_PX = 15  # of the letters of a button


class StartCard(QFrame):
    """A click anywhere opens; the button at the foot runs the example."""

    def __init__(
        self,
        title: str,
        about: str,
        draw: Draw,
        open_: Callable[[], object],
        example: Callable[[], object],
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "door")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._open = open_
        self.title = tool_button(title, open_, role="door")
        words = set_role(QLabel(about, wordWrap=True), "dim")
        words.setIndent(OUTSIDE_PX)
        self.example = tool_button("", example)
        for button in (self.title, self.example):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        parts = in_row(self.title, STRETCH), words, STRETCH, in_row(self.example, STRETCH)
        side = INDENT_PX - OUTSIDE_PX
        below = in_column(*parts, margins=(side, 3 * UNIT_PX, side, 2 * UNIT_PX), spacing=UNIT_PX)
        in_column(Picture(draw, theme_source), (below, 1), on=self, spacing=0)

    def set_example(self, text: str) -> None:
        self.example.setText(f"▸  {text}")
        self.example.setAccessibleName(text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()  # for the release to come here

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self._open()
