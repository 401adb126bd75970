"""All that is known of the chosen token of the vocabulary, for a token card."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.vocabulary_list.columns import BY_NAME
from guiapp.core.text.figures import times
from guiapp.kit.session.token_details import FACTS, SHOWN_BYTES, TokenDetails, describe_alone
from guiapp.pages.vocabulary.model import VocabularyModel

OF_COLUMNS = ("script", "children", "below", "depth", "reached")
IN_THIS_TEXT = "in this text"
NAMES = tuple(dict.fromkeys((*FACTS, *OF_COLUMNS)))


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

    def visible(self, token_id: int) -> str:
        """How a token of the present vocabulary is written."""
        prepared = self._model.prepared
        vocabulary = None if prepared is None else prepared.figures.vocabulary
        return "" if vocabulary is None else self._spelling.token(vocabulary, token_id, SHOWN_BYTES)

    def part(self, data: bytes, limit: int) -> str:
        """How some bytes of its tokens are written."""
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
