"""What the Vocabulary page shows: all tokens of the window's model, and what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.tree.trials import unreached_apart
from guiapp.analysis.vocabulary_list.columns import COLUMNS, TokenColumn, TokenFigures
from guiapp.analysis.vocabulary_list.filters import Histogram, histograms, listed, needs_trials
from guiapp.analysis.vocabulary_list.listing import Ids
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.model import ListRequest, ShownRows, TokenListModel

REACHED = "reached"
TRYING = "Trying which tokens text reaches …"


class PreparedTokens(NamedTuple):
    """What is known of a vocabulary before anything is listed."""

    figures: TokenFigures
    histograms: tuple[Histogram, ...]


class VocabularyModel(TokenListModel[TokenFigures]):
    """All tokens of the window's model.

    prepared  None until what is known of them is gathered
    problem   why it is not known which tokens text reaches

    Signals:
        prepared_changed(): `prepared`, `is_preparing` or `problem` is new.
    """

    prepared_changed = Signal()

    def __init__(self, session: ModelSession, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(session.spelling, settings, "vocabulary_columns", parent)
        self.session = session
        self._tokenizer: Tokenizer | None = None  # the one that is prepared, or being so
        self._is_active = False
        self.prepared: PreparedTokens | None = None
        self.problem = ""
        self.preparing = LatestJob[PreparedTokens](self, self._take)
        self.trying = LatestJob[Ids](self, self._take_unreached, self._fail)
        self.shown_changed.connect(self._on_shown_changed)
        self.columns_changed.connect(self._try_if_asked)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        session.loader.loading_changed.connect(self.prepared_changed)
        session.selected_token_changed.connect(self._on_selection_changed)

    @property
    def source(self) -> TokenFigures | None:
        return None if self.prepared is None else self.prepared.figures

    @property
    def column_table(self) -> Sequence[TokenColumn]:
        return COLUMNS

    @property
    def note(self) -> str:
        return TRYING if self.trying.is_busy else self.shown.problem or self.problem

    @property
    def is_preparing(self) -> bool:
        return self.preparing.is_busy or self.session.loader.loading_name is not None

    @property
    def is_up_to_date(self) -> bool:
        return super().is_up_to_date and not (self.preparing.is_busy or self.trying.is_busy)

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
        self._list()
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

    def _list(self) -> None:
        self._try_if_asked()
        if self.trying.is_busy and (needs_trials(self.request.query) or self.request.sort == REACHED):
            self._pause.stop()
            self.listing.cancel()  # it follows
        else:
            super()._list()

    def list_rows(
        self, source: TokenFigures, request: ListRequest, progress: Progress
    ) -> ShownRows[TokenFigures]:
        ids = listed(source, request.query, self.sorting(request), request.is_descending, progress)
        bars = () if self.prepared is None else self.prepared.histograms  # else nobody wants this list
        return ShownRows(request, source, ids, counts=tuple(each.counts(ids) for each in bars))

    def _on_shown_changed(self) -> None:
        if not self._is_active:
            self._end_matching()  # which was left running for this list

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

    # The chosen token

    def choose(self, row: int) -> None:
        super().choose(row)
        self.session.select_use(row)

    def _on_selection_changed(self) -> None:
        token = self.session.selected_id
        if self.prepared is not None and token is not None and 0 <= token < len(self.prepared.figures):
            self._set_chosen(token)


def _prepared(tokenizer: Tokenizer, progress: Progress) -> PreparedTokens:
    figures, vocabulary = TokenFigures(tokenizer), tokenizer.vocabulary
    bars = histograms(figures)
    progress(0.5)
    vocabulary.kinds, figures.places, figures.children, figures.is_reserved, figures.explainer  # noqa: B018  # what rows need
    return PreparedTokens(figures, bars)
