"""The foot of the Bench page: what there is more to choose, and remarks on the run, folded into one line."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from urllib.parse import quote, unquote

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea

from guiapp.analysis.bench.notes import LinkedNote
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.core.text.figures import counted
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row, scroll_down
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, ThemeSource, set_role
from guiapp.pages.bench.choice import BenchChoice

MOST_REMARKS_PX = 170  # high; what is more is scrolled to
SIDE_PX = 28
LINKS = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
READABLE = LINKS | Qt.TextInteractionFlag.TextSelectableByMouse


class Footer(QFrame):
    """Two things to unfold.

    Signals:
        more_clicked(): show all that can be chosen.
        link_clicked(str): a link in a remark.
    """

    more_clicked = Signal()
    link_clicked = Signal(str)

    def __init__(self, choice: BenchChoice, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "status")
        self._choice, self._theme_source = choice, theme_source
        self._notes: list[str] = []
        self.more_button = tool_button("More", self.more_clicked.emit, role="name")
        self.what = set_role(FittedLabel(), "dim")
        self.notes_button = tool_button("", self._draw, role="name")
        self.notes_button.setCheckable(True)
        for button in (self.more_button, self.notes_button):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.notes = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.notes.setTextInteractionFlags(READABLE)
        self.notes.linkActivated.connect(self.link_clicked)
        self._area = QScrollArea()
        scroll_down(self._area, self.notes)
        self._area.viewport().setAutoFillBackground(False)
        self._area.hide()
        line = in_row(self.more_button, (self.what, 1), (STRETCH, 0), self.notes_button)
        in_column(self._area, line, on=self, margins=(SIDE_PX, GAP_PX, SIDE_PX, GAP_PX), spacing=UNIT_PX)
        choice.changed.connect(self._on_choice_changed)
        theme_source.changed.connect(self._draw)
        self._on_choice_changed()
        self._draw()

    def show_notes(self, notes: Sequence[str]) -> None:
        """Sentences as rich text."""
        if list(notes) != self._notes:
            self._notes = list(notes)
            self._draw()

    def show_more_button(self, is_shown: bool) -> None:
        self.more_button.setVisible(is_shown)
        self.what.setVisible(is_shown)
        self._hide_if_empty()

    def _on_choice_changed(self) -> None:
        n_contenders = len(self._choice.candidates) + len(self._choice.missing)
        numbers = f"{counted(n_contenders, 'contender')}, {counted(len(SCENARIOS), 'scenario')}"
        self.what.set_texts([f"{numbers}, texts, sizes, threads", numbers, ""])

    def _draw(self) -> None:
        dim, is_open = self._theme_source.theme.dim, self.notes_button.isChecked()
        self.more_button.setIcon(icon("chevron-right", dim))
        self.notes_button.setIcon(icon("chevron-down" if is_open else "chevron-right", dim))
        self.notes_button.setText(counted(len(self._notes), "remark"))
        self.notes_button.setVisible(bool(self._notes))
        self.notes.setText("")  # a label keeps the colour of its links until it has other words
        self.notes.setText("".join(f"<p style='margin: 0 0 6px 0'>{note}</p>" for note in self._notes))
        self._area.setVisible(is_open and bool(self._notes))
        self._fit()
        self._hide_if_empty()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the remarks are, if they are few."""
        needed_px = self.notes.heightForWidth(max(self.width() - 2 * SIDE_PX, 1))
        self._area.setFixedHeight(max(min(needed_px, MOST_REMARKS_PX), 0))

    def _hide_if_empty(self) -> None:
        self.setVisible(bool(self._notes) or not self.more_button.isHidden())


# Remarks on a run as rich text: where ids differ, a click leads there


def linked(note: str) -> str:
    """The sentence, its links to be clicked on."""
    if not isinstance(note, LinkedNote):
        return escape(note)
    return "".join(
        _link(note.contender, text, words) if text else escape(words) for words, text in note.parts
    )


def _link(contender: str, text: str, shown: str) -> str:
    return f'<a href="{quote(contender, safe="")}/{quote(text, safe="")}">{escape(shown)}</a>'


def contender_and_text(link: str) -> tuple[str, str]:
    """Whom a link is about, and on which text."""
    contender, _, text = link.partition("/")
    return unquote(contender), unquote(text)
