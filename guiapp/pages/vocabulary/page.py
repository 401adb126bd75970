"""The Vocabulary page: all tokens of the window's model, filtered, sorted, counted, one of them explained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QMenu, QSplitter, QWidget

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import SCRIPT_NAMES as SCRIPTS
from guiapp.analysis.vocabulary_list.columns import BY_NAME, Ids, TokenFigures, VocabularyColumn
from guiapp.analysis.vocabulary_list.columns import COLUMNS as ALL_COLUMNS
from guiapp.analysis.vocabulary_list.filters import FLAGS, has, script_term
from guiapp.core.text.numbers_in_words import counted, times
from guiapp.core.vocabulary.attributes import KIND_NAMES
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import FACTS, TokenDetails, describe_alone
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.state.settings import Settings
from guiapp.kit.widgets.controls import FILTER_HINT, FILTER_TIP, SearchField, push_button, tool_button
from guiapp.kit.widgets.layouts import STRETCH, Contents, in_column, in_row, in_splitter
from guiapp.kit.widgets.menu_button import (
    CSV,
    JSON,
    MARKDOWN,
    TEXT,
    ExportButton,
    MenuButton,
    SavingBar,
    add_choice,
)
from guiapp.kit.widgets.page_base import Page, PageRequests, PageSetting
from guiapp.kit.widgets.tables import LEFT, RIGHT, Column, RowsView, RowTable, shared_out
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role
from guiapp.kit.widgets.token_card import TokenCard
from guiapp.pages.vocabulary.embeddings import EmbeddingsModel
from guiapp.pages.vocabulary.embeddings_panel import EmbeddingsPanel
from guiapp.pages.vocabulary.model import NO_IDS, VocabularyModel
from guiapp.pages.vocabulary.picture import LEGEND, VocabularyHistograms

FORMS = {"csv": CSV, "json": JSON, "markdown": MARKDOWN, "text": TEXT}
FIELD_PX = 160
SHARES = {
    "token": 2.6,
    "bytes": 2.4,
    "script": 1.7,
    "kind": 1.3,
    "role": 1.3,
    "characters": 1.2,
    "score": 1.3,
}
WIDEST_FIGURE, GAPS_PX = "128,255", 20  # what a cell has room for at least, and beside it
NOT_FOUND = "No token matches."
TRYING = "Trying which tokens text reaches …"
OF_COLUMNS = ("script", "children", "below", "depth", "reached")
IN_THIS_TEXT = "in this text"
SCRIPT_NAMES = tuple(dict.fromkeys((*FACTS, *OF_COLUMNS)))
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
        self.card = TokenCard(self.details, theme_source, facts=SCRIPT_NAMES, empty=NOTHING_CHOSEN)
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


class VocabularyDetails(QObject):
    """The details of the model's chosen token.

    details  None where no token is chosen

    Signals:
        details_changed(): `details` is new.
    """

    details_changed = Signal()

    def __init__(self, model: VocabularyModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.details: TokenDetails | None = None
        for changed in (model.chosen_changed, model.prepared_changed, model.session.spelling.changed):
            changed.connect(self.describe)

    def part(self, data: bytes, limit: int) -> str:
        prepared = self._model.prepared
        return "" if prepared is None else self._spelling.part(prepared.figures.vocabulary, data, limit)

    @property
    def _spelling(self) -> Spelling:
        return self._model.session.spelling.now

    def describe(self) -> None:
        """Tell of the token anew: how often it is in the text changes while nobody looks."""
        prepared, token = self._model.prepared, self._model.chosen
        details = None
        if prepared is not None and token is not None:
            figures, spelling = prepared.figures, self._spelling
            more = [(name, BY_NAME[name].text(figures, token, spelling)) for name in OF_COLUMNS]
            more.append((IN_THIS_TEXT, times(self._model.session.tokens.count(token))))
            details = describe_alone(prepared.explainer, spelling, token, more)
        if details is not None or self.details is not None:
            self.details = details
            self.details_changed.emit()


class TokenListing(QWidget):
    """Rows to go through, sort, select and copy."""

    def __init__(self, model: VocabularyModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._listed = model.request  # what was listed last
        self.table = VocabularyTableModel(model, self)
        self.count = plain_label("dim")
        self.state = plain_label("dim", wraps=True)
        self.view = RowsView(self.table, "Tokens", self._widths)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.view.horizontalHeader().setSortIndicatorClearable(True)
        self.view.setSortingEnabled(True)
        head = in_row(self.count, (self.state, 1), margins=(MARGIN_PX, UNIT_PX), spacing=MARGIN_PX)
        in_column(head, SavingBar(saving, theme_source), (self.view, 1), STRETCH, on=self, spacing=0)
        self.setMinimumWidth(220)
        self.copy_ids = self.view.addAction("Copy ids", self._copy_ids)
        self.view.looked_at.connect(self._choose)
        self.table.modelReset.connect(self._on_model_reset)
        model.prepared_changed.connect(self._show_state)
        model.trying.busy_changed.connect(self._show_state)
        model.shown_changed.connect(self._show_state)
        model.chosen_changed.connect(self._on_chosen_changed)
        self._on_model_reset()
        self._show_state()

    @property
    def selected(self) -> Ids:
        rows = self.view.selected_rows
        return self._model.shown.ids[rows] if rows else NO_IDS

    def _copy_ids(self) -> None:
        QGuiApplication.clipboard().setText(", ".join(map(str, self.selected.tolist())))

    def _widths(self, room_px: int) -> list[int]:
        """Where that is too little, they are scrolled."""
        columns, metrics = self.table.columns, self.view.horizontalHeader().fontMetrics()
        figure_px = self.view.fontMetrics().horizontalAdvance(WIDEST_FIGURE) + GAPS_PX
        titles_px = (metrics.horizontalAdvance(self.table.heading(each)) + GAPS_PX for each in columns)
        least = [max(figure_px, title_px) for title_px in titles_px]
        return shared_out(room_px, [SHARES.get(each.title, 1.0) for each in columns], least)

    def _choose(self, row: int) -> None:
        token = self.table.token(row)
        if token != self._model.chosen:
            self._model.choose(token)

    def _on_model_reset(self) -> None:
        """Show which column sorts, and go on with the chosen token where it is still there."""
        request, titles = self._model.request, [column.title for column in self.table.columns]
        header, orders = self.view.horizontalHeader(), Qt.SortOrder
        order = orders.DescendingOrder if request.is_descending else orders.AscendingOrder
        with QSignalBlocker(header):
            header.setSortIndicator(titles.index(request.sort) if request.sort in titles else -1, order)
        self._on_chosen_changed()
        if self._model.shown.request != self._listed:
            self._listed = self._model.shown.request
            self.view.scrollToTop()  # what was looked for stands there

    def _on_chosen_changed(self) -> None:
        row = self._model.row_of(self._model.chosen)
        if row is None or row < self.table.n_rows:  # else the table is not told yet
            self.view.go_to(row)

    def _show_state(self) -> None:
        prepared, shown = self._model.prepared, self._model.shown
        n_shown = len(shown.ids)
        if prepared is None:
            self.count.setText("")
        elif n_shown == len(prepared.figures):
            self.count.setText(counted(n_shown, "token"))
        else:
            self.count.setText(f"{n_shown:,} of {counted(len(prepared.figures), 'token')}")
        nothing = NOT_FOUND if not n_shown and prepared is not None and shown.counts else ""
        trying = TRYING if self._model.trying.is_busy else ""
        self.state.setText(trying or shown.problem or self._model.problem or nothing)


VocabularyRow = tuple[TokenFigures, int, Spelling]


def _column(column: VocabularyColumn) -> Column[VocabularyRow]:
    return Column(column.name, RIGHT if column.is_figure else LEFT, lambda row: column.text(*row))


COLUMNS = {column.name: _column(column) for column in ALL_COLUMNS}


class VocabularyTableModel(RowTable[VocabularyRow]):
    """Each token that is listed as a row; nothing is kept per row."""

    columns: Sequence[Column[VocabularyRow]] = ()

    def __init__(self, model: VocabularyModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._ids = model.shown.ids
        model.shown_changed.connect(self._show)
        model.columns_changed.connect(self._show)
        model.session.spelling.changed.connect(self.notify_all_changed)
        self._show()

    @property
    def n_rows(self) -> int:
        return len(self._ids)

    @property
    def order(self) -> tuple[str, bool]:
        request = self._model.shown.request
        return request.sort, request.is_descending

    def token(self, row: int) -> int:
        return int(self._ids[row])

    def row(self, index: int) -> VocabularyRow | None:
        prepared = self._model.prepared
        if prepared is None or index >= len(self._ids):
            return None
        return prepared.figures, self.token(index), self._model.session.spelling.now

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and orientation is Qt.Orientation.Horizontal:
            return BY_NAME[self.columns[section].title].about
        return super().headerData(section, orientation, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order; by no column for -1."""
        name = self.columns[column].title if 0 <= column < len(self.columns) else ""
        self._model.sort_by(name, bool(name) and order is Qt.SortOrder.DescendingOrder)

    def _show(self) -> None:
        columns = [COLUMNS[column.name] for column in self._model.shown_columns]
        self.beginResetModel()
        self.columns, self._ids = columns, self._model.shown.ids
        self.endResetModel()


class VocabularyBar(QFrame):
    """The filter, what can be put into it, the columns, and what can be done with what is listed.

    Signals:
        tree_wanted(): light the selected tokens in the tree.
        comparison_wanted(): filter two vocabularies like this.
    """

    tree_wanted = Signal()
    comparison_wanted = Signal()

    def __init__(self, model: VocabularyModel, saving: FileSaving, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        set_role(self, "bar")
        self.field = SearchField(model, FILTER_HINT, FILTER_TIP, None)
        self.field.setMinimumWidth(FIELD_PX)
        self.field.setAccessibleName("Filter tokens")
        self.terms = MenuButton(theme_source, "Filter", tip="What can be filtered by")
        self.terms.fill_on_open(self._list_terms)
        self.columns = MenuButton(theme_source, "Columns", tip="What is shown of each token")
        self.columns.fill_on_open(self._list_columns)
        self.embeddings = tool_button("Embeddings", tip="Which tokens look as if they were never trained")
        self.embeddings.setCheckable(True)
        self.go = MenuButton(
            theme_source, "Show", tip="The selected tokens elsewhere, or all that are listed"
        )
        menu = self.go.new_menu()
        self.tree = menu.addAction("In the tree", self.tree_wanted.emit)
        self.compare = menu.addAction("Beside another model", self.comparison_wanted.emit)
        self.export = ExportButton(theme_source, saving, "tokens", FORMS, model.export, "Save what is listed")
        buttons = self.terms, self.columns, self.embeddings, self.go, self.export
        in_row((self.field, 1), *buttons, on=self, margins=(MARGIN_PX, GAP_PX))
        model.request_changed.connect(self._on_request_changed)
        model.prepared_changed.connect(self._on_prepared_changed)
        self._on_request_changed()
        self._on_prepared_changed()

    def _on_request_changed(self) -> None:
        self.field.show_query(self._model.query)

    def _on_prepared_changed(self) -> None:
        for part in (self.field, self.terms, self.columns, self.embeddings, self.go, self.export):
            part.setEnabled(self._model.prepared is not None)

    def _list_terms(self, menu: QMenu) -> None:
        if (prepared := self._model.prepared) is None:
            return
        kinds, scripts = menu.addMenu("Kind"), menu.addMenu("Script")
        for number, name in enumerate(KIND_NAMES):
            if n_tokens := int((prepared.figures.vocabulary.kinds == number).sum()):
                self._add_term(kinds, f"{name} · {n_tokens:,}", f"kind:{name}", "kind")
        totals = prepared.histograms[0].totals
        for script in sorted(range(len(SCRIPTS)), key=lambda each: -int(totals[each])):
            if totals[script]:
                title = f"{SCRIPTS[script]} · {totals[script]:,}"
                self._add_term(scripts, title, script_term(script), "script")
        menu.addSeparator()
        for name, flag in FLAGS.items():
            self._add_term(menu, f"{flag.about[0].upper()}{flag.about[1:]}", f"is:{name}")

    def _add_term(self, menu: QMenu, title: str, term: str, key: str = "") -> None:
        add_choice(menu, title, has(self._model.query, term), partial(self._model.toggle_term, term, key))

    def _list_columns(self, menu: QMenu) -> None:
        for column in self._model.choices:
            is_shown = column.name in self._model.columns
            show = partial(self._model.show_column, column.name, not is_shown)
            add_choice(menu, f"{column.name}: {column.about}", is_shown, show)


def make_page(setting: PageSetting) -> VocabularyPage:
    return VocabularyPage(setting.session, setting.settings, setting.requests, setting.theme_source)
