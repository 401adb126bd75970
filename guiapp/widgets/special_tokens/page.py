"""The Special tokens page: what each is for, whether text leads to it, and which are free."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QLabel, QSplitter, QStackedWidget, QWidget

from guiapp.core.explain.figures import counted
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.saving import FileSaving
from guiapp.viewmodels.special_tokens.model import SpecialTokensModel
from guiapp.widgets.shared.buttons import push_button
from guiapp.widgets.shared.layouts import STRETCH, framed, in_column, in_row, in_splitter
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, ThemeSource
from guiapp.widgets.special_tokens.details import SpecialDetails
from guiapp.widgets.special_tokens.listing import SpecialTokenList
from guiapp.widgets.window.actions import Actions
from guiapp.widgets.window.pages import Page, PageRequests, PageSetting

LIST_PX, DETAILS_PX = 900, 360
NO_MODEL = "Open a model to see its special tokens."
WAITING = "Looking for special tokens …"


class SpecialTokensPage(Page):
    """Puts list and details together, or says why there is nothing to list."""

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
        self.splitter = QSplitter(Qt.Orientation.Horizontal, childrenCollapsible=False)
        in_splitter(self.splitter, self.list, self.details, sizes=(LIST_PX, DETAILS_PX))
        self.message = set_role(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "dim")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.open = push_button("Open model…", self._ask_model, role="primary")
        self._stack = QStackedWidget()
        self._stack.addWidget(self.splitter)
        empty = in_column(STRETCH, self.message, in_row(STRETCH, self.open, STRETCH), STRETCH, spacing=GAP_PX)
        self._stack.addWidget(framed(empty))
        in_column(self._stack, on=self, spacing=0)
        self.details.text_wanted.connect(self._show_text)
        self.details.tree_wanted.connect(requests.token_wanted)
        search = QShortcut(
            QKeySequence("Ctrl+F"), self, context=Qt.ShortcutContext.WidgetWithChildrenShortcut
        )
        search.activated.connect(self._ask_search)
        self.model.tokens_changed.connect(self._follow)
        self._follow()

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

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.model.set_watched(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.model.set_watched(False)

    def _ask_search(self) -> None:
        self.list.search.setFocus()
        self.list.search.selectAll()

    def _ask_model(self) -> None:
        self._requests.model_wanted.emit(self.open, self.model.session.loader.open)

    def _show_text(self) -> None:
        self._actions["inspect"].trigger()

    def _follow(self) -> None:
        before, vocabulary = self.focusProxy(), self.model.session.vocabulary
        had_focus = before is not None and before.hasFocus()
        self._stack.setCurrentIndex(0 if self.model.tokens else 1)
        self.message.setText(self._told())
        self.open.setVisible(vocabulary is None)
        without = self.open if vocabulary is None else self.message
        self.setFocusProxy(self.list.view if self.model.tokens else without)
        if had_focus:
            self.setFocus()

    def _told(self) -> str:
        """What is said where nothing is listed."""
        vocabulary = self.model.session.vocabulary
        if vocabulary is None:
            return NO_MODEL
        if self.model.tokens is None:
            return WAITING
        return f"This model has no special tokens: its {counted(len(vocabulary), 'token')} are text."


def make_page(setting: PageSetting) -> SpecialTokensPage:
    return SpecialTokensPage(setting.session, setting.requests, setting.actions, setting.theme_source)
