"""What all charts of the Bench page have in common: a title that says what is found, and the mouse."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from guiapp.core.bench.history import Change
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.catalogue import ALGORITHMS
from guiapp.widgets.bench.contender_look import Look, look_of
from guiapp.widgets.bench.labels import tip_of
from guiapp.widgets.bench.plot import Plot
from guiapp.widgets.shared.layouts import STRETCH, in_column, in_row
from guiapp.widgets.shared.plain_tip import plain_tip
from guiapp.widgets.shared.theme import LIGHT, UI_FONT_PX, Theme, ThemeSource

NEAR_PX = 14
PROJECTED_PX = (1100, 560)  # a chart so large is alone on a large page, or on a projector
PROJECTED_FONT_PX = 16
FAINT = 50  # of 255, beside the contender that is isolated
BASELINE = "fast"
BUILT_IN = "built in"  # in place of a version
WHITE = QColor("white")
Point = tuple[float, float, Record]  # where the mouse finds a record


class Paper(QObject):
    """The light theme on white, whatever the screen shows."""

    changed = Signal()
    theme = replace(LIGHT, background=WHITE, panel=WHITE, raised=WHITE)


HasTheme = ThemeSource | Paper


class Loading(NamedTuple):
    """A contender that is being opened, or could not be.

    share       how far that is, 0 to 1; None where nobody knows
    words       what it does, "reads 280,147 merges", or why it is not there
    has_failed  whether nothing will come of it
    """

    contender: str
    share: float | None
    words: str = ""
    has_failed: bool = False


@dataclass(frozen=True)
class Showing:
    """What charts tell beside the records, and how.

    baseline      whom others are compared with
    unit          one of UNITS, of speeds
    loading       who takes part as soon as it is ready, then who cannot
    left_out      as in a run: contender, scenario, corpus, size_bytes, reason
    versions      of contenders that tell one
    call_limit_s  for one call, after which a contender is left out; None where nobody knows
    changes       what is surely slower or faster than in another run
    """

    baseline: str = BASELINE
    unit: str = "mb_per_s"
    loading: tuple[Loading, ...] = ()
    left_out: Sequence[Record] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    call_limit_s: float | None = None
    changes: Sequence[Change] = ()


PLAINLY = Showing()


def showing_of(run: Record, **choices: Any) -> Showing:
    """That of a run, as it is so far; `choices` are further fields."""
    return Showing(
        left_out=run.get("left_out", ()),
        versions={
            **dict.fromkeys(ALGORITHMS, BUILT_IN),
            **{each["contender"]: each["version"] for each in run.get("contenders", ()) if each["version"]},
        },
        call_limit_s=run.get("plan", {}).get("call_limit_s"),
        **choices,
    )


class Chart(Plot):
    """A plot of the records of one scenario and text, in the theme's colours, with values under the mouse.

    Signals:
        contender_clicked(str): its bar, curve or name was clicked; "" for a click beside all.
    """

    contender_clicked = Signal(str)

    def __init__(self, scenario: str, theme_source: HasTheme) -> None:
        self.scenario = SCENARIOS[scenario]
        super().__init__(self.scenario.title)
        self._theme_source = theme_source
        self._isolated = ""
        self._results: Sequence[Record] = ()
        self._showing = PLAINLY
        self._drawn: object = None
        self._points: list[Point] = []
        self._empty = ""
        self.answers = True  # the mouse; paper does not
        self._top = in_row(STRETCH)
        in_column(self._top, STRETCH, on=self)
        self.setMouseTracking(True)
        theme_source.changed.connect(self._follow_theme)
        self._follow_theme()

    @property
    def theme(self) -> Theme:
        return self._theme_source.theme

    @property
    def has_results(self) -> bool:
        return bool(self._results)

    def show_results(self, results: Sequence[Record], showing: Showing = PLAINLY) -> None:
        """Draw these records, unless they are those that are drawn."""
        drawn = [(id(row), row["n"]) for row in results], showing  # times change with their number alone
        if drawn != self._drawn:
            self._drawn, self._results, self._showing = drawn, results, showing
            self.redraw()

    def set_empty(self, reason: str) -> None:
        """Say this where there is nothing to draw."""
        if reason != self._empty:
            self._empty = reason
            if not self._has_something:
                self.redraw()

    def add_control(self, control: QWidget) -> None:
        """Put it at the right of the title."""
        self._top.addWidget(control)

    def isolate(self, contender: str) -> None:
        """Show one contender strongly and the others faintly; all alike for ""."""
        if contender != self._isolated:
            self._isolated = contender
            self.redraw()

    @property
    def _has_something(self) -> bool:
        return bool(self._results)

    def redraw(self) -> None:
        """Lay everything out again."""
        self.clear()
        self._points = []
        self.right_px = self._top.sizeHint().width()
        self.reason = "" if self._has_something else self._empty
        self.set_title(self.titles)
        if self._has_something:
            self.draw()
        self.update()

    @abstractmethod
    def draw(self) -> None:
        """Put the title, and everything in its place; there is something to draw."""

    @property
    def titles(self) -> list[str]:
        """What the results say, as a sentence, if anything; and what they are of."""
        showing = self._showing
        rows = self._results
        found = self.scenario.find(rows, showing.left_out, showing.baseline) if rows else ""
        return [*filter(None, [found]), self.scenario.title]

    # How contenders look

    def look(self, name: str) -> Look:
        look = look_of(name, self.theme)
        if self._isolated in ("", name):
            return look
        color = QColor(look.color)
        color.setAlpha(FAINT)
        return Look(color, look.marker)

    def word_color(self, name: str) -> QColor:
        """Of words about a contender: colours of contenders are for areas and lines, words need contrast."""
        return self.theme.text if self._isolated in ("", name) else self.theme.faint

    @property
    def is_projected(self) -> bool:
        """Whether the chart is so large that it is read from afar."""
        return self.width() > PROJECTED_PX[0] and self.height() > PROJECTED_PX[1]

    @property
    def font_px(self) -> int:
        return PROJECTED_FONT_PX if self.is_projected else UI_FONT_PX

    # Theme and mouse

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    def _follow_theme(self) -> None:
        self.dress(self.theme)
        self.redraw()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.record_at(event.position())
        if row is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(event.globalPosition().toPoint(), plain_tip(tip_of(row)), self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            row = self.record_at(event.position())
            self.contender_clicked.emit("" if row is None else row["contender"])

    def record_at(self, position: QPointF) -> Record | None:
        """What the words at a place are about, or else what lies nearest, if that is near."""
        for word in self.words:
            if word.row is not None and self.rect_of(word).contains(position):
                found: Record = word.row
                return found
        distances = [
            ((self.pixel(x, y) - position).manhattanLength(), index)
            for index, (x, y, _) in enumerate(self._points)
        ]
        distance, index = min(distances, default=(NEAR_PX, 0))
        return self._points[index][2] if distance < NEAR_PX else None
