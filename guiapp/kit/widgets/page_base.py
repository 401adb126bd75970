"""The pages of the window, behind the tabs in the middle of the top bar and those of the row below it.

To add a page: a module `widgets/NAME/page.py` with a subclass of `Page` and a function `make_page`, and a
row in PAGES; tab, menu entry, shortcut and command palette follow.  Its modules are imported in the
background, or when it is shown for the first time: start-up and other pages do not pay for it.
Other code shows a page by its action: `setting.actions["tree"].trigger()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from guiapp.kit.spans.legend import IN_TEXTS, Legend
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.later import later
from guiapp.kit.state.qt_exceptions import protect_overrides
from guiapp.kit.widgets.theme import TEXT_FONT_PX

if TYPE_CHECKING:
    from guiapp.kit.models.compared_models import ComparedModels
    from guiapp.kit.session.model_session import ModelSession
    from guiapp.kit.state.settings import Settings
    from guiapp.kit.state.shelf import Shelf
    from guiapp.kit.widgets.actions import Actions
    from guiapp.kit.widgets.theme import ThemeSource
    from guiapp.pages.doctor.model import DoctorModel

IMPORT_AFTER_MS = 2000  # the first tokens go first


class UndoSteps(NamedTuple):
    """Taken back and made again by these; None where there is nothing."""

    undo: Callable[[], object] | None
    redo: Callable[[], object] | None


class Page(QWidget):
    """What the window asks of a page; it gives its focus to the panel to begin with by `setFocusProxy`.

    Signals:
        figures_changed(): `figures` is new.
        undo_changed(): `undo_steps` is new.
        watched(bool): whether people see the page.

    legend  of what the page draws, beside what is in all texts
    """

    figures_changed = Signal()
    undo_changed = Signal()
    watched = Signal(bool)

    legend: Legend = {"In texts": IN_TEXTS}

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        return [self]

    @property
    def tools(self) -> QWidget | None:
        """What stands at the right of the row of tabs while the page is shown; for pages that have one."""
        return None

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        """Those whose layout is kept in the settings, by the names it gets there."""
        return {}

    @property
    def figures(self) -> list[str] | None:
        """What the status line tells first, and then; None for the figures of the text."""
        return None

    @property
    def undo_steps(self) -> UndoSteps | None:
        """What of its own the page takes back, and makes again; None where that is the text."""
        return None

    @property
    def is_ready(self) -> bool:
        """Whether what it shows first has arrived; pictures of the page wait for that."""
        return True

    def set_text_size(self, size_px: int) -> None:
        """Show text in this size from now on, where the page has text that can be enlarged."""

    def set_presented(self, is_presented: bool) -> None:
        """Hide what an audience does not need, or show it again."""

    def stop(self) -> None:
        """Give up work in the background and wait for it: the window closes."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.watched.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.watched.emit(False)


class PageRequests(QObject):
    """What pages ask of the window.

    Signals:
        model_wanted(QWidget, take): let people choose a model under this widget; `take(name, pre)` opens it.
        token_wanted(int): show this token of the window's model in its tree.
        tokens_wanted(str, Ids): light these tokens in the tree, under a title.
        template_wanted(TemplateLine): show this line of one of the model's chat templates.
        comparison_wanted(str): list the tokens of two vocabularies that this filter leaves.
        building_wanted(int): the same as token_wanted, with the three trees of the token beside each other.
        stop_wanted(int, int): step through the text up to where this token is formed, over this byte.
        why_wanted(int): say why this token of the text, by its number, is there.
        step_wanted(Place): step through the text up to there.
        race_wanted(ModelSession, int): step through the text with that model beside, from this byte on.
        model_chosen(str): open this model in the window.
        text_chosen(Path): open this text or session in the window.
        lessons_wanted(): show the list of lessons.
        measuring_wanted(): measure what the Bench page has planned.
        left(): show the page before this one.
    """

    model_wanted = Signal(object, object)
    token_wanted = Signal(object)
    tokens_wanted = Signal(str, object)
    template_wanted = Signal(object)
    comparison_wanted = Signal(str)
    building_wanted = Signal(object)
    stop_wanted = Signal(object, object)
    why_wanted = Signal(object)
    step_wanted = Signal(object)
    race_wanted = Signal(object, object)
    model_chosen = Signal(str)
    text_chosen = Signal(object)
    lessons_wanted = Signal()
    measuring_wanted = Signal()
    left = Signal()


@dataclass(frozen=True)
class PageSetting:
    """What pages are made from."""

    session: ModelSession
    compared: ComparedModels
    settings: Settings
    actions: Actions
    requests: PageRequests
    theme_source: ThemeSource
    shelf: Shelf
    doctor: DoctorModel


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


def _row(name: str, title: str, keys: str, path: tuple[str, ...]) -> PageRow:
    module = f"guiapp.pages.{name}.page"
    return PageRow(name, title, keys, path, partial(_make_page, module), (module,))


def _make_page(module: str, setting: PageSetting) -> Page:
    make_page = import_module(module).make_page
    protect_overrides()
    page: Page = make_page(setting)
    return page


PAGES = (
    _row("inspect", "Inspect", "Ctrl+1", ("Inspect", "Text")),
    _row("compare", "Compare models", "Ctrl+5", ("Inspect", "Compare", "Models")),
    _row("compare_texts", "Compare texts", "", ("Inspect", "Compare", "Texts")),
    _row("compare_vocabularies", "Compare vocabularies", "", ("Inspect", "Compare", "Vocabularies")),
    _row("hunt", "Hunt for differences", "", ("Inspect", "Compare", "Hunt")),
    _row("chat", "Chat", "Ctrl+6", ("Inspect", "Chat")),
    _row("vocabulary", "Vocabulary", "Ctrl+7", ("Inspect", "Vocabulary", "Tokens")),
    _row("special_tokens", "Special tokens", "", ("Inspect", "Vocabulary", "Special tokens")),
    _row("doctor", "Doctor", "", ("Inspect", "Vocabulary", "Doctor")),
    _row("tree", "Tree", "Ctrl+2", ("Tree",)),
    _row("steps", "Steps", "Ctrl+3", ("Steps",)),
    _row("bench", "Bench", "Ctrl+4", ("Bench",)),
    _row("start", "Start page", "Alt+Home", ()),
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

    def last_behind(self, *path: str) -> str:
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
