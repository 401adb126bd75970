"""What the window asks of a page, what a page asks of the window, and what pages are made from."""

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
    """The actions of the window, by their names."""

    def __getitem__(self, name: str) -> QAction: ...

    def connect_all(self, slots: dict[str, Callable[[], object]]) -> None: ...


class UndoSteps(NamedTuple):
    """Taken back and made again by these; None where there is nothing."""

    undo: Callable[[], object] | None
    redo: Callable[[], object] | None


class Page(QWidget):
    """What the window asks of a page; it gives its focus to the panel to begin with by `setFocusProxy`.

    Signals:
        figures_changed(): `figures` or `lesson_setting` is new.
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
        """What stands in the top bar while the page is shown, where others have modes."""
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
    def lesson_setting(self) -> str:
        """What a lesson that plays works with in place of the model that is open, "" without one."""
        return ""

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
        prompt_wanted(Conversation, template, int): show the prompt of messages, by a name, file or text of a
            template, and the line of that.
        comparison_wanted(str): list the tokens of two vocabularies that this filter leaves.
        building_wanted(int): the same as token_wanted, with the three trees of the token beside each other.
        stop_wanted(int, int): step through the text up to where this token is formed, over this byte.
        why_wanted(int): say why this token of the text, by its number, is there.
        step_wanted(Place): step through the text up to there.
        race_wanted(ModelSession, int): step through the text with that model beside, from this byte on.
        model_chosen(str): open this model in the window.
        text_chosen(Path): open this recent text, session or training data in the window.
        manual_wanted(str): show this topic of the manual.
        lessons_wanted(): show the list of lessons.
        measuring_wanted(): measure what the Bench page has planned.
        left(): show the page before this one.
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
    """What pages are made from."""

    session: ModelSession
    compared: ComparedModels
    settings: Settings
    actions: Actions
    requests: PageRequests
    theme_source: ThemeSource
    recent_items: RecentItems
    doctor: DoctorModel
