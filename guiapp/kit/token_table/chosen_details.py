"""The details of the row of a token table that is looked at, for a card."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import QObject, Signal, SignalInstance

from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.token_details import SHOWN_BYTES, TokenDetails, describe_alone
from guiapp.kit.token_table.list_model import TokenListModel


class ChosenDetails(QObject):
    """All about the token of the model's chosen row.

    details  None where no row is chosen

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
        """`more` facts are said of a row, which may be others whenever something `changed`."""
        super().__init__(model)
        self._model, self._more = model, more
        self.details: TokenDetails | None = None
        self._vocabulary: Vocabulary
        for signal in (model.chosen_changed, model.spelling.changed, *changed):
            signal.connect(self.describe)

    def visible(self, token_id: int) -> str:
        """How a token is written."""
        return self._model.spelling.now.token(self._vocabulary, token_id, SHOWN_BYTES)

    def part(self, data: bytes, limit: int) -> str:
        """How some bytes of a token are written."""
        return self._model.spelling.now.part(self._vocabulary, data, limit)

    def describe(self) -> None:
        """Describe the row again: how often its token is in the text changes while nobody looks."""
        source, row = self._model.source, self._model.chosen
        tokens = [] if source is None or row is None else source.tokens_of(row)
        details = None
        for figures, token in tokens[:1]:
            self._vocabulary, spelling = figures.vocabulary, self._model.spelling.now
            details = describe_alone(figures.explainer, spelling, token, self._more(row or 0))
        if details is not None or self.details is not None:
            self.details = details
            self.details_changed.emit()
