"""Why the selected token is there, found in the background while somebody looks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.explain.why.excerpt import REACH_BYTES, Excerpt, Switches
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working

if TYPE_CHECKING:
    from guiapp.analysis.explain.why.explanation import TokenWhy
    from guiapp.core.encode.tokenizer import Tokenizer

SETTLE_MS, CHOICE_MS = 150, 60  # as for the details of a token


class WhyModel(Working):
    """What there is to tell about the session's selected token.

    explanation    of the token that was selected last; None where there is none, or nothing can be told of it
    style    the bytes of that token, the colour it has in the text, and whether it is a control token
    problem  why nothing can be told, "" where nothing is wrong

    Signals:
        changed(): `explanation`, `problem` or `is_busy` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._is_shown = False
        self._is_stale = True
        self.explanation: TokenWhy | None = None
        self.style = (b"", 0, False)
        self._next_style = self.style
        self.problem = ""
        self._settled = QTimer(self, singleShot=True)
        self._settled.timeout.connect(self._find)
        self._job = LatestJob["TokenWhy"](self, self._take, self._fail)
        session.selected_token_changed.connect(self._on_choice_changed)
        session.tokens_changed.connect(self._on_tokens_changed)
        session.options_changed.connect(self._on_choice_changed)
        session.spelling.changed.connect(self._on_choice_changed)

    @property
    def is_busy(self) -> bool:
        """Whether what is newer is still to come."""
        return self._settled.isActive() or self._job.is_busy

    @property
    def is_current(self) -> bool:
        """Whether what is told is about the text and the selection as they are."""
        return self.explanation is not None and not self._is_stale

    def set_shown(self, is_shown: bool) -> None:
        """Look only while people do."""
        self._is_shown = is_shown
        if is_shown and self._is_stale:
            self._find()

    def _on_choice_changed(self) -> None:
        self._invalidate(CHOICE_MS)

    def _on_tokens_changed(self) -> None:
        self._invalidate(SETTLE_MS)

    def _invalidate(self, wait_ms: int) -> None:
        self._is_stale = True
        self._job.cancel()
        if self._is_shown and self._settled.remainingTime() < wait_ms:
            self._settled.start(wait_ms)

    def _find(self) -> None:
        self._settled.stop()
        session = self._session
        index, tokenizer, algorithm = session.selected_token, session.tokenizer, session.algorithm
        if session.is_encoding:
            return  # the tokens will come
        if index is None or index >= len(session.tokens) or tokenizer is None or algorithm is None:
            self._show(None)
            return
        options = session.options
        switches = Switches(algorithm.name, options.add_special, options.parse_special, session.spelling.now)
        self._next_style = _style_of(session, index)
        self._job.start(partial(_why, tokenizer, excerpt_in(session, index), switches))
        self.changed.emit()

    def _take(self, explanation: TokenWhy) -> None:
        self._show(explanation)

    def _fail(self, message: str) -> None:
        self._show(None, message)

    def _show(self, explanation: TokenWhy | None, problem: str = "") -> None:
        self.explanation, self.style, self.problem, self._is_stale = (
            explanation,
            self._next_style,
            problem,
            False,
        )
        self.changed.emit()


def _style_of(session: ModelSession, index: int) -> tuple[bytes, int, bool]:
    vocabulary = session.vocabulary
    assert vocabulary is not None
    row = session.tokens.between(index, index + 1)
    token_id = int(row.ids[0])
    return vocabulary.token_bytes(token_id), int(row.tints[0]), vocabulary.kind(token_id) == "control"


def excerpt_in(session: ModelSession, index: int) -> Excerpt:
    """What is near a token of the session's text."""
    tokens, document = session.tokens, session.document
    token_start, token_end = tokens.span(index)
    first = min(index, tokens.first_from(token_start - REACH_BYTES))
    behind = max(index + 1, tokens.first_ending_after(token_end + REACH_BYTES))
    if token_start == token_end:  # see `tokens_near`
        first = min(first, max(tokens.first_from(token_start) - 1, 0))
        behind = max(behind, min(tokens.first_ending_after(token_end) + 1, len(tokens)))
    begins, is_last = first == 0, behind >= len(tokens)
    start = 0 if begins else tokens.span(first)[0]
    end = document.size if is_last else tokens.span(behind - 1)[1]
    ids, starts, ends, _ = tokens.between(first, behind)
    places = np.array(starts) - start, np.array(ends) - start  # copies, as those are changed by edits
    text = document.slice(start, end)
    return Excerpt(text, start, begins, is_last, np.array(ids), *places, index - first, first)


def _why(tokenizer: Tokenizer, excerpt: Excerpt, switches: Switches, progress: Progress) -> TokenWhy:
    from guiapp.analysis.explain.why.why import why_of

    return why_of(tokenizer, excerpt, switches, progress)
