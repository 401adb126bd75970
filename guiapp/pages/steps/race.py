"""A race: another encoder on the debugger's text in lock-step, of the same model or of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.race import (
    RaceDifference,
    differences,
    first_difference,
    first_other_step,
    keep_in_step,
    outcome,
    work,
)
from guiapp.analysis.trace.recorder import ONE_PIECE, TraceCost, estimate, must_ask
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.session.loader import display_name
from guiapp.kit.session.model_session import ModelSession
from guiapp.pages.steps.recording import TraceRecorder

TOO_LONG = "The text is too long for a race. Select a part of it on the Text page."
FAMILY_END = ": "  # in the name of a model, after its family
QUICK_SECONDS = 0.25  # at most, to record a run that the user has not chosen


class Proposal(NamedTuple):
    """An encoder to race against, and how it would differ.

    description  its title and, if its run is known, its number of operations and whether tokens differ
    differs      whether its steps differ on this text; True while that is unknown
    """

    encoder: str
    description: str
    differs: bool


class RaceModel(QObject):
    """The competitor of the debugger (the leader), and their differences.

    encoder     the competing encoder of the leader's model, "" for none
    other       the competing model, with its own encoder and options, None for none
    differences where the tokens differ, in the order of the leader's steps
    difference  the one that the leader reached last, at first where they begin to differ; None for none
    verdict     where the two begin to differ, and why
    outcome     the operations of both, and whether their tokens are the same

    Signals:
        changed(): `encoder`, `other`, `competitor`, its position, `failure` or `difference` is new.
        proposals_changed(): `proposals` is new.
    """

    changed = Signal()
    proposals_changed = Signal()
    difference: RaceDifference | None
    _difference_steps: tuple[int, int] | None  # of the leader and of the competitor

    def __init__(self, session: ModelSession, recorder: TraceRecorder, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._recorder = recorder
        self._recorder.done.connect(self._take)
        self._recorder.failed.connect(self._fail)
        session.spelling.changed.connect(self._on_spelling_changed)
        self.leader: Debugger | None = None
        self._text_start = 0  # of the leader's text
        self._offset: int | None = None  # look for a difference from this byte on
        self._runs: dict[str, Debugger | None] = {}  # by encoder, on the leader's text; None: it failed
        self._proposals: dict[str, Proposal] = {}  # of these runs; cached, as lists read them at each step
        self._is_scouting = False
        self._scouted = ""  # the encoder being recorded without having been chosen
        self.encoder = ""
        self.other: ModelSession | None = None
        self._forget_competitor()

    @property
    def is_on(self) -> bool:
        return self.other is not None or bool(self.encoder)

    @property
    def is_ready(self) -> bool:
        return not self.is_on or self.competitor is not None or bool(self.failure)

    @property
    def encoders(self) -> list[str]:
        """The encoders to race against, those whose tokens may differ first.

        Neither the leader's own nor `fast`, whose steps are those of its reference encoder.
        """
        tokenizer, algorithm = self._session.tokenizer, self._session.algorithm
        if tokenizer is None or algorithm is None:
            return []
        twin = tokenizer.reference_encoder(algorithm.name)
        names = [name for name in tokenizer.encoders if name not in ("fast", twin)]
        return sorted(names, key=lambda name: ALGORITHMS[name].exact == algorithm.exact)

    @property
    def proposals(self) -> list[Proposal]:
        """A proposal for each of `encoders`, with the result of its run if known."""
        unknown = (Proposal(name, ALGORITHMS[name].title.lower(), True) for name in self.encoders)
        return [self._proposals.get(each.encoder, each) for each in unknown]

    @property
    def name(self) -> str:
        return self.encoder if self.other is None else _name(self.other)

    @property
    def names(self) -> tuple[str, str]:
        if self.leader is None or self.other is None:
            return "" if self.leader is None else self.leader.trace.name, self.name
        return _distinct_names(_name(self._session), self.name)

    @property
    def difference_step(self) -> int | None:
        """The leader's step at which the two begin to differ; None if all steps are the same.

        This step decided the tokens that differ; if none differ, it is the first that the competitor lacks.
        """
        return None if self._difference_steps is None else self._difference_steps[0]

    @property
    def stops(self) -> list[int]:
        """The steps at which the leader stops: wherever tokens differ."""
        return [difference.steps[0] for difference in self.differences]

    @property
    def waits(self) -> bool:
        """Whether the competitor has finished the piece that the leader is in."""
        if self.leader is None or self.competitor is None:
            return False
        piece, pieces = self.leader.trace.piece_at(self.leader.position), self.leader.trace.pieces
        is_inside = piece >= 0 and self.leader.position < pieces.done_step[piece]
        return bool(is_inside and self.competitor.position in self.competitor.trace.pieces.done_step)

    @property
    def is_at_difference(self) -> bool:
        return self.leader is not None and self.leader.position == self.difference_step

    def choose(self, encoder: str) -> None:
        """Race against another encoder of the leader's model; "" for none."""
        self._set_competitor(encoder, None, None)

    def choose_model(self, other: ModelSession, offset: int | None = None) -> None:
        """Race against another model; look for the first difference from byte `offset` of the text on."""
        self._set_competitor("", other, offset)

    def set_leader(self, leader: Debugger | None, text_start: int = 0) -> None:
        """Race against another debugger, whose text begins at `text_start` in the session's text."""
        self.leader, self._text_start = leader, text_start
        self._runs, self._proposals, self._is_scouting = {}, {}, False
        self._renew()
        self.proposals_changed.emit()

    def scout(self) -> None:
        """Record the runs of all proposals that are quick, to describe how they differ."""
        if not self._is_scouting:
            self._is_scouting = True
            if self.is_ready:
                self._record_next()

    def keep_in_step(self) -> None:
        """Move the competitor to the leader's position; at a difference, to its own step there."""
        if self.competitor is not None and self.leader is not None:
            here = next((each for each in self.differences if each.steps[0] == self.leader.position), None)
            if here is not None and not self.is_at_difference:
                self.difference, self._difference_steps, self.verdict = here, here.steps, here.reason
            self._follow()

    def _follow(self) -> None:
        if self.competitor is not None and self.leader is not None:
            if self._difference_steps is not None and self.is_at_difference:
                self.competitor.go_to(self._difference_steps[1])
            else:
                keep_in_step(self.leader, self.competitor)
            self.changed.emit()

    def stop(self) -> None:
        self._listen_to(None)
        self._recorder.stop()

    def _set_competitor(self, encoder: str, other: ModelSession | None, offset: int | None) -> None:
        self.encoder, self._offset = encoder, offset
        self._listen_to(other)
        self._renew()

    def _listen_to(self, other: ModelSession | None) -> None:
        if self.other is not None:
            self.other.options_changed.disconnect(self._renew)
            self.other.closed.disconnect(self._give_up)
        self.other = other
        if other is not None:
            other.options_changed.connect(self._renew)  # emitted for another model, too
            other.closed.connect(self._give_up)

    def _give_up(self) -> None:
        self.choose("")

    # The competitor

    def _forget_competitor(self) -> None:
        self.competitor: Debugger | None = None
        self.work: list[NDArray[np.int64]] = []  # of the leader and the competitor
        self.differences: list[RaceDifference] = []
        self.difference = self._difference_steps = None
        self.failure = self.outcome = ""
        self.verdict = "Recording …"

    def _renew(self) -> None:
        self._forget_competitor()
        if self._session.tokenizer is not None and self.encoder not in self.encoders:
            self.encoder = ""
        self._scouted = ""
        known = self._runs.get(self.encoder) if self.other is None else None
        if known is not None:
            self._show(known)
        else:
            self._record_next()
            self.changed.emit()

    def _side(self) -> ModelSide | None:
        session = self.other or self._session
        name = self.encoder if session.algorithm is None or self.other is None else session.algorithm.name
        if session.tokenizer is None or not name:
            return None
        options = session.options
        return ModelSide(self.name, session.tokenizer, name, options.add_special, options.parse_special)

    def _record_next(self) -> None:
        """Record the chosen encoder; after that, the next proposal."""
        side, leader = self._side(), self.leader
        if leader is None:
            return
        if side is not None and not self.is_ready:
            if must_ask(_cost(side, leader), len(leader.trace.text)):
                self.failure = self.verdict = TOO_LONG
            else:
                self._record(side, leader)
        elif self._is_scouting and self._session.tokenizer is not None:
            options, tokenizer = self._session.options, self._session.tokenizer
            for name in self.encoders:
                side = ModelSide(name, tokenizer, name, options.add_special, options.parse_special)
                if name not in self._runs and _cost(side, leader).seconds <= QUICK_SECONDS:
                    self._scouted = name
                    self._record(side, leader)
                    return

    def _record(self, side: ModelSide, leader: Debugger) -> None:
        text, encoder = leader.trace.text, side.encoder or ""
        self._recorder.record(side.tokenizer, text, encoder, side.add_special, side.parse_special)

    def _take(self, run: Debugger) -> None:
        leader, side = self.leader, self._side()
        if leader is None or run.trace.text != leader.trace.text:
            return
        encoder, tokenizer = run.trace.encoder, self._session.tokenizer
        is_own = tokenizer is not None and run.vocabulary is tokenizer.vocabulary
        is_scouted = is_own and encoder == self._scouted
        is_chosen = side is not None and encoder == side.encoder
        is_competitor = side is not None and is_chosen and run.vocabulary is side.tokenizer.vocabulary
        if is_scouted or (is_competitor and self.other is None):
            self._runs[encoder] = run
            self._proposals[encoder] = _proposal(encoder, leader, run)
            self.proposals_changed.emit()
        if is_competitor and self.competitor is None:
            self._show(run)
        if is_scouted or is_competitor:
            self._scouted = ""
            self._record_next()

    def _on_spelling_changed(self) -> None:
        if self.competitor is not None:
            self._show(self.competitor)

    def _show(self, run: Debugger) -> None:
        leader = self.leader
        assert leader is not None
        self.competitor, self.work = run, [work(leader.trace), work(run.trace)]
        for debugger in (leader, run):
            debugger.spell(self._session.spelling.now)
        offset = None if self._offset is None else self._offset - self._text_start
        self.difference = first_difference(leader, run, self.names, offset)
        self.differences = differences(leader, run, self.names)
        self.outcome = outcome(leader, run, self.names, offset)
        if self.difference is not None:
            self._difference_steps, self.verdict = self.difference.steps, self.difference.reason
        elif (step := first_other_step(leader, run)) is not None:
            self._difference_steps, self.verdict = (step, step), f"Their steps differ from step {step:,} on."
        else:
            self.verdict = "Both take the same steps."
        self._follow()

    def _fail(self, message: str) -> None:
        if self._scouted:
            self._runs[self._scouted], self._scouted = None, ""
            self._record_next()
        else:
            self.failure = self.verdict = message
            self.changed.emit()


def _proposal(encoder: str, leader: Debugger, run: Debugger) -> Proposal:
    title, is_same = ALGORITHMS[encoder].title.lower(), first_difference(leader, run) is None
    if is_same and first_other_step(leader, run) is None:
        return Proposal(encoder, f"{title} · takes the same steps on this text", False)
    n_operations = counted(int(work(run.trace)[-1]), "operation")
    description = f"{title} · {n_operations}, {'same' if is_same else 'other'} tokens"
    return Proposal(encoder, description, True)


def _cost(side: ModelSide, leader: Debugger) -> TraceCost:
    is_one_piece = side.tokenizer.vocabulary.type in ONE_PIECE
    return estimate(side.encoder or "", is_one_piece, len(leader.trace.text))


def _name(session: ModelSession) -> str:
    model, algorithm = session.loader.model, session.algorithm
    if model is None or algorithm is None:
        return "another model"
    usual = next(iter(session.encoders))
    return display_name(model) + (f" · {algorithm.name}" if algorithm.name != usual else "")


def _distinct_names(ours: str, theirs: str) -> tuple[str, str]:
    """Two names in a sentence, without the family if both share it."""
    is_family = ours.partition(FAMILY_END)[0] == theirs.partition(FAMILY_END)[0]
    if is_family and ours != theirs:
        ours, theirs = (name.partition(FAMILY_END)[2] or name for name in (ours, theirs))
    names = isolate(ours), isolate(theirs)
    return names if ours != theirs else (f"this {names[0]}", f"the other {names[1]}")
