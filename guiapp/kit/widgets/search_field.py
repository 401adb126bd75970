"""Where people type which tokens they look for."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QWidget

SEARCH_PX = 230
SEARCH_HINT = "text, #id, 0x20, /regex/"
SEARCH_TIP = (
    "the: tokens that hold this text\n#9906: by id\n0x20 E6: by bytes\n/^\\s+$/: by regular expression"
)
FILTER_HINT = "Filter: text, /regex/, 0xE2, #id, 100..200, kind:control, script:Han, length:>=8, is:unreached"
FILTER_TIP = (
    'the, "new york": tokens that contain these characters\n'
    "/^\\s+$/: that a regular expression matches\n"
    "0xE282: that contain these bytes\n"
    "#9906, 100..200: with this id, or one of these\n"
    "kind:control, script:Han: of this kind, in this script\n"
    "length:8, length:>=8, rank:..500, score:>-5, children:>100, characters:1\n"
    "is:unreached, is:notutf8, is:duplicate, is:byte, is:reserved, is:special\n"
    "All words must hold; a minus before one means all other tokens."
)


class SearchTarget(Protocol):
    """Finds tokens by what `core/search/in_tokens.py` or `core/vocabulary_list/filters.py` understands."""

    def set_query(self, query: str) -> None: ...

    def step(self, by: int) -> None: ...

    def end(self) -> None: ...


class SearchField(QLineEdit):
    """What to search for; Enter goes to the next, Shift+Enter to the one before, Escape ends.

    hint, tip  what can be searched for, in a line and in several
    width_px   None for as much as there is
    """

    def __init__(
        self,
        search: SearchTarget,
        hint: str = SEARCH_HINT,
        tip: str = SEARCH_TIP,
        width_px: int | None = SEARCH_PX,
    ) -> None:
        super().__init__()
        self._search = search
        self.setPlaceholderText(hint)
        self.setToolTip(tip)
        self.setAccessibleName("Search tokens")
        self.setClearButtonEnabled(True)
        if width_px is not None:
            self.setFixedWidth(width_px)
        self.textChanged.connect(search.set_query)

    def show_query(self, query: str) -> None:
        """Say what is searched for.  Blocking all signals would leave the clear button beside no text."""
        if query == self.text():
            return  # setting it would move the caret
        self.textChanged.disconnect(self._search.set_query)
        self.setText(query)
        self.textChanged.connect(self._search.set_query)

    def come_by_keys(self, page: QWidget) -> None:
        """Take the focus at Ctrl+F anywhere in a page; on the Inspect page an action has these keys."""
        keys = QShortcut(QKeySequence("Ctrl+F"), page, context=Qt.ShortcutContext.WidgetWithChildrenShortcut)
        keys.activated.connect(self._come)

    def _come(self) -> None:
        self.setFocus()
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._search.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self._search.step(1 if event.key() == Qt.Key.Key_Down else -1)
        elif event.key() == Qt.Key.Key_Escape:
            self._search.end()
        else:
            super().keyPressEvent(event)
