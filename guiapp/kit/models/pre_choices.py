"""The pre-tokenizers that can be chosen by hand, each with how it splits an example."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.core.formats.ranks import RANK_PATTERNS, patterns_of
from guiapp.core.pretokenize import splitter
from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.text.figures import quoted
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.kit.models.choice import Choice
from guiapp.kit.models.loader import ModelLoader
from guiapp.kit.widgets.choice_list import ChoiceList
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.popover import Popover
from guiapp.kit.widgets.style_sheet import heading, plain_label, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, ThemeSource

LIST_SIZE = QSize(520, 380)
EXAMPLE = "We'll pay 12345 €!\n\n  it日本".encode()
BETWEEN_PIECES = " ┆ "
AS_THE_FILE_SAYS = ""


def can_choose(loader: ModelLoader) -> bool:
    """Whether the model that waits, or else the one that is open, can be split by another pre-tokenizer."""
    if loader.refused is not None:
        return True
    vocabulary = None if loader.model is None else loader.model.tokenizer.vocabulary
    if vocabulary is not None and vocabulary.parts is not None:
        return bool(vocabulary.parts.readings)
    return (
        vocabulary is not None
        and vocabulary.type is VocabType.BPE
        and vocabulary.model not in ("gemma4", "tekken")
    )


def pre_choices(loader: ModelLoader) -> list[Choice]:
    """What the file says, likely names, and all names."""
    named, chosen = _names(loader)
    if (readings := _readings(loader)) is not None:
        as_is = Choice("In the file", AS_THE_FILE_SAYS, "as the file says", "", is_current=not chosen)
        others = (Choice("Other readings", *row, is_current=row[0] == chosen) for row in readings)
        return [as_is, *others]
    likely = () if loader.refused is None else loader.refused.likely
    rows = [Choice("Likely", name, name, example_split(name)) for name in likely]
    rows += [
        Choice("All", name, name, example_split(name), is_current=name == chosen)
        for name in sorted({*PRE_TOKENIZERS, *(RANK_PATTERNS if _has_ranks(loader) else ())})
    ]
    if patterns_of(named) is not None:
        title, is_in_use = f"{named}, as the file says", chosen == AS_THE_FILE_SAYS
        row = Choice("In the file", AS_THE_FILE_SAYS, title, example_split(named), is_current=is_in_use)
        rows.insert(0, row)
    return rows


def question(loader: ModelLoader) -> str:
    """What is to be chosen, in words."""
    named, _ = _names(loader)
    if _readings(loader) is not None:
        return "Libraries read this file in several ways. Which one should it be?"
    if not named:
        return "The file names no pre-tokenizer. Which one should split its text?"
    if patterns_of(named) is not None:
        return f"The file asks for “{named}”. Which one should split its text instead?"
    return f"The file asks for “{quoted(named)}”, which is not known. Which one should split its text?"


@cache
def example_split(name: str) -> str:
    """The pieces of a short text that has a bit of everything."""
    ends = splitter.split(patterns_of(name) or (), EXAMPLE)
    starts = [0, *ends]
    return BETWEEN_PIECES.join(
        visible_text(EXAMPLE[start:end]) for start, end in zip(starts, ends, strict=False)
    )


def _has_ranks(loader: ModelLoader) -> bool:
    """Whether it is a list of ranks that is to be split."""
    if loader.refused is not None:
        return not {*loader.refused.likely}.isdisjoint(RANK_PATTERNS)
    return loader.model is not None and loader.model.tokenizer.vocabulary.model == "tiktoken"


def _readings(loader: ModelLoader) -> list[tuple[str, str, str]] | None:
    """How else the model that is open can be read: key, title and detail; None where a file tells a name."""
    parts = None if loader.model is None else loader.model.tokenizer.vocabulary.parts
    if loader.refused is not None or parts is None:
        return None
    return [(name, name, why) for name, why in parts.readings.items()]


def _names(loader: ModelLoader) -> tuple[str, str]:
    """What the file says, and what was chosen instead, if anything was."""
    if loader.refused is not None:
        return loader.refused.pre, AS_THE_FILE_SAYS
    if loader.model is None:
        return "", AS_THE_FILE_SAYS
    vocabulary = loader.model.tokenizer.vocabulary
    return vocabulary.pre, vocabulary.chosen_pre or AS_THE_FILE_SAYS


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
