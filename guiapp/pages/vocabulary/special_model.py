"""The model of the Special tokens page: the special tokens, which are listed, and in what order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.vocabulary_list.listing import ListColumn
from guiapp.analysis.vocabulary_list.special_tokens import COLUMNS, SpecialRows, SpecialToken, TokenReach
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Progress
from guiapp.kit.state.settings import Settings
from guiapp.kit.token_table.list_model import GatheredListModel, ListRequest, ShownRows, rows_where
from guiapp.native.checkpoint import stoppable


class SpecialGroup(NamedTuple):
    """Special tokens with a common property."""

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


class SpecialTokensModel(GatheredListModel[SpecialRows]):
    """The special tokens of a session's model.

    sizes  the number of tokens in each of GROUPS

    Signals:
        occurrences_changed(): the text or its tokenization is new.
    """

    occurrences_changed = Signal()

    def __init__(
        self, session: ModelSession, settings: Settings | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(session, settings, "special_columns", parent)
        self.sizes = dict.fromkeys(GROUPS, 0)
        session.tokens_changed.connect(self._on_text_changed)
        session.options_changed.connect(self._on_text_changed)

    @property
    def column_table(self) -> Sequence[ListColumn[SpecialRows]]:
        return COLUMNS

    @property
    def tokens(self) -> tuple[SpecialToken, ...] | None:
        """The special tokens, or None until they are known."""
        return None if self.source is None else self.source.tokens

    def set_active(self, is_active: bool) -> None:
        super().set_active(is_active)
        self._on_text_changed()

    def gather(self, tokenizer: Tokenizer, progress: Progress) -> SpecialRows:
        progress(0.1)
        rows = SpecialRows(tokenizer)
        rows.names, rows.figures.explainer  # noqa: B018  # computed here for searches and the details
        return rows

    def _take(self, source: SpecialRows | None) -> None:
        tokens = () if source is None else source.tokens
        self.sizes = {name: sum(map(group.has, tokens)) for name, group in GROUPS.items()}
        self.request = self.request._replace(query="", group="all")
        self.request_changed.emit()
        super()._take(source)

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

    @property
    def n_occurrences(self) -> int:
        token = self.chosen_token
        return 0 if token is None else self.session.tokens.count(token.token_id)

    def insert(self) -> None:
        """Insert the text that encodes to the chosen token at the caret."""
        if (token := self.chosen_token) is not None and token.text is not None:
            self.session.document.insert(token.text)

    def _on_text_changed(self) -> None:
        if self.is_active:
            self.occurrences_changed.emit()
