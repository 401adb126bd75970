"""The pages of the window, the rail on its left that shows them, and the modes of some pages.

To add a page: a folder `pages/NAME` with a module `page.py` that has a subclass of `Page` and a function
`make_page`, and a row in PAGES; rail, menu entry, shortcut and command palette follow.  Its modules are
imported soon after the start, or when it is shown for the first time.
Other code shows a page by its action: `setting.actions["tree"].trigger()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pkgutil import walk_packages

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QScrollArea, QSizePolicy, QStackedWidget, QToolButton, QWidget

from guiapp.kit.state.background import LatestJob, Progress, later
from guiapp.kit.state.qt_exceptions import protect_overrides
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row, scroll_down
from guiapp.kit.widgets.page_base import Actions, Page, PageSetting
from guiapp.kit.widgets.painting import CENTER, PaintedButton, bold, fill, icon, ring, write
from guiapp.kit.widgets.theme import GAP_PX, TEXT_FONT_PX, UNIT_PX, Theme, ThemeSource, set_role

IMPORT_AFTER_MS = 1000  # after the first tokens
BETWEEN_IMPORTS_MS = 10
WITHOUT_QT = "guiapp.core", "guiapp.analysis"
OTHERS = "guiapp.window.command_palette", "guiapp.window.help"  # not needed at the start
RAIL_PX, ENTRY_PX, SHORT_ENTRY_PX = 72, 62, 44
NAMES_FROM_PX = 700  # the least height of the window
ICON_PX, ICON_TOP_PX, WORD_PX, BAR_PX, BADGE_PX = 24, 11, 11, 3, 16


@dataclass(frozen=True)
class PageRow:
    """One page.

    name     also the name of the action that shows it
    title    of its entry in the menu
    entry    the rail's entry that contains it, or "" for a page that is not in the rail
    mode     its label in the top bar, if several pages share an entry
    module   has a function `make_page`; slow to import
    """

    name: str
    title: str
    keys: str
    entry: str
    mode: str
    module: str

    def make(self, setting: PageSetting) -> Page:
        make_page = import_module(self.module).make_page
        protect_overrides()
        page: Page = make_page(setting)
        return page


PAGES = (
    PageRow("inspect", "Text", "Ctrl+1", "Text", "", "guiapp.pages.text.page"),
    PageRow("compare", "Compare models", "Ctrl+2", "Compare", "Models", "guiapp.pages.compare.page"),
    PageRow("compare_texts", "Compare texts", "", "Compare", "Texts", "guiapp.pages.compare.texts_page"),
    PageRow(
        *("compare_vocabularies", "Compare vocabularies", "", "Compare", "Vocabularies"),
        "guiapp.pages.compare.vocabularies_page",
    ),
    PageRow(
        *("compare_languages", "Compare languages", "", "Compare", "Languages"),
        "guiapp.pages.compare.languages_page",
    ),
    PageRow("hunt", "Hunt for differences", "", "Compare", "Hunt", "guiapp.pages.hunt.page"),
    PageRow("chat", "Chat", "Ctrl+3", "Chat", "", "guiapp.pages.chat.page"),
    PageRow("data", "Data", "Ctrl+4", "Data", "", "guiapp.pages.data.page"),
    PageRow("vocabulary", "Vocabulary", "Ctrl+5", "Vocabulary", "Tokens", "guiapp.pages.vocabulary.page"),
    PageRow(
        *("special_tokens", "Special tokens", "", "Vocabulary", "Special tokens"),
        "guiapp.pages.vocabulary.special_page",
    ),
    PageRow("doctor", "Doctor", "Ctrl+6", "Doctor", "", "guiapp.pages.doctor.page"),
    PageRow("tree", "Tree", "Ctrl+7", "Tree", "", "guiapp.pages.tree.page"),
    PageRow("steps", "Steps", "Ctrl+8", "Steps", "", "guiapp.pages.steps.page"),
    PageRow("bench", "Bench", "Ctrl+9", "Bench", "", "guiapp.pages.bench.page"),
    PageRow("start", "Start page", "Alt+Home", "", "", "guiapp.window.start_page"),
)
SHOW_TEXT = "inspect", "compare", "compare_texts", "steps"  # pages that show the text of the window


class PageStack(QStackedWidget):
    """Shows one page at a time, and creates it the first time.

    Signals:
        page_changed(): `current_name` is new.
        figures_changed(), undo_changed(): forwarded from the current page.
        imported(): the modules of the pages are loaded.
    """

    page_changed = Signal()
    figures_changed = Signal()
    undo_changed = Signal()
    imported = Signal()

    def __init__(self, setting: PageSetting, rows: tuple[PageRow, ...] = PAGES) -> None:
        super().__init__()
        self._setting = setting
        self.rows = {row.name: row for row in rows}
        self._text_px = setting.settings.font_px or TEXT_FONT_PX
        self._is_presented = False
        self._shown: list[str] = []  # names of pages, the current one last
        self._pages: dict[str, Page] = {}
        self._importing = LatestJob[None](self, lambda _: self._import_next())
        self._until_import = later(self, IMPORT_AFTER_MS, self._import_modules)
        self._modules = self._modules_with_qt()
        self._next_import = later(self, BETWEEN_IMPORTS_MS, self._import_next)
        self.currentChanged.connect(self.page_changed)

    @property
    def current_name(self) -> str:
        """The name of the current page, or "" before the first."""
        current = self.currentWidget()
        return next((name for name, page in self._pages.items() if page is current), "")

    @property
    def name_before(self) -> str:
        """The name of the page that was shown before the current one."""
        return self._shown[-2]

    @property
    def current(self) -> Page:
        """The current page."""
        return self._pages[self.current_name]

    @property
    def current_entry(self) -> str:
        """The rail's entry that contains the current page, or ""."""
        return self.rows[self.current_name].entry

    def rows_of(self, entry: str) -> list[PageRow]:
        """The pages of an entry of the rail; several pages are its modes."""
        return [row for row in self.rows.values() if row.entry == entry]

    def last_shown(self, entry: str) -> str:
        """The page of an entry that was shown last, or else its first."""
        names = [row.name for row in self.rows_of(entry)]
        return next((name for name in reversed(self._shown) if name in names), names[0])

    @property
    def pages(self) -> Mapping[str, Page]:
        """The pages created so far, by name."""
        return self._pages

    def show_page(self, name: str) -> Page:
        """Show a page; create it if necessary."""
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self.rows[name].make(self._setting)
            page.figures_changed.connect(self.figures_changed)
            page.undo_changed.connect(self.undo_changed)
            page.set_text_size(self._text_px)
            page.set_presented(self._is_presented)
            self.addWidget(page)
            page.setFocus()  # else its first button would get the focus when it is shown
            for key, splitter in page.splitters.items():
                splitter.restoreState(self._setting.settings.layout(key))
        self._shown = [*(other for other in self._shown if other != name), name]
        self.setCurrentWidget(page)
        return page

    def set_text_size(self, size_px: int) -> None:
        """Set the text size of all pages, also of pages that are created later."""
        self._text_px = size_px
        for page in self._pages.values():
            page.set_text_size(size_px)

    def set_presented(self, is_presented: bool) -> None:
        """Hide what an audience does not need, on all pages, or show it again."""
        self._is_presented = is_presented
        for page in self._pages.values():
            page.set_presented(is_presented)

    def import_soon(self) -> None:
        """Import the modules of pages in advance.

        Only this thread may create classes that derive from Qt's: PySide 6.11 looks them up without Python's
        lock wherever Qt paints, and crashes when another thread creates one at that moment.
        """
        self._until_import.start()

    def _import_modules(self) -> None:
        def work(progress: Progress) -> None:
            for module in modules_of(WITHOUT_QT):
                progress(0)
                with suppress(ImportError):  # of a missing library: then nothing here needs the module
                    import_module(module)

        self._importing.start(work)

    def _import_next(self) -> None:
        if (module := next(self._modules, None)) is None:
            self.imported.emit()
            return
        import_module(module)
        self._next_import.start()

    def _modules_with_qt(self) -> Iterator[str]:
        """The modules that use Qt, the largest first, while the user is idle."""
        yield "pyqtgraph"
        yield from modules_of(("guiapp.kit", "guiapp.pages"))
        yield from OTHERS
        yield from (row.module for row in self.rows.values())

    def keep_layouts(self) -> None:
        """Save the splitters of the pages created so far in the settings."""
        for page in self._pages.values():
            for key, splitter in page.splitters.items():
                self._setting.settings.set_layout(key, splitter.saveState())

    def stop(self) -> None:
        """End the background work of the pages."""
        self._until_import.stop()
        self._next_import.stop()
        self._importing.wait()
        for page in self._pages.values():
            page.stop()


def modules_of(packages: Iterable[str]) -> Iterator[str]:
    """The names of all modules in packages, which are imported to find them."""
    for package in packages:
        path = import_module(package).__path__
        yield from (module.name for module in walk_packages(path, f"{package}."))


class Rail(QScrollArea):
    """All pages, one click away. A low window omits the names, a lower one scrolls.

    Tab leads to the entry of the current page, arrow keys to the others.
    """

    def __init__(self, pages: PageStack, actions: Actions, theme_source: ThemeSource) -> None:
        super().__init__()
        self._pages = pages
        self._actions = actions
        entries = dict.fromkeys(row.entry for row in pages.rows.values() if row.entry)
        self.entries = {entry: self._entry(entry, theme_source) for entry in entries}
        inside = QWidget()
        in_column(*self.entries.values(), STRETCH, on=inside, margins=(0, UNIT_PX), spacing=0)
        scroll_down(self, inside)
        set_role(self, "rail")
        self.setAccessibleName("Pages")
        self.setFixedWidth(RAIL_PX + 1)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        pages.page_changed.connect(self._refresh)

    def _entry(self, entry: str, theme_source: ThemeSource) -> RailEntry:
        action = self._actions[self._pages.rows_of(entry)[0].name]
        made = RailEntry(entry, action.shortcut(), theme_source)
        made.clicked.connect(partial(self._show, entry))
        return made

    def _show(self, entry: str) -> None:
        self._actions[self._pages.last_shown(entry)].trigger()

    def _refresh(self) -> None:
        current = self._pages.current_entry
        begin = current or next(iter(self.entries))
        for name, entry in self.entries.items():
            entry.setChecked(name == current)
            entry.setFocusPolicy(Qt.FocusPolicy.TabFocus if name == begin else Qt.FocusPolicy.NoFocus)
        if current:
            self.ensureWidgetVisible(self.entries[current], 0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for entry in self.entries.values():
            entry.set_named(self.window().height() >= NAMES_FROM_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the focus with the arrow keys. Only Return or the space bar shows a page."""
        entries = list(self.entries.values())
        at = next((i for i, entry in enumerate(entries) if entry.hasFocus()), 0)
        key, last = Qt.Key(event.key()), len(entries) - 1
        indexes = {Qt.Key.Key_Up: at - 1, Qt.Key.Key_Down: at + 1, Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        if key not in indexes:
            super().keyPressEvent(event)
            return
        entry = entries[min(max(indexes[key], 0), last)]
        entry.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.ensureWidgetVisible(entry, 0, 0)


class RailEntry(PaintedButton):
    """An icon, optionally with a word below it and a count at its corner."""

    def __init__(self, word: str, keys: QKeySequence, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._count, self._color, self._is_named = 0, "dim", True
        self.setText(word)
        self._tip = f"{word} ({keys.toString(QKeySequence.SequenceFormat.NativeText)})"
        self.setToolTip(self._tip)
        self.setAccessibleName(word)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def nextCheckState(self) -> None:
        """Do nothing: the entry of the current page is checked, whatever is clicked."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Select):
            super().keyPressEvent(event)
        else:
            event.ignore()  # the rail moves the focus, and the window presses

    def sizeHint(self) -> QSize:
        return QSize(RAIL_PX, ENTRY_PX if self._is_named else SHORT_ENTRY_PX)

    def set_named(self, is_named: bool) -> None:
        if is_named != self._is_named:
            self._is_named = is_named
            self.updateGeometry()

    def show_count(self, count: int, color: str, words: str) -> None:
        """Show a number at the icon, in a colour of the theme; 0 hides it."""
        self._count, self._color = count, color
        self.setAccessibleName(", ".join(filter(None, (self.text(), words))))
        self.setToolTip(plain_tip("\n".join(filter(None, (self._tip, words)))))
        self.update()

    def ground(self, theme: Theme) -> QColor | None:
        return None

    def edge(self, theme: Theme) -> QColor | None:
        return None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        whole, is_here = QRectF(self.rect()), self.isChecked()
        card = whole.adjusted(UNIT_PX, 2, -UNIT_PX, -2)
        if is_here or self.underMouse() or self.hasFocus():
            fill(painter, card, theme.raised, GAP_PX)
        if is_here:
            height = whole.height() * 0.55
            bar = QRectF(-BAR_PX, whole.center().y() - height / 2, 2 * BAR_PX, height)
            fill(painter, bar, theme.accent, BAR_PX)
        if self.hasFocus():
            ring(painter, card, theme.accent, GAP_PX)
        top = ICON_TOP_PX if self._is_named else (whole.height() - ICON_PX) / 2
        square = QRectF(whole.center().x() - ICON_PX / 2, top, ICON_PX, ICON_PX)
        sign = icon(f"page-{self.text().lower()}", theme.accent if is_here else theme.dim, ICON_PX)
        sign.paint(painter, square.toRect())
        if self._is_named:
            word = QRectF(0, square.bottom() + UNIT_PX, whole.width(), WORD_PX + 2 * UNIT_PX)
            color = theme.text if is_here else theme.dim
            write(painter, word, self.text(), color, CENTER, Theme.ui_font(WORD_PX))
        if self._count:
            self._paint_count(painter, theme, square.topRight())

    def _paint_count(self, painter: QPainter, theme: Theme, corner: QPointF) -> None:
        text, font = f"{self._count:,}", bold(Theme.ui_font(WORD_PX - 1))
        painter.setFont(font)
        width = max(painter.fontMetrics().horizontalAdvance(text) + GAP_PX, BADGE_PX)
        badge = QRectF(corner.x() - UNIT_PX, corner.y() - BADGE_PX / 2 + 1, width, BADGE_PX)
        fill(painter, badge.adjusted(-2, -2, 2, 2), theme.panel, BADGE_PX / 2 + 2)
        fill(painter, badge, getattr(theme, self._color), BADGE_PX / 2)
        write(painter, badge, text, theme.panel, CENTER, font)


class PageModes(QWidget):
    """The modes of the current page as words in the top bar, or the tools of a page without modes.

    Signals:
        refreshed(): those of another page are shown.
    """

    refreshed = Signal()

    def __init__(self, pages: PageStack, actions: Actions) -> None:
        super().__init__()
        self._pages = pages
        self._tools: QWidget | None = None
        self._groups: dict[str, QButtonGroup] = {}
        self.buttons = {
            row.name: self._button(row, actions[row.name]) for row in pages.rows.values() if row.mode
        }
        self._row = in_row(*self.buttons.values(), on=self, spacing=UNIT_PX)
        pages.page_changed.connect(self._refresh)

    def _button(self, row: PageRow, action: QAction) -> QToolButton:
        button = tool_button(row.mode, action.trigger, tip=row.title, is_checkable=True)
        self._groups.setdefault(row.entry, QButtonGroup(self)).addButton(button)
        return button

    @property
    def most_px(self) -> int:
        """The width of the widest modes of any page, including the tools of the current one."""
        groups = (group.buttons() for group in self._groups.values())
        widths = [sum(button.sizeHint().width() + UNIT_PX for button in group) for group in groups]
        return max([*widths, self._tools.sizeHint().width() if self._tools else 0])

    def _refresh(self) -> None:
        for name, button in self.buttons.items():
            button.setVisible(self._pages.rows[name].entry == self._pages.current_entry)
            button.setChecked(name == self._pages.current_name)
        if self._tools is not None:
            self._row.removeWidget(self._tools)
            self._tools.hide()
        self._tools = self._pages.current.tools
        if self._tools is not None:
            self._row.addWidget(self._tools)
            self._tools.show()
        self.refreshed.emit()
