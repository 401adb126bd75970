"""The keyboard shortcuts of commands and of widgets, with a line to filter them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QGuiApplication,
    QKeySequence,
    QPainter,
    QPen,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFormLayout,
    QFrame,
    QLabel,
    QListView,
    QScrollArea,
    QStyle,
    QWidget,
)

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.versions import NAMES, PACKAGES, versions, versions_text
from guiapp.kit.spans.legend import Legend, LegendList
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.settings import SharedSpelling
from guiapp.kit.widgets.choice_list import CHOICE_ROLE, FilterLine, SectionDelegate
from guiapp.kit.widgets.controls import Popover, SegmentedTabs, push_button
from guiapp.kit.widgets.layouts import STRETCH, card, in_column, in_row, scroll_down
from guiapp.kit.widgets.painting import CENTER, write
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
    "See, step through and measure the tokenization of any model file. Everything happens on this "
    "computer: no text and no file leaves it."
)
LICENCES = (
    "Tokenloupe is free software under the MIT licence.\n\n"
    "It uses Qt through PySide6, which are available under the GNU Lesser General Public License, "
    "version 3. They are installed as separate libraries, unchanged, so that you can replace them by "
    "your own build. Their sources are at https://code.qt.io, the licence at "
    "https://www.gnu.org/licenses/lgpl-3.0.html."
)
Key = QKeySequence.StandardKey
KEY_HINTS: dict[str, tuple[tuple[str, tuple[str | Key, ...]], ...]] = {
    "In the text": (
        ("Move by a character", (Key.MoveToPreviousChar, Key.MoveToNextChar)),
        ("Move by a word", (Key.MoveToPreviousWord, Key.MoveToNextWord)),
        ("Move by a row", (Key.MoveToPreviousLine, Key.MoveToNextLine)),
        ("Move by a page", (Key.MoveToPreviousPage, Key.MoveToNextPage)),
        ("Move to the ends of the row", (Key.MoveToStartOfLine, Key.MoveToEndOfLine)),
        ("Move to the ends of the text", (Key.MoveToStartOfDocument, Key.MoveToEndOfDocument)),
        ("Select by a character", (Key.SelectPreviousChar, Key.SelectNextChar)),
        ("Select by a word", (Key.SelectPreviousWord, Key.SelectNextWord)),
        ("Select by a row", (Key.SelectPreviousLine, Key.SelectNextLine)),
        ("Select by a page", (Key.SelectPreviousPage, Key.SelectNextPage)),
        ("Select to the ends of the row", (Key.SelectStartOfLine, Key.SelectEndOfLine)),
        ("Select to the ends of the text", (Key.SelectStartOfDocument, Key.SelectEndOfDocument)),
        ("Erase a character", ("Backspace", Key.Delete)),
        ("Erase a word", (Key.DeleteStartOfWord, Key.DeleteEndOfWord)),
        ("Type a tab; F6 goes to the next panel", ("Tab",)),
    ),
    "In the find bar": (
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
        ("Ends of the row", ("Home", "End")),
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
    "In the findings of the doctor": (
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
    "In the search for tokens": (
        ("Next token found", ("Return", "Down")),
        ("Previous token found", ("Shift+Return", "Up")),
        ("End the search", ("Esc",)),
    ),
    "In the tree's legend": (
        ("Show one class alone", ("Left", "Right")),
        ("Show all classes", ("Esc",)),
    ),
    "In charts": (
        ("Previous or next value", ("Up", "Down", "Left", "Right")),
        ("Choose what it is of", ("Return", "Space")),
        ("Show all again", ("Esc",)),
    ),
    "In the chart of embeddings": (("Previous or next untrained token", ("Up", "Down", "Left", "Right")),),
    "On the timeline": (
        ("Step back or on", ("Left", "Right")),
        ("First or last step", ("Home", "End")),
    ),
    "In the list of breakpoints": (("Undo", ("Ctrl+Z",)), ("Redo", ("Ctrl+Shift+Z",))),
    "In the list of lessons": (("Begin a lesson", ("Return",)),),
    "In a presentation of Steps": (
        ("Step on, through a lesson or a run", ("Space", "Right", "Down", "PgDown", "Return")),
        ("Step back", ("Backspace", "Left", "Up", "PgUp")),
        ("First or last step of the run", ("Home", "End")),
        ("Play or pause", ("P",)),
        ("One step of the run, also in a lesson", ("F10",)),
        ("One step back", ("Shift+F10",)),
    ),
    "On a contender of Bench": (
        ("Point at it in all charts", ("Space",)),
        ("Leave it out", ("Del", "Backspace")),
    ),
    "On the start page": (("Open a row", ("Return",)), ("Leave the page", ("Esc",))),
    "While a model or a text is opened": (("Cancel", ("Esc",)),),
}
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


# What the program is, what it is made from, and under which licences


class AboutDialog(QDialog):
    """Versions to copy, which follow when they are looked up, and the licences."""

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
        self._labels = {name: QLabel("…") for name in NAMES}
        words = title, _text(PURPOSE), heading("Versions"), _versions_card(self._labels)
        licences = heading("Licences"), _text(LICENCES)
        margins, spacing = MARGIN_PX + 2 * UNIT_PX, 3 * UNIT_PX
        self._layout = in_column(*words, *licences, buttons, on=self, margins=margins, spacing=spacing)
        close_button.setFocus()
        self.copy_button.setEnabled(False)
        self._job = LatestJob[list[tuple[str, str]]](self, self._show_versions)
        self._job.start(_collect_versions)

    def showEvent(self, event: QShowEvent) -> None:
        self.setFixedHeight(self._layout.totalHeightForWidth(WIDTH_PX))  # Qt forgets that lines are broken
        super().showEvent(event)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(versions_text(self._versions))

    def _show_versions(self, versions: list[tuple[str, str]]) -> None:
        self._versions = versions
        for name, value in versions:
            licence = PACKAGES.get(name)
            self._labels[name].setText(f"{value:10} {licence}" if licence else value)
        self.copy_button.setEnabled(True)


def _collect_versions(_: Progress) -> list[tuple[str, str]]:
    return versions()


def _versions_card(labels: Mapping[str, QLabel]) -> QFrame:
    form = QFormLayout()
    form.setHorizontalSpacing(MARGIN_PX)
    form.setVerticalSpacing(UNIT_PX)
    for name, text in labels.items():
        label = set_role(QLabel(name), "dim")
        text.setFont(Theme.mono_font(SMALL_FONT_PX))
        form.addRow(label, text)
    return card(form)


def _text(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(READABLE)
    return label


# The legend of the page that is shown, and the choice of how tokens are written


class LegendCard(Popover):
    """A section for each part of a legend; a click elsewhere or Escape closes it."""

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
        parts = *sections, heading("Characters of tokens"), switch
        self._inside, self._area = QWidget(), QScrollArea()
        in_column(*parts, on=self._inside, margins=MARGIN_PX, spacing=GAP_PX)
        scroll_down(self._area, self._inside)
        in_column(self._area, on=self, margins=1)

    def _choose(self, choice: int) -> None:
        self._shared.choose(list(CHOICES)[choice])

    def open_below(self, bar: QWidget) -> None:
        """Show at the right of the window below one of its bars, as high as there is room for."""
        window = bar.window()
        top = bar.mapToGlobal(QPoint(0, bar.height() + UNIT_PX)).y()
        corner = window.mapToGlobal(QPoint(window.width() - GAP_PX, window.height() - GAP_PX))
        self._inside.ensurePolished()
        wanted = self._inside.heightForWidth(LEGEND_PX - 2 * GAP_PX) + 2 * UNIT_PX
        self.setFixedSize(LEGEND_PX, min(wanted, corner.y() - top))
        self.move(corner.x() - LEGEND_PX, top)
        self.show()
