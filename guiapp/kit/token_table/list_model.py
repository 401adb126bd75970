"""The models of token tables: rows, order, columns, and the chosen row."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal, SignalInstance

from guiapp.analysis.search.matches import QueryError
from guiapp.analysis.vocabulary_list.columns import TokenFigures, TokenRows
from guiapp.analysis.vocabulary_list.filters import (
    Counts,
    check_filter,
    has,
    with_term,
    without,
    without_terms,
)
from guiapp.analysis.vocabulary_list.listing import (
    Flags,
    Ids,
    ListColumn,
    ListSource,
    TokenList,
    Write,
    exported,
    in_order,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.token_details import SHOWN_BYTES, TokenDetails, describe_alone
from guiapp.kit.state.background import Background, NotReadyError, Progress, Working
from guiapp.kit.state.settings import Settings, SharedSpelling

ALL = "all"  # the group of all rows
PAUSE_MS = 120  # pause in typing before a regular expression is tried, which needs a child process
S = TypeVar("S", bound=ListSource)
G = TypeVar("G", bound=TokenRows | TokenFigures)


class ListRequest(NamedTuple):
    """A request for a list; `sort` is the name of a column, "" for the closest matches first."""

    query: str = ""
    sort: str = ""
    is_descending: bool = False
    group: str = ALL


class ShownRows(NamedTuple, Generic[S]):
    """The listed rows, or why there are none.

    source  the data of the rows; None if there is none
    rows    the numbers of the listed rows in the source, in order
    counts  for each histogram, how many of the rows are in each bar
    wider   a case-insensitive filter that matches more, and its number of rows; None if there is none
    """

    request: ListRequest
    source: S | None = None
    rows: Ids | range = range(0)
    problem: str = ""
    counts: tuple[Counts, ...] = ()
    wider: tuple[str, int] | None = None


class TokenListModel(Working, Generic[S]):
    """A list of tokens or similar rows, which a background job filters and sorts.

    A subclass defines the content by `source`, `list_rows` and `column_table`.

    request  the request of the user
    shown    the listed rows; follows `request`
    columns  names of the shown columns, in the order of `column_table`
    chosen   the row whose details are shown, as a number in the source; None for none

    Signals:
        request_changed(): `request` is new.
        shown_changed(): `shown` is new.
        columns_changed(): `columns` is new.
        chosen_changed(): `chosen` is new.
    """

    request_changed = Signal()
    shown_changed = Signal()
    columns_changed = Signal()
    chosen_changed = Signal()

    def __init__(
        self,
        spelling: SharedSpelling,
        settings: Settings | None = None,
        setting: str = "",
        parent: QObject | None = None,
    ) -> None:
        """`setting` is the name of the setting for the chosen columns."""
        super().__init__(parent)
        self.spelling = spelling
        self._settings, self._setting = settings, setting
        self._chosen_columns = ""  # used without settings
        self._added = set[str]()  # columns shown in addition to the chosen ones, until the model changes
        self.request = ListRequest()
        self.shown = ShownRows[S](self.request)
        self.chosen: int | None = None
        self._walked: ListRequest | None = None  # the list from which the user chose last
        self._waiting = 0  # steps to take once the requested list is there
        self.listing = Background[ShownRows[S]](self, self._prepare_listing, is_watched=True)
        self.listing.changed.connect(self._on_listed)

    # For subclasses

    @property
    @abstractmethod
    def source(self) -> S | None:
        """The data to list; None if there is none yet."""

    @property
    @abstractmethod
    def column_table(self) -> Sequence[ListColumn[S]]: ...

    @abstractmethod
    def list_rows(self, source: S, request: ListRequest, progress: Progress) -> ShownRows[S]:
        """List the rows of a request; runs in a background thread.  Raises QueryError."""

    @property
    def noun(self) -> str:
        """The singular noun for a row."""
        return "token"

    def check_query(self, query: str) -> None:
        """Raise QueryError for an invalid or unfinished filter."""
        check_filter(query)

    def frozen(self, source: S) -> S:
        """A source for a job, which must not change while the job runs."""
        return source

    # What is listed

    @property
    def is_up_to_date(self) -> bool:
        """Whether no work is pending."""
        return not self.listing.is_busy

    @property
    def is_listed(self) -> bool:
        """Whether `shown` is the list of the current request."""
        return self.shown.source is not None and self.shown.request == self.request

    @property
    def note(self) -> str:
        """A note about the list, mostly why there is none, or what to add to the filter."""
        return self.shown.problem

    @property
    def query(self) -> str:
        return self.request.query

    def set_query(self, query: str) -> None:
        """Set the filter; list at once, unless a regular expression needs a child process."""
        if query != self.request.query:
            self._request(self.request._replace(query=query), pauses="/" in query)

    def end(self) -> None:
        self.set_query("")

    def toggle_term(self, term: str, key: str = "") -> None:
        """Add a term to the filter, replacing terms with its key, or remove it if it is there."""
        query = self.request.query
        if has(query, term):
            self.set_query(without_terms(query, term))
        else:
            self.set_query(with_term(without(query, key) if key else query, term))

    def sort_by(self, name: str, is_descending: bool) -> None:
        self._request(self.request._replace(sort=name, is_descending=is_descending))

    def show_group(self, group: str) -> None:
        self._request(self.request._replace(group=group))

    def _request(self, request: ListRequest, pauses: bool = False) -> None:
        if request == self.request:
            return
        self.request, self._waiting = request, 0
        self.request_changed.emit()
        self._list(PAUSE_MS if pauses else 0)

    def _list(self, wait_ms: int = 0) -> None:
        """List the rows of the request, after `wait_ms` without a new request."""
        if self.source is None:
            self._show_now(ShownRows[S](self.request))
        else:
            self.listing.refresh(wait_ms)

    def _show_now(self, shown: ShownRows[S]) -> None:
        self.listing.cancel()
        self._show(shown)

    def _prepare_listing(self) -> Callable[[Progress], ShownRows[S]]:
        if (source := self.source) is None:
            raise NotReadyError
        return partial(self._listed, self.frozen(source), self.request)

    def _on_listed(self) -> None:
        if self.listing.is_current and self.listing.value is not None:
            self._show(self.listing.value)

    def _listed(self, source: S, request: ListRequest, progress: Progress) -> ShownRows[S]:
        shown = ShownRows(request, source)
        try:
            shown = self.list_rows(source, request, progress)
            self.check_query(request.query)
        except QueryError as error:
            return shown._replace(problem=str(error))
        return shown

    def sorting(self, request: ListRequest) -> ListColumn[S] | None:
        """The column that a request sorts by."""
        return next((column for column in self.column_table if column.name == request.sort), None)

    def _show(self, shown: ShownRows[S]) -> None:
        self.shown = shown
        self.shown_changed.emit()
        if self._waiting and self.is_listed:
            self.step(self._waiting)

    def forget_unlisted(self) -> None:
        """Clear the chosen row if it is not listed."""
        if self.position_of(self.chosen) is None:
            self._set_chosen(None)

    # Columns

    @property
    def choices(self) -> list[ListColumn[S]]:
        """The columns that this source has."""
        source = self.source
        return [] if source is None else [each for each in self.column_table if each.is_known(source)]

    @property
    def columns(self) -> list[str]:
        names = {*self._saved_columns, *self._added}
        return [column.name for column in self.column_table if column.name in names]

    @property
    def shown_columns(self) -> list[ListColumn[S]]:
        """The columns in `columns` that the shown source has."""
        names, source = self.columns, self.shown.source or self.source
        return [
            each
            for each in self.column_table
            if each.name in names and source is not None and each.is_known(source)
        ]

    @property
    def _saved_columns(self) -> list[str]:
        """The names of the columns that the user chose, else of the default columns."""
        kept = self._chosen_columns if self._settings is None else getattr(self._settings, self._setting)
        chosen = [column.name for column in self.column_table if column.name in kept.split(",")]
        return chosen or [column.name for column in self.column_table if column.is_usual]

    def show_column(self, name: str, is_shown: bool) -> None:
        """Show or hide a column, also for other models and after a restart."""
        chosen = {*self._saved_columns, name} if is_shown else {*self._saved_columns} - {name}
        if chosen and is_shown != (name in self.columns):
            self._added.discard(name)
            self._chosen_columns = ",".join(each.name for each in self.column_table if each.name in chosen)
            if self._settings is not None:
                setattr(self._settings, self._setting, self._chosen_columns)
            self.columns_changed.emit()

    def add_columns(self, names: Iterable[str]) -> None:
        """Show additional columns until another model is opened."""
        self._added.update(names)
        self.columns_changed.emit()

    # The chosen row

    def choose(self, row: int) -> None:
        self._walked = self.shown.request
        self._set_chosen(row)

    def step(self, by: int) -> None:
        """Choose the next or previous row of the list; in a new list, the first or the last.

        If the list is not ready, do so when it is.
        """
        n_rows = len(self.shown.rows) if self.is_listed else 0
        self._waiting = 0 if n_rows else by
        if n_rows:
            at = self.position_of(self.chosen) if self._walked == self.shown.request else None
            first = 0 if by > 0 else n_rows - 1
            self.choose(int(self.shown.rows[first if at is None else (at + by) % n_rows]))

    def position_of(self, row: int | None) -> int | None:
        """The position of a row in the list; None if it is not listed."""
        rows = self.shown.rows
        if row is None:  # a range would search for None one by one
            return None
        if isinstance(rows, range):
            return row if row in rows else None
        positions = np.flatnonzero(rows == row)
        return int(positions[0]) if len(positions) else None

    def _set_chosen(self, row: int | None) -> None:
        if row != self.chosen:
            self.chosen = row
            self.chosen_changed.emit()

    # Copy and save

    def token_list(self, positions: Sequence[int] | None = None) -> TokenList[S]:
        """The listed rows, or those at some positions in the list."""
        shown = self.shown
        assert shown.source is not None
        source = self.frozen(shown.source)
        rows = (
            shown.rows if positions is None else np.array([shown.rows[each] for each in positions], np.int32)
        )
        summary = getattr(source, "summary", {})
        columns, spelling = self.shown_columns, self.spelling.now
        return TokenList(source, rows, columns, shown.request.query, spelling, summary=summary)

    def export(self, write: Write, positions: Sequence[int] | None = None) -> Callable[[Progress], bytes]:
        """A function for a background job that returns the list in a file format."""
        return partial(exported, self.token_list(positions), write)


class GatheredListModel(TokenListModel[G]):
    """A list of items of a session's model, gathered only while it is visible.

    Signals:
        source_changed(): `source` or `is_gathering` is new.
    """

    source_changed = Signal()

    def __init__(
        self, session: ModelSession, settings: Settings | None, setting: str, parent: QObject | None = None
    ) -> None:
        super().__init__(session.spelling, settings, setting, parent)
        self.session = session
        self._source: G | None = None
        self.gathering = Background[G](self, self._prepare)
        self.gathering.changed.connect(self._on_gathered)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        session.loader.loading_changed.connect(self.source_changed)
        session.selected_token_changed.connect(self._on_selection_changed)

    @abstractmethod
    def gather(self, tokenizer: Tokenizer, progress: Progress) -> G:
        """Gather the items of a model; runs in a background thread."""

    @property
    def source(self) -> G | None:
        return self._source

    @property
    def is_active(self) -> bool:
        """Whether the list is visible."""
        return self.gathering.is_watched

    def set_active(self, is_active: bool) -> None:
        """Set whether the list is visible, and so gathered and listed."""
        self.gathering.watch(is_active)
        if not is_active and not self.listing.is_busy:
            self.end_matching()
        self._begin_at_selection()

    @property
    def is_gathering(self) -> bool:
        return self.gathering.is_busy or self.session.loader.loading_name is not None

    @property
    def is_up_to_date(self) -> bool:
        return super().is_up_to_date and not self.gathering.is_busy

    def close(self) -> None:
        super().close()
        self.end_matching()

    def end_matching(self) -> None:
        """End the child process for regular expressions."""
        if self._source is not None:
            self._source.figures.matcher.close()

    def _prepare(self) -> Callable[[Progress], G] | None:
        tokenizer = self.session.tokenizer
        return None if tokenizer is None else partial(self.gather, tokenizer)

    def _on_vocabulary_changed(self) -> None:
        self.listing.cancel()
        self.gathering.forget()
        self._take(None)
        self.gathering.refresh()

    def _on_gathered(self) -> None:
        if self.gathering.value is not None and not self.gathering.is_busy:
            self._take(self.gathering.value)
        else:
            self.source_changed.emit()

    def _take(self, source: G | None) -> None:
        self.end_matching()
        self._source = source
        self._added.clear()
        self._set_chosen(None)
        if source is not None and self.request.sort not in {column.name for column in self.choices}:
            self.request = self.request._replace(sort="", is_descending=False)
            self.request_changed.emit()
        self.source_changed.emit()
        self.columns_changed.emit()
        self._begin_at_selection()
        self._list()

    def _show(self, shown: ShownRows[G]) -> None:
        super()._show(shown)
        if not self.is_active:
            self.end_matching()  # was left running to finish this list

    def select_next(self) -> None:
        """Select the next occurrence of the chosen token in the text, wrapping around at the end."""
        if self._source is not None and self.chosen is not None:
            index = self.session.next_use(self._source.token(self.chosen))
            if index is not None:
                self.session.select_token(index)

    def _begin_at_selection(self) -> None:
        """Choose the selected token, unless the caret is at the start, where the user did not select it."""
        if self.session.document.caret:
            self._on_selection_changed()

    def _on_selection_changed(self) -> None:
        """Choose the token that is selected in the text, if the source has it."""
        selected = self.session.selected_id
        if self._source is not None and selected is not None and self.is_active:
            rows = np.flatnonzero(self._source.ids == selected)
            if len(rows):
                self._set_chosen(int(rows[0]))


def rows_where(source: ListSource, flags: Flags, sort: ListColumn[Any] | None, is_descending: bool) -> Ids:
    """The rows that `flags` selects, sorted by a column, or in their own order."""
    if sort is None:
        return np.flatnonzero(flags).astype(np.int32)
    return in_order(source, flags, sort, is_descending)


# The details of the chosen row of a token table, for a card


class ChosenDetails(QObject):
    """The details of the token in the model's chosen row.

    details  None if no row is chosen

    Signals:
        details_changed(): `details` is new.
    """

    details_changed = Signal()

    def __init__(
        self,
        model: TokenListModel[Any],
        more: Callable[[int], Iterable[tuple[str, str]]],
        changed: Iterable[SignalInstance],
    ) -> None:
        """`more` returns further facts about a row, which may change with the signals `changed`."""
        super().__init__(model)
        self._model, self._more = model, more
        self.details: TokenDetails | None = None
        self._vocabulary: Vocabulary
        self._listed = model.request
        model.shown_changed.connect(self._on_shown_changed)
        for signal in (model.chosen_changed, model.spelling.changed, *changed):
            signal.connect(self.describe)

    def visible(self, token_id: int) -> str:
        """A token in the current spelling."""
        return self._model.spelling.now.token(self._vocabulary, token_id, SHOWN_BYTES)

    def part(self, data: bytes, limit: int) -> str:
        """Some bytes of a token in the current spelling."""
        return self._model.spelling.now.part(self._vocabulary, data, limit)

    def _on_shown_changed(self) -> None:
        """Clear an unlisted row when another list is shown; a token selected in the text may be unlisted."""
        if (request := self._model.shown.request) != self._listed:
            self._listed = request
            self._model.forget_unlisted()

    def describe(self) -> None:
        """Describe the row again; the count of its token in the text may have changed meanwhile."""
        source, row = self._model.source, self._model.chosen
        tokens = [] if source is None or row is None else source.tokens_of(row)
        details = None
        for figures, token in tokens[:1]:
            self._vocabulary, spelling = figures.vocabulary, self._model.spelling.now
            details = describe_alone(figures.explainer, spelling, token, self._more(row or 0))
        if details is not None or self.details is not None:
            self.details = details
            self.details_changed.emit()
