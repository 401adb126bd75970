"""The Vocabularies page of Compare: what two models have in common, and what not."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QMenu, QScrollArea, QSplitter, QToolButton, QWidget

from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.analysis.vocabulary_list.filters import LENGTH_LABELS, LENGTHS
from guiapp.core.text.numbers_in_words import percent
from guiapp.core.text.visible_text import isolate
from guiapp.kit.charts.bars import HATCHED_GROUND, BarList, HistogramChart, HistogramData, PartColor
from guiapp.kit.charts.markers import pattern
from guiapp.kit.session.choice import summary as model_summary
from guiapp.kit.session.model_session import ComparedModels
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import (
    STRETCH,
    Contents,
    FittingRow,
    clear,
    in_column,
    in_row,
    in_splitter,
    scroll_down,
)
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.painting import Marker, Painted, color_of, fill
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    plain_label,
    set_role,
)
from guiapp.pages.compare.vocabularies import (
    ComparedVocabularies,
    Respect,
    VerdictPart,
    first_difference,
    session_name,
    verdict_summary,
    verdict_title,
)
from guiapp.pages.compare.vocabularies_listing import VocabularyList
from guiapp.pages.compare.vocabularies_side import VocabulariesSide
from guiapp.pages.compare.vocabulary_rows import GROUPS, RowFilter

NAME_PX = 190
LEFT_PX = 430
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute  # a menu button is laid out from the right
MOST_LEFT_SHARE = 0.36  # of a narrow window
PART_PADDING_PX = 10  # as far as the text of a button is from its edges
SHORT = 30  # characters that there is always room for
SIGNS = {
    True: ("✓", "the same", "good"),
    False: ("≠", "not the same", "warning"),
    None: ("?", "not compared in all", "dim"),
}
"""Of a respect that is equal, is not, or cannot be compared: a sign, its words and its looks."""
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
        self.model = ComparedVocabularies(compared, self)
        self.saving = FileSaving(self)
        self.head = PairHead(self.model, theme_source)
        self.picture = VocabularyPicture(self.model, theme_source)
        self.list = VocabularyList(self.model, self.saving, theme_source)
        self.side = VocabulariesSide(self.model, theme_source)
        self.add = push_button("Add model…", self._ask_model, role="primary")
        sizes = PICTURE_PX, LIST_PX, SIDE_PX
        self.splitter = in_splitter(self.picture, self.list, self.side, sizes=sizes, grows=1)
        self.contents = Contents(self, self.splitter, self.add)
        in_column(self.head, (self.contents, 1), on=self, spacing=0)
        self.model.comparison_changed.connect(self._on_comparison_changed)
        self.model.pair_changed.connect(self._on_comparison_changed)
        self.head.chosen.connect(self._show_target)
        self.head.model_wanted.connect(self._ask_model_under)
        self.side.details.tree_wanted.connect(self._requests.token_wanted)
        self.side.details.second_wanted.connect(self._open_second)
        self.list.search.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self._on_comparison_changed()

    @property
    def panels(self) -> list[QWidget]:
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

    def _ask_model(self) -> None:
        self._ask_model_under(self.add)

    def _ask_model_under(self, widget: QWidget) -> None:
        take = self.model.first.loader.open if self.model.first.tokenizer is None else self.model.add_second
        self._requests.model_wanted.emit(widget, take)

    def _open_second(self, token: int) -> None:
        """Open B as the window's model, and show a token of it in the tree."""
        if self.model.second is not None and self.model.second.loader.model is not None:
            self.model.first.loader.share(self.model.second.loader.model)
            self._requests.token_wanted.emit(token)

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
        model = self.model
        if model.is_waiting:
            return "Comparing …" if model.job.is_busy else "Opening …"
        return model.problem or (NO_MODEL if model.first.tokenizer is None else NO_SECOND)


def make_page(setting: PageSetting) -> VocabulariesPage:
    return VocabulariesPage(setting.compared, setting.requests, setting.theme_source)


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
        self._build_layout()
        self.scripts.clicked.connect(self._choose_script)
        self.lengths.clicked.connect(self._choose_length)
        for bars in (self.scripts, self.lengths):
            bars.read.connect(self._show_figures)
        theme_source.changed.connect(self._on_comparison_changed)
        model.comparison_changed.connect(self._on_comparison_changed)
        model.filter_changed.connect(self._on_filter_changed)
        self._on_comparison_changed()

    def _build_layout(self) -> None:
        area = QScrollArea()
        scroll_down(area, self.scripts)
        entries = zip(self._legend, PARTS, strict=True)
        samples = [in_row(sample, self._small(text), spacing=UNIT_PX) for sample, text in entries]
        legend = in_row(*samples, STRETCH, spacing=3 * UNIT_PX)
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
            self.scripts.show_counts(comparison.by_script, SCRIPT_NAMES, PARTS, colors)
            data = HistogramData(comparison.by_length, LENGTHS, PARTS, 1, LENGTH_LABELS, colors)
            self.lengths.show_data(data)
            for sample in self._legend:
                sample.show_column(column)

    def _on_filter_changed(self) -> None:
        self.scripts.select(self._model.filter.script)
        self.lengths.select(self._model.filter.length)

    def _choose_script(self, script: int | None, part: int | None) -> None:
        if script is not None:
            requested = self._model.filter._replace(group=self._group(part), script=script)
            self._toggle(requested, requested._replace(script=None))

    def _choose_length(self, length: int | None, part: int | None) -> None:
        if length is not None:
            requested = self._model.filter._replace(group=self._group(part), length=length)
            self._toggle(requested, requested._replace(length=None))

    def _toggle(self, requested: RowFilter, otherwise: RowFilter) -> None:
        """List what is requested, or the other where that is listed already."""
        self._model.set_filter(otherwise if requested == self._model.filter else requested)

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


class PairHead(QFrame):
    """Both models and the verdict at the left; at the right the respects in which they are compared.

    Signals:
        chosen(str): the target of a part that was clicked.
        model_wanted(QWidget): somebody wants another model for B, to be chosen under this widget.
    """

    chosen = Signal(str)
    model_wanted = Signal(object)

    def __init__(self, model: ComparedVocabularies, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        set_role(self, "bar")
        self._title = set_role(QLabel(), "title")
        self._summary = plain_label("dim", wraps=True)
        self._markers = Marker(theme_source, 0), Marker(theme_source, 1)
        self._name = plain_label("strong")
        self.second = MenuButton(theme_source)
        self.second.fill_on_open(self._list_choices)
        self._facts = FittedLabel(), FittedLabel()
        self._respects = QGridLayout()
        self._build_layout()
        model.pair_changed.connect(self._on_pair_changed)
        model.comparison_changed.connect(self._on_comparison_changed)
        model.filter_changed.connect(self._on_filter_changed)
        self._on_pair_changed()
        self._on_comparison_changed()

    def _build_layout(self) -> None:
        pair = QGridLayout()
        pair.setHorizontalSpacing(GAP_PX)
        pair.setVerticalSpacing(UNIT_PX)
        pair.setColumnStretch(3, 1)
        names: tuple[QWidget, QWidget] = self._name, self.second
        for row, (letter, name) in enumerate(zip("AB", names, strict=True)):
            parts = self._markers[row], set_role(QLabel(letter), "dim"), name, self._facts[row]
            set_role(self._facts[row], "dim")
            for column, part in enumerate(parts):
                pair.addWidget(part, row, column)
            pair.setAlignment(name, LEFT)
        self._name.setContentsMargins(PART_PADDING_PX, 0, 0, 0)  # level with the text of the button below
        left = self._left = QWidget()
        in_column(self._title, self._summary, UNIT_PX, pair, STRETCH, on=left, spacing=UNIT_PX)
        self._respects.setHorizontalSpacing(GAP_PX)
        self._respects.setVerticalSpacing(0)
        self._respects.setColumnStretch(2, 1)
        right = in_column(self._respects, STRETCH)
        margins = MARGIN_PX, 3 * UNIT_PX, MARGIN_PX, 3 * UNIT_PX
        in_row(left, (right, 1), on=self, margins=margins, spacing=MARGIN_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._left.setFixedWidth(min(LEFT_PX, round(MOST_LEFT_SHARE * self.width())))
        super().resizeEvent(event)

    def _on_pair_changed(self) -> None:
        model = self._model
        self._markers[1].show_number(model.second_index)
        first, second = (None if each is None else session_name(each) for each in (model.first, model.second))
        self._name.setText(self._shown(first or ""))
        self._name.setToolTip(plain_tip(first or ""))
        self.second.setText(self._shown(second or "").replace("&", "&&"))
        self.second.setToolTip(plain_tip(second or ""))
        self.second.setAccessibleName(f"B: {second or 'none'}")
        self._show_facts()

    def _shown(self, name: str) -> str:
        return isolate(self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, NAME_PX))

    def _list_choices(self, menu: QMenu) -> None:
        for session in self._model.choices:
            name, is_chosen = isolate(session_name(session)), session is self._model.second
            add_choice(menu, name, is_chosen, partial(self._model.choose_second, session))
        menu.addSeparator()
        menu.addAction("Another model…", self._ask_for_model).setEnabled(self._model.can_add)

    def _ask_for_model(self) -> None:
        self.model_wanted.emit(self.second)

    def _show_facts(self) -> None:
        comparison, sessions = self._model.comparison, (self._model.first, self._model.second)
        for side, (label, session) in enumerate(zip(self._facts, sessions, strict=True)):
            opened = None if session is None else session.loader.model
            texts = [] if opened is None else [model_summary(opened)]
            if comparison is not None and opened is not None:
                share = percent(len(comparison.both) / max(1, len(opened.tokenizer.vocabulary)))
                texts = [f"{texts[0]} · {share} also in {'BA'[side]}", f"{share} also in {'BA'[side]}"]
            label.set_texts([*texts, ""])

    def _on_comparison_changed(self) -> None:
        compared = self._model.compared
        self._show_facts()
        clear(self._respects)
        if compared is None:
            self._title.setText("")
            self._summary.setText("")
            return
        self._title.setText(verdict_title(compared.comparison))
        set_role(self._title, "good title" if compared.comparison.is_identical else "title")
        self._summary.setText(verdict_summary(compared.respects))
        for row, respect in enumerate(compared.respects):
            self._add(row, respect)
        self._on_filter_changed()

    def _add(self, row: int, respect: Respect) -> None:
        text, words, role = SIGNS[respect.is_equal]
        sign = set_role(QLabel(text), role)
        sign.setAccessibleName(f"{respect.name}: {words}")
        parts = FittingRow(list(map(self._part, respect.parts)))
        for column, widget in enumerate((sign, set_role(QLabel(respect.name), "strong"), parts)):
            self._respects.addWidget(widget, row, column)

    def _part(self, part: VerdictPart) -> QWidget:
        if not part.target:
            label = set_role(QLabel(part.text), "dim")
            label.setContentsMargins(PART_PADDING_PX, GAP_PX, PART_PADDING_PX, GAP_PX)
            return label
        button = set_role(QToolButton(), "quiet")
        button.setText(part.text)
        if len(part.text) > SHORT:  # there may be no room for all of it
            button.setToolTip(plain_tip(part.text))
        button.setCheckable(True)
        button.setProperty("target", part.target)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        button.clicked.connect(self._on_part_clicked)
        return button

    def _on_part_clicked(self) -> None:
        self.chosen.emit(self.sender().property("target"))
        self._on_filter_changed()

    def _on_filter_changed(self) -> None:
        for button in self.findChildren(QToolButton):
            if (target := button.property("target")) is not None:
                button.setChecked(target == self._model.filter.group)
