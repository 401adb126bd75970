"""The tokens of the text as a table, linked with the session's selected and hovered token."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

import numpy as np

from guiapp.analysis.editing.token_store import TokenStore
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.vocabulary_list.columns import TokenFigures, TokenRows, of_tokens
from guiapp.analysis.vocabulary_list.filters import fitting
from guiapp.analysis.vocabulary_list.listing import Ids, ListColumn
from guiapp.kit.document.coloured_spans import ColouredSpans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import (
    PAUSE_MS,
    ListRequest,
    ShownRows,
    TokenListModel,
    rows_where,
)
from guiapp.kit.token_table.table_view import TokenTable
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.theme import ThemeSource


class TextRows(TokenRows):
    """The tokens of a text; live, since it reads the token store on each access."""

    def __init__(self, figures: TokenFigures, tokens: TokenStore, spans: ColouredSpans | None = None) -> None:
        self.figures, self.tokens, self._spans = figures, tokens, spans
        self.orders = {}

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def ids(self) -> Ids:  # type: ignore[override]  # made when it is asked for
        return self.tokens.ids(0, len(self.tokens))

    def token(self, row: int) -> int:
        return int(self.tokens.ids(row, row + 1)[0])

    def tint(self, row: int) -> int:
        """The colour of a token in the text."""
        spans, tokens = self._spans, self.tokens
        tints = tokens.between(row, row + 1).tints if spans is None else spans.tints(row, row + 1)
        return int(tints[0]) if len(tints) else 0  # the text may no longer have the row

    def copy(self) -> TextRows:
        """A snapshot for a job, while the text may change."""
        return TextRows(self.figures, deepcopy(self.tokens), self._spans)


def _span(rows: TextRows, row: int, _: Spelling) -> str:
    start, end = rows.tokens.span(row)
    return f"{start:,}–{end:,}"


def _rank(rows: TextRows, row: int) -> int | None:
    """The rank of the merge that is used, as in the token's details: several rules may make a token."""
    return rows.figures.explainer.merge_rank(rows.token(row))


_OF_TOKENS: dict[str, ListColumn[TextRows]] = of_tokens(
    ("id", "token", "bytes", "kind", "rank", "score"), without=("reached",)
)
_OF_TOKENS["rank"] = ListColumn(
    "rank",
    "rank of the merge that makes it",
    _OF_TOKENS["rank"].sorts_by,
    _OF_TOKENS["rank"].text,
    figure=True,
    data=_rank,
    is_there=_OF_TOKENS["rank"].is_known,
)
COLUMNS: tuple[ListColumn[TextRows], ...] = (
    ListColumn(
        "#",
        "its position in the text",
        lambda rows: np.arange(len(rows)),
        lambda rows, row, _: f"{row + 1:,}",
        figure=True,
        data=lambda rows, row: row + 1,
        widest="128,255",
        share=0.6,
    ),
    *_OF_TOKENS.values(),
    ListColumn(
        "span",
        "its bytes in the text",
        lambda rows: np.arange(len(rows)),
        _span,
        figure=True,
        data=lambda rows, row: "{}..{}".format(*rows.tokens.span(row)),
        widest="1,234–1,238",
    ),
)


class TextTokensModel(TokenListModel[TextRows]):
    """All tokens of the session's text, in text order; if sorted by a column, updated when typing pauses.

    In text order, nothing is stored for each row, and no job runs.
    """

    _figures: TokenFigures | None = None

    def __init__(
        self, session: ModelSession, settings: Settings | None = None, spans: ColouredSpans | None = None
    ) -> None:
        super().__init__(session.spelling, settings, "text_columns")
        self._session, self._spans = session, spans
        session.tokens_changed.connect(self._on_tokens_changed)
        session.selected_token_changed.connect(self._on_selection_changed)
        self._list()
        self._on_selection_changed()

    @property
    def source(self) -> TextRows | None:
        tokenizer = self._session.tokenizer
        if tokenizer is None:
            return None
        if self._figures is None or self._figures.tokenizer is not tokenizer:
            self._figures = TokenFigures(tokenizer)
        return TextRows(self._figures, self._session.tokens, self._spans)

    @property
    def column_table(self) -> Sequence[ListColumn[TextRows]]:
        return COLUMNS

    def frozen(self, source: TextRows) -> TextRows:
        return source.copy()

    @property
    def _is_in_text_order(self) -> bool:
        return not (self.request.query or self.request.sort)

    def list_rows(self, source: TextRows, request: ListRequest, progress: Progress) -> ShownRows[TextRows]:
        flags = fitting(source.figures, request.query, progress)[source.ids]
        rows = rows_where(source, flags, self.sorting(request), request.is_descending)
        return ShownRows(request, source, rows)

    def _list(self, wait_ms: int = 0) -> None:
        if (source := self.source) is None or not self._is_in_text_order:
            super()._list(wait_ms)
        else:
            self._show_now(ShownRows(self.request, source, range(len(source))))

    def _on_tokens_changed(self) -> None:
        self._list(0 if self._is_in_text_order else PAUSE_MS)

    def choose(self, row: int) -> None:
        super().choose(row)
        if row < len(self._session.tokens):
            self._session.select_token(row)

    def _on_selection_changed(self) -> None:
        self._set_chosen(self._session.selected_token)


class TextTokenTable(TokenTable):
    """A table of tokens to select and copy; the current row is the session's selected token."""

    def __init__(
        self,
        session: ModelSession,
        settings: Settings | None,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
        spans: ColouredSpans | None = None,
    ) -> None:
        """`spans` provides the colours of the text, if they are not the tokens' own."""
        self.model = TextTokensModel(session, settings, spans)
        super().__init__(self.model, theme_source, "Tokens", "tokens", chips="id", zoom=zoom, counts=False)
        self.model.setParent(self)
        self._session = session
        self.view.setMouseTracking(True)
        if spans is not None:
            spans.coloring_changed.connect(self.view.viewport().update)
        self.view.hovered.connect(self._on_hovered)

    def stop(self) -> None:
        self.saving.close()
        self.model.close()

    def _on_hovered(self, position: int | None) -> None:
        self._session.hover_token(None if position is None else self.table.row(position))
