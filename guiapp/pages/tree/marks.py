"""What lies above the picture of the tree: the lit path, the node under the pointer, what a search found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPen, QPolygonF

from guiapp.analysis.tree.coloring import NodeValues
from guiapp.analysis.tree.picture import NodeColors, TreePicture
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.pages.tree.colors import dimmed, node_colors, number
from guiapp.pages.tree.geometry import Geometry, Icicle, Sunburst
from guiapp.pages.tree.model import TreeModel
from guiapp.pages.tree.search import TreeSearch

FIRST_ANGLE = 0.06  # of a strip that begins to bend
MOST_MARKS = 1200
SMALLEST_DISC_PX = 12  # what is smaller in the middle of a sunburst has been passed
THIN_PX = 14  # a ring all the way round that is thinner has one line only
MARK_PX = 4.0
Lines = tuple[tuple[str, float], ...]
"""Colours of the theme and widths."""
ON_PATH: Lines = ("background", 3.2), ("text", 1.2)
HOVERED: Lines = (("text", 1.5),)
CHOSEN: Lines = ("text", 5.0), ("accent", 2.5)
CURRENT: Lines = ("background", 5.0), ("warning", 2.5)
CLEAR_PX = 9.0  # beside the way to the chosen node
SMALL_PX = 5  # nodes narrower than this get a mark when a search finds them


def node_outline(geometry: Geometry, node: int) -> QPainterPath:
    """The border of a node, as far as it is in view."""
    path = QPainterPath()
    if isinstance(geometry, Icicle):
        left, top, right, bottom = geometry.box(node)
        left, right = max(left, -8.0), min(right, geometry.width_px + 8.0)
        if right > left and bottom > top:
            path.addRect(QRectF(left, top, max(right - left, 1.0), bottom - top - 1))
        return path
    inner, outer, start, end = geometry.sector(node)
    if end <= start or outer - inner < 0.5 or outer < SMALLEST_DISC_PX:
        return path
    x, y = geometry.center
    far = QRectF(x - outer, y - outer, 2 * outer, 2 * outer)
    near = QRectF(x - inner, y - inner, 2 * inner, 2 * inner)
    if end - start > 0.9999:
        path.addEllipse(far)
        if inner > outer / 4 and outer - inner > THIN_PX:  # else what is inside has been passed
            path.addEllipse(near)
        return path
    first, sweep = 90 + 360 * start, 360 * (end - start)
    path.arcMoveTo(far, first)
    path.arcTo(far, first, sweep)
    if inner:
        path.arcTo(near, first + sweep, -sweep)
    else:
        path.lineTo(x, y)  # an arc around nothing would not be there at all
    path.closeSubpath()
    return path


def paint_outlines(
    painter: QPainter, geometry: Geometry, chosen: Sequence[int], hovered: int | None, theme: Theme
) -> None:
    """The way from the root to the chosen node, that node itself with a ring, and the one pointed at."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    way, (left, right) = QPainterPath(), geometry.view
    for node in chosen[1:-1]:
        start, end = geometry.picture.span(node)
        if start < right and end > left and (start > left or end < right):
            way.addPath(node_outline(geometry, node))
    stroke(painter, way, theme, ON_PATH)
    if len(chosen) > 1:
        stroke(painter, node_outline(geometry, chosen[-1]), theme, CHOSEN)
    if hovered is not None and hovered > 0:
        stroke(painter, node_outline(geometry, hovered), theme, HOVERED)


def stroke(painter: QPainter, outline: QPainterPath, theme: Theme, lines: Lines) -> None:
    """Draw lines over each other."""
    if not outline.isEmpty():
        for color, width in lines:
            painter.setPen(QPen(getattr(theme, color), width))
            painter.drawPath(outline)


def paint_marks(
    painter: QPainter,
    geometry: Geometry,
    matches: NDArray[np.int32],
    current: int | None,
    chosen: Sequence[int],
    theme: Theme,
) -> None:
    """A dot on each found node that is too small to be seen by its colour; a ring around the present one.

    None beside the way to the chosen node, which stays readable.
    """
    points = mark_points(geometry, matches, chosen).tolist() if len(matches) else []
    if points:
        paint_dots(painter, theme, [QPointF(x, y) for x, y in points])
    if current is not None:
        stroke(painter, node_outline(geometry, current), theme, CURRENT)


def paint_dots(painter: QPainter, theme: Theme, points: list[QPointF]) -> None:
    """Mark found nodes that are too small to be seen."""
    painter.setPen(QPen(theme.text, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPoints(QPolygonF(points))


def mark_points(
    geometry: Geometry, matches: NDArray[np.int32], chosen: Sequence[int] = ()
) -> NDArray[np.float64]:
    """Where found nodes are that are too small to be seen, at most one for a few pixels: float64[n, 2].

    None near a chosen node on its level.
    """
    arrays, (left, right) = geometry.picture.layout, geometry.view
    starts, ends = arrays.starts[matches], arrays.ends[matches]
    bands = geometry.tops if isinstance(geometry, Icicle) else geometry.radii
    around = geometry.width_px if isinstance(geometry, Icicle) else 2 * np.pi * float(bands[-1])
    is_small = (ends - starts) * around < SMALL_PX * (right - left)
    kept = matches[is_small & (ends > left) & (starts < right)]
    levels = np.searchsorted(arrays.level_offsets, kept, "right") - 1
    middles = (bands[levels] + bands[levels + 1]) / 2
    shares = ((arrays.starts[kept] + arrays.ends[kept]) / 2 - left) / (right - left)
    n_columns = int(around / MARK_PX) + 2
    cells = levels * n_columns + np.floor(np.clip(shares, 0, 1) * around / MARK_PX).astype(np.int64)
    in_cell = np.full(n_columns * geometry.picture.n_levels, -1)
    in_cell[cells] = np.arange(len(kept))
    firsts = in_cell[in_cell >= 0]
    firsts = firsts[:: max(1, len(firsts) // MOST_MARKS)]
    for node in chosen:
        start, end = geometry.picture.span(node)
        away = np.maximum(
            (start - left) / (right - left) - shares[firsts], shares[firsts] - (end - left) / (right - left)
        )
        is_there = levels[firsts] == geometry.picture.level(node)
        firsts = firsts[~is_there | (away * around > CLEAR_PX)]
    middles, shares = middles[firsts], shares[firsts]
    if isinstance(geometry, Icicle):
        return np.stack([shares * geometry.width_px, middles], axis=1)
    x, y = geometry.center
    turn = 2 * np.pi * shares
    return np.stack([x - middles * np.sin(turn), y - middles * np.cos(turn)], axis=1)


def bending(
    icicle: Icicle, sunburst: Sunburst, roundness: float
) -> tuple[NDArray[np.float64], tuple[float, float, float, float]]:
    """Tops of the levels, and the shape for `paint_between`, on the way from icicle (0) to sunburst (1).

    The strip is bent around a centre that comes down from far above; its length along the last level
    goes from the width of the window to the circumference of the sunburst.
    """
    tops = icicle.tops + (sunburst.radii - icicle.tops) * roundness
    angle = FIRST_ANGLE + (2 * np.pi - FIRST_ANGLE) * roundness**1.5
    outer = float(sunburst.radii[-1])
    length = icicle.width_px + (2 * np.pi * outer - icicle.width_px) * roundness
    inner = max(0.0, length / angle - float(tops[-1])) * (1 - roundness) ** 0.3
    top = (1 - roundness) * 0.0 + roundness * sunburst.center[1]
    return tops, (sunburst.center[0], top - inner, angle, inner)


class TreePaint(Working):
    """The colours for what a model shows and a search found, in the present theme.

    Signals:
        changed(): `colors` is new.
    """

    changed = Signal()

    def __init__(
        self, model: TreeModel, search: TreeSearch, theme_source: ThemeSource, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._search = search
        self._theme_source = theme_source
        self._colors: NodeColors | None = None
        self._lit_class: int | None = None
        self._title = ""  # of what the classes are
        self.job = LatestJob[NodeColors](self, self._take)
        model.values_changed.connect(self._start)
        model.picture_changed.connect(self._on_picture_changed)
        search.found_changed.connect(self._start)
        model.chosen_changed.connect(self._on_chosen_changed)
        theme_source.changed.connect(self._start)
        self._start()

    @property
    def colors(self) -> NodeColors | None:
        """Those of the present picture; None until they are made."""
        return self._colors

    @property
    def is_current(self) -> bool:
        """Whether no newer colours are on their way."""
        return not (self.job.is_busy or self._model.evaluating.is_busy)

    @property
    def lit_class(self) -> int | None:
        """The only class that is not dimmed; None where all are shown."""
        return self._lit_class

    def light_class(self, number: int | None) -> None:
        """Dim all nodes but those of one class, as long as the tree is coloured by such classes."""
        if number != self._lit_class:
            self._lit_class = number
            self._start()

    def _on_picture_changed(self) -> None:
        self._colors = None
        self.changed.emit()
        self._start()

    def _on_chosen_changed(self) -> None:
        """Where a search dims all else, leave the way to what is looked at as bright as it was."""
        if self._search.is_lit is not None:
            self._start()

    def _start(self) -> None:
        picture, values = self._model.picture, self._model.values
        if picture is None or values is None:
            self.job.cancel()
        else:
            if values.title != self._title:
                self._title, self._lit_class = values.title, None
            is_lit, theme = self._search.is_lit, self._theme_source.theme
            if is_lit is not None:
                is_lit = is_lit.copy()
                is_lit[self._model.chosen_path] = True
            self.job.start(partial(_paint, picture, values, is_lit, self._lit_class, theme))

    def _take(self, colors: NodeColors) -> None:
        self._colors = colors
        self.changed.emit()


def _paint(
    picture: TreePicture,
    values: NodeValues,
    is_lit: NDArray[np.bool_] | None,
    lit_class: int | None,
    theme: Theme,
    progress: Progress,
) -> NodeColors:
    colors = node_colors(picture, values, theme)
    if lit_class is not None:
        is_of_class = values.classes == lit_class
        is_lit = is_of_class if is_lit is None else is_of_class & is_lit
    if is_lit is not None:
        colors = dimmed(colors, is_lit, theme)
    progress(0.5)
    made = NodeColors(picture, colors, number(theme.background), is_lit)
    _ = made.painter  # made here rather than in the first frame
    return made
