"""The command palette: all actions, found by words of their names, by keys, or by synonyms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from itertools import islice

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLayout, QWidget

from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.document.statistics import MOST_BUDGET
from guiapp.kit.session.choice import Choice
from guiapp.kit.widgets.choice_list import LINE_PX, ChoiceList
from guiapp.kit.widgets.controls import Popover
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.theme import GAP_PX, ThemeSource
from guiapp.window.actions import ActionRow, ActionTable

MOST_ROWS = 11
SIZE = QSize(560, MOST_ROWS * LINE_PX)
TOP_PX = 64
WHOLE, BEGINS, ELSE_CALLED, INITIALS, OF_MENU, WITHIN = range(6)  # how well a word matches, best first
LEAST_WITHIN = 3  # the fewest letters to search for within words
BUDGET = re.compile(r"(?:budget )?(\d[\d,]{0,12})(?: tokens?)?")
SET_BUDGET = "budget "  # prefix of the number, used as an action's name
WORD = re.compile(r"\w[\w.-]*")
NEAREST = "No command matches. Nearest:"
LEAST_NEAR, MOST_WITH_WORD = 0.6, 3


class CommandPalette(Popover):
    """A text field above the matching actions, best first; disabled actions show what is missing."""

    def __init__(
        self,
        actions: ActionTable,
        theme_source: ThemeSource,
        parent: QWidget,
        set_budget: Callable[[int], object],
    ) -> None:
        super().__init__(parent)
        self._actions, self._set_budget = actions, set_budget
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
        self.choices.filter.textChanged.connect(self._fit)  # connected after the list
        column = in_column(self.choices, on=self, margins=GAP_PX)
        column.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.choices.chosen.connect(self._run)

    def open(self) -> None:
        """Show an empty field over the upper middle of the window."""
        self.choices.filter.clear()
        self.choices.show_choices(self._choice(row, self._actions[name]) for name, row in self._rows.items())
        self._fit()
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
        """Whether the keys of an action work on the current page."""
        return not row.page or self._actions[row.page].isChecked()

    def _matching(self, choices: Iterable[Choice], typed: str) -> Iterable[Choice]:
        """The actions that match `typed`, or the nearest; if it is empty, those of the current page."""
        rows, choices = self._rows, list(choices)
        if not typed:
            here = (choice for choice in choices if choice.is_there and self._is_here(rows[choice.name]))
            return sorted(here, key=lambda choice: rows[choice.name].is_example)
        number = BUDGET.fullmatch(typed.strip().casefold())
        n_tokens = int(number[1].replace(",", "")) if number else 0
        words, first = typed.casefold().split(), list[Choice]()
        if 0 < n_tokens <= MOST_BUDGET:
            title = f"Set the budget to {counted(n_tokens, 'token')}"
            words, first = ["budget"], [Choice("", f"{SET_BUDGET}{n_tokens}", title, rows["budget"].menu)]
        ranks = {choice: rank(words, rows[choice.name], self._keys_of(choice)) for choice in choices}

        def order(choice: Choice) -> tuple[object, ...]:
            return *(ranks[choice] or ()), not self._is_here(rows[choice.name]), not choice.is_there

        fitting = sorted((choice for choice in choices if ranks[choice] is not None), key=order)
        if first or fitting or "+" in typed:  # keys have no near matches
            return first + fitting
        titles = {choice.title.casefold(): choice for choice in choices}
        nearest = [titles[title] for title in get_close_matches(typed.casefold(), titles, cutoff=LEAST_NEAR)]
        for word in words if len(words) > 1 else ():  # also actions with one of the words
            has_word = (choice for choice in choices if rank([word], rows[choice.name], []) is not None)
            nearest += islice(has_word, MOST_WITH_WORD)
        return [replace(choice, section=NEAREST) for choice in dict.fromkeys(nearest)]

    def _fit(self) -> None:
        """Set the height to the height of the list, at most that of all commands."""
        rows = self.choices.rows
        needed_px = sum(rows.sizeHintForRow(row) for row in range(min(rows.model().rowCount(), MOST_ROWS)))
        rows.setFixedHeight(min(SIZE.height(), needed_px + GAP_PX))

    def _keys_of(self, choice: Choice) -> list[str]:
        return [key.toString().casefold() for key in self._actions[choice.name].shortcuts()]

    def _run(self, name: str) -> None:
        self.close()
        if name.startswith(SET_BUDGET):
            self._set_budget(int(name.removeprefix(SET_BUDGET)))
        else:
            self._actions[name].trigger()


def rank(words: list[str], row: ActionRow, keys: list[str]) -> tuple[bool, bool, int, bool, int] | None:
    """How well an action matches the words, lower is better; None for no match.

    Its keys count as names, with or without Ctrl.  Among equals, samples, demo models and lessons come
    last; pages come first, then shorter names.
    """
    typed = "".join(words).replace("+", "")
    if not {typed, f"ctrl{typed}"}.isdisjoint(key.replace("+", "") for key in keys):
        return False, row.is_example, WHOLE, False, 0
    fits = [fit for word in words if (fit := _fit(word, row)) is not None]
    if len(fits) < len(words):
        return None
    is_of_menu = max(fits, default=0) >= OF_MENU
    return is_of_menu, row.is_example, sum(fits), row.group != "page", len(row.text)


def _fit(word: str, row: ActionRow) -> int | None:
    """How well one word matches an action, or None."""
    name, menu = row.text.casefold(), row.menu.casefold()
    if name.startswith(word) or re.search(rf"(?<!\w){re.escape(word)}(?!\w)", name):
        return WHOLE
    if _begins_in(word, name):
        return BEGINS
    if any(_begins_in(word, each) for each in row.synonyms):
        return ELSE_CALLED
    if "".join(part[0] for part in WORD.findall(name)).startswith(word):
        return INITIALS
    if _begins_in(word, menu):
        return OF_MENU
    return WITHIN if len(word) >= LEAST_WITHIN and word in name else None


def _begins_in(word: str, text: str) -> bool:
    """Whether `word` matches `text` from the start of one of its words on, ignoring spaces in `text`."""
    return any("".join(text[match.start() :].split()).startswith(word) for match in WORD.finditer(text))
