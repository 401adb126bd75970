"""The appearance of the tree: colours of nodes, and the overlay with path, pointer and matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from guiapp.analysis.tree.coloring import NO_CLASS, NodeValues
from guiapp.analysis.tree.picture import SCRIPT_NAMES, NodeColors, TreePicture
from guiapp.kit.state.background import Background, NotReadyError, Progress
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.pages.tree.geometry import Geometry, Icicle, Sunburst
from guiapp.pages.tree.model import TreeModel, TreeSearch

Colors = NDArray[np.uint32]
Lch = tuple[float, float, float]
LMS_OF_LAB = np.array(
    [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.2914855480]]
)
RGB_OF_LMS = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)
# Hue, relative chroma (1 is the usual) and offset of lightness: chosen so that all differ in both themes,
# also for colour-blind users, who distinguish many by lightness.
SCRIPT_HUES: dict[str, tuple[float, float, float]] = {
    "Bytes of characters": (308, 0.32, -0.12),
    "Spaces": (265, 0.28, -0.035),
    "Punctuation": (61, 0.43, 0.035),
    "Symbols": (41, 0.72, -0.035),
    "Digits": (99, 1.17, -0.01),
    "Emoji": (92, 1.41, 0.055),
    "Special tokens": (314, 0.67, 0.1),
    "Latin": (259, 1.17, -0.09),
    "Greek": (182, 1.29, 0.1),
    "Cyrillic": (192, 1.03, 0.04),
    "Armenian": (182, 0.74, -0.017),
    "Hebrew": (125, 0.45, -0.12),
    "Arabic": (161, 1.13, 0.1),
    "Devanagari": (77, 1.21, -0.1),
    "Bengali": (43, 0.93, 0.1),
    "Gurmukhi": (79, 0.78, 0.017),
    "Gujarati": (62, 0.72, -0.12),
    "Odia": (94, 0.59, 0.014),
    "Tamil": (14, 0.98, -0.069),
    "Telugu": (91, 0.82, -0.118),
    "Kannada": (63, 1.08, 0.025),
    "Malayalam": (74, 0.68, -0.055),
    "Sinhala": (53, 1.08, -0.023),
    "Thai": (112, 1.17, 0.095),
    "Lao": (170, 0.55, 0.059),
    "Burmese": (160, 0.46, -0.084),
    "Khmer": (105, 1.07, -0.069),
    "Georgian": (259, 0.72, -0.078),
    "Hangul": (294, 1.1, 0.02),
    "Ethiopic": (121, 1.09, 0.072),
    "Han": (21, 1.13, -0.1),
    "Kana": (336, 1.27, -0.1),
}
OTHER_HUE = (270, 0.25, -0.08)
CLASS_HUES = (  # the same for other classes; as many as token types, "normal" is the last but one
    (22, 1.15, -0.14),
    (298, 1.34, -0.006),
    (83, 1.31, -0.057),
    (267, 0.79, -0.14),
    (228, 0.64, 0.1),
    (171, 0.89, -0.028),
    (101, 1.21, 0.092),
)
N_HUES = 9  # shades of a class
N_TONES = 2 * N_HUES
HUE_RANGE = 34.0  # degrees between the first shade and the last
HUE_SPREAD = 0.55  # how far a child's shade may be from its parent's, as a share of all shades
GOLDEN = 0.6180339887498949
LIGHT_FROM = 118  # of 255, weighted by the eye's sensitivity
FIRST_ANGLE = 0.06  # of a strip that begins to bend
MOST_MARKS = 1200
SMALLEST_DISC_PX = 12  # smaller inner discs of a sunburst are outside the view
THIN_PX = 14  # a full ring thinner than this has only its outer outline
MARK_PX = 4.0
Lines = tuple[tuple[str, float], ...]
"""Theme colours and widths."""
ON_PATH: Lines = ("background", 3.2), ("text", 1.2)
HOVERED: Lines = (("text", 1.5),)
CHOSEN: Lines = ("text", 5.0), ("accent", 2.5)
CURRENT: Lines = ("background", 5.0), ("warning", 2.5)
CLEAR_PX = 9.0  # next to the path to the chosen node
SMALL_PX = 5  # matching nodes narrower than this are marked


class TreePaint(Background[NodeColors]):
    """The colours of the nodes for a model, a search result and the current theme.

    lit_class  the only class that is not dimmed; None for all
    """

    def __init__(
        self, model: TreeModel, search: TreeSearch, theme_source: ThemeSource, parent: QObject | None = None
    ) -> None:
        super().__init__(parent, self._prepare_colors, is_watched=True)
        self._model = model
        self._search = search
        self._theme_source = theme_source
        self.lit_class: int | None = None
        self._title = ""  # of the classes
        model.evaluating.changed.connect(self._on_values_changed)
        model.picture_changed.connect(self._on_picture_changed)
        search.shown_changed.connect(self.refresh)
        model.chosen_changed.connect(self._on_chosen_changed)
        theme_source.changed.connect(self.refresh)
        self.refresh()

    @property
    def colors(self) -> NodeColors | None:
        """The colours of the current picture; None until they are computed."""
        return self.value

    def light_class(self, number: int | None) -> None:
        """Dim all other classes, until the tree is coloured by other classes."""
        if number != self.lit_class:
            self.lit_class = number
            self.refresh()

    def _on_values_changed(self) -> None:
        values = self._model.evaluating.value
        if values is not None and values.title != self._title:
            self._title, self.lit_class = values.title, None
        self.refresh()

    def _on_picture_changed(self) -> None:
        self.forget()
        self.refresh()

    def _on_chosen_changed(self) -> None:
        """Update the dimming of a search, which leaves the path to the chosen node bright."""
        if self._search.title:
            self.refresh()

    def _prepare_colors(self) -> Callable[[Progress], NodeColors]:
        picture, evaluating, search = self._model.picture, self._model.evaluating, self._search
        if picture is None or evaluating.value is None or not evaluating.is_current:
            raise NotReadyError
        lit = (
            np.append(search.result_nodes, self._model.chosen_path).astype(np.int32) if search.title else None
        )
        return partial(_paint, picture, evaluating.value, lit, self.lit_class, self._theme_source.theme)


def _paint(
    picture: TreePicture,
    values: NodeValues,
    lit: NDArray[np.int32] | None,
    lit_class: int | None,
    theme: Theme,
    progress: Progress,
) -> NodeColors:
    """`lit` nodes and their ancestors are not dimmed; None for all."""
    colors, is_lit = node_colors(picture, values, theme), None if lit is None else _lit(picture, lit)
    if lit_class is not None:
        is_of_class = values.classes == lit_class
        is_lit = is_of_class if is_lit is None else is_of_class & is_lit
    if is_lit is not None:
        colors = dimmed(colors, is_lit, theme)
    progress(0.5)
    made = NodeColors(picture, colors, number(theme.background), is_lit)
    _ = made.painter  # computed here, not in the first frame
    return made


def _lit(picture: TreePicture, nodes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[m]: some nodes and all their ancestors."""
    is_lit, reached = np.zeros(len(picture), np.bool_), nodes
    while len(reached):
        is_lit[reached] = True
        above = picture.layout.parents[reached]
        reached = np.unique(above[above >= 0])
        reached = reached[~is_lit[reached]]
    return is_lit


@dataclass(frozen=True)
class Palette:
    """The parameters of the colours of one theme.

    lightness, colorfulness   of classes
    step                      by how much every other sibling is lighter
    scale                     stops from 0 to 1 in OKLCH
    nothing                   of nodes without a value
    dimmed                    the share of the colour that remains in dimmed nodes
    """

    lightness: float
    colorfulness: float
    step: float
    scale: tuple[Lch, ...]
    nothing: Lch
    dimmed: float


PALETTES = {
    "dark": Palette(
        0.715,
        0.112,
        0.028,
        ((0.40, 0.10, 285), (0.52, 0.12, 255), (0.66, 0.11, 195), (0.80, 0.14, 140), (0.92, 0.14, 100)),
        (0.36, 0.015, 270),
        0.16,
    ),
    "light": Palette(
        0.805,
        0.095,
        0.026,
        ((0.93, 0.06, 100), (0.82, 0.12, 140), (0.70, 0.11, 195), (0.56, 0.13, 255), (0.42, 0.13, 285)),
        (0.90, 0.008, 270),
        0.22,
    ),
}


def rgb(lightness: NDArray[np.float64], chroma: NDArray[np.float64], hue: NDArray[np.float64]) -> Colors:
    """Convert OKLCH to 0xRRGGBB; colours outside the gamut are clipped."""
    turn = np.deg2rad(hue)
    lab = np.stack([lightness, chroma * np.cos(turn), chroma * np.sin(turn)], axis=-1)
    linear = np.clip((lab @ LMS_OF_LAB.T) ** 3 @ RGB_OF_LMS.T, 0, 1)
    bent = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    levels = np.round(bent * 255).astype(np.uint32)
    colors: Colors = levels[..., 0] << 16 | levels[..., 1] << 8 | levels[..., 2]
    return colors


def node_colors(picture: TreePicture, values: NodeValues, theme: Theme) -> Colors:
    """0xRRGGBB for each node; neighbours differ slightly in lightness, branches in hue."""
    if values.shares is None:
        tones = _tones(picture)
        table = np.stack([class_colors(values.names, theme.name, tone) for tone in range(N_TONES)])
        table = np.concatenate([table, np.full((N_TONES, 1), nothing_color(theme.name), np.uint32)], axis=1)
        classes = np.where(values.classes == NO_CLASS, table.shape[1] - 1, values.classes)
        colors: Colors = table.ravel()[tones * table.shape[1] + classes]
    else:
        ramp = scale_colors(theme.name)
        is_told = ~np.isnan(values.shares)
        indexes = (np.nan_to_num(values.shares) * (len(ramp) - 1)).astype(np.int64)
        colors = np.where(is_told, ramp[indexes], nothing_color(theme.name)).astype(np.uint32)
    colors[0] = number(theme.raised)
    return colors


def _tones(picture: TreePicture) -> NDArray[np.int64]:
    """A tone for each node, 0 to N_TONES - 1: close to its parent's, but different from its neighbours'."""
    arrays = picture.layout
    hues = np.full(len(picture), (N_HUES - 1) / 2)
    noise = np.arange(len(picture)) * GOLDEN % 1.0 - 0.5
    for level in range(2, picture.n_levels):
        low, high = arrays.level_offsets[level : level + 2]
        above = hues[arrays.parents[low:high]]
        hues[low:high] = np.clip(above + noise[low:high] * HUE_SPREAD * N_HUES, 0, N_HUES - 1)
    return 2 * np.round(hues).astype(np.int64) + (np.arange(len(picture)) & 1)


def dimmed(colors: Colors, is_lit: NDArray[np.bool_], theme: Theme) -> Colors:
    share = int(256 * PALETTES[theme.name].dimmed)
    ground = number(theme.background)
    red_blue = ((colors & 0xFF00FF) * share + (ground & 0xFF00FF) * (256 - share)) >> 8 & 0xFF00FF
    green = ((colors & 0x00FF00) * share + (ground & 0x00FF00) * (256 - share)) >> 8 & 0x00FF00
    return np.where(is_lit, colors, red_blue | green).astype(np.uint32)


@lru_cache(64)
def class_colors(names: tuple[str, ...], theme_name: str, tone: int = N_HUES // 2 * 2) -> Colors:
    """One colour for each class; the middle tone is the colour in the legend."""
    palette = PALETTES[theme_name]
    if names == SCRIPT_NAMES:
        hues = [SCRIPT_HUES.get(name, OTHER_HUE) for name in names]
    else:
        hues = [CLASS_HUES[at % len(CLASS_HUES)] for at in range(len(names))]
    hue, chroma, lighter = np.array(hues).T
    lightness = lighter + palette.lightness + (tone & 1) * palette.step
    turned = hue + ((tone >> 1) / (N_HUES - 1) - 0.5) * HUE_RANGE
    return rgb(lightness, chroma * palette.colorfulness, turned)


@lru_cache(4)
def scale_colors(theme_name: str, n_steps: int = 256) -> Colors:
    """The colours of values from 0 to 1."""
    stops = np.array(PALETTES[theme_name].scale)
    positions = np.linspace(0, len(stops) - 1, n_steps)
    at = np.arange(len(stops))
    return rgb(*(np.interp(positions, at, stops[:, column]) for column in range(3)))


def nothing_color(theme_name: str) -> int:
    return int(rgb(*(np.array(part) for part in PALETTES[theme_name].nothing)))


def number(color: QColor) -> int:
    return int(color.rgb() & 0xFFFFFF)


def is_light(colors: Colors) -> NDArray[np.bool_]:
    """Whether dark text is more readable on colours 0xRRGGBB."""
    levels = (colors >> 16 & 255) * 0.299 + (colors >> 8 & 255) * 0.587 + (colors & 255) * 0.114
    return np.asarray(levels > LIGHT_FROM)


def node_outline(geometry: Geometry, node: int) -> QPainterPath:
    """The outline of a node, clipped to the view."""
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
        if inner > outer / 4 and outer - inner > THIN_PX:  # else the inner levels are outside the view
            path.addEllipse(near)
        return path
    first, sweep = 90 + 360 * start, 360 * (end - start)
    path.arcMoveTo(far, first)
    path.arcTo(far, first, sweep)
    if inner:
        path.arcTo(near, first + sweep, -sweep)
    else:
        path.lineTo(x, y)  # without this, a sector with no inner arc would be empty
    path.closeSubpath()
    return path


def paint_outlines(
    painter: QPainter, geometry: Geometry, chosen: Sequence[int], hovered: int | None, theme: Theme
) -> None:
    """Outline the path from the root to the chosen node, that node with a ring, and the hovered node."""
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
    """Draw a dot on each matching node that is too small to see by colour; outline the current match.

    No dots next to the path to the chosen node, which stays readable.
    """
    points = mark_points(geometry, matches, chosen).tolist() if len(matches) else []
    if points:
        paint_dots(painter, theme, [QPointF(x, y) for x, y in points])
    if current is not None:
        stroke(painter, node_outline(geometry, current), theme, CURRENT)


def paint_dots(painter: QPainter, theme: Theme, points: list[QPointF]) -> None:
    painter.setPen(QPen(theme.text, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawPoints(QPolygonF(points))


def mark_points(
    geometry: Geometry, matches: NDArray[np.int32], chosen: Sequence[int] = ()
) -> NDArray[np.float64]:
    """The positions of matches too small to see, at most one in a few pixels: float64[n, 2].

    Skips those near a chosen node on its level.
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
        before = (start - left) / (right - left) - shares[firsts]
        away = np.maximum(before, shares[firsts] - (end - left) / (right - left))
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
    """The tops of the levels, and the shape for `paint_between`, from icicle (0) to sunburst (1).

    The strip bends around a centre that moves down from far above; its length along the last level grows
    from the width of the window to the circumference of the sunburst.
    """
    tops = icicle.tops + (sunburst.radii - icicle.tops) * roundness
    angle = FIRST_ANGLE + (2 * np.pi - FIRST_ANGLE) * roundness**1.5
    outer = float(sunburst.radii[-1])
    length = icicle.width_px + (2 * np.pi * outer - icicle.width_px) * roundness
    inner = max(0.0, length / angle - float(tops[-1])) * (1 - roundness) ** 0.3
    top = roundness * sunburst.center[1]
    return tops, (sunburst.center[0], top - inner, angle, inner)
