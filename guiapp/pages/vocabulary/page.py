"""The Vocabulary page: all tokens of the window's model, filtered, sorted, counted, one of them explained."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import Contents, in_column, in_splitter
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.vocabulary.bar import VocabularyBar
from guiapp.pages.vocabulary.details import NAMES, VocabularyDetails
from guiapp.pages.vocabulary.embeddings import EmbeddingsModel
from guiapp.pages.vocabulary.embeddings_panel import EmbeddingsPanel
from guiapp.pages.vocabulary.listing import TokenListing
from guiapp.pages.vocabulary.model import VocabularyModel
from guiapp.pages.vocabulary.picture import LEGEND, VocabularyHistograms

PICTURE_PX, LIST_PX, CARD_PX = 280, 680, 320
EMBEDDINGS_PX = 300  # high
ROOM_FOR_PICTURE_PX = 1000
NO_MODEL = "Open a model to see its tokens."
PREPARING = "Reading the tokens …"
ALL, SELECTED = "all tokens", "selected tokens"
NOTHING_CHOSEN = "Choose a token of the list to see what it is."


class VocabularyPage(Page):
    """Puts filter, picture, list and card together, or says what to do where there is no model."""

    legend = {"In the vocabulary": LEGEND, **Page.legend}

    def __init__(
        self, session: ModelSession, settings: Settings, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self._session = session
        self._requests = requests
        self.model = VocabularyModel(session, settings, self)
        self.details = VocabularyDetails(self.model, self)
        self.embeddings = EmbeddingsModel(self.model, self)
        self.saving = FileSaving(self)
        self.bar = VocabularyBar(self.model, self.saving, theme_source)
        self.picture = VocabularyHistograms(self.model, theme_source)
        self.list = TokenListing(self.model, self.saving, theme_source)
        self.embeddings_panel = EmbeddingsPanel(
            self.model, self.embeddings, lambda: self.list.selected, theme_source
        )
        self.embeddings_panel.hide()
        self.card = TokenCard(self.details, theme_source, facts=NAMES, empty=NOTHING_CHOSEN)
        self.open = push_button("Open model…", self._ask_model, role="primary")
        self._build_layout()
        self._connect()
        self._on_prepared_changed()

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        if self.model.prepared is None:
            return [self.open]
        picture = [] if self.picture.isHidden() else [self.picture.scripts]
        has_keys = not (self.embeddings_panel.isHidden() or self.embeddings.is_without)
        embeddings = [self.embeddings_panel.focus] if has_keys else []
        return [self.list.view, self.bar.field, *embeddings, *picture, self.card]

    @property
    def is_ready(self) -> bool:
        embeddings = self.embeddings.reading, self.embeddings.looking
        is_busy = self.model.is_preparing or any(job.is_busy for job in embeddings)
        return self.model.is_up_to_date and not is_busy

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"vocabulary": self.splitter, "embeddings": self.middle}

    def stop(self) -> None:
        self.saving.close()
        self.embeddings.close()
        self.model.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.picture.setVisible(self.width() >= ROOM_FOR_PICTURE_PX)  # else the list has no room for words

    def _build_layout(self) -> None:
        self.middle = in_splitter(
            self.embeddings_panel,
            self.list,
            sizes=(EMBEDDINGS_PX, LIST_PX),
            grows=1,
            way=Qt.Orientation.Vertical,
        )
        self.splitter = in_splitter(
            self.picture, self.middle, self.card, sizes=(PICTURE_PX, LIST_PX, CARD_PX), grows=1
        )
        self.contents = Contents(self, self.splitter, self.open)
        in_column(self.bar, (self.contents, 1), on=self, spacing=0)

    def _connect(self) -> None:
        self.model.prepared_changed.connect(self._on_prepared_changed)
        self.bar.tree_wanted.connect(self._show_in_tree)
        self.bar.comparison_wanted.connect(self._compare)
        self.bar.embeddings.toggled.connect(self._show_embeddings)
        self.list.view.doubleClicked.connect(self._show_in_tree)
        self.bar.field.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self.watched.connect(self.details.describe)

    def _show_embeddings(self, is_shown: bool) -> None:
        """Show what embeddings tell; of a low window on half of the height."""
        self.embeddings_panel.setVisible(is_shown)
        self.embeddings.set_active(is_shown)
        half = self.middle.height() // 2
        if is_shown and half < EMBEDDINGS_PX:
            self.middle.setSizes([half, half])

    def _ask_model(self) -> None:
        self._requests.model_wanted.emit(self.open, self._session.loader.open)

    def _show_in_tree(self) -> None:
        """Light the selected tokens in the tree, or all that are listed where there is no more than one."""
        selected = self.list.selected
        tokens = selected if len(selected) > 1 else self.model.shown.ids
        if len(selected) == 1:
            self._requests.token_wanted.emit(int(selected[0]))
        elif len(tokens):
            listed = self.model.shown.request.query or ALL
            self._requests.tokens_wanted.emit(listed if tokens is self.model.shown.ids else SELECTED, tokens)

    def _compare(self) -> None:
        self._requests.comparison_wanted.emit(self.model.query)

    def _on_prepared_changed(self) -> None:
        is_coming = self.model.is_preparing
        if self.model.prepared is not None:
            self.contents.show_inside(self.bar.field)
        else:
            self.contents.show_message(PREPARING if is_coming else NO_MODEL, helps=not is_coming)


def make_page(setting: PageSetting) -> VocabularyPage:
    return VocabularyPage(setting.session, setting.settings, setting.requests, setting.theme_source)
