"""What all charts of the Bench page have in common: a card with a plot, its labels, and the mouse.

Logarithmic axes show logarithms of the values on ordinary axes: pyqtgraph's own logarithmic grid is most
of the cost of a live chart, and its whiskers ignore the mode.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import pyqtgraph as pg
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QPointF, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QToolTip, QWidget

from guiapp.core.bench.measurement import Record
from guiapp.widgets.bench.contender_look import Look, look_of
from guiapp.widgets.bench.labels import interval_of, tip_of
from guiapp.widgets.bench.plot import BEHIND_GAP, Plot, Word, pen_of
from guiapp.widgets.shared.buttons import tool_button
from guiapp.widgets.shared.fitted_label import FittedLabel
from guiapp.widgets.shared.icons import icon
from guiapp.widgets.shared.layouts import AS_AROUND, in_column, in_row
from guiapp.widgets.shared.plain_tip import plain_tip
from guiapp.widgets.shared.style_sheet import heading, set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, Theme

BAR_HEIGHT = 0.62
MARKER_PX = 9
LINE_PX = 2
NEAR_PX = 14
EDGE_PX = 26  # beside the outermost values, for half of a number below
NAME_PAD_PX = 14  # between names and their bars
PROJECTED_PX = 900  # a chart so wide is alone on the page, or on a projector
PROJECTED_FONT_PX, PROJECTED_MARKER_PX = 16, 13
SMALLEST_FONT_PX = 8  # where many names share little room
LINE_PAD_PX = 3  # between two lines of labels
FAINT = 50  # of 255, beside the contender that is isolated
ENLARGE = "Show this chart alone"
Point = tuple[float, float, Record]  # where the mouse finds a record
EXACT, APPROXIMATE = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine


class HasTheme(Protocol):
    """A `ThemeSource`, or paper."""

    changed: SignalInstance

    @property
    def theme(self) -> Theme: ...


class Chart(QFrame):
    """A card with a title, a plot in the theme's colours, and values under the mouse.

    Signals:
        contender_clicked(str): its bar or marker was clicked; "" for a click beside all.
        enlarge_clicked(bool): whether it shall be the only one on the page.
    """

    contender_clicked = Signal(str)
    enlarge_clicked = Signal(bool)

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        super().__init__()
        set_role(self, "card")
        self._theme_source = theme_source
        self._isolated = ""
        self._results: Sequence[Record] = ()
        self._drawn: list[tuple[int, int]] = []
        self._points: list[Point] = []
        self._word_rows: list[Record | None] = []  # what each of the plot's words is about
        self._pool: dict[str, list[Any]] = {}
        self._n_used: Counter[str] = Counter()
        self._font_px = SMALL_FONT_PX
        self._title = title
        self._plot: Plot | None = None
        self.note = set_role(FittedLabel(), "dim")
        self._heading = heading(title)
        self.empty = set_role(QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter), "dim")
        self.enlarge_button = tool_button(tip=ENLARGE)
        self.enlarge_button.setCheckable(True)
        self.enlarge_button.clicked.connect(self.enlarge_clicked)
        self._lay_out()
        theme_source.changed.connect(self._follow_theme)
        self._follow_theme()

    @property
    def plot(self) -> Plot:
        """Made when there is something to draw: the page should be there at once."""
        if self._plot is None:
            self._plot = plot = Plot(self._title)
            plot.scene().sigMouseMoved.connect(self._hover)
            plot.scene().sigMouseClicked.connect(self._click)
            plot.follow_theme(self.theme)
            self._layout.insertWidget(1, plot, 1)
        return self._plot

    def _lay_out(self) -> None:
        self._top = in_row(self._heading, (self.note, 1), self.enlarge_button)
        margins = MARGIN_PX, GAP_PX, GAP_PX, GAP_PX
        self._layout = in_column(self._top, (self.empty, 1), on=self, margins=margins, spacing=AS_AROUND)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    @property
    def theme(self) -> Theme:
        return self._theme_source.theme

    @property
    def has_results(self) -> bool:
        return bool(self._results)

    @property
    def title(self) -> str:
        return self._title

    def set_title(self, title: str) -> None:
        if title == self._title:
            return
        self._title = title
        self._heading.setText(title.upper())
        self._heading.setAccessibleName(title)
        if self._plot is not None:
            self._plot.setAccessibleName(title)

    def show_results(self, results: Sequence[Record]) -> None:
        """Draw these records, unless they are those that are drawn."""
        drawn = [(id(row), row["n"]) for row in results]  # times change with their number alone
        if drawn != self._drawn:
            self._drawn, self._results = drawn, results
            self.redraw()

    def forget(self) -> None:
        """Have no results, drawn or not, until the next ones come."""
        self._drawn, self._results = [], ()

    def set_empty(self, reason: str) -> None:
        """Say this where there is nothing to draw."""
        self.empty.setText(reason)

    def add_control(self, control: QWidget) -> None:
        """Put it before the button that enlarges."""
        self._top.insertWidget(self._top.count() - 1, control)

    def lead_with(self, controls: Sequence[QWidget]) -> None:
        """Put these, from wherever they are, in place of the title: those that are shown say what it says."""
        self._heading.setVisible(all(control.isHidden() for control in controls))
        for index, control in enumerate(controls):
            if self._top.indexOf(control) != index:
                self._top.insertWidget(index, control)

    def isolate(self, contender: str) -> None:
        """Show one contender strongly and the others faintly; all alike for ""."""
        if contender != self._isolated:
            self._isolated = contender
            self.redraw()

    def redraw(self) -> None:
        """Draw everything again with the items that there are; making new ones is what takes time."""
        self._points, self._word_rows = [], []
        self._n_used.clear()
        self.empty.setVisible(not self._results)
        if self._plot is not None:
            self._plot.clear()  # also where it gets hidden: the mouse may be on it still
        if self._results:
            self.plot.show()
            self._layout.activate()  # what is drawn depends on the room that there is now,
            self.plot.place_box()  # of which a plot that is hidden hears only when it is shown
            self.draw()
            self.plot.viewport().update()
        else:
            self.note.set_texts([""])
            if self._plot is not None:
                self._plot.hide()
        for kind, items in self._pool.items():
            for item in items[self._n_used[kind] :]:
                item.hide()

    @abstractmethod
    def draw(self) -> None:
        """Put the items in place; there are results."""

    def take(self, kind: str, make: Callable[[], Any]) -> Any:
        """The next item of a kind, made only if all that there are have been taken."""
        items, index = self._pool.setdefault(kind, []), self._n_used[kind]
        self._n_used[kind] += 1
        if index == len(items):
            items.append(make())
            self.plot.box.addItem(items[index], ignoreBounds=True)
        items[index].show()
        return items[index]

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

    def whiskers(self, rows: Sequence[Record], key: str, places: Sequence[float], height: float) -> None:
        """The intervals of a speed at these heights, all as one item; one run alone has none."""
        repeated = [index for index, row in enumerate(rows) if row["n"] > 1]
        ends = [interval_of(rows[index], key) for index in repeated]
        low, high = np.array(ends, np.float64).reshape(-1, 2).T
        speeds = np.array([rows[index][key] for index in repeated], np.float64)
        self.take("whiskers", pg.ErrorBarItem).setData(
            x=speeds,
            y=np.array([places[index] for index in repeated], np.float64),
            left=speeds - low,
            right=high - speeds,
            beam=height / 3,
            pen=pen_of(self.theme.text),
        )

    def label(self, text: str, x: float, y: float, color: QColor, row: Record | None = None) -> None:
        """Words in the middle of a place of the plot; the mouse finds the row there."""
        self.plot.words.append(Word(text, x, y, False, color))
        self._word_rows.append(row)

    def label_behind(self, text: str, x: float, y: float, color: QColor, row: Record | None = None) -> None:
        """Words right of a place of the plot."""
        self.plot.words.append(Word(text, x, y, True, color))
        self._word_rows.append(row)

    # What has how much room

    @property
    def is_projected(self) -> bool:
        """Whether the chart is so large that it is read from afar."""
        return self.view_px()[0] > PROJECTED_PX

    @property
    def marker_px(self) -> int:
        return PROJECTED_MARKER_PX if self.is_projected else MARKER_PX

    def view_px(self) -> tuple[int, int]:
        """The size of the plot within its axes."""
        area = self.plot.area
        return int(area.width()), int(area.height())

    def fit_font(self, n_lines: int) -> None:
        """Choose letters so small that so many lines stand below each other; large ones on large charts."""
        room_px = self.view_px()[1] // max(n_lines, 1) - LINE_PAD_PX
        largest_px = PROJECTED_FONT_PX if self.is_projected else SMALL_FONT_PX
        self._font_px = min(max(room_px, SMALLEST_FONT_PX), largest_px)
        self.plot.set_fonts(self.theme.ui_font(self._font_px), self.theme.ui_font(largest_px))

    def metrics(self) -> QFontMetrics:
        """Of the labels."""
        return QFontMetrics(self.theme.ui_font(self._font_px))

    def show_names(self, names: Sequence[str]) -> None:
        """Names beside the rows 0, 1, …, and room for the longest."""
        metrics = self.metrics()
        self.plot.left_ticks = list(enumerate(names))
        widest_px = max((metrics.horizontalAdvance(name) for name in names), default=0)
        self.plot.set_axis_px(widest_px + NAME_PAD_PX)
        self.plot.show_range(y_range=(-0.6, max(len(names), 4) - 0.4))

    def reach_behind(self, labels: Sequence[tuple[float, str]]) -> None:
        """Let the plot begin at 0 and reach so far that the words behind each value are seen whole."""
        advance, width_px = self.metrics().horizontalAdvance, self.view_px()[0]
        room_px = [max(width_px - EDGE_PX - advance(BEHIND_GAP + text), width_px / 4) for _, text in labels]
        per_px = max((value / px for (value, _), px in zip(labels, room_px, strict=True)), default=1.0)
        self.plot.show_range(x_range=(-0.002 * width_px * per_px, width_px * per_px or 1.0))

    # Theme and mouse

    def _follow_theme(self) -> None:
        self.enlarge_button.setIcon(icon("fit", self.theme.dim))
        if self._plot is not None:
            self._plot.follow_theme(self.theme)
        self.redraw()

    def _hover(self, position: QPointF) -> None:
        row = self.record_at(position)
        if row is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(self.plot.mapToGlobal(position.toPoint()), plain_tip(tip_of(row)), self.plot)

    def _click(self, event: MouseClickEvent) -> None:
        row = self.record_at(event.scenePos())
        self.contender_clicked.emit("" if row is None else row["contender"])

    def record_at(self, position: QPointF) -> Record | None:
        """What the words at a place of the scene are about, or else what lies nearest, if that is near."""
        for word, row in zip(self.plot.words, self._word_rows, strict=True):
            if row is not None and self.plot.rect_of(word).contains(position):
                return row
        distances = [
            ((self.plot.pixel(x, y) - position).manhattanLength(), index)
            for index, (x, y, _) in enumerate(self._points)
        ]
        distance, index = min(distances, default=(NEAR_PX, 0))
        return self._points[index][2] if distance < NEAR_PX else None

    def record_at_row(self, position: QPointF) -> Record | None:
        """The bar that is nearest to this height, and what is written behind it."""
        at = self.plot.place(position)[1]
        distances = [(abs(y - at), index) for index, (_, y, _) in enumerate(self._points)]
        distance, index = min(distances, default=(1.0, 0))
        return self._points[index][2] if distance < 0.5 else None
