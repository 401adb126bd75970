"""Another encoder that runs beside the debugger on the same text, in lock-step."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.core.trace.cost import ONE_PIECE, estimate, must_ask
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.race import Difference, first_difference, follow
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.steps.trace_recorder import TraceRecorder


class RaceModel(QObject):
    """The rival and where the two part.

    Signals:
        changed(): `encoder`, `rival`, its place, `failure` or `difference` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, recorder: TraceRecorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._recorder = recorder
        self._recorder.recorded.connect(self._take)
        self._recorder.failed.connect(self._fail)
        self._leader: Debugger | None = None
        self.encoder = ""
        self.rival: Debugger | None = None
        self.difference: Difference | None = None
        self.failure = ""

    @property
    def is_ready(self) -> bool:
        """Whether nothing is being recorded."""
        return not self.encoder or self.rival is not None or bool(self.failure)

    @property
    def encoders(self) -> list[str]:
        """Those that can run beside: neither what the leader runs nor `fast`, which is read as another."""
        tokenizer, algorithm = self._session.tokenizer, self._session.algorithm
        if tokenizer is None or algorithm is None:
            return []
        return [
            name
            for name in tokenizer.encoders
            if name not in ("fast", tokenizer.readable_twin(algorithm.name))
        ]

    @property
    def parting(self) -> int | None:
        """The leader's step that decided where the two part; None where they do not."""
        return None if self.difference is None else self.difference.steps[0]

    @property
    def is_parting(self) -> bool:
        """Whether the leader is there."""
        return self._leader is not None and self._leader.position == self.parting

    def choose(self, encoder: str) -> None:
        """Let another encoder run beside; "" for none."""
        self.encoder = encoder
        self._record()

    def run_beside(self, leader: Debugger | None) -> None:
        """Run beside another debugger from now on."""
        self._leader = leader
        self._record()

    def follow(self) -> None:
        """Go where the leader is."""
        if self.rival is not None and self._leader is not None:
            follow(self._leader, self.rival)
            self.changed.emit()

    def stop(self) -> None:
        """End all work in the background."""
        self._recorder.stop()

    def _record(self) -> None:
        self.rival, self.difference, self.failure = None, None, ""
        tokenizer, options = self._session.tokenizer, self._session.options
        if tokenizer is not None and self.encoder not in self.encoders:
            self.encoder = ""
        if self.encoder and tokenizer is not None and self._leader is not None:
            text = self._leader.trace.text
            cost = estimate(self.encoder, tokenizer.vocabulary.type in ONE_PIECE, len(text))
            if must_ask(cost, len(text)):
                self.failure = "The text is too long for a race. Select a part of it on the Inspect page."
            else:
                switches = options.add_special, options.parse_special
                self._recorder.record(tokenizer, text, self.encoder, *switches)
        self.changed.emit()

    def _take(self, rival: Debugger) -> None:
        leader = self._leader
        if leader is None or rival.trace.encoder != self.encoder:
            return
        if rival.trace.text != leader.trace.text or rival.vocabulary is not leader.vocabulary:
            return
        self.rival = rival
        self.difference = first_difference(leader, rival)
        self.follow()

    def _fail(self, message: str) -> None:
        self.failure = message
        self.changed.emit()
