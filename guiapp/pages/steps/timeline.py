"""Controls of a walk: a line of all steps to scrub, and the buttons and boxes above it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QToolButton, QWidget

from guiapp.analysis.trace.debugger import Granularity
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.widgets.controls import ChoiceBox, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.painting import fill
from guiapp.kit.widgets.theme import UI_FONT_PX, Theme, blend
from guiapp.pages.steps.canvas import SCALE_PX, BarScale, StepCanvas
from guiapp.pages.steps.cards import DrawingContext, ZoomedView
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.walk_model import SPEEDS, StepClock, TrainingModel

PLAY_PX = 66
BUTTONS = (
    ("⇤", "debug_restart", "Go to the start, before the first step"),
    ("◀ run", "debug_reverse", "Run back to the previous breakpoint, or to the start"),
    ("◁ back", "debug_back", "One step back"),
    ("step ▷", "debug_step", "One step forward"),
    ("piece ▷▷", "debug_over", "Go to the next piece, a part of the text that is encoded by itself"),
    ("run ▶", "debug_run", "Run to the next breakpoint, or to the end"),
    ("⇥", "debug_end", "Go to the end, after the last step"),
)
SIZES_TIP = (
    "Size of one step.\nDecision: one action of the encoder.\n"
    "Piece: a part of the text that is encoded by itself.\nStage: cutting, rewriting, splitting, encoding …"
)
HEIGHT_PX = 36
TRACK_MIDDLE_PX = 11
NUMBERS_PX = 18  # top of the numbers
TRACK_PX = 6
MARGIN_PX = 8
DOT_PX = 4.5
MOST_MARKS = 200
FORK_PX, LINE_PX = 5, 2
TIP = "All steps: click or drag to go to one.\nShort lines below: start of a new piece of the text."


class Scrubber(ZoomedView):
    """A line of all steps with the hits of breakpoints: click or drag to go to one; the arrow keys step."""

    ground = "panel"
    usual, least_px, is_fixed = QSize(600, HEIGHT_PX), HEIGHT_PX, True

    def __init__(self, walk: StepsModel | TrainingModel, drawing: DrawingContext) -> None:
        super().__init__("Timeline", drawing)
        self._walk = walk
        self._marks: list[tuple[list[int], bool]] = []
        self._on_zoom_changed()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        walk.position_changed.connect(self.update)
        walk.breakpoints_changed.connect(self.mark)
        self.mark()

    @property
    def _track_px(self) -> float:
        return max(1.0, self.width() / self.scale - 2 * MARGIN_PX)

    def x_of(self, step: float) -> float:
        """The x of a step, in drawing units."""
        return MARGIN_PX + self._track_px * step / max(1, self._walk.n_steps)

    def step_at(self, x: float) -> int:
        """The step at a pixel."""
        share = (x / self.scale - MARGIN_PX) / self._track_px
        return round(max(0.0, min(1.0, share)) * self._walk.n_steps)

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        painter, theme = canvas.painter, canvas.theme
        at, middle, n_steps = self.x_of(self._walk.position), TRACK_MIDDLE_PX, self._walk.n_steps
        track = QRectF(MARGIN_PX, middle - TRACK_PX / 2, self._track_px, TRACK_PX)
        fill(painter, track, theme.raised, TRACK_PX / 2)
        below = QRectF(track.left(), NUMBERS_PX, track.width(), SCALE_PX)
        name = counted(n_steps, "step")
        canvas.scale(below, BarScale(n_steps, counts=True), name)
        track.setRight(at)
        fill(painter, track, blend(theme.raised, theme.accent, 0.7), TRACK_PX / 2)
        self.paint_marks(painter, middle)
        knob = QRectF(at - 4, middle - 10, 8, 20)
        painter.setPen(QPen(theme.accent, 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(theme.text)
        painter.drawRoundedRect(knob, 3, 3)

    def mark(self) -> None:
        """Find the steps with hits; hits too close to distinguish become one."""
        self._marks = []
        n_steps = max(1, self._walk.n_steps)
        for found, row in zip(self._walk.hits, self._walk.breakpoints.rows, strict=True):
            first_of = np.flatnonzero(np.diff(found * MOST_MARKS // n_steps, prepend=-1))
            self._marks.append((found[first_of].tolist(), bool(row.log)))
        self.update()

    def paint_marks(self, painter: QPainter, middle: float) -> None:
        """Paint the marks on the line, below the knob."""
        theme = self._theme_source.theme
        for marks, is_log in self._marks:
            color = theme.warning if is_log else theme.bad
            is_dense = len(marks) * 3 * DOT_PX > self._track_px
            painter.setPen(QPen(color, 1) if is_dense else QPen(theme.background, 1))
            painter.setBrush(color)
            for x in map(self.x_of, marks):
                if is_dense:
                    painter.drawLine(QPointF(x, middle - DOT_PX), QPointF(x, middle + DOT_PX))
                else:
                    painter.drawEllipse(QPointF(x, middle), DOT_PX, DOT_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._walk.go_to(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._walk.go_to(self.step_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {
            Qt.Key.Key_Right: self._walk.step,
            Qt.Key.Key_Left: self._walk.back,
            Qt.Key.Key_Home: self._walk.restart,
            Qt.Key.Key_End: self._walk.to_end,
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
        else:
            move()


def paint_fork(painter: QPainter, theme: Theme, middle: QPointF) -> None:
    """Paint the symbol of a difference in a race: one line from the left forks into two."""
    disc = FORK_PX + 3
    painter.setPen(QPen(theme.warning, 1.4))
    painter.setBrush(theme.panel)
    painter.drawEllipse(middle, disc, disc)
    pen = QPen(theme.warning, 2)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    for x, y in ((-FORK_PX, 0.0), (FORK_PX - 1, -FORK_PX + 1), (FORK_PX - 1, FORK_PX - 1)):
        painter.drawLine(middle, middle + QPointF(x, y))


class Timeline(Scrubber):
    """The steps of the debugger, with the starts of pieces below, and the differences of a race."""

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        self._model = model
        super().__init__(model, drawing)
        model.trace_changed.connect(self.mark)
        model.race.changed.connect(self.update)
        self.setToolTip(TIP)

    def paint_marks(self, painter: QPainter, middle: float) -> None:
        """Paint ticks where pieces begin, if these are not too many, and hits and differences over them."""
        debugger = self._model.debugger
        if debugger is not None and debugger.trace.n_pieces <= MOST_MARKS / 4:
            painter.setPen(QPen(self._theme_source.theme.faint, 1))
            for step in debugger.trace.pieces.first_step.tolist():
                x = self.x_of(step)
                painter.drawLine(QPointF(x, middle + 5), QPointF(x, middle + 9))
        super().paint_marks(painter, middle)
        theme, race = self._theme_source.theme, self._model.race
        painter.setPen(QPen(theme.warning, LINE_PX))
        for x in map(self.x_of, race.stops):
            painter.drawLine(QPointF(x, middle - FORK_PX - 2), QPointF(x, middle + FORK_PX + 2))
        if race.difference_step is not None:
            paint_fork(painter, theme, QPointF(self.x_of(race.difference_step), middle))


def walk_button(
    text: str, meaning: str, action: QAction, zoom: TextZoom, role: str = "raised"
) -> QToolButton:
    """A button that triggers an action; its tooltip shows the keys."""
    keys = action.shortcut().toString()
    button = tool_button(text, action.trigger, role=role, tip=f"{meaning} ({keys})" if keys else meaning)
    return zoom.fit(button, UI_FONT_PX)


def walking_buttons(
    actions: Actions, zoom: TextZoom, scrubber: Scrubber, *, has_pieces: bool = True
) -> list[QWidget]:
    """The buttons from start to end; “step” is highlighted.  After a click, arrow keys step."""
    buttons = [
        walk_button(text, meaning, actions[name], zoom, "next" if name == "debug_step" else "raised")
        for text, name, meaning in BUTTONS
        if has_pieces or name != "debug_over"
    ]
    for button in buttons:
        button.clicked.connect(scrubber.setFocus)
    return list(buttons)


class GranularityBox(ChoiceBox):
    """Chooses the size of a step."""

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
    """Play or pause, and the speed."""

    def __init__(self, clock: StepClock, action: QAction, zoom: TextZoom) -> None:
        super().__init__()
        self._clock = clock
        self.button = walk_button("play", "Play: step automatically, or pause", action, zoom)
        self.button.setMinimumWidth(PLAY_PX)  # wide enough for either word
        speeds = {f"{speed}/s": speed for speed in SPEEDS}
        self.speed = zoom.fit(ChoiceBox("Steps per second", speeds, "Steps per second"), UI_FONT_PX)
        self.speed.currentIndexChanged.connect(self._choose)
        in_row(self.button, self.speed, on=self)
        clock.changed.connect(self._refresh)
        self._refresh()

    def _choose(self, index: int) -> None:
        self._clock.set_speed(self.speed.itemData(index))

    def _refresh(self) -> None:
        self.button.setText("pause" if self._clock.is_playing else "play")
        self.speed.show_choice(self._clock.speed)
