"""The interface between window and pages, and the objects that pages are built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.kit.spans.legend import IN_TEXTS, Legend

if TYPE_CHECKING:
    from guiapp.kit.session.doctor_model import DoctorModel
    from guiapp.kit.session.model_session import ComparedModels, ModelSession
    from guiapp.kit.state.recent import RecentItems
    from guiapp.kit.state.settings import Settings
    from guiapp.kit.widgets.theme import ThemeSource


class Actions(Protocol):
    """The window's actions by name."""

    def __getitem__(self, name: str) -> QAction: ...

    def connect_all(self, slots: dict[str, Callable[[], object]]) -> None: ...


class UndoSteps(NamedTuple):
    """Functions that undo and redo a step; None if there is no step."""

    undo: Callable[[], object] | None
    redo: Callable[[], object] | None


class Page(QWidget):
    """A page of the window; its focus proxy (`setFocusProxy`) is the panel to begin with.

    Signals:
        figures_changed(): `figures` or `lesson_setting` is new.
        undo_changed(): `undo_steps` is new.
        watched(bool): whether the page is shown.

    legend  of the page's own marks, in addition to the marks in all texts
    """

    figures_changed = Signal()
    undo_changed = Signal()
    watched = Signal(bool)

    legend: Legend = {"In texts": IN_TEXTS}

    @property
    def panels(self) -> list[QWidget]:
        """The panels that F6 cycles through."""
        return [self]

    @property
    def tools(self) -> QWidget | None:
        """The page's widget for the top bar, where other pages have modes."""
        return None

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        """The splitters whose sizes are saved in the settings, by the names used there."""
        return {}

    @property
    def figures(self) -> list[str] | None:
        """The status line: a text, then alternatives of a second one; None for the text's statistics."""
        return None

    @property
    def lesson_setting(self) -> str:
        """The setting of the playing lesson that replaces the open model; "" if there is none."""
        return ""

    @property
    def undo_steps(self) -> UndoSteps | None:
        """The page's own undo steps; None to undo edits of the text."""
        return None

    @property
    def is_ready(self) -> bool:
        """Whether its first contents have arrived; screenshots of the page wait for that."""
        return True

    def set_text_size(self, size_px: int) -> None:
        """Set the font size, if the page has text that can be zoomed."""

    def set_presented(self, is_presented: bool) -> None:
        """Hide what an audience does not need, or show it again."""

    def stop(self) -> None:
        """Cancel background work and wait for it: the window closes."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.watched.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.watched.emit(False)


class PageRequests(QObject):
    """Requests of pages to the window.

    Signals:
        model_wanted(QWidget, take): let the user choose a model below this; `take(name, pre)` opens it.
        token_wanted(int): show this token of the window's model in its tree.
        tokens_wanted(str, Ids): highlight these tokens in the tree, under a title.
        template_wanted(TemplateLine): show this line of one of the model's chat templates.
        prompt_wanted(Conversation, template, int): show the prompt of messages, with a template by its name,
            file or text, and a line of the template.
        comparison_wanted(str): list the tokens of two vocabularies that match this filter.
        building_wanted(int): like token_wanted, with the three trees of the token side by side.
        stop_wanted(int, int): step through the text until this token is formed, over this byte.
        why_wanted(int): explain why the text contains this token, by its index.
        step_wanted(StepKey): step through the text up to this point.
        race_wanted(ModelSession, int): step through the text and compare that model, from this byte on.
        model_chosen(str): open this model in the window.
        text_chosen(Path): open this recent text, session or training data in the window.
        manual_wanted(str): show this topic of the manual.
        lessons_wanted(): show the list of lessons.
        measuring_wanted(): run the measurements planned on the Bench page.
        left(): show the previous page.
    """

    model_wanted = Signal(object, object)
    token_wanted = Signal(object)
    tokens_wanted = Signal(str, object)
    template_wanted = Signal(object)
    prompt_wanted = Signal(object, object, int)
    comparison_wanted = Signal(str)
    building_wanted = Signal(object)
    stop_wanted = Signal(object, object)
    why_wanted = Signal(object)
    step_wanted = Signal(object)
    race_wanted = Signal(object, object)
    model_chosen = Signal(str)
    text_chosen = Signal(object)
    manual_wanted = Signal(str)
    lessons_wanted = Signal()
    measuring_wanted = Signal()
    left = Signal()


@dataclass(frozen=True)
class PageSetting:
    """The objects that pages are built from."""

    session: ModelSession
    compared: ComparedModels
    settings: Settings
    actions: Actions
    requests: PageRequests
    theme_source: ThemeSource
    recent_items: RecentItems
    doctor: DoctorModel
