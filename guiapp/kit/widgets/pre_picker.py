"""The popup to choose by hand which pre-tokenizer splits the text of a model."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.core.text.visible_text import visible_text
from guiapp.kit.models.loader import ModelLoader
from guiapp.kit.models.pre_choices import EXAMPLE, pre_choices, question
from guiapp.kit.widgets.choice_list import ChoiceList
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.popover import Popover
from guiapp.kit.widgets.style_sheet import heading, plain_label, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, ThemeSource

LIST_SIZE = QSize(520, 380)


class PrePicker(Popover):
    """All known names, those first that are like the one in the file, each with how it splits an example.

    Signals:
        chosen(str): split by this one; "" means as the file says.
    """

    chosen = Signal(str)

    def __init__(self, loader: ModelLoader, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._loader = loader
        self.setAccessibleName("Choose a pre-tokenizer")
        self._question = plain_label(wraps=True)
        example = QLabel(f"Each is shown with the pieces it makes of {visible_text(EXAMPLE)}", wordWrap=True)
        set_role(example, "dim")
        self.choices = ChoiceList("Pre-tokenizers", LIST_SIZE, theme_source)
        in_column(heading("Pre-tokenizer"), self._question, example, self.choices, on=self, margins=MARGIN_PX)
        self.choices.chosen.connect(self._choose)

    def open_under(self, widget: QWidget) -> None:
        self._question.setText(question(self._loader))
        self.choices.filter.clear()
        self.choices.show_choices(pre_choices(self._loader))
        super().open_under(widget)
        self.choices.setFocus()

    def _choose(self, name: str) -> None:
        self.close()
        self.chosen.emit(name)
