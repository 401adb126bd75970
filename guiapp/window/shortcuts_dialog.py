"""The keyboard shortcuts of commands and of widgets, with a line to filter them."""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
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
from PySide6.QtWidgets import QAbstractItemView, QDialog, QListView, QStyle, QWidget

from guiapp.kit.widgets.choice_list import CHOICE_ROLE, FilterLine, SectionDelegate
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.painting import CENTER, write
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.window.actions import ActionTable
from guiapp.window.key_hints import KEY_HINTS
from guiapp.window.pages import PAGES

SIZE = QSize(640, 620)
ROW_PX, GROUP_PX, CAP_PX = 32, 38, 22
ON_CAPS = {"Left": "←", "Right": "→", "Up": "↑", "Down": "↓", "Return": "Enter"}


class Shortcut(NamedTuple):
    """What some keys do; `place` says more about where."""

    group: str
    text: str
    place: str
    keys: tuple[str, ...]

    @property
    def shown_keys(self) -> str:
        return ", ".join("+".join(caps(keys)) for keys in self.keys)


def shortcuts_of(actions: ActionTable) -> list[Shortcut]:
    """Those of actions menu by menu, and then the keys that widgets take themselves."""
    pages = {page.name: page.title for page in PAGES}
    groups: dict[str, list[Shortcut]] = {}
    for row, action in actions:
        group, _, place = row.menu.partition("/")
        keys = tuple(keys.toString() for keys in action.shortcuts())
        if keys:
            shortcut = Shortcut(group, action.text(), place or pages.get(row.page, ""), keys)
            groups.setdefault(group, []).append(shortcut)
    for group, hints in KEY_HINTS.items():
        for what, standard in hints:
            keys = tuple(name for key in standard if (name := QKeySequence(key).toString()))
            groups.setdefault(group, []).append(Shortcut(group, what, "", keys))
    return [shortcut for shortcuts in groups.values() for shortcut in shortcuts]


def caps(keys: str) -> list[str]:
    """The keys to be pressed together, as caps are labelled: ["Ctrl", "Shift", "→"]."""
    native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
    names = native.replace("++", "+Plus").split("+") if native != "+" else [native]
    return [ON_CAPS.get(name, "+" if name == "Plus" else name) for name in names]


class ShortcutsDialog(QDialog):
    """A line to type in over the list; Copy takes what shows."""

    def __init__(self, actions: ActionTable, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Keyboard shortcuts")
        self._shortcuts = shortcuts_of(actions)
        self._shown: list[Shortcut] = []
        self._items = QStandardItemModel(self)
        self.list = QListView()
        self.line = FilterLine("Filter commands and keys", self.list)
        self.copy_button = push_button("Copy", self.copy)
        self.close_button = push_button("Close", self.accept)
        self._set_up_list(theme_source)
        self._build_layout()
        self.line.textChanged.connect(self._fill)
        self._fill()
        self.line.setFocus()

    def copy(self) -> None:
        """Put what shows on the clipboard, as lines with tabs."""
        groups = (
            "\n".join([group, *(f"{each.text}\t{each.shown_keys}" for each in shortcuts)])
            for group, shortcuts in groupby(self._shown, attrgetter("group"))
        )
        QGuiApplication.clipboard().setText("\n\n".join(groups) + "\n")

    def _set_up_list(self, theme_source: ThemeSource) -> None:
        self.list.setModel(self._items)
        self.list.setAccessibleName("Keyboard shortcuts")
        self.list.setItemDelegate(_ShortcutDelegate(theme_source, self.list))
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _build_layout(self) -> None:
        for button in (self.copy_button, self.close_button):
            button.setAutoDefault(False)  # Enter in the line closes nothing
        buttons = in_row(STRETCH, self.copy_button, self.close_button)
        in_column(self.line, (self.list, 1), buttons, on=self, margins=MARGIN_PX, spacing=3 * UNIT_PX)
        self.resize(SIZE)

    def _fill(self) -> None:
        words = self.line.text().casefold().split()
        self._shown = [each for each in self._shortcuts if _matches(each, words)]
        self._items.clear()
        for group, shortcuts in groupby(self._shown, attrgetter("group")):
            self._items.appendRow(_title(group))
            for shortcut in shortcuts:
                self._items.appendRow(_item(shortcut))
        if not self._shown:
            self._items.appendRow(_title("No shortcut matches"))
        self.list.scrollToTop()


def _matches(shortcut: Shortcut, words: list[str]) -> bool:
    text = " ".join((*shortcut[:3], *shortcut.keys, shortcut.shown_keys)).casefold()
    return all(word in text for word in words)


def _title(text: str) -> QStandardItem:
    item = QStandardItem(text.upper())
    item.setFlags(Qt.ItemFlag.NoItemFlags)
    return item


def _item(shortcut: Shortcut) -> QStandardItem:
    item = QStandardItem(shortcut.text)
    item.setData(shortcut, CHOICE_ROLE)
    described = ", ".join(filter(None, (shortcut.text, shortcut.place, shortcut.shown_keys)))
    item.setData(described, Qt.ItemDataRole.AccessibleTextRole)
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
            for name in reversed(caps(keys)):
                width = max(CAP_PX, metrics.horizontalAdvance(name) + 3 * UNIT_PX)
                cap = QRectF(right - width, top, width, CAP_PX)
                painter.setPen(QPen(theme.line, 1))
                painter.setBrush(theme.background)
                painter.drawRoundedRect(cap.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
                write(painter, cap, name, theme.text, CENTER)
                right -= width + UNIT_PX
