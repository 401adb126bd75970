"""The Vocabulary page: all tokens of the window's model, filtered, sorted and counted; one is explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QSplitter, QWidget

from guiapp.analysis.tree.picture import SCRIPT_NAMES as SCRIPTS
from guiapp.analysis.vocabulary_list.columns import BY_NAME
from guiapp.analysis.vocabulary_list.filters import FLAGS, has, script_term
from guiapp.core.text.numbers_in_words import times
from guiapp.core.vocabulary.attributes import KIND_NAMES
from guiapp.kit.charts.bars import PartColor
from guiapp.kit.session.token_details import FACTS
from guiapp.kit.token_table.histograms import Bars, TokenHistograms
from guiapp.kit.token_table.list_model import ChosenDetails
from guiapp.kit.token_table.table_view import TokenTable
from guiapp.kit.token_table.vocabulary import VocabularyModel
from guiapp.kit.widgets.controls import push_button, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import Contents, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import MenuButton, add_choice
from guiapp.kit.widgets.page_base import Page, PageSetting
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, TEXT_FONT_PX, Theme, ThemeSource, blend, set_role
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.vocabulary.embeddings import EmbeddingsModel
from guiapp.pages.vocabulary.embeddings_panel import LEGEND, EmbeddingsPanel

FIELD_PX = 160
PARTS = ("listed", "others")
OTHERS = 0.28  # the share of the dim colour in bars of tokens that are not listed
OF_COLUMNS = ("script", "children", "below", "depth", "reached")
IN_THIS_TEXT = "in this text"
SCRIPT_NAMES = tuple(dict.fromkeys((*FACTS, *OF_COLUMNS)))
PICTURE_PX, LIST_PX, CARD_PX = 280, 680, 320
EMBEDDINGS_PX = 300  # height
ROOM_FOR_PICTURE_PX = 1000
UNTRAINED_TIP = "Show tokens that look untrained"
NO_EMBEDDINGS = "This file has no embeddings. Open a GGUF of the whole model."
NO_MODEL = "Open a model to see its tokens."
PREPARING = "Reading the tokens …"
ALL, SELECTED = "all tokens", "selected tokens"
NOTHING_CHOSEN = "Select a token in the list to see its details."


class VocabularyPage(Page):
    """The filter, chart, list and details, or a message about what to do if no model is open."""

    legend = {"In the vocabulary": LEGEND, **Page.legend}

    def __init__(self, setting: PageSetting) -> None:
        super().__init__()
        self._session, self._requests, theme_source = setting.session, setting.requests, setting.theme_source
        self._show_text = setting.actions["inspect"].trigger
        self._is_wide = True
        self.model = VocabularyModel(self._session, setting.settings, self)
        self.details = ChosenDetails(self.model, self._facts, (self.model.source_changed,))
        self.embeddings = EmbeddingsModel(self.model, self)
        self._zoom = TextZoom(self)
        self.list = TokenTable(self.model, theme_source, "Tokens", "tokens", field_px=None, zoom=self._zoom)
        self.saving = self.list.saving
        ways = {"In the tree": self._show_in_tree, "Next to another model": self._compare}
        self.bar = VocabularyBar(self.model, self.list, theme_source, ways)
        changed = (self.model.shown_changed,)
        self.picture = TokenHistograms(self.model, theme_source, PARTS, part_colors, self._bars, changed)
        self.embeddings_panel = EmbeddingsPanel(
            self.model, self.embeddings, lambda: np.array(self.list.selected, np.int32), theme_source
        )
        self.embeddings_panel.hide()
        self.next = push_button("Next in text", self._show_next, role="raised")
        self.tree = push_button("Show in tree", self._show_in_tree, role="raised")
        self.card = TokenCard(
            self.details,
            theme_source,
            self._zoom,
            facts=SCRIPT_NAMES,
            empty=NOTHING_CHOSEN,
            buttons=(self.next, self.tree),
        )
        self.open = push_button("Open model…", self._ask_model, role="primary")
        self._build_layout()
        self._connect()
        self._on_source_changed()

    @property
    def panels(self) -> list[QWidget]:
        """The widgets that F6 cycles through."""
        if self.model.source is None:
            return [self.open]
        picture = [] if self.picture.isHidden() else [self.picture.scripts]
        embeddings = [] if self.embeddings_panel.isHidden() else [self.embeddings_panel.focus]
        card = [] if self.card.isHidden() else [self.card]
        return [self.list.view, self.bar.field, *embeddings, *picture, *card]

    @property
    def is_ready(self) -> bool:
        is_busy = self.model.is_gathering or self.embeddings.reading.is_busy
        return self.model.is_up_to_date and not is_busy

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"vocabulary": self.splitter, "embeddings": self.middle}

    def set_text_size(self, size_px: int) -> None:
        self._zoom.set_factor(size_px / TEXT_FONT_PX)

    def stop(self) -> None:
        self.saving.close()
        self.embeddings.close()
        self.model.close()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_wide is not (self.width() >= ROOM_FOR_PICTURE_PX):
            self._is_wide = not self._is_wide
            self.bar.charts.setChecked(self._is_wide)
            self._show_charts(self._is_wide)

    def _build_layout(self) -> None:
        self.middle = in_splitter(
            self.embeddings_panel,
            self.list,
            sizes=(EMBEDDINGS_PX, LIST_PX),
            grows=(1,),
            way=Qt.Orientation.Vertical,
        )
        self.splitter = in_splitter(
            self.picture, self.middle, self.card, sizes=(PICTURE_PX, LIST_PX, CARD_PX), grows=(1,)
        )
        self.contents = Contents(self, self.splitter, self.open)
        in_column(self.bar, (self.contents, 1), on=self, spacing=0)

    def _connect(self) -> None:
        self.model.source_changed.connect(self._on_source_changed)
        self.model.source_changed.connect(self.list.show_state)
        self.bar.embeddings.toggled.connect(self._show_embeddings)
        self.bar.charts.toggled.connect(self._show_charts)
        self.list.view.doubleClicked.connect(self._show_in_tree)
        self.bar.field.come_by_keys(self)
        self.watched.connect(self.model.set_active)
        self.watched.connect(self.details.describe)

    def _show_charts(self, is_shown: bool) -> None:
        """Show or hide the charts. On a narrow page they replace the card, to leave room for the list."""
        self.picture.setVisible(is_shown)
        self.card.setVisible(self._is_wide or not is_shown)

    def _show_embeddings(self, is_shown: bool) -> None:
        """Show or hide the embeddings. In a low window they take half of the height."""
        self.embeddings_panel.setVisible(is_shown)
        half = self.middle.height() // 2
        if is_shown and half < EMBEDDINGS_PX:
            self.middle.setSizes([half, half])

    def _ask_model(self) -> None:
        self._requests.model_wanted.emit(self.open, self._session.loader.open)

    def _show_next(self) -> None:
        self.model.select_next()
        self._show_text()

    def _show_in_tree(self) -> None:
        """Highlight the selected tokens in the tree, or all listed tokens if fewer than two are selected."""
        selected, shown = self.list.selected, self.model.shown
        if len(selected) == 1:
            self._requests.token_wanted.emit(selected[0])
        elif len(shown.rows):
            tokens = np.array(selected or shown.rows, np.int32)
            self._requests.tokens_wanted.emit(SELECTED if selected else shown.request.query or ALL, tokens)

    def _bars(self) -> Bars:
        """For each bar, the number of its tokens that are listed and that are not."""
        if self.model.source is None:
            return ()
        bars = self.model.source.histograms
        counts = self.model.shown.counts or [np.zeros_like(each.totals) for each in bars]
        parts = zip(bars, counts, strict=True)
        return [(each, np.stack([listed, each.totals - listed])) for each, listed in parts]

    def _facts(self, token: int) -> Iterator[tuple[str, str]]:
        if (figures := self.model.source) is not None:
            yield from (
                (name, BY_NAME[name].text(figures, token, self.model.spelling.now)) for name in OF_COLUMNS
            )
            n_uses = self._session.tokens.count(token)
            self.next.setEnabled(n_uses > 0)
            yield IN_THIS_TEXT, times(n_uses)

    def _compare(self) -> None:
        self._requests.comparison_wanted.emit(self.model.query)

    def _on_source_changed(self) -> None:
        is_coming = self.model.is_gathering
        if self.model.source is not None:
            self.contents.show_inside(self.bar.field)
        else:
            self.contents.show_message(PREPARING if is_coming else NO_MODEL, helps=not is_coming)


class VocabularyBar(QFrame):
    """The filter, its suggestions, the columns, and the buttons in `ways` that show the list elsewhere."""

    def __init__(
        self,
        model: VocabularyModel,
        table: TokenTable,
        theme_source: ThemeSource,
        ways: Mapping[str, Callable[[], None]],
    ) -> None:
        super().__init__()
        self._model = model
        set_role(self, "bar")
        self.field = table.field
        self.field.setMinimumWidth(FIELD_PX)
        self.terms = MenuButton(theme_source, "Filter", tip="Filter by kind, script and more")
        self.terms.fill_on_open(self._list_terms)
        self.columns, self.export = table.columns, table.export
        self.embeddings = tool_button("Embeddings", is_checkable=True)
        tip = "Tokens by script, length, and rank or score"
        self.charts = tool_button("Charts", tip=tip, is_checkable=True)
        self.charts.setChecked(True)
        self.go = MenuButton(
            theme_source, "Show", tip="Show the selected tokens, or all listed tokens, elsewhere"
        )
        menu = self.go.new_menu()
        self.tree, self.compare = (menu.addAction(*way) for way in ways.items())
        buttons = self.terms, self.columns, self.charts, self.embeddings, self.go, self.export
        in_row((self.field, 1), *buttons, on=self, margins=(MARGIN_PX, GAP_PX))
        model.source_changed.connect(self._on_source_changed)
        self._on_source_changed()

    def _on_source_changed(self) -> None:
        source = self._model.source
        for part in (self.field, self.terms, self.columns, self.charts, self.go):
            part.setEnabled(source is not None)
        has_embeddings = source is not None and source.holds_embeddings
        self.embeddings.setEnabled(has_embeddings)
        self.embeddings.setChecked(has_embeddings and self.embeddings.isChecked())
        self.embeddings.setToolTip(UNTRAINED_TIP if has_embeddings or source is None else NO_EMBEDDINGS)

    def _list_terms(self, menu: QMenu) -> None:
        if (source := self._model.source) is None:
            return
        kinds, scripts = menu.addMenu("Kind"), menu.addMenu("Script")
        for number, name in enumerate(KIND_NAMES):
            if n_tokens := int((source.vocabulary.kinds == number).sum()):
                self._add_term(kinds, f"{name} · {n_tokens:,}", f"kind:{name}", "kind")
        totals = source.histograms[0].totals
        for script in sorted(range(len(SCRIPTS)), key=lambda each: -int(totals[each])):
            if totals[script]:
                title = f"{SCRIPTS[script]} · {totals[script]:,}"
                self._add_term(scripts, title, script_term(script), "script")
        menu.addSeparator()
        for name, flag in FLAGS.items():
            action = self._add_term(menu, f"{flag.about[0].upper()}{flag.about[1:]}", f"is:{name}")
            action.setEnabled(name != "untrained" or source.indicators is not None)

    def _add_term(self, menu: QMenu, title: str, term: str, key: str = "") -> QAction:
        return add_choice(
            menu, title, has(self._model.query, term), partial(self._model.toggle_term, term, key)
        )


def part_colors(theme: Theme) -> list[PartColor]:
    """The colours of PARTS."""
    return [(theme.contenders[0], False), (blend(theme.panel, theme.dim, OTHERS), False)]


make_page = VocabularyPage
