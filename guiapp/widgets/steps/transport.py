"""The buttons and boxes that move through a trace."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from guiapp.core.trace.debugger import Granularity
from guiapp.viewmodels.steps.clock import SPEEDS, StepClock
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.widgets.shared.buttons import tool_button
from guiapp.widgets.shared.choice_box import ChoiceBox
from guiapp.widgets.shared.layouts import in_row
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.window.actions import Actions

PLAY_PX = 70
BUTTONS = (
    ("⏮", "debug_restart", "To the start"),
    ("◀ run", "debug_reverse", "Run back to the last breakpoint"),
    ("◁ back", "debug_back", "One step back"),
    ("step ▷", "debug_step", "One step on"),
    ("over ▷▷", "debug_over", "Step over the piece: on to the next one"),
    ("run ▶", "debug_run", "Run to the next breakpoint"),
    ("⏭", "debug_end", "To the end"),
)


def button(text: str, meaning: str, action: QAction) -> QToolButton:
    """A button that triggers an action, with its keys in the hint."""
    keys = action.shortcut().toString()
    tip = f"{meaning} ({keys})" if keys else meaning
    made = tool_button(text, action.trigger, role="raised", tip=tip, name=meaning)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made


def walking_buttons(actions: Actions, *, has_pieces: bool = True) -> list[QWidget]:
    """From the start to the end; the step on is the one that is marked."""
    made: list[QWidget] = []
    for text, name, meaning in BUTTONS:
        if name == "debug_over" and not has_pieces:
            continue
        made.append(button(text, meaning, actions[name]))
        set_role(made[-1], "next" if name == "debug_step" else "raised")
    return made


class GranularityBox(ChoiceBox):
    """How far one step goes."""

    def __init__(self, model: StepsModel) -> None:
        sizes = {f"by {size.value}": size for size in Granularity}
        super().__init__("Size of a step", sizes, "How far one step goes")
        self._model = model
        self.currentIndexChanged.connect(self._choose)
        model.granularity_changed.connect(self._follow)
        self._follow()

    def _choose(self, index: int) -> None:
        self._model.set_granularity(self.itemData(index))

    def _follow(self) -> None:
        self.show_choice(self._model.granularity)


class PlayControls(QWidget):
    """Play or pause, and how fast."""

    def __init__(self, clock: StepClock, action: QAction) -> None:
        super().__init__()
        self._clock = clock
        self.button = button("play", "Play", action)
        self.button.setMinimumWidth(PLAY_PX)  # for either word
        self.speed = ChoiceBox("Steps a second", {f"{speed}/s": speed for speed in SPEEDS})
        self.speed.currentIndexChanged.connect(self._choose)
        in_row(self.button, self.speed, on=self)
        clock.changed.connect(self._follow)
        self._follow()

    def _choose(self, index: int) -> None:
        self._clock.set_speed(self.speed.itemData(index))

    def _follow(self) -> None:
        self.button.setText("pause" if self._clock.is_playing else "play")
        self.speed.show_choice(self._clock.speed)
