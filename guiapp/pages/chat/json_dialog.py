"""Messages or tools as JSON: to paste, to edit as a whole, to copy."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from guiapp.errors import ChatError
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.style_sheet import plain_label, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, UI_FONT_PX, Theme

SIZE_PX = (620, 460)


class JsonDialog(QDialog):
    """Says what is wrong with what is typed, and takes it only when nothing is.

    `take` is given the text and raises ChatError for one that cannot be.
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
        self.setTabOrder(self.editor, self.use_button)  # rather than to what throws all away
        self.editor.setFocus()

    def _use(self) -> None:
        try:
            self._take(self.editor.toPlainText())
        except ChatError as error:
            self.problem.setText(str(error))
        else:
            self.accept()
