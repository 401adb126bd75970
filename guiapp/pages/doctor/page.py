"""The Doctor page: what is wrong with the model's files, what text that changes, and what mends it."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSplitter, QWidget

from guiapp.analysis.doctor.findings import ERROR, HINT, WARNING
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.doctor_model import DoctorModel
from guiapp.kit.spans.legend import Draw, LegendEntry
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.find_picture import CUTS
from guiapp.kit.widgets.layouts import Contents, in_column, in_splitter
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.painting import LEFT, bold, elided, icon, write
from guiapp.kit.widgets.tables import ROW_PX, PaintedRows
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, Theme, ThemeSource
from guiapp.pages.doctor.head import DoctorHead
from guiapp.pages.doctor.panel import FindingPanel
from guiapp.pages.doctor.words import ICONS, title_of

ICON_PX = 18
TEXT_PX = 2 * MARGIN_PX + ICON_PX  # where it begins
LIST_PX, PANEL_PX = 640, 460
NOTHING = (
    "Nothing to mend. Looked at were the pre-tokenizer, merge rules, kinds, scores and bytes of tokens, "
    "special tokens and ends of turns, sizes, look-alike and hidden characters, chat templates, and decoding."
)


def _icon(severity: str) -> Draw:
    name, color = ICONS[severity]
    return lambda painter, theme, box: icon(name, getattr(theme, color)).paint(painter, box.toRect())


LEGEND = (
    LegendEntry(_icon(ERROR), "Error: texts get other ids than the model was trained with, or none"),
    LegendEntry(_icon(WARNING), "Warning: some texts may get wrong ids"),
    LegendEntry(_icon(HINT), "Hint: unusual, but harmless"),
    *CUTS,
)


class FindingList(PaintedRows):
    """A click or the arrow keys choose the finding that is looked at."""

    def __init__(self, model: DoctorModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Findings")
        self._model = model
        self.setMinimumSize(240, ROW_PX)
        model.chosen_changed.connect(self._refresh)
        self._refresh()

    @property
    def n_rows(self) -> int:
        return len(self._model.findings)

    @property
    def chosen_row(self) -> int:
        return self._model.chosen

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._model.choose(self.row_under(event.position().toPoint().y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last, page = self.n_rows - 1, max(self.viewport().height() // ROW_PX, 1)
        rows = {
            Qt.Key.Key_Up: self._model.chosen - 1,
            Qt.Key.Key_Down: self._model.chosen + 1,
            Qt.Key.Key_PageUp: max(self._model.chosen - page, 0),
            Qt.Key.Key_PageDown: min(self._model.chosen + page, last),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        if (row := rows.get(Qt.Key(event.key()))) is None:
            super().keyPressEvent(event)
        else:
            self._model.choose(row)

    def _refresh(self) -> None:
        self.show_chosen()
        finding = self._model.finding
        self.setAccessibleDescription("" if finding is None else f"{finding.severity}: {finding.what}")

    def paint_row(self, painter: QPainter, theme: Theme, row: int, place: QRect) -> None:
        finding = self._model.findings[row]
        name, color = ICONS[finding.severity]
        sign = QRect(MARGIN_PX, place.top() + 12, ICON_PX, ICON_PX)
        icon(name, getattr(theme, color), ICON_PX).paint(painter, sign)
        upper = place.adjusted(TEXT_PX, 12, -MARGIN_PX, -ROW_PX // 2)
        lower = place.adjusted(TEXT_PX, ROW_PX // 2, -MARGIN_PX, -12)
        small, large = Theme.ui_font(SMALL_FONT_PX), bold(Theme.ui_font())
        write(painter, upper, elided(title_of(finding), large, upper.width()), theme.text, LEFT, large)
        told = elided(finding.what, small, lower.width())
        write(painter, lower, isolate(told), theme.dim, LEFT, small)


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
        self.watched.connect(model.set_active)
        self.head.original_wanted.connect(self._ask_original)
        self.panel.token_wanted.connect(requests.token_wanted)
        self.panel.tokens_wanted.connect(requests.tokens_wanted)
        self.panel.template_wanted.connect(requests.template_wanted)
        model.changed.connect(self._refresh)
        self._refresh()

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

    def _refresh(self) -> None:
        is_well = self.model.diagnosis is not None and not self.model.is_busy
        if self.model.findings:
            self.contents.show_inside(self.list)
        else:
            self.contents.show_message(NOTHING if is_well else "", begin=self.head.original)


def make_page(setting: PageSetting) -> DoctorPage:
    page = DoctorPage(setting.doctor, setting.requests, setting.theme_source)
    page.panel.text_shown.connect(setting.actions["inspect"].trigger)
    return page
