"""Model of the Steps page: a trace of the text, the position in it, and settings that outlive the session."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, QSignalBlocker, Signal

from guiapp.analysis.sessions.session_file import SessionFile
from guiapp.analysis.trace.breakpoints import Breakpoint, absence, check, hits
from guiapp.analysis.trace.conditions import StepExpression
from guiapp.analysis.trace.debugger import Debugger, Granularity
from guiapp.analysis.trace.replay import Waiting
from guiapp.analysis.trace.trace import StepKey, step_at
from guiapp.analysis.train.record import TRAINING_DIALECT
from guiapp.core.encode.encoding import Encoding
from guiapp.core.text.outside_json import read_json
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.vocabulary import TokenTree
from guiapp.errors import TokenloupeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob
from guiapp.kit.state.settings import Settings
from guiapp.pages.steps.flow import WALKERS
from guiapp.pages.steps.race import RaceModel
from guiapp.pages.steps.recording import Recording, TraceRecorder
from guiapp.pages.steps.walk_model import WalkModel

MOST_NOTES = 200


class StepsModel(WalkModel[Debugger]):
    """What the Steps page shows; without `settings`, nothing is saved.

    Signals:
        trace_changed(): `debugger` is new, or None while nothing is recorded.
        watches_changed(): `watches` is new.
        notes_changed(): `notes` is new.
        granularity_changed(): `granularity` is new.
    """

    trace_changed = Signal()
    watches_changed = Signal()
    notes_changed = Signal()
    granularity_changed = Signal()

    def __init__(
        self,
        session: ModelSession,
        settings: Settings | None = None,
        recorder: TraceRecorder | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent=parent)
        self._session = session
        self._settings = settings
        recorder = recorder or TraceRecorder(parent=self)
        self.recording = Recording(session, recorder, self)
        self.race = RaceModel(session, TraceRecorder(self), self)
        self.breakpoints.changed.connect(self._on_breakpoints_changed)
        self.watches: tuple[str, ...] = ()
        self.training_breakpoints: tuple[Breakpoint, ...] = ()
        self.granularity = Granularity.DECISION
        self._waiting: tuple[int, Waiting] | None = None
        self.notes: tuple[tuple[int, str], ...] = ()
        self._others = LatestJob[dict[str, Encoding]](self, self._take_others)
        self.tree: TokenTree | None = None
        self._trees = LatestJob[TokenTree](self, self._take_tree)
        self.recording.recorded.connect(self.show)
        self.recording.outdated.connect(self._forget_trace)
        self.position_changed.connect(self.race.keep_in_step)
        self._seeks_difference = False
        self._pending_seek: Callable[[Debugger], None] | None = None  # runs once the steps are recorded
        self._left, self._left_text = Paused(), b""  # a position to restore once the text is recorded
        self.race.changed.connect(self._on_race_changed)
        session.spelling.changed.connect(self._on_spelling_changed)
        self._restore()

    # The trace

    def watch(self, is_watching: bool) -> None:
        """Start or stop following the session's text, as the page is shown or hidden."""
        self.recording.watch(is_watching)
        if not is_watching:
            self.clock.pause()

    def _forget_trace(self) -> None:
        """Show nothing while another text is recorded: the old steps do not belong to it."""
        self.clock.pause()
        if self.walk is not None:
            self.show(None)

    def show(self, debugger: Debugger | None) -> None:
        """Show a trace of the session's text from its start; None shows none.

        The trace is of the model that was open when recording began, which may no longer be the open model.
        """
        self.walk, self._waiting, self.tree = debugger, None, None
        self._note(())
        if debugger is not None and debugger.trace.reference_name in WALKERS:
            self._trees.start(lambda _: debugger.vocabulary.token_tree)
        if debugger is not None:
            debugger.spell(self._session.spelling.now)
            with QSignalBlocker(self.breakpoints):
                self.breakpoints.fit(self.breakpoints.rows)
            debugger.log_limit = MOST_NOTES
            debugger.begin()
        self.trace_changed.emit()
        self.breakpoints_changed.emit()
        self.position_changed.emit()
        self._compare()
        self.race.set_leader(debugger, self.recording.text_start)
        if debugger is not None:
            left, self._left = self._left, Paused()
            if left.recorded is not None and self._left_text.startswith(debugger.trace.text):
                self.go_to(left.step)
        self._seek_now()

    def _take_tree(self, tree: TokenTree) -> None:
        self.tree = tree
        self.position_changed.emit()

    def _on_spelling_changed(self) -> None:
        if (debugger := self.debugger) is not None:
            debugger.spell(self._session.spelling.now)
            steps = dict.fromkeys(step for step, _ in self.notes)
            self._note(tuple(note for step in steps for note in debugger.stops.logged(step, step + 1, None)))
            self.position_changed.emit()

    # Moving

    @property
    def debugger(self) -> Debugger | None:
        return self.walk

    def set_granularity(self, granularity: Granularity) -> None:
        if granularity is not self.granularity:
            self.granularity = granularity
            self._keep()
            self.granularity_changed.emit()

    def step(self) -> None:
        self._moved(lambda debugger: debugger.step(self.granularity))

    def back(self) -> None:
        self._moved(lambda debugger: debugger.step(self.granularity, -1))

    def into(self) -> None:
        self._moved(lambda debugger: debugger.step(Granularity.DECISION))

    def over(self) -> None:
        """Go to the next piece at any step size, or to a stop before it."""
        self._moved(lambda debugger: debugger.step(Granularity.PIECE))

    def back_over(self) -> None:
        self._moved(lambda debugger: debugger.step(Granularity.PIECE, -1))

    def out(self) -> None:
        self._moved(Debugger.out)

    def run(self) -> None:
        """Go on to the next breakpoint, difference of a race, or the end."""
        goal = min((step for step in self.race.stops if step > self.position), default=self.n_steps)
        self._moved(lambda debugger: debugger.until(goal))

    def reverse(self) -> None:
        """Go back to the previous breakpoint, difference of a race, or the start."""
        goal = max((step for step in self.race.stops if step < self.position), default=0)
        self._moved(lambda debugger: debugger.back_until(goal))

    def to_difference(self) -> None:
        """Go to the next difference of a race; after the last one, to the first."""
        if (step := self.race.difference_step) is not None:
            steps = self.race.stops or [step]
            self.go_to(next((each for each in steps if each > self.position), steps[0]))

    def race_with(self, competitor: ModelSession, offset: int | None = None) -> None:
        """Race against another model; go to the first difference from byte `offset` of the text on."""
        if not self._has_steps(offset or 0):
            self.recording.record_near(offset or 0)
        self._seeks_difference = True
        self.race.choose_model(competitor, offset)

    def _on_race_changed(self) -> None:
        if self._seeks_difference and self.race.is_ready:
            self._seeks_difference = False
            if self.race.difference_step is not None:
                self.go_to(self.race.difference_step)

    def to_byte(self, offset: int) -> None:
        self._moved(lambda debugger: debugger.to_byte(offset))

    def to_caret(self) -> None:
        self.to_byte(self._session.document.caret - self.recording.text_start)

    def stop_where_formed(self, token_id: int, offset: int) -> None:
        """Set a breakpoint on a token, and go to the step that forms it at a byte of the session's text."""
        condition = f"token {token_id}"
        if condition not in [row.title for row in self.breakpoints.rows]:
            self.breakpoints.add(condition)
        self._seek_near(offset, partial(self._go_where_formed, token_id, offset))

    def _go_where_formed(self, token_id: int, offset: int, debugger: Debugger) -> None:
        byte = offset - self.recording.text_start
        over = hits(Breakpoint("byte", str(byte)), debugger.values, {})
        formed = np.intersect1d(over, hits(Breakpoint("token", str(token_id)), debugger.values, {}))
        if len(formed):
            self.go_to(int(formed[0]))
        else:
            self.to_byte(byte)

    def go_where(self, step_key: StepKey) -> None:
        """Go to a step over bytes of the session's text, as soon as the text around them is recorded."""
        self._seek_near(step_key.start, partial(self._go_to_step, step_key))

    def _go_to_step(self, step_key: StepKey, debugger: Debugger) -> None:
        step = step_at(debugger.trace, step_key, self.recording.text_start)
        if step is None:
            self.to_byte(step_key.start - self.recording.text_start)
        else:
            self.go_to(step)

    def _has_steps(self, offset: int) -> bool:
        """Whether a byte of the session's present text is recorded."""
        return self.debugger is not None and self.recording.is_up_to_date and self.recording.has(offset)

    def _seek_near(self, offset: int, seek: Callable[[Debugger], None]) -> None:
        """Call `seek` as soon as the text around a byte of the session's text is recorded."""
        self._pending_seek = seek
        if self._has_steps(offset):
            self._seek_now()
        else:
            self.recording.record_near(offset)

    def _seek_now(self) -> None:
        if self._pending_seek is not None and self.debugger is not None:
            seek, self._pending_seek = self._pending_seek, None
            seek(self.debugger)

    def resume(self, left: SessionFile) -> None:
        """Restore a session's breakpoints now, and its position once the present text is recorded."""
        self.breakpoints.exchange(left.breakpoints)
        self.watches = left.watches
        self.set_granularity(left.step_size)
        self._keep()
        self.watches_changed.emit()
        self.race.choose(left.race)
        self._left = Paused(left.recorded, left.step)
        if left.recorded is not None:
            self._left_text = self._session.document.slice(*left.recorded)
            self.recording.want(*left.recorded)

    def captured(self, session: SessionFile) -> SessionFile:
        recorded, step = self._left
        if self.debugger is not None and self.recording.is_up_to_date:
            recorded, step = (self.recording.text_start, self.recording.text_end), self.position
        elif recorded is not None and self._session.document.slice(*recorded) != self._left_text:
            recorded, step = Paused()
        return replace(
            session,
            breakpoints=self.breakpoints.rows,
            watches=self.watches,
            step_size=self.granularity,
            recorded=recorded,
            step=step,
            race=self.race.encoder,
        )

    def refresh(self) -> None:
        """Update the views after other code has moved the debugger."""
        self._waiting = None
        self.position_changed.emit()

    def _arrived(self, walk: Debugger) -> None:
        self._waiting = None
        if walk.log:
            self._note((*self.notes, *walk.log)[-MOST_NOTES:])

    def forget_notes(self) -> None:
        self._note(())

    def _note(self, notes: tuple[tuple[int, str], ...]) -> None:
        if notes != self.notes:
            self.notes = notes
            self.notes_changed.emit()

    def _advance(self) -> None:
        """Make a step of the chosen size, but stop at a difference of a race."""
        before = self.position
        self.step()
        if crossed := [step for step in self.race.stops if before < step <= self.position]:
            self.go_to(crossed[0])
            self.clock.pause()

    # State to show

    @property
    def waiting(self) -> Waiting:
        if self.debugger is None:
            return Waiting([], 0, 0)
        if self._waiting is None or self._waiting[0] != self.position:
            self._waiting = self.position, self.debugger.waiting()
        return self._waiting[1]

    @property
    def titles(self) -> list[str]:
        """The piece or stage of the present step, in several lengths, longest first."""
        debugger = self.debugger
        if debugger is None or self.position >= self.n_steps:
            return ["the end"]
        piece, stage = int(debugger.trace.columns.piece[self.position]), debugger.trace.stage(self.position)
        if stage != "encode":
            return [stage]
        start, end = debugger.trace.pieces.start[piece], debugger.trace.pieces.end[piece]
        text = visible_text(debugger.trace.text[start:end], 24)
        number = f"piece {piece + 1:,} of {debugger.trace.n_pieces:,}"
        return [f"{number} · bytes {start:,}–{end:,} · “{text}”", f"{number} · “{text}”", f"“{text}”"]

    # Breakpoints

    def absence(self, index: int) -> str:
        """Why a breakpoint cannot be hit in this model and text; "" if it can."""
        debugger, row = self.debugger, self.breakpoints.rows[index]
        return "" if debugger is None else absence(row, debugger.values, self._session.encoders)

    def toggle_breakpoint(self) -> None:
        """Toggle a breakpoint on the token that the present step makes, or else on its operation."""
        if self.debugger is None or self.position >= self.n_steps:
            return
        token_id = int(self.debugger.trace.columns.result[self.position])
        is_token = 0 <= token_id < len(self.debugger.vocabulary)
        operation = self.debugger.trace.operation(self.position)
        self.breakpoints.toggle(f"token {token_id}" if is_token else f"operation {operation}")

    def _on_breakpoints_changed(self) -> None:
        self._keep()
        self.breakpoints_changed.emit()
        self._compare()

    def _compare(self) -> None:
        tokenizer = self._session.tokenizer
        names = {row.value for row in self.breakpoints.rows if row.kind == "difference"}
        if self.debugger is None or tokenizer is None or not names:
            return
        options, text = self._session.options, self.debugger.trace.text
        known = sorted(names & set(tokenizer.encoders))
        switches = (options.add_special, options.parse_special)
        self._others.start(lambda _: {name: tokenizer.encode(text, *switches, name) for name in known})

    def _take_others(self, encodings: dict[str, Encoding]) -> None:
        if self.debugger is None:
            return
        for name, encoding in encodings.items():
            if encoding.text_bytes == self.debugger.trace.text:
                self.debugger.compare_with(name, encoding)
        self.breakpoints_changed.emit()

    # Watches

    def add_watch(self, text: str) -> None:
        """Add an expression; raises ConditionError."""
        StepExpression(text)
        self.watches = (*self.watches, text)
        self._keep()
        self.watches_changed.emit()

    def remove_watch(self, index: int) -> None:
        self.watches = (*self.watches[:index], *self.watches[index + 1 :])
        self._keep()
        self.watches_changed.emit()

    def watch_value(self, text: str) -> str:
        """The present value of a watched expression, or why it has none."""
        try:
            return "–" if self.debugger is None else self.debugger.description(StepExpression(text))
        except TokenloupeError as error:
            return str(error)

    # Saved settings

    def keep_training_breakpoints(self, rows: tuple[Breakpoint, ...]) -> None:
        if rows != self.training_breakpoints:
            self.training_breakpoints = rows
            self._keep()

    def forget(self) -> None:
        """Reset: no breakpoints, no watches, no race, the smallest steps."""
        self.breakpoints.forget()
        self.watches = ()
        self.watches_changed.emit()
        self.set_granularity(Granularity.DECISION)
        self.race.choose("")

    def _keep(self) -> None:
        if self._settings is None:
            return
        rows, training = self.breakpoints.rows, self.training_breakpoints
        self._settings.debugger = Remembered(rows, self.watches, self.granularity, training).to_json()

    def _restore(self) -> None:
        if self._settings is None:
            return
        remembered = recall(self._settings.debugger)
        self.watches, self.granularity = remembered.watches, remembered.granularity
        self.training_breakpoints = remembered.training
        with QSignalBlocker(self.breakpoints):
            self.breakpoints.fit(remembered.breakpoints)

    def stop(self) -> None:
        self.clock.pause()
        self._others.wait()
        self._trees.wait()
        self.recording.stop()
        self.race.stop()


class Paused(NamedTuple):
    """A position to return to: a step, and the bytes [start, end) of the text that were recorded, if any."""

    recorded: tuple[int, int] | None = None
    step: int = 0


@dataclass(frozen=True)
class Remembered:
    """The settings of the page that are restored at the next start."""

    breakpoints: tuple[Breakpoint, ...] = ()
    watches: tuple[str, ...] = ()
    granularity: Granularity = Granularity.DECISION
    training: tuple[Breakpoint, ...] = ()

    def of_session(self, session: SessionFile) -> SessionFile:
        """Put these settings into a session that no page has worked with."""
        return replace(
            session, breakpoints=self.breakpoints, watches=self.watches, step_size=self.granularity
        )

    def to_json(self) -> str:
        return json.dumps({**asdict(self), "granularity": self.granularity.value})


def recall(text: str) -> Remembered:
    """Read `Remembered.to_json`; if any of it is invalid, return the defaults."""
    try:
        state = read_json(text or "{}")
        rows = [Breakpoint(**row) for row in state.get("breakpoints", [])]
        of_training = [Breakpoint(**row) for row in state.get("training", [])]
        for row in rows:
            check(row)
        for row in of_training:
            check(row, TRAINING_DIALECT)
        watches = tuple(map(str, state.get("watches", [])))
        for watch in watches:
            StepExpression(watch)
        granularity = Granularity(state.get("granularity", "decision"))
        return Remembered(tuple(rows), watches, granularity, tuple(of_training))
    except (ValueError, TypeError, AttributeError, TokenloupeError):
        return Remembered()
