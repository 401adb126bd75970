"""The keyboard shortcuts of actions and widgets, the About dialog, and the legend of the page."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QKeySequence, QShowEvent
from PySide6.QtWidgets import QDialog, QLabel, QScrollArea, QWidget

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.versions import NAMES, PACKAGES, versions, versions_text
from guiapp.kit.session.choice import Choice
from guiapp.kit.spans.legend import Legend, LegendList
from guiapp.kit.state.background import LatestJob
from guiapp.kit.state.settings import SharedSpelling
from guiapp.kit.widgets.choice_list import ChoiceList, shown_keys
from guiapp.kit.widgets.controls import Popover, SegmentedTabs, push_button
from guiapp.kit.widgets.layouts import STRETCH, card, in_column, in_row, scroll_down
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    READABLE,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)
from guiapp.window.actions import ActionTable
from guiapp.window.pages import PAGES

LEGEND_PX = 500
CHOICES = {Spelling.SIGNS: "·  ↵  and hex", Spelling.FILE: "As in the file:  Ġ  ▁  <0x0A>"}
WIDTH_PX = 480
PURPOSE = (
    "See, step through and measure the tokenization of any model file. Everything runs on this "
    "computer: your texts and files never leave it."
)
LICENCES = (
    "Tokenloupe is free software under the MIT licence.\n\n"
    "It uses Qt through PySide6, which are available under the GNU Lesser General Public License, "
    "version 3. They are installed as separate libraries, unchanged, so that you can replace them with "
    "your own build. Their sources are at https://code.qt.io, the licence at "
    "https://www.gnu.org/licenses/lgpl-3.0.html."
)
Key = QKeySequence.StandardKey
KEY_HINTS: dict[str, tuple[tuple[str, tuple[str | Key, ...]], ...]] = {
    "In the list of pages": (
        ("Page above or below", ("Up", "Down")),
        ("First or last page", ("Home", "End")),
        ("Show the page", ("Return", "Space")),
    ),
    "In the text": (
        ("Move by a character", (Key.MoveToPreviousChar, Key.MoveToNextChar)),
        ("Move by a word", (Key.MoveToPreviousWord, Key.MoveToNextWord)),
        ("Move by a row", (Key.MoveToPreviousLine, Key.MoveToNextLine)),
        ("Move by a page", (Key.MoveToPreviousPage, Key.MoveToNextPage)),
        ("Move to the start or end of the row", (Key.MoveToStartOfLine, Key.MoveToEndOfLine)),
        ("Move to the start or end of the text", (Key.MoveToStartOfDocument, Key.MoveToEndOfDocument)),
        ("Select by a character", (Key.SelectPreviousChar, Key.SelectNextChar)),
        ("Select by a word", (Key.SelectPreviousWord, Key.SelectNextWord)),
        ("Select by a row", (Key.SelectPreviousLine, Key.SelectNextLine)),
        ("Select by a page", (Key.SelectPreviousPage, Key.SelectNextPage)),
        ("Select to the start or end of the row", (Key.SelectStartOfLine, Key.SelectEndOfLine)),
        ("Select to the start or end of the text", (Key.SelectStartOfDocument, Key.SelectEndOfDocument)),
        ("Delete a character", ("Backspace", Key.Delete)),
        ("Delete a word", (Key.DeleteStartOfWord, Key.DeleteEndOfWord)),
        ("Type a tab; F6 goes to the next panel", ("Tab",)),
    ),
    "In the search bar": (
        ("Next match", ("Return", "Down")),
        ("Previous match", ("Shift+Return", "Up")),
        ("Close the search", ("Esc",)),
    ),
    "On a button": (("Press it", ("Space", "Return")),),
    "On a button with an arrow": (("Open its list", ("Down", "Alt+Down", "Space", "Return")),),
    "In the ids": (
        ("Previous or next token", ("Left", "Right")),
        ("Row above or below", ("Up", "Down")),
        ("Page up or down", ("PgUp", "PgDown")),
        ("Start or end of the row", ("Home", "End")),
        ("First or last token", ("Ctrl+Home", "Ctrl+End")),
        ("Select from token to token", ("Shift+Left", "Shift+Right")),
    ),
    "In the causes of a hunt": (
        ("Cause above or below", ("Up", "Down")),
        ("Previous or next text", ("Left", "Right")),
        ("First or last cause", ("Home", "End")),
    ),
    "In a message": (
        ("Add a message", ("Ctrl+Return",)),
        ("Undo", ("Ctrl+Z",)),
        ("Redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
    ),
    "In a prompt": (
        ("Previous or next token", ("Left", "Right")),
        ("Row above or below", ("Up", "Down")),
        ("First or last token", ("Home", "End")),
    ),
    "In a list of findings": (
        ("Finding above or below", ("Up", "Down")),
        ("Page up or down", ("PgUp", "PgDown")),
        ("First or last finding", ("Home", "End")),
    ),
    "On the Tree page": (
        ("Search for tokens", ("Ctrl+F",)),
        ("Back or forward", ("Alt+Left", "Alt+Right")),
    ),
    "In the tree": (
        ("Parent or first child", ("Up", "Down")),
        ("Neighbours", ("Left", "Right")),
        ("Show the chosen token", ("Return",)),
        ("Show the whole tree", ("Home", "Esc")),
        ("Zoom in or out", ("+", "-")),
        ("Search: type any letter, such as", ("A",)),
    ),
    "In the token search": (
        ("Next match", ("Return", "Down")),
        ("Previous match", ("Shift+Return", "Up")),
        ("Close the search", ("Esc",)),
    ),
    "In the tree's legend": (
        ("Show one class alone", ("Left", "Right")),
        ("Show all classes", ("Esc",)),
    ),
    "In charts": (
        ("Previous or next value", ("Up", "Down", "Left", "Right")),
        ("Highlight its series", ("Return", "Space")),
        ("Show all series", ("Esc",)),
    ),
    "In the chart of embeddings": (("Previous or next untrained token", ("Up", "Down", "Left", "Right")),),
    "On the timeline": (
        ("Step back or forward", ("Left", "Right")),
        ("First or last step", ("Home", "End")),
    ),
    "In the list of breakpoints": (("Undo", ("Ctrl+Z",)), ("Redo", ("Ctrl+Shift+Z",))),
    "In the list of lessons": (("Begin a lesson", ("Return",)),),
    "While Steps is full screen": (
        ("Next step of the lesson or run", ("Space", "Right", "Down", "PgDown", "Return")),
        ("Step back", ("Backspace", "Left", "Up", "PgUp")),
        ("First or last step of the run", ("Home", "End")),
        ("Play or pause", ("P",)),
        ("One step of the run, also in a lesson", ("F10",)),
        ("One step back", ("Shift+F10",)),
    ),
    "On an encoder in Bench": (
        ("Highlight it in all charts", ("Space",)),
        ("Remove it from the run", ("Del", "Backspace")),
    ),
    "On the start page": (("Open a row", ("Return",)), ("Leave the page", ("Esc",))),
    "In the manual": (("Close it", ("Esc",)),),
    "While a model or a text is opening": (("Cancel", ("Esc",)),),
}
SIZE = QSize(640, 620)


def shortcuts_of(actions: ActionTable) -> list[Choice]:
    """The shortcuts of actions by menu, then the keys that widgets handle themselves."""
    pages = {page.name: page.title for page in PAGES}
    groups: dict[str, list[Choice]] = {}
    for row, action in actions:
        group, _, submenu = row.menu.partition("/")
        if keys := tuple(keys.toString() for keys in action.shortcuts()):
            detail = submenu or pages.get(row.page, "")
            shortcut = Choice(group, shown_keys(keys), action.text(), detail, keys=keys)
            groups.setdefault(group, []).append(shortcut)
    for group, hints in KEY_HINTS.items():
        for what, standard in hints:
            keys = tuple(name for key in standard if (name := QKeySequence(key).toString()))
            groups.setdefault(group, []).append(Choice(group, shown_keys(keys), what, "", keys=keys))
    return [shortcut for shortcuts in groups.values() for shortcut in shortcuts]


class ShortcutsDialog(QDialog):
    """A filter field above the list. Copy takes the visible rows."""

    def __init__(self, actions: ActionTable, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        hint, nothing = "Filter commands and keys", "No shortcut matches"
        self.choices = ChoiceList(
            "Keyboard shortcuts", theme_source, hint=hint, in_lines=True, nothing=nothing
        )
        self.choices.show_choices(shortcuts_of(actions))
        self.copy_button = push_button("Copy", self.copy)
        self.close_button = push_button("Close", self.accept)
        for button in (self.copy_button, self.close_button):
            button.setAutoDefault(False)  # Enter in the field must not close the dialog
        buttons = in_row(STRETCH, self.copy_button, self.close_button)
        in_column((self.choices, 1), buttons, on=self, margins=MARGIN_PX, spacing=3 * UNIT_PX)
        self.resize(SIZE)
        self.choices.setFocus()

    def copy(self) -> None:
        """Copy the visible rows to the clipboard, as tab-separated lines."""
        groups = (
            "\n".join([group, *(f"{each.title}\t{each.name}" for each in shortcuts)])
            for group, shortcuts in groupby(self.choices.shown, attrgetter("section"))
        )
        copy_text(self, "\n\n".join(groups) + "\n", "the keys")


# The program, its components, and their licences


class AboutDialog(QDialog):
    """Versions, looked up in the background, and licences; can be copied."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("About Tokenloupe")
        self.setFixedWidth(WIDTH_PX)
        title = set_role(QLabel("Tokenloupe"), "title")
        self.copy_button = push_button("Copy versions", self.copy)
        close_button = push_button("Close", self.accept)
        close_button.setDefault(True)
        buttons = in_row(STRETCH, self.copy_button, close_button)
        self._versions: list[tuple[str, str]] = []
        self._shown = _text("\n".join(f"{name:20} …" for name in NAMES))
        self._shown.setFont(Theme.mono_font(SMALL_FONT_PX))
        words = title, _text(PURPOSE), heading("Versions"), card(self._shown)
        licences = heading("Licences"), _text(LICENCES)
        margins, spacing = MARGIN_PX + 2 * UNIT_PX, 3 * UNIT_PX
        self._layout = in_column(*words, *licences, buttons, on=self, margins=margins, spacing=spacing)
        close_button.setFocus()
        self.copy_button.setEnabled(False)
        self._job = LatestJob[list[tuple[str, str]]](self, self._show_versions)
        self._job.start(lambda _: versions())

    def showEvent(self, event: QShowEvent) -> None:
        self.setFixedHeight(self._layout.totalHeightForWidth(WIDTH_PX))  # Qt ignores that the lines wrap
        super().showEvent(event)

    def copy(self) -> None:
        copy_text(self, versions_text(self._versions), "versions")

    def _show_versions(self, versions: list[tuple[str, str]]) -> None:
        self._versions = versions
        rows = (f"{name:20} {value:12} {PACKAGES.get(name) or ''}" for name, value in versions)
        self._shown.setText("\n".join(map(str.rstrip, rows)))
        self.copy_button.setEnabled(True)


def _text(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(READABLE)
    return label


# The legend of the current page, and the choice of how tokens are written


class LegendCard(Popover):
    """A section for each part of a legend. A click elsewhere or Escape closes it."""

    def __init__(
        self, legend: Legend, spelling: SharedSpelling, theme_source: ThemeSource, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Legend")
        self._shared = spelling
        switch = SegmentedTabs(tuple(CHOICES.values()))
        switch.choose(list(CHOICES).index(spelling.now))
        switch.chosen.connect(self._choose)
        sections = [
            part
            for title, entries in legend.items()
            for part in (heading(title), LegendList(entries, theme_source))
        ]
        parts = *sections, heading("Characters in tokens"), switch
        self._inside, self._area = QWidget(), QScrollArea()
        in_column(*parts, on=self._inside, margins=MARGIN_PX, spacing=GAP_PX)
        scroll_down(self._area, self._inside)
        in_column(self._area, on=self, margins=1)

    def _choose(self, choice: int) -> None:
        self._shared.choose(list(CHOICES)[choice])

    def open_below(self, bar: QWidget) -> None:
        """Show at the right of the window below one of its bars, as high as possible."""
        window = bar.window()
        top = bar.mapToGlobal(QPoint(0, bar.height() + UNIT_PX)).y()
        corner = window.mapToGlobal(QPoint(window.width() - GAP_PX, window.height() - GAP_PX))
        self._inside.ensurePolished()
        wanted = self._inside.heightForWidth(LEGEND_PX - 2 * GAP_PX) + 2 * UNIT_PX
        self.setFixedSize(LEGEND_PX, min(wanted, corner.y() - top))
        self.move(corner.x() - LEGEND_PX, top)
        self.show()
