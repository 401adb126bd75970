"""The pages of the window, side by side behind the tabs in the middle of the top bar.

To add a page:
1. a module with a subclass of `Page` (see `inspect/page.py`), which gets what it needs in its constructor;
2. a function below that imports that module and makes the page of a `PageSetting`;
3. a row in PAGES: name, title, shortcut, that function, and what takes long to import there.

Tab, menu entry, shortcut and command palette follow from the row.  The function is called when the page
is shown for the first time, so that neither start-up nor the other pages pay for it; by then a thread has
imported the modules, unless people are quick.  From then on the page stays.  Other code shows a page by
its action: `setting.actions["tree"].trigger()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QWidget

from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.widgets.shared.theme import TEXT_FONT_PX

if TYPE_CHECKING:
    from guiapp.viewmodels.settings import Settings
    from guiapp.viewmodels.workspace import Workspace
    from guiapp.widgets.shared.theme import ThemeSource
    from guiapp.widgets.window.actions import Actions

IMPORT_AFTER_MS = 2000  # the first tokens go first


class Page(QWidget):
    """What the window asks of a page; it gives its focus to the panel to begin with by `setFocusProxy`."""

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        return [self]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        """Those whose layout is kept in the settings, by the names it gets there."""
        return {}

    @property
    def is_ready(self) -> bool:
        """Whether what it shows first has arrived; pictures of the page wait for that."""
        return True

    def set_text_size(self, size_px: int) -> None:
        """Show text in this size from now on, where the page has text that can be enlarged."""

    def stop(self) -> None:
        """Give up work in the background and wait for it: the window closes."""


@dataclass(frozen=True)
class PageSetting:
    """What pages are made from."""

    workspace: Workspace
    settings: Settings
    actions: Actions
    theme_source: ThemeSource


@dataclass(frozen=True)
class PageRow:
    """One page; `name` is also that of the action that shows it."""

    name: str
    title: str
    keys: str
    make: Callable[[PageSetting], Page]
    modules: tuple[str, ...] = ()


def _inspect(setting: PageSetting) -> Page:
    from guiapp.widgets.inspect.page import InspectPage

    return InspectPage(setting.workspace, setting.theme_source)


def _tree(setting: PageSetting) -> Page:
    from guiapp.widgets.tree.page import TreePage

    page = TreePage(setting.workspace, setting.theme_source, setting.settings)
    setting.actions.connect_all({"three_trees": page.show_three_trees})
    return page


def _steps(setting: PageSetting) -> Page:
    from guiapp.viewmodels.steps.lesson_player import LessonPlayer
    from guiapp.viewmodels.steps.model import StepsModel
    from guiapp.widgets.steps.page import StepsPage

    model = StepsModel(setting.workspace, setting.settings)
    player = LessonPlayer(setting.workspace, model, setting.settings)
    return StepsPage(model, player, setting.workspace, setting.actions, setting.theme_source)


def _bench(setting: PageSetting) -> Page:
    from guiapp.viewmodels.bench.history import RUNS, RunHistory
    from guiapp.viewmodels.bench.model import BenchModel
    from guiapp.widgets.bench.page import BenchPage

    model = BenchModel(setting.workspace, history=RunHistory(setting.settings.folder / RUNS))
    page = BenchPage(model, setting.theme_source)
    setting.actions.connect_all(
        {
            "bench_run": page.plan.run_button.click,
            "bench_pause": page.plan.pause_button.click,
            "bench_report": page.save_report,
            "bench_pictures": page.save_pictures,
            "bench_open": page.bar.open_run,
            "bench_compare": page.bar.compare_with_run,
            "bench_runs": page.bar.show_kept_runs,
        }
    )
    return page


PAGES = (
    PageRow("inspect", "Inspect", "Ctrl+1", _inspect),
    PageRow("tree", "Tree", "Ctrl+2", _tree, ("guiapp.widgets.tree.page",)),
    PageRow("steps", "Steps", "Ctrl+3", _steps, ("guiapp.widgets.steps.page",)),
    PageRow("bench", "Bench", "Ctrl+4", _bench, ("guiapp.widgets.bench.page", "pyqtgraph")),
)


class PageStack(QStackedWidget):
    """Shows one page at a time, and makes it the first time.

    Signals:
        page_changed(): `current_name` is new.
        imported(): what pages need is loaded.
    """

    page_changed = Signal()
    imported = Signal()

    def __init__(
        self, setting: PageSetting, rows: tuple[PageRow, ...] = PAGES, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._setting = setting
        self._rows = {row.name: row for row in rows}
        self._pages: dict[str, Page] = {}
        self._importing = LatestJob[None](self)
        self._importing.done.connect(self.imported)
        self._until_import = QTimer(self, singleShot=True, interval=IMPORT_AFTER_MS)
        self._until_import.timeout.connect(self._import_modules)
        self.currentChanged.connect(self.page_changed)

    @property
    def current_name(self) -> str:
        """The name of the page that is shown, "" before the first."""
        current = self.currentWidget()
        return next((name for name, page in self._pages.items() if page is current), "")

    @property
    def current(self) -> Page:
        """The page that is shown."""
        return self._pages[self.current_name]

    @property
    def pages(self) -> Mapping[str, Page]:
        """Those that were made, by name."""
        return self._pages

    def show_page(self, name: str) -> Page:
        """Bring a page to the front."""
        page = self._pages.get(name)
        if page is None:
            page = self._pages[name] = self._rows[name].make(self._setting)
            page.set_text_size(self._setting.settings.font_px or TEXT_FONT_PX)
            self.addWidget(page)
            page.setFocus()  # once it is seen: else its first button would have it
            for key, splitter in page.splitters.items():
                splitter.restoreState(self._setting.settings.layout(key))
        self.setCurrentWidget(page)
        return page

    def import_soon(self) -> None:
        """Import what pages need that nobody has asked for yet, in the background."""
        self._until_import.start()

    def _import_modules(self) -> None:
        modules = [module for row in self._rows.values() for module in row.modules]

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
