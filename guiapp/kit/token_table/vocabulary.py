"""The list of all tokens of a session's model, filtered and sorted, with their data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject

from guiapp.analysis.tree.trials import unreached_apart
from guiapp.analysis.vocabulary_list.columns import COLUMNS, TokenColumn, TokenFigures
from guiapp.analysis.vocabulary_list.filters import REACHED, histograms, in_any_case, listed, needs_trials
from guiapp.analysis.vocabulary_list.listing import Ids
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Background, Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import GatheredListModel, ListRequest, ShownRows

TRYING = "Checking which tokens text can reach …"
UNUSUAL = "kind", "children"  # columns hidden by default, because most rows have the same value
IN_TABLE = tuple(replace(each, is_usual=each.is_usual and each.name not in UNUSUAL) for each in COLUMNS)


class VocabularyModel(GatheredListModel[TokenFigures]):
    """All tokens of a session's model.

    trying  the tokens that no test text reaches; starts when a column, a filter or a caller needs them
    """

    def __init__(
        self,
        session: ModelSession,
        settings: Settings | None = None,
        parent: QObject | None = None,
        setting: str = "vocabulary_columns",
    ) -> None:
        super().__init__(session, settings, setting, parent)
        self.trying = Background[Ids](self, self._prepare_trial)
        self.trying.changed.connect(self._on_tried)
        self.columns_changed.connect(self._try_if_asked)

    @property
    def column_table(self) -> Sequence[TokenColumn]:
        return IN_TABLE

    @property
    def problem(self) -> str:
        """Why the test of which tokens text reaches failed."""
        return self.trying.problem

    @property
    def note(self) -> str:
        return TRYING if self.trying.is_busy else self.shown.problem or self.problem

    @property
    def is_up_to_date(self) -> bool:
        return super().is_up_to_date and not self.trying.is_busy

    def gather(self, tokenizer: Tokenizer, progress: Progress) -> TokenFigures:
        figures, vocabulary = TokenFigures(tokenizer), tokenizer.vocabulary
        figures.histograms = histograms(figures)
        progress(0.5)
        vocabulary.kinds, figures.positions, figures.children  # noqa: B018  # what rows need
        figures.is_reserved, figures.explainer, figures.holds_embeddings  # noqa: B018
        return figures

    def _on_vocabulary_changed(self) -> None:
        self.trying.forget()
        super()._on_vocabulary_changed()

    # What is listed

    def _list(self, wait_ms: int = 0) -> None:
        self._try_if_asked()
        if self.trying.is_busy and (needs_trials(self.request.query) or self.request.sort == REACHED):
            self.listing.cancel()  # lists after the test
        else:
            super()._list(wait_ms)

    def list_rows(
        self, source: TokenFigures, request: ListRequest, progress: Progress
    ) -> ShownRows[TokenFigures]:
        ids = listed(source, request.query, self.sorting(request), request.is_descending, progress)
        counts = tuple(each.counts(ids) for each in source.histograms)
        wider = self.wider_than(source, request.query, len(ids), progress)
        return ShownRows(request, source, ids, counts=counts, wider=wider)

    def wider_than(
        self, source: TokenFigures, query: str, n_listed: int, progress: Progress
    ) -> tuple[str, int] | None:
        """The filter without case and its number of matches, if it matches more tokens."""
        wider, n_tokens = in_any_case(source, query, progress)
        return (wider, n_tokens) if n_tokens > n_listed else None

    # Which tokens text reaches

    def _try_if_asked(self) -> None:
        """Test which tokens text reaches if the result is shown, sorted or filtered by."""
        is_asked = REACHED in self.columns or self.request.sort == REACHED or needs_trials(self.request.query)
        if is_asked and not self.problem:
            self.try_reaching()

    def try_reaching(self) -> None:
        """Test which tokens text reaches, unless that is known or in progress."""
        if self.source is not None and self.source.is_reached is None:
            if self.problem:
                self.trying.forget()
            self.trying.watch(True)

    def _prepare_trial(self) -> Callable[[Progress], Ids] | None:
        return None if self.source is None else partial(unreached_apart, self.source.tokenizer)

    def _on_tried(self) -> None:
        if self.trying.value is not None and self.source is not None:
            self.use(self.source.with_unreached(self.trying.value))
        else:
            self.source_changed.emit()
            if self.trying.problem:
                self._list()

    def use(self, figures: TokenFigures) -> None:
        """Replace the data by more data about the same tokens."""
        self._source = figures
        self.source_changed.emit()
        self.columns_changed.emit()
        self._list()

    def choose(self, row: int) -> None:
        super().choose(row)
        self.session.select_use(row)
