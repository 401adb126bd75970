"""All commands of the window with their keys, as they are now; what fits what is typed."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QKeySequence,
    QPainter,
    QPen,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QDialog, QListView, QStyle, QWidget

from guiapp.widgets.shared.buttons import push_button
from guiapp.widgets.shared.choice_list import CHOICE_ROLE, FilterLine, SectionDelegate
from guiapp.widgets.shared.layouts import STRETCH, in_column, in_row
from guiapp.widgets.shared.painting import CENTER, write
from guiapp.widgets.shared.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.window.actions import Actions
from guiapp.widgets.window.key_hints import key_hints
from guiapp.widgets.window.pages import PAGES

SIZE = QSize(640, 620)
ROW_PX, GROUP_PX, CAP_PX = 32, 38, 22
SIGNS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "Return": "Enter"}


class Shortcut(NamedTuple):
    """A command and the keys that give it; `place` says more about where it is."""

    group: str
    text: str
    place: str
    keys: tuple[str, ...]


def shortcuts_of(actions: Actions) -> list[Shortcut]:
    """The actions of a window menu by menu, and then the keys that its widgets take themselves."""
    pages = {page.name: page.title for page in PAGES}
    of_actions = []
    for row, action in actions:
        group, _, place = row.menu.partition("/")
        keys = tuple(keys.toString() for keys in action.shortcuts())
        of_actions.append(Shortcut(group, action.text(), place or pages.get(row.page, ""), keys))
    groups = list(dict.fromkeys(shortcut.group for shortcut in of_actions))
    of_actions.sort(key=lambda shortcut: groups.index(shortcut.group))
    return of_actions + [
        Shortcut(group, hint.what, "", hint.keys) for group, hints in key_hints().items() for hint in hints
    ]


def shown_keys(keys: str) -> list[str]:
    """The keys to be pressed together, as caps are labelled: ["Ctrl", "Shift", "→"]."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    names = native.replace("++", "+Plus").split("+") if native != "+" else [native]
    return [SIGNS.get(name, "+" if name == "Plus" else name) for name in names]


class ShortcutsDialog(QDialog):
    """A line to type in over the commands; Copy takes those that show."""

    def __init__(self, actions: Actions, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        self._shortcuts = shortcuts_of(actions)
        self._shown: list[Shortcut] = []
        self._items = QStandardItemModel(self)
        self.list = QListView()
        self.line = FilterLine("Filter commands and keys", self.list)
        self.with_all = QCheckBox("Commands without keys")
        self.copy_button, self.close_button = (
            push_button("Copy", self.copy),
            push_button("Close", self.accept),
        )
        self._set_up_list(theme_source)
        self._lay_out()
        self.line.textChanged.connect(self._fill)
        self.with_all.toggled.connect(self._fill)
        self._fill()
        self.line.setFocus()

    def copy(self) -> None:
        """Put the commands that show on the clipboard, as lines with tabs."""
        lines: list[str] = []
        group = ""
        for shortcut in self._shown:
            if shortcut.group != group:
                group = shortcut.group
                lines += ["", group] if lines else [group]
            lines.append(f"{shortcut.text}\t{_keys_text(shortcut)}".rstrip())
        QGuiApplication.clipboard().setText("\n".join(lines) + "\n")

    def _set_up_list(self, theme_source: ThemeSource) -> None:
        self.list.setModel(self._items)
        self.list.setAccessibleName("Commands and their keys")
        self.list.setItemDelegate(_ShortcutDelegate(theme_source, self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _lay_out(self) -> None:
        for button in (self.copy_button, self.close_button):
            button.setAutoDefault(False)  # Enter in the line closes nothing
        buttons = in_row(self.with_all, STRETCH, self.copy_button, self.close_button)
        in_column(self.line, (self.list, 1), buttons, on=self, margins=MARGIN_PX, spacing=3 * UNIT_PX)
        self.resize(SIZE)

    def _fill(self) -> None:
        words = self.line.text().casefold().split()
        self._shown = [
            each
            for each in self._shortcuts
            if (each.keys or self.with_all.isChecked()) and _fits(each, words)
        ]
        self._items.clear()
        group = ""
        for shortcut in self._shown:
            if shortcut.group != group:
                group = shortcut.group
                self._items.appendRow(_title(group))
            self._items.appendRow(_item(shortcut))
        if not self._shown:
            self._items.appendRow(_title("Nothing fits"))
        self.list.scrollToTop()


def _fits(shortcut: Shortcut, words: list[str]) -> bool:
    """Whether all words are in what is said about a command."""
    names = f"{shortcut.group} {shortcut.place} {shortcut.text} {' '.join(shortcut.keys)}".casefold()
    text = f"{names} {_keys_text(shortcut).casefold()}"
    return all(word in text for word in words)


def _keys_text(shortcut: Shortcut) -> str:
    return ", ".join("+".join(shown_keys(keys)) for keys in shortcut.keys)


def _title(text: str) -> QStandardItem:
    item = QStandardItem(text.upper())
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def _item(shortcut: Shortcut) -> QStandardItem:
    item = QStandardItem(shortcut.text)
    item.setData(shortcut, CHOICE_ROLE)
    said = ", ".join(part for part in (shortcut.text, shortcut.place, _keys_text(shortcut)) if part)
    item.setData(said, Qt.ItemDataRole.AccessibleTextRole)
    return item


class _ShortcutDelegate(SectionDelegate):
    """The command at the left, its keys as caps at the right."""

    row_px, title_px = ROW_PX, GROUP_PX
    title_side, title_up_px = Qt.AlignmentFlag.AlignBottom, UNIT_PX
    lit = QStyle.StateFlag.State_Selected

    def paint_row(self, painter: QPainter, theme: Theme, place: QRect, held: Shortcut) -> None:
        self._draw_texts(painter, QRectF(place), held, theme)
        self._draw_keys(painter, QRectF(place), held, theme)

    def _draw_texts(self, painter: QPainter, rect: QRectF, shortcut: Shortcut, theme: Theme) -> None:
        font = Theme.ui_font()
        write(painter, rect, shortcut.text, theme.text, Qt.AlignmentFlag.AlignVCenter, font)
        left = QFontMetricsF(font).horizontalAdvance(shortcut.text) + 3 * UNIT_PX
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        painter.setPen(theme.dim)
        painter.drawText(rect.adjusted(left, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, shortcut.place)

    def _draw_keys(self, painter: QPainter, rect: QRectF, shortcut: Shortcut, theme: Theme) -> None:
        """From the right to the left, with “or” between keys that do the same."""
        font = Theme.ui_font(SMALL_FONT_PX)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        right, top = rect.right(), rect.center().y() - CAP_PX / 2
        for n_behind, keys in enumerate(reversed(shortcut.keys)):
            if n_behind:
                width = metrics.horizontalAdvance("or") + 2 * UNIT_PX
                write(painter, QRectF(right - width, top, width, CAP_PX), "or", theme.dim, CENTER)
                right -= width + UNIT_PX
            for name in reversed(shown_keys(keys)):
                width = max(CAP_PX, metrics.horizontalAdvance(name) + 3 * UNIT_PX)
                cap = QRectF(right - width, top, width, CAP_PX)
                painter.setPen(QPen(theme.line, 1))
                painter.setBrush(theme.background)
                painter.drawRoundedRect(cap.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
                write(painter, cap, name, theme.text, CENTER)
                right -= width + UNIT_PX
