"""What stands in the place of a page's contents as long as there are none."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from guiapp.kit.widgets.layouts import STRETCH, Part, framed, in_column, in_row
from guiapp.kit.widgets.style_sheet import plain_label
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX


class Contents(QStackedWidget):
    """The contents of a page, or a sentence in the middle, with a button for what helps if anything does.

    The page's focus goes along: to what it is to begin with from then on, at once where the page has it.
    """

    def __init__(self, page: QWidget, inside: QWidget, button: QPushButton | None = None) -> None:
        super().__init__()
        self._page = page
        self.message = plain_label("dim", wraps=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._button = button
        parts: list[Part] = [STRETCH, self.message, STRETCH]
        if button is not None:
            parts.insert(2, in_row(STRETCH, button, STRETCH))
        self.addWidget(inside)
        self.addWidget(framed(in_column(*parts, margins=MARGIN_PX, spacing=GAP_PX)))

    def show_inside(self, begin: QWidget) -> None:
        self._turn_to(0, begin)

    def show_message(self, message: str, *, helps: bool = False, begin: QWidget | None = None) -> None:
        """Say why there is nothing; `helps` shows the button."""
        self.message.setText(message)
        if self._button is not None and helps:
            self._button.show()
            begin = self._button
        self._turn_to(1, begin or self.message)
        if self._button is not None:
            self._button.setVisible(helps)

    def _turn_to(self, index: int, begin: QWidget) -> None:
        before = self._page.focusProxy()
        had_focus = before is not None and before.hasFocus()
        self.setCurrentIndex(index)
        self._page.setFocusProxy(begin)
        if had_focus:
            self._page.setFocus()
