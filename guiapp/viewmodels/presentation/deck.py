"""What a presentation walks through: the steps of a run or training, or the slides of a lesson.

It has no place of its own: the models of the Steps page have, and whoever leaves is where they came to.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QObject, Signal, SignalInstance

from guiapp.viewmodels.steps.lesson_player import LessonPlayer
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.steps.training import TrainingModel

AnyWalk = StepsModel | TrainingModel
NOT_TRAINED = "Nothing is trained yet: Escape leaves, and “Train” begins."


class Words(NamedTuple):
    """What is written below the picture, with `code` in it; `answer` keeps its room until it is shown."""

    say: str
    ask: str = ""
    answer: str = ""
    is_revealed: bool = False
    more: str = ""

    @property
    def awaits_answer(self) -> bool:
        return bool(self.ask) and not self.is_revealed


class StepsDeck(QObject):
    """The steps of an encoding or a training, each of them a slide.

    Signals:
        changed(): anything of it is new.
    """

    changed = Signal()
    is_covered = False
    is_ready = True

    def __init__(self, walk: AnyWalk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.walk = walk
        _listen(walk, self.changed)

    @property
    def number(self) -> int:
        return self.walk.position

    @property
    def n_slides(self) -> int:
        return self.walk.n_steps + 1

    @property
    def words(self) -> Words:
        return told_now(self.walk)

    def go_on(self) -> None:
        self.walk.step()

    def go_back(self) -> None:
        self.walk.back()

    def go_to(self, number: int) -> None:
        self.walk.go_to(number)

    def step(self, count: int) -> None:
        """By the smallest steps."""
        self.walk.go_to(self.walk.position + count)

    def toggle_play(self) -> None:
        self.walk.toggle_play()


class LessonDeck(QObject):
    """The steps of a lesson; a question is a slide whose answer comes before the next one.

    Between two slides people may step through the run: then its own sentences are told.

    Signals:
        changed(): anything of it is new.
    """

    changed = Signal()

    def __init__(self, player: LessonPlayer, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._player = player
        player.changed.connect(self.changed)
        for walk in (player.steps, player.training):
            _listen(walk, self.changed)

    @property
    def walk(self) -> AnyWalk:
        step = self._player.step
        return self._player.training if step is not None and step.train else self._player.steps

    @property
    def number(self) -> int:
        return self._player.number

    @property
    def n_slides(self) -> int:
        return 0 if self._player.lesson is None else len(self._player.lesson.steps)

    @property
    def is_covered(self) -> bool:
        return self._player.is_covered

    @property
    def is_ready(self) -> bool:
        """Whether the run of the slide is there; before, there may be that of another one."""
        return self._player.is_ready

    @property
    def words(self) -> Words:
        player, step = self._player, self._player.step
        if step is None:
            return Words("")
        if player.failure:
            return Words(player.failure)
        if not player.is_covered and player.is_ready and not player.is_at_place:
            return told_now(self.walk)
        answer = player.answer if step.ask else ""
        return Words(step.say, step.ask, answer, player.is_revealed, player.remark)

    def go_on(self) -> None:
        """To the answer, or to the next slide; the last one stays."""
        if self.words.awaits_answer:
            self._player.reveal()
        else:
            self.go_to(self.number + 1)

    def go_back(self) -> None:
        self.go_to(self.number - 1)

    def go_to(self, number: int) -> None:
        self._player.go_to(number)

    def step(self, count: int) -> None:
        if not self.is_covered:
            self.walk.go_to(self.walk.position + count)

    def toggle_play(self) -> None:
        if not self.is_covered:
            self.walk.toggle_play()


Deck = StepsDeck | LessonDeck


def _listen(walk: AnyWalk, changed: SignalInstance) -> None:
    walk.position_changed.connect(changed)
    walk.clock.changed.connect(changed)
    if isinstance(walk, StepsModel):
        walk.trace_changed.connect(changed)
        walk.race.changed.connect(changed)
    else:
        walk.changed.connect(changed)


def told_now(walk: AnyWalk) -> Words:
    """What the program says at the present step."""
    if isinstance(walk, TrainingModel):
        if walk.record is None:
            return Words(walk.failure or NOT_TRAINED)
        if not walk.position:
            return Words(told_before(walk.record.start.algorithm))
        return Words(walk.record.sentence(walk.position))
    if walk.debugger is None:
        return Words(walk.recording.failure)
    race = walk.race
    told = ""
    if race.is_ready and race.is_on and walk.position >= walk.n_steps:
        told = race.outcome or race.verdict
    elif race.is_ready and race.is_parting:
        told = race.verdict
    return Words(walk.debugger.sentence(), more=told)


def told_before(algorithm: str) -> str:
    """What there is before the first step of a training."""
    if algorithm == "unigram":
        return "At the start every frequent substring is a piece: far too many."
    return "At the start each word is cut into the smallest symbols. Count which two stand side by side."
