"""The Vocabularies page of Compare: what two models have in common, and what not."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.kit.models.compared_models import ComparedModels
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.contents import Contents
from guiapp.kit.widgets.layouts import in_column, in_splitter
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.compare.vocabularies import ComparedVocabularies
from guiapp.pages.compare.vocabularies_head import PairHead
from guiapp.pages.compare.vocabularies_listing import VocabularyList
from guiapp.pages.compare.vocabularies_picture import VocabularyPicture
from guiapp.pages.compare.vocabularies_side import SidePanel
from guiapp.pages.compare.vocabulary_rows import GROUPS
from guiapp.pages.compare.vocabulary_verdict import first_difference

PICTURE_PX, LIST_PX, SIDE_PX = 300, 660, 320
ROOM_FOR_PICTURE_PX = 1000
NO_MODEL = "Open a model, and add another one to compare it with."
NO_SECOND = "Add a model to compare with: another file of the same one, or any other."


class VocabulariesPage(Page):
    """Puts head, picture, list and details together, or says what to do where there are no two models."""

    def __init__(self, compared: ComparedModels, requests: PageRequests, theme_source: ThemeSource) -> None:
        super().__init__()
        self._requests = requests
        self._wanted_token: tuple[str, int] | None = None  # of a model that is to become the window's
        self.model = ComparedVocabularies(compared, self)
        self.saving = FileSaving(self)
        self.head = PairHead(self.model, theme_source)
        self.picture = VocabularyPicture(self.model, theme_source)
        self.list = VocabularyList(self.model, self.saving, theme_source)
        self.side = SidePanel(self.model, theme_source)
        self.add = push_button("Add model…", self._ask_model, role="primary")
        self._lay_out()
        self._connect()
        self._follow_found()

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        if self.model.found is None:
            return [self.add]
        side = self.side.stack.currentWidget()
        picture = [] if self.picture.isHidden() else [self.picture.scripts]
        around = [self.head.second, *picture, *([] if side is None else [side])]
        return [self.list.view, self.list.search, *around]

    @property
    def is_ready(self) -> bool:
        return not self.model.is_waiting and not self.model.listing.is_busy

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"compare_vocabularies": self.splitter}

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.picture.setVisible(self.width() >= ROOM_FOR_PICTURE_PX)  # else the list has no room for words

    def _lay_out(self) -> None:
        self.splitter = in_splitter(
            self.picture, self.list, self.side, sizes=(PICTURE_PX, LIST_PX, SIDE_PX), grows=1
        )
        self.contents = Contents(self, self.splitter, self.add)
        in_column(self.head, (self.contents, 1), on=self, spacing=0)

    def _connect(self) -> None:
        self.model.found_changed.connect(self._follow_found)
        self.model.pair_changed.connect(self._follow_found)
        self.head.chosen.connect(self._show_target)
        self.head.model_wanted.connect(self._ask_model_under)
        details = self.side.details
        details.tree_wanted.connect(self._requests.token_wanted)
        details.second_wanted.connect(self._open_second)
        self.model.first.loader.loading_changed.connect(self._forget_wanted)
        self.model.first.loader.model_changed.connect(self._show_wanted)
        self.list.search.come_by_keys(self)
        self.watched.connect(self.model.set_watched)

    def _ask_model(self) -> None:
        self._ask_model_under(self.add)

    def _ask_model_under(self, widget: QWidget) -> None:
        take = self.model.first.loader.open if self.model.first.tokenizer is None else self.model.add_second
        self._requests.model_wanted.emit(widget, take)

    def _show_target(self, target: str) -> None:
        if target in GROUPS:
            self.model.show_group(target)
        else:
            self.side.show_target(target)

    def _follow_found(self) -> None:
        model, compared = self.model, self.model.compared
        self.add.setText("Open model…" if model.first.tokenizer is None else "Add model…")
        self.head.setVisible(model.second is not None)
        if compared is None:
            self.contents.tell(self._told(), helps=not model.is_waiting)
        else:
            self.contents.show_inside(self.list.view)
            target = first_difference(compared.respects)
            self.side.tabs.choose(0) if target in GROUPS else self.side.show_target(target)

    def _told(self) -> str:
        """What is said where nothing is compared."""
        model = self.model
        if model.is_waiting:
            return "Comparing …" if model.job.is_busy else "Opening …"
        return model.problem or (NO_MODEL if model.first.tokenizer is None else NO_SECOND)

    def _open_second(self, token: int) -> None:
        """Open B as the window's model, and then show a token of it in the tree."""
        second = self.model.second
        opened = None if second is None else second.loader.model
        if opened is not None:
            self._wanted_token = opened.name, token
            self.model.first.loader.open(opened.name, opened.tokenizer.vocabulary.chosen_pre or None)

    def _forget_wanted(self) -> None:
        """Once another model is opened instead, or none."""
        loader = self.model.first.loader
        opened = None if loader.model is None else loader.model.name
        if self._wanted_token is not None and self._wanted_token[0] not in (loader.loading_name, opened):
            self._wanted_token = None

    def _show_wanted(self) -> None:
        wanted, self._wanted_token = self._wanted_token, None
        opened = self.model.first.loader.model
        if wanted is not None and opened is not None and opened.name == wanted[0]:
            self._requests.token_wanted.emit(wanted[1])


def make_page(setting: PageSetting) -> VocabulariesPage:
    return VocabulariesPage(setting.compared, setting.requests, setting.theme_source)
