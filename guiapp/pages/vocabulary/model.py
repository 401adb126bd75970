"""What the Vocabulary page shows: which tokens, in what order, and which of them is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.merge_tree import Explainer
from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.tree.trials import unreached_apart
from guiapp.analysis.vocabulary_list.columns import (
    BY_NAME,
    COLUMNS,
    Ids,
    TokenFigures,
    VocabularyColumn,
    columns_of,
)
from guiapp.analysis.vocabulary_list.filters import (
    Counts,
    Histogram,
    has,
    histograms,
    listed,
    needs_trials,
    with_term,
    without,
    without_terms,
)
from guiapp.analysis.vocabulary_list.report import TokenList, exported
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.kit.state.settings import Settings

PAUSE_MS = 120  # a regular expression is tried when typing pauses: that takes a process
NO_IDS = np.zeros(0, np.int32)
REACHED = "reached"


class ListRequest(NamedTuple):
    """What is to be listed; `sort` is the name of a column, "" for the nearest to what is looked for."""

    query: str = ""
    sort: str = ""
    is_descending: bool = False


class ShownTokens(NamedTuple):
    """What is listed, how many of it each bar of the histograms has, or why it cannot be told."""

    request: ListRequest
    ids: Ids
    counts: tuple[Counts, ...] = ()
    problem: str = ""


class PreparedTokens(NamedTuple):
    """What is known of a vocabulary before anything is listed."""

    figures: TokenFigures
    histograms: tuple[Histogram, ...]
    explainer: Explainer


class VocabularyModel(Working):
    """All tokens of the window's model.

    prepared  None until what is known of them is gathered
    request    what people ask for
    shown     what is listed; follows `request`
    columns   names of those that are shown, in the order of COLUMNS
    chosen    the token that is looked at, None for none
    problem   why it is not known which tokens text reaches

    Signals:
        prepared_changed(): `prepared`, `is_preparing` or `problem` is new.
        request_changed(): `request` is new.
        shown_changed(): `shown` is new.
        columns_changed(): `columns` is new.
        chosen_changed(): `chosen` is new.
    """

    prepared_changed = Signal()
    request_changed = Signal()
    shown_changed = Signal()
    columns_changed = Signal()
    chosen_changed = Signal()

    def __init__(self, session: ModelSession, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._settings = settings
        self._tokenizer: Tokenizer | None = None  # the one that is prepared, or being so
        self._is_active = False
        self.prepared: PreparedTokens | None = None
        self.request = ListRequest()
        self.shown = ShownTokens(ListRequest(), NO_IDS)
        self.chosen: int | None = None
        self._walked: ListRequest | None = None  # the list that people chose from last
        self._added = set[str]()  # columns that are shown beside the chosen ones, as long as this model is
        self.problem = ""
        self.preparing = LatestJob[PreparedTokens](self, self._take)
        self.listing = LatestJob[ShownTokens](self, self._show)
        self.trying = LatestJob[Ids](self, self._take_unreached, self._fail)
        self._pause = later(self, PAUSE_MS, self._list)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        session.loader.loading_changed.connect(self.prepared_changed)
        session.selected_token_changed.connect(self._on_selection_changed)

    @property
    def is_preparing(self) -> bool:
        return self.preparing.is_busy or self.session.loader.loading_name is not None

    @property
    def is_up_to_date(self) -> bool:
        """Whether all has arrived that was asked for."""
        busy = self.preparing.is_busy or self.listing.is_busy or self.trying.is_busy
        return not (busy or self._pause.isActive())

    def set_active(self, is_active: bool) -> None:
        """Gather and list only while somebody looks."""
        self._is_active = is_active
        if not is_active and not self.listing.is_busy:
            self._end_matching()
        self._prepare()

    def close(self) -> None:
        super().close()
        self._end_matching()

    def _end_matching(self) -> None:
        """Keep no process for regular expressions when nobody asks for more."""
        if self.prepared is not None:
            self.prepared.figures.matcher.close()

    def _on_vocabulary_changed(self) -> None:
        for job in (self.preparing, self.listing, self.trying):
            job.cancel()
        self._end_matching()
        self._tokenizer = self.prepared = None
        self._added.clear()
        self.problem = ""
        self._set_chosen(None)
        self._show(ShownTokens(self.request, NO_IDS))
        self._prepare()
        self.prepared_changed.emit()

    def _prepare(self) -> None:
        tokenizer = self.session.tokenizer
        if self._is_active and tokenizer is not self._tokenizer and tokenizer is not None:
            self._tokenizer = tokenizer
            self.preparing.start(partial(_prepared, tokenizer))
            self.prepared_changed.emit()

    def _take(self, prepared: PreparedTokens) -> None:
        self.prepared = prepared
        if self.request.sort not in {column.name for column in self.choices}:
            self.request = self.request._replace(sort="", is_descending=False)
            self.request_changed.emit()
        self.prepared_changed.emit()
        self.columns_changed.emit()
        self._on_selection_changed()
        self._list()

    # What is listed

    @property
    def query(self) -> str:
        return self.request.query

    def set_query(self, query: str) -> None:
        """Filter by something, at once unless that takes a process."""
        if query != self.request.query:
            self._request(self.request._replace(query=query), pauses="/" in query)

    def end(self) -> None:
        self.set_query("")

    def toggle_term(self, term: str, key: str = "") -> None:
        """Put a term into the filter in place of others of its key, or take it out again."""
        query = self.request.query
        if has(query, term):
            self.set_query(without_terms(query, term))
        else:
            self.set_query(with_term(without(query, key) if key else query, term))

    def sort_by(self, name: str, is_descending: bool) -> None:
        self._request(self.request._replace(sort=name, is_descending=is_descending))

    def _request(self, request: ListRequest, pauses: bool = False) -> None:
        if request == self.request:
            return
        self.request = request
        self.request_changed.emit()
        if pauses:
            self._pause.start()
        else:
            self._list()

    def _list(self) -> None:
        self._pause.stop()
        if self.prepared is None:
            return
        self._try_if_asked()
        if self.trying.is_busy and (needs_trials(self.request.query) or self.request.sort == REACHED):
            self.listing.cancel()  # it follows
        else:
            self.listing.start(partial(_listed, self.prepared, self.request))

    def _show(self, shown: ShownTokens) -> None:
        self.shown = shown
        if not self._is_active:
            self._end_matching()  # which was left running for this list
        self.shown_changed.emit()

    # Which tokens text reaches

    def _try_if_asked(self) -> None:
        """Find out which tokens text reaches where that is shown, sorted or filtered by."""
        if self.prepared is None or self.prepared.figures.is_reached is not None or self.problem:
            return
        is_asked = REACHED in self.columns or self.request.sort == REACHED or needs_trials(self.request.query)
        if is_asked:
            self.try_reaching()

    def try_reaching(self) -> None:
        """Find out which tokens text reaches, unless that is known or being done."""
        if self.prepared is not None and self.prepared.figures.is_reached is None and not self.trying.is_busy:
            self.problem = ""
            self.trying.start(partial(unreached_apart, self.prepared.figures.tokenizer))
            self.prepared_changed.emit()

    def _take_unreached(self, unreached: Ids) -> None:
        assert self.prepared is not None
        self.use(self.prepared.figures.with_unreached(unreached))

    def _fail(self, problem: str) -> None:
        self.problem = problem
        self.prepared_changed.emit()
        self._list()

    def use(self, figures: TokenFigures) -> None:
        """Know more of the same tokens."""
        assert self.prepared is not None
        self.prepared = self.prepared._replace(figures=figures)
        self.prepared_changed.emit()
        self.columns_changed.emit()
        self._list()

    # Columns

    @property
    def choices(self) -> list[VocabularyColumn]:
        return [] if self.prepared is None else columns_of(self.prepared.figures)

    @property
    def columns(self) -> list[str]:
        names = {*self._saved_columns, *self._added}
        return [column.name for column in COLUMNS if column.name in names]

    @property
    def _saved_columns(self) -> list[str]:
        """Those that people chose, or the usual ones."""
        saved = self._settings.vocabulary_columns.split(",")
        chosen = [column.name for column in COLUMNS if column.name in saved]
        return chosen or [column.name for column in COLUMNS if column.is_usual]

    @property
    def shown_columns(self) -> Sequence[VocabularyColumn]:
        """Of `columns` those that there are for this vocabulary."""
        names = {column.name for column in self.choices}
        return [BY_NAME[name] for name in self.columns if name in names]

    def show_column(self, name: str, is_shown: bool) -> None:
        """Show a column, or leave it out, with other models and at the next start, too."""
        chosen = {*self._saved_columns, name} if is_shown else {*self._saved_columns} - {name}
        if chosen and is_shown != (name in self.columns):
            self._added.discard(name)
            self._settings.vocabulary_columns = ",".join(
                column.name for column in COLUMNS if column.name in chosen
            )
            self.columns_changed.emit()
            self._try_if_asked()

    def add_columns(self, names: Iterable[str]) -> None:
        """Show some beside those that people chose, until another model is opened."""
        self._added.update(names)
        self.columns_changed.emit()

    # The chosen token

    def choose(self, token: int) -> None:
        self._walked = self.shown.request
        self._set_chosen(token)
        self.session.select_use(token)

    def step(self, by: int) -> None:
        """Look at the next token of the list, or the one before; of a new list at the first, or the last."""
        n_rows = len(self.shown.ids)
        if n_rows:
            row = self.row_of(self.chosen) if self._walked == self.shown.request else None
            first = 0 if by > 0 else n_rows - 1
            self.choose(int(self.shown.ids[first if row is None else (row + by) % n_rows]))

    def row_of(self, token: int | None) -> int | None:
        if token is None:
            return None
        rows = np.flatnonzero(self.shown.ids == token)
        return int(rows[0]) if len(rows) else None

    def _set_chosen(self, token: int | None) -> None:
        if token != self.chosen:
            self.chosen = token
            self.chosen_changed.emit()

    def _on_selection_changed(self) -> None:
        token = self.session.selected_id
        if self.prepared is not None and token is not None and 0 <= token < len(self.prepared.figures):
            self._set_chosen(token)

    # Export

    def export(self, form: str) -> Callable[[Progress], bytes]:
        """What makes the list in one of FORMS, for a job."""
        assert self.prepared is not None
        spelling = self.session.spelling.now
        shown = TokenList(
            self.prepared.figures, self.shown.ids, self.shown_columns, self.shown.request.query, spelling
        )
        return partial(exported, shown, form)


def _prepared(tokenizer: Tokenizer, progress: Progress) -> PreparedTokens:
    figures, vocabulary = TokenFigures(tokenizer), tokenizer.vocabulary
    bars = histograms(figures)
    progress(0.5)
    vocabulary.kinds, figures.places, figures.children, figures.is_reserved  # noqa: B018  # what rows need
    return PreparedTokens(figures, bars, Explainer(vocabulary, tokenizer.merging))


def _listed(prepared: PreparedTokens, request: ListRequest, progress: Progress) -> ShownTokens:
    sort = BY_NAME.get(request.sort)
    problem = ""
    try:
        ids = listed(prepared.figures, request.query, sort, request.is_descending, progress)
    except QueryError as error:
        ids, problem = NO_IDS, str(error)
    return ShownTokens(request, ids, tuple(each.counts(ids) for each in prepared.histograms), problem)
