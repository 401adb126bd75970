"""How far a hunt is: the time as a bar, and on it the moments at which new causes appeared."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF
from PySide6.QtGui import QPainter

from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, fill, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme, ThemeSource
from guiapp.kit.widgets.tip_watch import TipWatch
from guiapp.pages.hunt.model import HuntModel
from guiapp.pages.hunt.words import title_of

HEIGHT_PX, BAR_TOP_PX, BAR_PX = 40, 8, 6
TICK_PX, TICK_HEIGHT_PX = 2, 14
NEAR_PX = 5.0  # of a tick that is pointed at


class TimeBar(Painted):
    """A tick tells its cause where the mouse points at it."""

    def __init__(self, model: HuntModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Time")
        self._model = model
        self.setFixedHeight(HEIGHT_PX)
        self.setMouseTracking(True)
        TipWatch(self, self._tip)
        model.state_changed.connect(self._follow)
        model.running_changed.connect(self._follow)
        model.choices_changed.connect(self._follow)
        self._follow()

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where they are, and what they tell."""
        return [
            (self._x(seconds), f"{title_of(kind)}, after {seconds:.1f} s")
            for kind, seconds in self._model.found_at.items()
        ]

    @property
    def remarks(self) -> tuple[str, str]:
        """What is said below the bar at the left and at the right."""
        state, first = self._model.state, min(self._model.found_at.values(), default=None)
        left = "" if first is None else f"first after {first:.1f} s"
        if not self._model.is_running:
            return left, ""
        is_trying = state is not None and state.trying
        return left, f"trying: {state.trying}" if state is not None and is_trying else "opening both …"

    def _x(self, seconds: float) -> float:
        state = self._model.state
        whole_s = max(self._model.hunted_s, state.seconds if state is not None else 0.0)
        return self.width() * seconds / whole_s if whole_s else 0.0

    def _follow(self) -> None:
        state = self._model.state
        seconds = "" if state is None else f"{state.seconds:.0f} s"
        self.setAccessibleDescription(", ".join(filter(None, (seconds, *self.remarks))))
        self.update()

    def _tip(self, place: QPoint) -> str:
        return "\n".join(told for x, told in self.ticks if abs(x - place.x()) <= NEAR_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        state = self._model.state
        fill(painter, QRectF(0, BAR_TOP_PX, self.width(), BAR_PX), theme.raised, BAR_PX / 2)
        if state is not None:
            done = QRectF(0, BAR_TOP_PX, max(self._x(state.seconds), BAR_PX), BAR_PX)
            fill(painter, done, theme.dim if state.is_over else theme.accent, BAR_PX / 2)
        top = BAR_TOP_PX - (TICK_HEIGHT_PX - BAR_PX) / 2
        for x, _ in self.ticks:
            place = QRectF(min(x, self.width() - TICK_PX), top, TICK_PX, TICK_HEIGHT_PX)
            painter.fillRect(place.adjusted(-1, 0, 1, 0), theme.background)
            painter.fillRect(place, theme.text)
        below = QRectF(0, BAR_TOP_PX + BAR_PX + 6, self.width(), 20)
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        for told, side in zip(self.remarks, (LEFT, RIGHT), strict=True):
            write(painter, below, told, theme.dim, side)
