"""Another encoder beside the debugger, on the same text in lock-step: of its own model, or of another."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.core.compare.comparison import Side
from guiapp.core.explain.figures import counted
from guiapp.core.explain.visible_text import isolate
from guiapp.core.trace.cost import ONE_PIECE, estimate, must_ask
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.race import Difference, first_difference, follow, means_the_same
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.models.loader import display_name
from guiapp.viewmodels.steps.trace_recorder import TraceRecorder

TOO_LONG = "The text is too long for a race. Select a part of it on the Inspect page."


class RaceModel(QObject):
    """The rival and where the two part.

    encoder  the one of the leader's model that runs beside, "" for none
    other    the model that runs beside with its own encoder and switches, None for none
    verdict  what there is to say about the two

    Signals:
        changed(): `encoder`, `other`, `rival`, its place, `failure` or `difference` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, recorder: TraceRecorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._recorder = recorder
        self._recorder.recorded.connect(self._take)
        self._recorder.failed.connect(self._fail)
        session.spelling.changed.connect(self._tell)
        self._leader: Debugger | None = None
        self._text_start = 0  # of the leader's text
        self._offset: int | None = None  # from where on they are to part
        self.encoder = ""
        self.other: ModelSession | None = None
        self.rival: Debugger | None = None
        self.difference: Difference | None = None
        self.failure = self.verdict = ""

    @property
    def is_on(self) -> bool:
        """Whether anybody runs beside, or is to."""
        return self.other is not None or bool(self.encoder)

    @property
    def is_ready(self) -> bool:
        """Whether nothing is being recorded."""
        return not self.is_on or self.rival is not None or bool(self.failure)

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
    def name(self) -> str:
        """What to call the rival, "" where there is none."""
        return self.encoder if self.other is None else _name(self.other)

    @property
    def parting(self) -> int | None:
        """The leader's step that decided where the two part; None where they do not."""
        return None if self.difference is None else self.difference.steps[0]

    @property
    def is_parting(self) -> bool:
        """Whether the leader is there."""
        return self._leader is not None and self._leader.position == self.parting

    def choose(self, encoder: str) -> None:
        """Let another encoder of the leader's model run beside; "" for none."""
        self._set_rival(encoder, None, None)

    def choose_model(self, other: ModelSession, offset: int | None = None) -> None:
        """Let another model run beside; it is told where they part from a byte of the session's text on."""
        self._set_rival("", other, offset)

    def run_beside(self, leader: Debugger | None, text_start: int = 0) -> None:
        """Run beside another debugger from now on, whose text begins there in the session's."""
        self._leader, self._text_start = leader, text_start
        self._record()

    def follow(self) -> None:
        """Go where the leader is; where they part, to the step that decided so."""
        if self.rival is not None and self._leader is not None:
            if self.difference is not None and self.is_parting:
                self.rival.go_to(self.difference.steps[1])
            else:
                follow(self._leader, self.rival)
            self.changed.emit()

    def stop(self) -> None:
        """End all work in the background."""
        self._listen_to(None)
        self._recorder.stop()

    def _set_rival(self, encoder: str, other: ModelSession | None, offset: int | None) -> None:
        self.encoder, self._offset = encoder, offset
        self._listen_to(other)
        self._record()

    def _listen_to(self, other: ModelSession | None) -> None:
        if self.other is not None:
            self.other.options_changed.disconnect(self._record)
            self.other.closed.disconnect(self._end)
        self.other = other
        if other is not None:
            other.options_changed.connect(self._record)  # also where it has another model
            other.closed.connect(self._end)

    def _end(self) -> None:
        self.choose("")

    def _side(self) -> Side | None:
        """Who runs beside; None where nobody does, or no model is open."""
        session = self.other or self._session
        name = self.encoder if session.algorithm is None or self.other is None else session.algorithm.name
        if session.tokenizer is None or not name:
            return None
        options = session.options
        return Side(self.name, session.tokenizer, name, options.add_special, options.parse_special)

    def _record(self) -> None:
        self.rival, self.difference, self.failure, self.verdict = None, None, "", "Recording …"
        if self._session.tokenizer is not None and self.encoder not in self.encoders:
            self.encoder = ""
        side, leader = self._side(), self._leader
        if side is not None and leader is not None:
            text, encoder = leader.trace.text, side.encoder or ""
            cost = estimate(encoder, side.tokenizer.vocabulary.type in ONE_PIECE, len(text))
            if must_ask(cost, len(text)):
                self.failure = self.verdict = TOO_LONG
            else:
                self._recorder.record(side.tokenizer, text, encoder, side.add_special, side.parse_special)
        self.changed.emit()

    def _take(self, rival: Debugger) -> None:
        leader, side = self._leader, self._side()
        if leader is None or side is None or rival.trace.encoder != side.encoder:
            return
        if rival.trace.text != leader.trace.text or rival.vocabulary is not side.tokenizer.vocabulary:
            return
        self.rival = rival
        self._tell()

    def _tell(self) -> None:
        """Say where the two part, with tokens as they are written now."""
        leader, rival = self._leader, self.rival
        if leader is None or rival is None:
            return
        for debugger in (leader, rival):
            debugger.spell(self._session.spelling.now)
        names = None if self.other is None else _told_apart(_name(self._session), self.name)
        offset = None if self._offset is None else self._offset - self._text_start
        found = self.difference = first_difference(leader, rival, names, offset)
        self.verdict = _told_alike(leader, rival) if found is None else found.reason
        self.follow()

    def _fail(self, message: str) -> None:
        self.failure = self.verdict = message
        self.changed.emit()


def _name(session: ModelSession) -> str:
    """What to call a model, and its encoder where that is not the usual one."""
    model, algorithm = session.loader.model, session.algorithm
    if model is None or algorithm is None:
        return "another model"
    usual = next(iter(session.encoders))
    return display_name(model) + (f" · {algorithm.name}" if algorithm.name != usual else "")


def _told_apart(ours: str, theirs: str) -> tuple[str, str]:
    """Two names in a sentence."""
    names = isolate(ours), isolate(theirs)
    return names if ours != theirs else (f"this {names[0]}", f"the other {names[1]}")


def _told_alike(leader: Debugger, rival: Debugger) -> str:
    told = counted(len(rival.trace.result.ids), "token")
    is_same = means_the_same(leader.vocabulary, rival.vocabulary)
    return f"Both give the same {told}." if is_same else f"Both cut the text alike, into {told}."
