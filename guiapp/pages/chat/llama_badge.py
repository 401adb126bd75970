"""In a word beside the prompt: llama.cpp makes the same of the messages, or a button to what it makes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.plain_tip import wrapped_tip
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.chat.llama_check import LlamaCheck

EQUAL, EQUAL_TEXT, DIFFERS = "equal to llama.cpp", "text equal to llama.cpp", "differs from llama.cpp"
ABOUT_EQUAL = "llama.cpp itself, given these messages, makes the same text and the same ids of them."
ABOUT_TEXT = "llama.cpp itself makes the same text of these messages. It does not read this model's file."


class LlamaBadge(QWidget):
    """Nothing, as long as nothing is known."""

    def __init__(self, check: LlamaCheck, theme_source: ThemeSource) -> None:
        super().__init__()
        self._check, self._theme_source = check, theme_source
        self.equal = set_role(QLabel(textFormat=Qt.TextFormat.RichText), "dim")
        self.differs = tool_button(DIFFERS, role="raised")
        in_row(self.equal, self.differs, on=self, spacing=0)
        check.changed.connect(self._follow)
        theme_source.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        verdict = self._check.verdict
        said = EQUAL if verdict is None or verdict.has_ids else EQUAL_TEXT
        good = self._theme_source.theme.good.name()
        self.equal.setText(f'{said} <span style="color:{good}">✓</span>')
        self.equal.setAccessibleName(said)
        self.equal.setToolTip(ABOUT_EQUAL if said == EQUAL else ABOUT_TEXT)
        self.equal.setVisible(verdict is not None and not verdict.difference)
        self.differs.setVisible(verdict is not None and bool(verdict.difference))
        self.differs.setToolTip("" if verdict is None else wrapped_tip(verdict.difference))
