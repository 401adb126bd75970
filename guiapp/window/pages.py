"""The pages of the window, behind the tabs in the middle of the top bar and those of the row below it.

To add a page: a folder `pages/NAME` with a module `page.py`, in which a subclass of `Page` and a function
`make_page` are, and a row in PAGES; tab, menu entry, shortcut and command palette follow.  Its modules are
imported in the background, or when it is shown for the first time.
Other code shows a page by its action: `setting.actions["tree"].trigger()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget

from guiapp.kit.state.background import LatestJob, Progress, later
from guiapp.kit.state.qt_exceptions import protect_overrides
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import TEXT_FONT_PX

IMPORT_AFTER_MS = 2000  # the first tokens go first


@dataclass(frozen=True)
class PageRow:
    """One page.

    name     also that of the action that shows it
    title    of its entry in the menu
    path     the tabs that lead to it, that of the top bar first; none for a page without a tab
    modules  take long to import
    """

    name: str
    title: str
    keys: str
    path: tuple[str, ...]
    make: Callable[[PageSetting], Page]
    modules: tuple[str, ...] = ()


def _row(name: str, title: str, keys: str, path: tuple[str, ...], where: str) -> PageRow:
    module = f"guiapp.{where}"
    return PageRow(name, title, keys, path, partial(_make_page, module), (module,))


def _make_page(module: str, setting: PageSetting) -> Page:
    make_page = import_module(module).make_page
    protect_overrides()
    page: Page = make_page(setting)
    return page


PAGES = (
    _row("inspect", "Inspect", "Ctrl+1", ("Inspect", "Text"), "pages.text.page"),
    _row("compare", "Compare models", "Ctrl+5", ("Inspect", "Compare", "Models"), "pages.compare.page"),
    _row("compare_texts", "Compare texts", "", ("Inspect", "Compare", "Texts"), "pages.compare.texts_page"),
    _row(
        "compare_vocabularies",
        "Compare vocabularies",
        "",
        ("Inspect", "Compare", "Vocabularies"),
        "pages.compare.vocabularies_page",
    ),
    _row("hunt", "Hunt for differences", "", ("Inspect", "Compare", "Hunt"), "pages.hunt.page"),
    _row("chat", "Chat", "Ctrl+6", ("Inspect", "Chat"), "pages.chat.page"),
    _row("vocabulary", "Vocabulary", "Ctrl+7", ("Inspect", "Vocabulary", "Tokens"), "pages.vocabulary.page"),
    _row(
        "special_tokens",
        "Special tokens",
        "",
        ("Inspect", "Vocabulary", "Special tokens"),
        "pages.vocabulary.special_page",
    ),
    _row("doctor", "Doctor", "", ("Inspect", "Vocabulary", "Doctor"), "pages.doctor.page"),
    _row("tree", "Tree", "Ctrl+2", ("Tree",), "pages.tree.page"),
    _row("steps", "Steps", "Ctrl+3", ("Steps",), "pages.steps.page"),
    _row("bench", "Bench", "Ctrl+4", ("Bench",), "pages.bench.page"),
    _row("start", "Start page", "Alt+Home", (), "window.start_page"),
)


class PageStack(QStackedWidget):
    """Shows one page at a time, and makes it the first time.

    Signals:
        page_changed(): `current_name` is new.
        figures_changed(), undo_changed(): those of the page that is shown are new.
        imported(): what pages need is loaded.
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
        self._shown: list[str] = []  # the page that was shown last is the last one
        self._pages: dict[str, Page] = {}
        self._importing = LatestJob[None](self, self.imported)
        self._until_import = later(self, IMPORT_AFTER_MS, self._import_modules)
        self.currentChanged.connect(self.page_changed)

    @property
    def current_name(self) -> str:
        """The name of the page that is shown, "" before the first."""
        current = self.currentWidget()
        return next((name for name, page in self._pages.items() if page is current), "")

    @property
    def name_before(self) -> str:
        """The name of the page that was shown before the present one."""
        return self._shown[-2]

    @property
    def current(self) -> Page:
        """The page that is shown."""
        return self._pages[self.current_name]

    def last_shown(self, *path: str) -> str:
        """The name of the page behind these tabs that was shown last, or else of the first one."""
        behind = [name for name, row in self.rows.items() if row.path[: len(path)] == path]
        return next((name for name in reversed(self._shown) if name in behind), behind[0])

    @property
    def pages(self) -> Mapping[str, Page]:
        """Those that were made, by name."""
        return self._pages

    def show_page(self, name: str) -> Page:
        """Bring a page to the front."""
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self.rows[name].make(self._setting)
            page.figures_changed.connect(self.figures_changed)
            page.undo_changed.connect(self.undo_changed)
            page.set_text_size(self._text_px)
            page.set_presented(self._is_presented)
            self.addWidget(page)
            page.setFocus()  # once it is seen: else its first button would have it
            for key, splitter in page.splitters.items():
                splitter.restoreState(self._setting.settings.layout(key))
        self._shown = [*(other for other in self._shown if other != name), name]
        self.setCurrentWidget(page)
        return page

    def set_text_size(self, size_px: int) -> None:
        """Show text in this size on all pages, also those that are made later."""
        self._text_px = size_px
        for page in self._pages.values():
            page.set_text_size(size_px)

    def set_presented(self, is_presented: bool) -> None:
        """Hide what an audience does not need on any page, or show it again."""
        self._is_presented = is_presented
        for page in self._pages.values():
            page.set_presented(is_presented)

    def import_soon(self) -> None:
        """Import what pages need that nobody has asked for yet, in the background."""
        self._until_import.start()

    def _import_modules(self) -> None:
        modules = [module for row in self.rows.values() for module in row.modules]

        def work(progress: Progress) -> None:
            for done, module in enumerate(modules):
                progress(done / len(modules))
                import_module(module)

        self._importing.start(work)

    def keep_layouts(self) -> None:
        """Put the splitters of the pages that were made into the settings."""
        for page in self._pages.values():
            for key, splitter in page.splitters.items():
                self._setting.settings.set_layout(key, splitter.saveState())

    def stop(self) -> None:
        """End what the pages do in the background."""
        self._until_import.stop()
        self._importing.wait()
        for page in self._pages.values():
            page.stop()
