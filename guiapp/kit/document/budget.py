"""How many tokens may be used, and where the text is cut off that needs more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from guiapp.kit.state.settings import Settings

if TYPE_CHECKING:
    from guiapp.kit.session.model_session import ModelSession

USUAL = 8192  # where neither people nor the model's file say
MOST = 10**9


class TokenBudget(QObject):
    """The budget of a session, the context length of its model or one's own number, kept in the settings.

    Signals:
        changed(): the budget, or what of it is used, is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        session.vocabulary_changed.connect(self.changed)
        session.tokens_changed.connect(self.changed)

    @property
    def of_model(self) -> int | None:
        """The context length that the model's file tells, in tokens."""
        from guiapp.analysis.compare.comparison import context_length_of  # time that starting does not have

        vocabulary = self._session.vocabulary
        return None if vocabulary is None else context_length_of(vocabulary)

    @property
    def own(self) -> int | None:
        """What people chose."""
        text = self._settings.budget
        return int(text) if text.isdecimal() and len(text) <= len(str(MOST)) and int(text) else None

    def choose(self, own: int | None) -> None:
        """Take a number of one's own, or without one that of the model."""
        self._settings.budget = "" if own is None else str(min(max(own, 1), MOST))
        self.changed.emit()

    @property
    def n_most(self) -> int:
        """The budget in tokens."""
        return self.own or self.of_model or USUAL

    @property
    def n_used(self) -> int:
        """The tokens of the text, with those around it."""
        return len(self._session.tokens)

    @property
    def cut(self) -> int | None:
        """The first byte of the text that does not fit; None where all does."""
        if self.n_used <= self.n_most:
            return None
        start, _ = self._session.tokens.span(self.n_most)
        return start if start < self._session.document.size else None
