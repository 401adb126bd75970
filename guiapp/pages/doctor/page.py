"""The Doctor page: what is wrong with the model's files, what text that changes, and what mends it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.contents import Contents
from guiapp.kit.widgets.layouts import in_column, in_splitter
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.saving_bar import SavingBar
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.doctor.finding_list import LEGEND, FindingList
from guiapp.pages.doctor.head import DoctorHead
from guiapp.pages.doctor.panel import FindingPanel

LIST_PX, PANEL_PX = 640, 460
NOTHING = (
    "Nothing to mend. Looked at were the pre-tokenizer, merge rules, kinds, scores and bytes of tokens, "
    "special tokens and ends of turns, sizes, look-alike and hidden characters, chat templates, and decoding."
)


class DoctorPage(Page):
    """The verdict at the top, the findings below, and at the right the one that is looked at."""

    legend = {"Findings": LEGEND, **Page.legend}

    def __init__(self, model: DoctorModel, requests: PageRequests, theme_source: ThemeSource) -> None:
        super().__init__()
        self.model, self._requests = model, requests
        self.saving = FileSaving(self)
        self.head = DoctorHead(model, self.saving, theme_source)
        self.list = FindingList(model, theme_source)
        self.panel = FindingPanel(model, theme_source)
        self.splitter = in_splitter(self.list, self.panel, sizes=(LIST_PX, PANEL_PX))
        self.splitter.setStretchFactor(1, 1)
        self.contents = Contents(self, self.splitter)
        in_column(self.head, SavingBar(self.saving, theme_source), (self.contents, 1), on=self, spacing=0)
        self.watched.connect(model.set_watched)
        self.head.original_wanted.connect(self._ask_original)
        self.panel.token_wanted.connect(requests.token_wanted)
        self.panel.tokens_wanted.connect(requests.tokens_wanted)
        self.panel.template_wanted.connect(requests.template_wanted)
        model.changed.connect(self._follow)
        self._follow()

    @property
    def panels(self) -> list[QWidget]:
        return (
            [self.list, self.panel.what, self.head.original] if self.model.findings else [self.head.original]
        )

    @property
    def is_ready(self) -> bool:
        return not self.model.is_waiting

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"doctor": self.splitter}

    def stop(self) -> None:
        self.saving.close()

    def _ask_original(self, widget: QWidget) -> None:
        self._requests.model_wanted.emit(widget, self.model.set_original)

    def _follow(self) -> None:
        is_well = self.model.diagnosis is not None and not self.model.is_busy
        if self.model.findings:
            self.contents.show_inside(self.list)
        else:
            self.contents.tell(NOTHING if is_well else "", begin=self.head.original)


def make_page(setting: PageSetting) -> DoctorPage:
    page = DoctorPage(setting.doctor, setting.requests, setting.theme_source)
    page.panel.text_shown.connect(setting.actions["inspect"].trigger)
    return page
