"""All actions of the window, found by typing some letters of their names."""

from __future__ import annotations

import re

from PySide6.QtCore import QModelIndex, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QAction, QKeySequence, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from guiapp.kit.widgets.choice_list import FilterLine
from guiapp.kit.widgets.controls import Popover
from guiapp.kit.widgets.layouts import AS_AROUND, in_column
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, Theme, ThemeSource
from guiapp.window.actions import ActionRow, ActionTable

START_OF_WORD = 8
NEXT_LETTER = 4
FOUND = 1
ROW_ROLE = Qt.ItemDataRole.UserRole
DETAIL_ROLE = Qt.ItemDataRole.UserRole + 1
WIDTH_PX = 560
ROW_PX = 32
N_ROWS = 11
TOP_PX = 64
MENU_PENALTY = 1000  # letters found in the name of a menu count less than any in the action's own


class CommandPalette(Popover):
    """A line to type in over the actions that fit, the best first."""

    def __init__(self, actions: ActionTable, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._actions = actions
        self._window = parent
        self.setAccessibleName("Command palette")
        self.list = QListView()
        self.line = FilterLine("Type a command", self.list)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setAccessibleName("Commands")
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setItemDelegate(_ActionDelegate(theme_source, self.list))
        self._rows = QStandardItemModel(self)
        self.list.setModel(self._rows)
        self.list.setFixedSize(WIDTH_PX, ROW_PX * N_ROWS)
        in_column(self.line, self.list, on=self, margins=GAP_PX, spacing=AS_AROUND)
        self.line.textChanged.connect(self._fill)
        self.line.returnPressed.connect(self._run_current)
        self.list.clicked.connect(self._run)

    def open(self) -> None:
        """Show over the upper middle of the window, with nothing typed."""
        self.line.clear()
        self._fill()
        self.adjustSize()
        left = (self._window.width() - self.width()) // 2
        self.move(self._window.mapToGlobal(QPoint(left, TOP_PX)))
        self.show()
        self.line.setFocus()

    def _fill(self) -> None:
        found = []
        for row, action in self._actions:
            place = row.menu.replace("/", " › ")
            points = self._points(row.text, place)
            if points is not None and self._is_offered(row, action):
                found.append((points, row, place, action))
        if self.line.text():
            found.sort(key=lambda entry: -entry[0])
        self._rows.clear()
        for _, row, place, action in found:
            self._rows.appendRow(_item(row, place, action, self._is_here(row)))
        if not found:
            nothing = QStandardItem("Nothing fits")
            nothing.setEnabled(False)
            self._rows.appendRow(nothing)
        self.list.setCurrentIndex(self._rows.index(0, 0))

    def _is_offered(self, row: ActionRow, action: QAction) -> bool:
        """Those of other pages where something is typed."""
        is_here = bool(self.line.text()) or self._is_here(row)
        return is_here and action.isEnabled() and row.name != "palette"

    def _is_here(self, row: ActionRow) -> bool:
        """Whether the keys of an action act on the page in front."""
        return not row.page or self._actions[row.page].isChecked()

    def _points(self, text: str, place: str) -> int | None:
        """How well an action fits what is typed, by its name before its menu; None for not at all."""
        typed = self.line.text()
        points = score(typed, text)
        if points is not None:
            return points
        of_words = [score(word, f"{place} {text}") for word in typed.split()]  # in any order
        found = [each for each in of_words if each is not None]
        return sum(found) - MENU_PENALTY if len(found) == len(of_words) else None

    def _run_current(self) -> None:
        self._run(self.list.currentIndex())

    def _run(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, ActionRow):
            self.close()
            self._actions[row.name].trigger()


class _ActionDelegate(QStyledItemDelegate):
    """Name and menu at the left, shortcut at the right."""

    def __init__(self, theme_source: ThemeSource, parent: QObject) -> None:
        super().__init__(parent)
        self._theme_source = theme_source

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return QSize(0, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]
        super().paint(painter, option, index)
        theme = self._theme_source.theme
        rect: QRect = option.rect.adjusted(GAP_PX, 0, -GAP_PX, 0)
        painter.save()
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        painter.setPen(theme.dim)
        detail = index.data(DETAIL_ROLE)
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, detail)
        painter.restore()


def _item(row: ActionRow, place: str, action: QAction, is_here: bool) -> QStandardItem:
    is_on = action.isCheckable() and action.isChecked()
    item = QStandardItem(f"✓ {row.text}" if is_on else row.text)
    shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    detail = shortcut if shortcut and is_here else place
    item.setData(row, ROW_ROLE)
    item.setData(detail, DETAIL_ROLE)
    item.setData(f"{row.text}, {detail}", Qt.ItemDataRole.AccessibleTextRole)
    return item


# Which texts people mean when they type some letters of them


def score(query: str, text: str) -> int | None:
    """How well the letters of `query`, in this order, fit `text`; None if they are not all there.

    Letters at the start of a word and letters side by side count more, long texts a little less.  A query
    that is a word of the text or begins one beats all that are scattered.
    """
    letters, text = query.casefold().replace(" ", ""), text.casefold()
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
