"""A text as the vocabulary that was just trained cuts it, and as the open model does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp import open_model
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.tokenizer import Tokenizer
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.models.loader import display_name
from guiapp.viewmodels.steps.training import TrainingModel

LONGEST_TEXT = 2000  # bytes: more than a page shows


@dataclass(frozen=True)
class Side:
    """One of the two: what to call it, and its tokens with their places in the text."""

    name: str
    n_vocabulary: int
    tokens: tuple[
        tuple[str, int, int, int], ...
    ]  # text (its own where it has none there), id, first byte, end


@dataclass(frozen=True)
class Beside:
    """The text's beginning twice."""

    trained: Side
    real: Side
    n_bytes: int


class TrainingBeside(QObject):
    """Compares when asked to, off the GUI thread.

    Signals:
        changed(): `result` or `failure` is new.
    """

    changed = Signal()

    def __init__(self, training: TrainingModel, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._training = training
        self._session = session
        self.result: Beside | None = None
        self.failure = ""
        self._job = LatestJob[Beside](self)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._fail)

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    def compare(self, text: bytes) -> None:
        """Encode the beginning of a text with both; what was compared before stays until that is done."""
        model, training = self._session.loader.model, self._training
        if model is None or training.model_file is None:
            return
        beginning = text[:LONGEST_TEXT].decode("utf-8", "ignore").encode()
        real = (display_name(model), model.tokenizer)
        self._job.start(partial(_compare, training.model_file, real, beginning))

    def forget(self) -> None:
        """Nobody looks any more, or what was compared is no more."""
        self._job.cancel()
        self.result, self.failure = None, ""
        self.changed.emit()

    def _take(self, result: Beside) -> None:
        self.result, self.failure = result, ""
        self.changed.emit()

    def _fail(self, message: str) -> None:
        self.result, self.failure = None, message
        self.changed.emit()

    def stop(self) -> None:
        """Give up work in the background, and wait for it."""
        self._job.wait()


def _compare(trained: Path, real: tuple[str, Tokenizer], text: bytes, progress: Progress) -> Beside:
    tokenizer = open_model(trained)
    return Beside(_side(tokenizer.vocabulary.name, tokenizer, text), _side(*real, text), len(text))


def _side(name: str, tokenizer: Tokenizer, text: bytes) -> Side:
    encoding = tokenizer.encode(text, add_special=False, parse_special=False)
    spans = zip(encoding.token_ids.tolist(), encoding.spans.tolist(), strict=True)
    vocabulary = tokenizer.vocabulary
    tokens = tuple(
        (visible_text(text[start:end] or vocabulary.token_bytes(token_id)), token_id, start, end)
        for token_id, (start, end) in spans
    )
    return Side(name, len(vocabulary), tokens)
