"""What the Special tokens page shows: those of the window's model, which are listed, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.vocabulary_list.listing import ListColumn
from guiapp.analysis.vocabulary_list.special_tokens import COLUMNS, SpecialRows, SpecialToken, TokenReach
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.model import ListRequest, ShownRows, TokenListModel, rows_where
from guiapp.native.checkpoint import stoppable


class SpecialGroup(NamedTuple):
    """Tokens with something in common."""

    title: str
    has: Callable[[SpecialToken], bool]


GROUPS = {
    "all": SpecialGroup("All", lambda token: True),
    "roles": SpecialGroup("Roles", lambda token: bool(token.roles)),
    "ends": SpecialGroup("Ends", lambda token: bool(token.end)),
    "looks": SpecialGroup("Look like ends", lambda token: token.is_end_like),
    "template": SpecialGroup("In template", lambda token: token.in_template),
    "never": SpecialGroup("Not from their text", lambda token: token.reach is TokenReach.NEVER),
    "unused": SpecialGroup("Unused", lambda token: token.is_unused),
}


class GatheredTokens(NamedTuple):
    """All special tokens of a model, and how many each of GROUPS has."""

    rows: SpecialRows
    sizes: Mapping[str, int]


class SpecialTokensModel(TokenListModel[SpecialRows]):
    """The special tokens of a session's model; found while somebody looks at them.

    `chosen` follows the token that is selected in the text.

    Signals:
        tokens_changed(): `tokens` or `is_busy` is new.
        occurrences_changed(): the text, or how it is tokenized, is new.
    """

    tokens_changed = Signal()
    occurrences_changed = Signal()

    def __init__(
        self, session: ModelSession, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(session.spelling, settings, "special_columns", parent)
        self.session = session
        self._gathered: GatheredTokens | None = None
        self._is_active = False
        self._job = LatestJob[GatheredTokens](self, self._take)
        session.vocabulary_changed.connect(self._forget)
        session.selected_token_changed.connect(self._on_selection_changed)
        session.tokens_changed.connect(self._on_text_changed)
        session.options_changed.connect(self._on_text_changed)

    @property
    def source(self) -> SpecialRows | None:
        return None if self._gathered is None else self._gathered.rows

    @property
    def column_table(self) -> Sequence[ListColumn[SpecialRows]]:
        return COLUMNS

    @property
    def tokens(self) -> tuple[SpecialToken, ...] | None:
        """None until they are found."""
        return None if self._gathered is None else self._gathered.rows.tokens

    @property
    def sizes(self) -> Mapping[str, int]:
        return dict.fromkeys(GROUPS, 0) if self._gathered is None else self._gathered.sizes

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    def set_active(self, is_active: bool) -> None:
        """Whether anybody sees what is shown here."""
        self._is_active = is_active
        if not is_active:
            self._job.cancel()
        self._find()
        self._on_selection_changed()
        self._on_text_changed()

    def close(self) -> None:
        super().close()
        self._end_matching()

    # Finding them

    def _end_matching(self) -> None:
        if self._gathered is not None:
            self._gathered.rows.figures.matcher.close()

    def _forget(self) -> None:
        self._job.cancel()
        self._take(None)
        self._find()

    def _find(self) -> None:
        tokenizer = self.session.tokenizer
        if self._is_active and tokenizer is not None and self._gathered is None and not self.is_busy:
            self._job.start(lambda progress: _gathered(tokenizer, progress))
            self.tokens_changed.emit()

    def _take(self, gathered: GatheredTokens | None) -> None:
        self._end_matching()
        self._gathered = gathered
        self._set_chosen(None)
        self.request = self.request._replace(query="", group="all")
        self.request_changed.emit()
        self.tokens_changed.emit()
        self._list()
        self._on_selection_changed()

    def list_rows(
        self, source: SpecialRows, request: ListRequest, progress: Progress
    ) -> ShownRows[SpecialRows]:
        has = GROUPS[request.group].has
        flags = np.fromiter(map(has, stoppable(source.tokens)), np.bool_, len(source))
        if request.query.strip():
            flags &= source.fitting(request.query, progress)
        rows = rows_where(source, flags, self.sorting(request), request.is_descending)
        return ShownRows(request, source, rows)

    # The chosen token

    @property
    def chosen_token(self) -> SpecialToken | None:
        return None if self.tokens is None or self.chosen is None else self.tokens[self.chosen]

    def _on_selection_changed(self) -> None:
        """Look at the token that is selected in the text, if it is a special one."""
        if self._is_active and self.source is not None and self.session.selected_id is not None:
            rows = np.flatnonzero(self.source.ids == self.session.selected_id)
            if len(rows):
                self._set_chosen(int(rows[0]))

    @property
    def n_occurrences(self) -> int:
        token = self.chosen_token
        return 0 if token is None else self.session.tokens.count(token.token_id)

    @property
    def is_parsed(self) -> bool:
        return self.session.options.parse_special

    def insert(self) -> None:
        """Put what leads to the chosen token where the caret is."""
        if (token := self.chosen_token) is not None and token.text is not None:
            self.session.document.insert(token.text)

    def select_next(self) -> None:
        """Select the chosen token in the text where it is next, from the start again behind the last."""
        token = self.chosen_token
        if token is not None and (index := self.session.next_use(token.token_id)) is not None:
            self.session.select_token(index)

    def _on_text_changed(self) -> None:
        if self._is_active:
            self.occurrences_changed.emit()


def _gathered(tokenizer: Tokenizer, progress: Progress) -> GatheredTokens:
    progress(0.1)
    rows = SpecialRows(tokenizer)
    rows.names, rows.figures.explainer  # noqa: B018  # what a search and the details need
    sizes = {name: sum(map(group.has, stoppable(rows.tokens))) for name, group in GROUPS.items()}
    return GatheredTokens(rows, sizes)
