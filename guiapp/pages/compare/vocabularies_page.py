"""The Vocabularies page of Compare: what two models have in common, and what not."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSize
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSplitter, QWidget

from guiapp.analysis.tree.scripts import NAMES
from guiapp.analysis.vocabulary_list.histograms import LENGTH_LABELS, LENGTHS
from guiapp.kit.charts.histogram import HATCHED_GROUND, HistogramChart, HistogramData
from guiapp.kit.charts.markers import pattern
from guiapp.kit.charts.rows import BarList, PartColor
from guiapp.kit.session.model_session import ComparedModels
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import Contents, in_column, in_row, in_splitter, scroll_down
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.painting import Painted, color_of, fill
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    set_role,
)
from guiapp.pages.compare.vocabularies import ComparedVocabularies
from guiapp.pages.compare.vocabularies_head import PairHead
from guiapp.pages.compare.vocabularies_listing import VocabularyList
from guiapp.pages.compare.vocabularies_side import VocabulariesSide
from guiapp.pages.compare.vocabulary_rows import GROUPS
from guiapp.pages.compare.vocabulary_verdict import first_difference

PARTS = ("in both", "only in A", "only in B")
SAMPLE_PX = 9
GROUP_OF_PART = ("both", "first", "second")
LEAST_FOR_BOTH_PX = 340  # of height; in less there is the picture by script alone
HOW_TO = "Point at a bar for its figures; a click lists its tokens."
PICTURE_PX, LIST_PX, SIDE_PX = 300, 660, 320
ROOM_FOR_PICTURE_PX = 1000
NO_MODEL = "Open a model, and add another one to compare it with."
NO_SECOND = "Add a model to compare with: another file of the same one, or any other."


class VocabulariesPage(Page):
    """Puts head, picture, list and details together, or says what to do where there are no two models."""

    def __init__(self, compared: ComparedModels, requests: PageRequests, theme_source: ThemeSource) -> None:
        super().__init__()
        self._requests = requests
        self._requested_token: tuple[str, int] | None = None  # of a model that is to become the window's
        self.model = ComparedVocabularies(compared, self)
        self.saving = FileSaving(self)
        self.head = PairHead(self.model, theme_source)
        self.picture = VocabularyPicture(self.model, theme_source)
        self.list = VocabularyList(self.model, self.saving, theme_source)
        self.side = VocabulariesSide(self.model, theme_source)
        self.add = push_button("Add model…", self._ask_model, role="primary")
        self._build_layout()
        self._connect()
        self._on_comparison_changed()

    @property
    def panels(self) -> list[QWidget]:
        """What F6 goes through."""
        if self.model.comparison is None:
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

    def _build_layout(self) -> None:
        self.splitter = in_splitter(
            self.picture, self.list, self.side, sizes=(PICTURE_PX, LIST_PX, SIDE_PX), grows=1
        )
        self.contents = Contents(self, self.splitter, self.add)
        in_column(self.head, (self.contents, 1), on=self, spacing=0)

    def _connect(self) -> None:
        self.model.comparison_changed.connect(self._on_comparison_changed)
        self.model.pair_changed.connect(self._on_comparison_changed)
        self.head.chosen.connect(self._show_target)
        self.head.model_wanted.connect(self._ask_model_under)
        details = self.side.details
        details.tree_wanted.connect(self._requests.token_wanted)
        details.second_wanted.connect(self._open_second)
        self.model.first.loader.loading_changed.connect(self._forget_requested)
        self.model.first.loader.model_changed.connect(self._show_requested)
        self.list.search.come_by_keys(self)
        self.watched.connect(self.model.set_active)

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

    def _on_comparison_changed(self) -> None:
        model, compared = self.model, self.model.compared
        self.add.setText("Open model…" if model.first.tokenizer is None else "Add model…")
        self.head.setVisible(model.second is not None)
        if compared is None:
            self.contents.show_message(self._message(), helps=not model.is_waiting)
        else:
            self.contents.show_inside(self.list.view)
            target = first_difference(compared.respects)
            self.side.tabs.choose(0) if target in GROUPS else self.side.show_target(target)

    def _message(self) -> str:
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
            self._requested_token = opened.name, token
            self.model.first.loader.open(opened.name, opened.tokenizer.vocabulary.chosen_pre or None)

    def _forget_requested(self) -> None:
        """Once another model is opened instead, or none."""
        loader = self.model.first.loader
        opened = None if loader.model is None else loader.model.name
        if self._requested_token is not None and self._requested_token[0] not in (
            loader.loading_name,
            opened,
        ):
            self._requested_token = None

    def _show_requested(self) -> None:
        requested, self._requested_token = self._requested_token, None
        opened = self.model.first.loader.model
        if requested is not None and opened is not None and opened.name == requested[0]:
            self._requests.token_wanted.emit(requested[1])


def make_page(setting: PageSetting) -> VocabulariesPage:
    return VocabulariesPage(setting.compared, setting.requests, setting.theme_source)


# What both share, as two pictures with a legend, and the figures of what is pointed at


class VocabularyPicture(QFrame):
    """By script and by length."""

    def __init__(self, model: ComparedVocabularies, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        set_role(self, "panel")
        self.scripts = BarList(theme_source, "Tokens by script", is_shared_out=True)
        self.lengths = HistogramChart(theme_source, "Tokens by length")
        self._legend = [_Sample(theme_source, part) for part in range(len(PARTS))]
        self._figures = set_role(QLabel(HOW_TO, wordWrap=True), "dim")
        self._figures.setFont(Theme.ui_font(SMALL_FONT_PX))
        self._figures.setFixedHeight(2 * self._figures.fontMetrics().lineSpacing() + UNIT_PX)
        area = QScrollArea()
        scroll_down(area, self.scripts)
        self._build_layout(area)
        self.scripts.clicked.connect(self._choose_script)
        self.lengths.clicked.connect(self._choose_length)
        for bars in (self.scripts, self.lengths):
            bars.read.connect(self._show_figures)
        theme_source.changed.connect(self._on_comparison_changed)
        model.comparison_changed.connect(self._on_comparison_changed)
        model.filter_changed.connect(self._on_filter_changed)
        self._on_comparison_changed()

    def _build_layout(self, area: QScrollArea) -> None:
        samples = [
            in_row(sample, self._small(text), spacing=UNIT_PX)
            for sample, text in zip(self._legend, PARTS, strict=True)
        ]
        legend = in_row(*samples, spacing=3 * UNIT_PX)
        legend.addStretch()
        self._by_length = QWidget()
        in_column(heading("By length in bytes"), self.lengths, on=self._by_length, spacing=GAP_PX)
        parts = heading("By script"), legend, (area, 1), self._by_length, self._figures
        in_column(*parts, on=self, margins=(MARGIN_PX, 3 * UNIT_PX, GAP_PX, GAP_PX), spacing=GAP_PX)
        self.setMinimumSize(240, 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._by_length.setVisible(self.height() >= LEAST_FOR_BOTH_PX)

    def _small(self, text: str) -> QLabel:
        label = set_role(QLabel(text), "dim")
        label.setFont(Theme.ui_font(SMALL_FONT_PX))
        return label

    def _on_comparison_changed(self) -> None:
        comparison, column = self._model.comparison, self._model.second_index
        if comparison is not None:
            colors = part_colors(self._theme_source.theme, column)
            self.scripts.show_counts(comparison.by_script, NAMES, PARTS, colors)
            self.lengths.show_data(
                HistogramData(comparison.by_length, LENGTHS, PARTS, 1, LENGTH_LABELS, colors)
            )
            for sample in self._legend:
                sample.show_column(column)

    def _on_filter_changed(self) -> None:
        self.scripts.select(self._model.filter.script)
        self.lengths.select(self._model.filter.length)

    def _choose_script(self, script: int | None, part: int | None) -> None:
        if script is None:
            return
        group = self._group(part)
        is_shown = (group, script) == (self._model.filter.group, self._model.filter.script)
        self._model.set_filter(self._model.filter._replace(group=group, script=None if is_shown else script))

    def _choose_length(self, length: int | None, part: int | None) -> None:
        if length is None:
            return
        group = self._group(part)
        is_shown = (group, length) == (self._model.filter.group, self._model.filter.length)
        self._model.set_filter(self._model.filter._replace(group=group, length=None if is_shown else length))

    def _group(self, part: int | None) -> str:
        """That of a part; all tokens where none is meant and rules are listed now."""
        if part is not None:
            return GROUP_OF_PART[part]
        return "all" if GROUPS[self._model.filter.group].is_rules else self._model.filter.group

    def _show_figures(self, figures: str) -> None:
        self._figures.setText(figures or HOW_TO)


class _Sample(Painted):
    """How a part of a bar looks."""

    def __init__(self, theme_source: ThemeSource, part: int) -> None:
        super().__init__(theme_source, PARTS[part])
        self._part = part
        self._column_of_b = 1
        self.setFixedSize(QSize(4 * UNIT_PX, SAMPLE_PX))

    def show_column(self, column_of_b: int) -> None:
        self._column_of_b = column_of_b
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        color, is_hatched = part_colors(theme, self._column_of_b)[self._part]
        if is_hatched:
            fill(painter, self.rect(), blend(theme.panel, color, HATCHED_GROUND), 1)
        fill(painter, self.rect(), pattern(color, is_hatched), 1)


def part_colors(theme: Theme, column_of_b: int) -> list[PartColor]:
    """Of PARTS: grey for both, solid for A, hatched for B."""
    return [(theme.faint, False), (color_of(0, theme), False), (color_of(column_of_b, theme), True)]
