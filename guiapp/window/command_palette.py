"""All actions of the window, found by some letters of their names or of what else people call them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from guiapp.kit.session.choice import Choice
from guiapp.kit.widgets.choice_list import LINE_PX, ChoiceList
from guiapp.kit.widgets.controls import Popover
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.theme import GAP_PX, ThemeSource
from guiapp.window.actions import ActionRow, ActionTable

START_OF_WORD = 8
NEXT_LETTER = 4
FOUND = 1
SIZE = QSize(560, 11 * LINE_PX)
TOP_PX = 64
MENU_PENALTY = 1000  # letters found in the name of a menu count less than any in the action's own
PENALTY = 12  # of what cannot be done now
SYNONYM_PENALTY = 2
NEAREST = "No command matches. Nearest:"
LEAST_NEAR = 0.5


class CommandPalette(Popover):
    """A line to type in over the actions that fit, the best first; those that cannot act now say why."""

    def __init__(self, actions: ActionTable, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        self._window = parent
        self._rows = {row.name: row for row, _ in actions if row.name != "palette"}
        self.setAccessibleName("Command palette")
        self.choices = ChoiceList(
            "Commands",
            theme_source,
            hint="Type a command",
            match=self._matching,
            in_lines=True,
            nothing="No command matches",
        )
        self.choices.rows.setFixedSize(SIZE)
        in_column(self.choices, on=self, margins=GAP_PX)
        self.choices.chosen.connect(self._run)

    def open(self) -> None:
        """Show over the upper middle of the window, with nothing typed."""
        self.choices.filter.clear()
        self.choices.show_choices(self._choice(row, self._actions[name]) for name, row in self._rows.items())
        self.adjustSize()
        left = (self._window.width() - self.width()) // 2
        self.move(self._window.mapToGlobal(QPoint(left, TOP_PX)))
        self.show()
        self.choices.setFocus()

    def _choice(self, row: ActionRow, action: QAction) -> Choice:
        title = f"✓ {row.text}" if action.isCheckable() and action.isChecked() else row.text
        keys = tuple(key.toString() for key in action.shortcuts()[:1]) if self._is_here(row) else ()
        detail = row.menu.replace("/", " › ") if action.isEnabled() else row.needs
        return Choice("", row.name, title, detail, action.isEnabled(), keys=keys)

    def _is_here(self, row: ActionRow) -> bool:
        """Whether the keys of an action act on the page in front."""
        return not row.page or self._actions[row.page].isChecked()

    def _matching(self, choices: Iterable[Choice], typed: str) -> Iterable[Choice]:
        """Those of other pages only where something is typed; where nothing fits, the nearest."""
        rows, choices = self._rows, list(choices)
        if not typed:
            here = (choice for choice in choices if choice.is_there and self._is_here(rows[choice.name]))
            return sorted(here, key=lambda choice: rows[choice.name].is_example)
        fitting = {
            choice: _rank(rows[choice.name], points, typed, choice.is_there)
            for choice in choices
            if (points := _points(rows[choice.name], typed)) is not None
        }
        if fitting:
            return sorted(fitting, key=fitting.__getitem__, reverse=True)
        titles = {choice.title.casefold(): choice for choice in choices}
        nearest = get_close_matches(typed.casefold(), titles, cutoff=LEAST_NEAR)
        return [replace(titles[title], section=NEAREST) for title in nearest]

    def _run(self, name: str) -> None:
        self.close()
        self._actions[name].trigger()


def _rank(row: ActionRow, points: int, typed: str, is_there: bool) -> tuple[bool, bool, int]:
    """Where words begin as typed, then what is no sample, demo model or lesson, then what fits best."""
    begins_word = points >= (START_OF_WORD + NEXT_LETTER) * len(typed.replace(" ", ""))
    return begins_word, not row.is_example, points - PENALTY * (not is_there)


def _points(row: ActionRow, typed: str) -> int | None:
    """How well an action fits what is typed, by its name before its menu; None for not at all."""
    of_names = [score(typed, row.text), *(score(typed, word, is_word=True) for word in row.synonyms)]
    found = [points - SYNONYM_PENALTY * (at > 0) for at, points in enumerate(of_names) if points is not None]
    if found:
        return max(found)
    of_words = [score(word, f"{row.menu} {row.text}") for word in typed.split()]  # in any order
    all_found = [each for each in of_words if each is not None]
    return sum(all_found) - MENU_PENALTY if len(all_found) == len(of_words) else None


# Which texts people mean when they type some letters of them


def score(query: str, text: str, is_word: bool = False) -> int | None:
    """How well the letters of `query`, in this order, fit `text`; None if they are not all there.

    Letters at the start of a word and letters side by side count more, long texts a little less.  A query
    that is a word of the text or begins one beats all that are scattered, which do not count for `is_word`.
    """
    letters, text = query.casefold().replace(" ", ""), text.casefold()
    if is_word and not text.startswith(query.casefold().strip()):
        return None
    best: dict[int, int] = {-1: 0}  # the best score with the last letter at this place
    for letter in letters:
        here: dict[int, int] = {}
        for at, character in enumerate(text):
            if character == letter:
                reached = [
                    _worth(text, at, before) + points for before, points in best.items() if before < at
                ]
                if reached:
                    here[at] = max(reached)
        best = here
    return max(best.values()) + _bonus(query, text) - len(text) // 16 if best else None


def _bonus(query: str, text: str) -> int:
    typed = query.casefold().strip()
    whole = re.escape(typed)
    if not typed or not re.search(rf"(?<!\w){whole}", text):
        return 0
    is_word = re.search(rf"(?<!\w){whole}(?!\w)", text) is not None
    return START_OF_WORD * len(typed) * (2 if is_word else 1)


def _worth(text: str, at: int, before: int) -> int:
    if at == 0 or not text[at - 1].isalnum():
        return START_OF_WORD
    return NEXT_LETTER if before >= 0 and at == before + 1 else FOUND
