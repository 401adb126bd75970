"""The buttons and boxes that move through a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from guiapp.analysis.trace.debugger import Granularity
from guiapp.kit.widgets.controls import ChoiceBox
from guiapp.kit.widgets.event_filters import TipWatch, wrapped_tip
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.theme import set_role
from guiapp.pages.steps.clock import SPEEDS, StepClock
from guiapp.pages.steps.model import StepsModel

PLAY_PX = 66
BUTTONS = (
    ("⇤", "debug_restart", "To the start, before the first step"),
    ("◀ run", "debug_reverse", "Step back until the last breakpoint, or to the start"),
    ("◁ back", "debug_back", "One step back"),
    ("step on ▷", "debug_step", "One step on"),
    ("piece ▷▷", "debug_over", "Step on until the next piece: a stretch of text encoded by itself"),
    ("run ▶", "debug_run", "Step on until the next breakpoint, or to the end"),
    ("⇥", "debug_end", "To the end, behind the last step"),
)
SIZES_TIP = (
    "How far one step goes.\nDecision: the encoder does one thing.\n"
    "Piece: a stretch of text that is encoded by itself.\nStage: cutting, rewriting, splitting, encoding …"
)
Describe = Callable[[], str]


class WalkButton(QToolButton):
    """A button that triggers an action; its hint has the keys, and what that does at the present step."""

    def __init__(self, text: str, meaning: str, action: QAction, describe: Describe | None = None) -> None:
        super().__init__()
        keys = action.shortcut().toString()
        self._meaning = f"{meaning} ({keys})" if keys else meaning
        self.setText(text)
        self.setAccessibleName(meaning)
        self.setToolTip(self._meaning)
        self.clicked.connect(action.trigger)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        set_role(self, "raised")
        if describe is not None:
            TipWatch(self, partial(self._tip, describe))

    def _tip(self, describe: Describe, _: QPoint) -> str:
        return wrapped_tip(f"{self._meaning}\n{describe()}")


def walking_buttons(
    actions: Actions, descriptions: Mapping[str, Describe], *, has_pieces: bool = True
) -> list[QWidget]:
    """From the start to the end; the step on is the one that is marked.

    descriptions  by action, what it does at the present step
    """
    made: list[QWidget] = []
    for text, name, meaning in BUTTONS:
        if name == "debug_over" and not has_pieces:
            continue
        made.append(WalkButton(text, meaning, actions[name], descriptions.get(name)))
        if name == "debug_step":
            set_role(made[-1], "next")
    return made


class GranularityBox(ChoiceBox):
    """How far one step goes."""

    def __init__(self, model: StepsModel) -> None:
        sizes = {f"by {size.value}": size for size in Granularity}
        super().__init__("Size of a step", sizes, SIZES_TIP)
        self._model = model
        self.currentIndexChanged.connect(self._choose)
        model.granularity_changed.connect(self._refresh)
        self._refresh()

    def _choose(self, index: int) -> None:
        self._model.set_granularity(self.itemData(index))

    def _refresh(self) -> None:
        self.show_choice(self._model.granularity)


class PlayControls(QWidget):
    """Play or pause, and how fast."""

    def __init__(self, clock: StepClock, action: QAction) -> None:
        super().__init__()
        self._clock = clock
        self.button = WalkButton("play", "Play: steps on by itself, or pause", action)
        self.button.setMinimumWidth(PLAY_PX)  # for either word
        self.speed = ChoiceBox("Steps a second", {f"{speed}/s": speed for speed in SPEEDS})
        self.speed.currentIndexChanged.connect(self._choose)
        in_row(self.button, self.speed, on=self)
        clock.changed.connect(self._refresh)
        self._refresh()

    def _choose(self, index: int) -> None:
        self._clock.set_speed(self.speed.itemData(index))

    def _refresh(self) -> None:
        self.button.setText("pause" if self._clock.is_playing else "play")
        self.speed.show_choice(self._clock.speed)
