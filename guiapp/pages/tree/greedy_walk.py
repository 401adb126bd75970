"""The greedy walk of the text through the tree, played byte by byte, and the prefix tree around the caret."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.tree.reports import PrefixTree, WalkStep, greedy_walk, prefix_tree
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import Working
from guiapp.pages.tree.model import TreeModel

STEP_MS = 450
MOST_TEXT = 1024  # bytes of the text that are walked
PREFIX_BEFORE, PREFIX_BEHIND = 16, 24  # bytes around the selected token
MOST_PREFIXES = 256  # a token for what is unknown may cover the whole text


class TreeWalk(Working):
    """Where a walk is; it begins at the selected token, and anew when another is selected.

    Signals:
        changed(): `step` or `is_playing` is new.
    """

    changed = Signal()

    def __init__(self, model: TreeModel, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._session = session
        self._steps: list[WalkStep] | None = None
        self._begin = 0
        self._at = -1
        self._timer = QTimer(self, interval=STEP_MS)
        self._timer.timeout.connect(self._tick)
        session.tokens_changed.connect(self._forget)
        session.selected_token_changed.connect(self._forget)
        model.picture_changed.connect(self._forget)

    @property
    def steps(self) -> list[WalkStep]:
        """All steps from where the walk began; offsets count from there."""
        if self._steps is None:
            picture = self._model.picture
            text = self._session.document.slice(self._begin, self._begin + MOST_TEXT)
            self._steps = [] if picture is None else greedy_walk(picture.tree, text)
        return self._steps

    @property
    def step(self) -> WalkStep | None:
        """The present step, None before the first."""
        return self.steps[self._at] if 0 <= self._at < len(self.steps) else None

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def read(self, end: int, start: int = 0) -> bytes:
        """The text between two offsets of the walk."""
        return self._session.document.slice(self._begin + start, self._begin + end)

    def play(self) -> None:
        """Go on by itself, from the selected token if the walk has not begun; or stop."""
        if self.is_playing:
            self._timer.stop()
        else:
            if self.step is None or self._at + 1 >= len(self.steps):
                self.restart()
            self._timer.start()
        self.changed.emit()

    def restart(self) -> None:
        """Begin where the selected token begins."""
        index = self._session.selected_token
        self._begin = 0 if index is None else self._session.tokens.span(index)[0]
        self._steps, self._at = None, -1

    def move(self, by: int) -> None:
        """Go some steps on or back, and look at the token there."""
        if self.step is None and by > 0 and self._steps is None:
            self.restart()
        self._at = max(-1, min(self._at + by, len(self.steps) - 1))
        step = self.step
        if step is not None and step.token is not None:
            self._model.show_token(step.token)
        self.changed.emit()

    def prefix_tree(self) -> PrefixTree | None:
        """The last token of every prefix of the text around the selected token, or of where that begins."""
        tokenizer, index = self._session.tokenizer, self._session.selected_token
        if tokenizer is None or index is None or index >= len(self._session.tokens):
            return None
        start, end = self._session.tokens.span(index)
        first = index
        while first > 0 and start - self._session.tokens.span(first - 1)[0] <= PREFIX_BEFORE:
            first -= 1
        begin = self._session.tokens.span(first)[0]
        last = min(end + PREFIX_BEHIND, begin + MOST_PREFIXES)
        return prefix_tree(tokenizer, self._session.document.slice(begin, last))

    def _tick(self) -> None:
        if self._at + 1 >= len(self.steps):
            self._timer.stop()
            self.changed.emit()
        else:
            self.move(1)

    def _forget(self) -> None:
        self._timer.stop()
        self._steps, self._at, self._begin = None, -1, 0
        self.changed.emit()
