"""The Special tokens page: what each is for, whether text leads to it, and which are free."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.core.text.figures import counted
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.legend import LegendEntry, characters
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import Contents, in_column, in_splitter
from guiapp.kit.widgets.page_base import Actions, Page, PageRequests, PageSetting
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.vocabulary.special_details import SpecialDetails
from guiapp.pages.vocabulary.special_listing import SpecialTokenList
from guiapp.pages.vocabulary.special_model import SpecialTokensModel

LIST_PX, DETAILS_PX = 900, 360
NO_MODEL = "Open a model to see its special tokens."
WAITING = "Looking for special tokens …"
IN_COLUMNS = (
    LegendEntry(characters("always"), "From text: its text always becomes this token"),
    LegendEntry(characters("if parsed"), "From text: only while special tokens are parsed"),
    LegendEntry(characters("looks so"), "Ends: looks like an end, but llama.cpp does not stop there"),
)


class SpecialTokensPage(Page):
    """Puts list and details together, or says why there is nothing to list."""

    legend = {"Columns of the list": IN_COLUMNS, **Page.legend}

    def __init__(
        self, session: ModelSession, requests: PageRequests, actions: Actions, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._requests = requests
        self._actions = actions
        self.model = SpecialTokensModel(session, self)
        self.saving = FileSaving(self)
        self.list = SpecialTokenList(self.model, self.saving, theme_source)
        self.details = SpecialDetails(self.model, theme_source)
        self.splitter = in_splitter(self.list, self.details, sizes=(LIST_PX, DETAILS_PX))
        self.open = push_button("Open model…", self._ask_model, role="primary")
        self.contents = Contents(self, self.splitter, self.open)
        in_column(self.contents, on=self, spacing=0)
        self.details.text_wanted.connect(self._show_text)
        self.details.tree_wanted.connect(requests.token_wanted)
        self.list.search.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self.model.tokens_changed.connect(self._refresh)
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        return [self.list.view, self.list.search, self.details] if self.model.tokens else [self.open]

    @property
    def is_ready(self) -> bool:
        return not self.model.is_busy

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"special_tokens": self.splitter}

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def _ask_model(self) -> None:
        self._requests.model_wanted.emit(self.open, self.model.session.loader.open)

    def _show_text(self) -> None:
        self._actions["inspect"].trigger()

    def _refresh(self) -> None:
        if self.model.tokens:
            self.contents.show_inside(self.list.view)
        else:
            self.contents.show_message(self._message(), helps=self.model.session.vocabulary is None)

    def _message(self) -> str:
        """What is said where nothing is listed."""
        vocabulary = self.model.session.vocabulary
        if vocabulary is None:
            return NO_MODEL
        if self.model.tokens is None:
            return WAITING
        return f"This model has no special tokens: its {counted(len(vocabulary), 'token')} are text."


def make_page(setting: PageSetting) -> SpecialTokensPage:
    return SpecialTokensPage(setting.session, setting.requests, setting.actions, setting.theme_source)
