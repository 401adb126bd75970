"""Contenders of one's own that are remembered, and one that is being tried."""

from __future__ import annotations

import json
from functools import partial

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.worker_process import TrialResult, try_custom
from guiapp.analysis.libraries.custom import CustomContender, CustomError, read_custom, without_removed
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.system.outside_json import read_json
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.state.settings import Settings

TRIED_BYTES = 2000
SOME_TEXT = b"Hello world"


class CustomContenders(QObject):
    """Those that the user of these settings added, which is how one says yes to what they run.

    A run, session or plan that somebody else gave away names some at most: nothing of them is in here.

    removed  names of those that an earlier version ran in other Pythons, which is no longer supported

    Signals:
        changed(): `contenders` is new.
    """

    changed = Signal()

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.contenders, self.removed = _contenders_in(settings.own_contenders)

    def add(self, own: CustomContender) -> None:
        """Remember one, in place of one of the same name."""
        self._set((*(each for each in self.contenders if each.name != own.name), own))

    def remove(self, name: str) -> None:
        self._set(tuple(each for each in self.contenders if each.name != name))

    def _set(self, contenders: tuple[CustomContender, ...]) -> None:
        if contenders != self.contenders:
            self.contenders = contenders
            self._settings.own_contenders = json.dumps([each.record() for each in contenders])
            self.changed.emit()


class CustomTrial(Working):
    """Tries a contender on the beginning of the session's text.

    message   what came of it, "" as long as nothing did
    is_bad whether that is why it cannot take part

    Signals:
        changed(): `message` or `is_busy` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job = LatestJob[TrialResult](self, self._take, self.refuse)
        self.message, self.is_bad = "", False

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    @property
    def is_possible(self) -> bool:
        """Whether a model is open to compare with."""
        return self._session.tokenizer is not None

    def start(self, own: CustomContender) -> None:
        tokenizer, model = self._session.tokenizer, self._session.loader.model
        if tokenizer is None or model is None:
            return
        text = self._session.document.text()[:TRIED_BYTES].decode("utf-8", "ignore").encode() or SOME_TEXT
        self._job.start(partial(_tried, own, tokenizer, str(model.name), text))
        self._set_message("", False)

    def refuse(self, reason: str) -> None:
        """Say why there is nothing to try, or what went wrong."""
        self._set_message(reason, True)

    def forget(self) -> None:
        """Something else is written now."""
        self._job.cancel()
        self._set_message("", False)

    def _take(self, trial: TrialResult) -> None:
        self._set_message(str(trial), False)

    def _set_message(self, message: str, is_bad: bool) -> None:
        self.message, self.is_bad = message, is_bad
        self.changed.emit()


def _tried(
    own: CustomContender, tokenizer: Tokenizer, model: str, text: bytes, progress: Progress
) -> TrialResult:
    def shall_stop() -> bool:
        progress(0.0)  # raises if so
        return False

    return try_custom(own, tokenizer, model, text, shall_stop)


def _contenders_in(text: str) -> tuple[tuple[CustomContender, ...], list[str]]:
    """Those in a settings text, and the names of those no longer supported; none if somebody spoiled it."""
    try:
        records, removed = without_removed(read_json(text))
        return read_custom(records), removed
    except (ValueError, TypeError, CustomError):
        return (), []
