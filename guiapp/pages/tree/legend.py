"""The legend of the tree's colours below it, and a map of the whole tree that moves the view."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from functools import partial
from itertools import accumulate

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
)
from PySide6.QtWidgets import QMenu, QSizePolicy

from guiapp.analysis.tree.coloring import NO_CLASS, NodeValues
from guiapp.analysis.tree.picture import SCRIPT_NAMES, paint_icicle
from guiapp.kit.spans.legend import Draw, LegendEntry, characters
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.painting import CENTER, Painted, fill, write
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.pages.tree.appearance import (
    CHOSEN,
    CURRENT,
    ON_PATH,
    Lines,
    TreePaint,
    class_colors,
    dimmed,
    nothing_color,
    number,
    paint_dots,
    scale_colors,
    stroke,
)
from guiapp.pages.tree.canvas import DARK_TEXT
from guiapp.pages.tree.geometry import Icicle, within
from guiapp.pages.tree.model import TreeModel

LEGEND_PX = 30
SWATCH_PX = 10
SCALE_PX, SHORTEST_SCALE_PX = 160, 40
MAP_SIZE = QSize(150, 22)
LEAST_FRAME_PX = 3
WHOLE = 0.995  # the map is hidden if the view shows this share of the tree
N_STOPS = 16
ALONE = "Click one to show it alone. Click it again to show all."


def _script_color(theme: Theme, name: str = "Latin", is_lit: bool = True) -> QColor:
    at = SCRIPT_NAMES.index(name)
    colors = class_colors(SCRIPT_NAMES, theme.name)[at : at + 1]
    return QColor.fromRgb(int(dimmed(colors, np.array([is_lit]), theme)[0]))


def _node(text: str = "", script: str = "Latin", lines: Lines = (), is_lit: bool = True) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        color = _script_color(theme, script, is_lit)
        outline = QPainterPath()
        outline.addRect(box.adjusted(8, 3, -8, -3))
        painter.fillPath(outline, color)
        stroke(painter, outline, theme, lines)
        write(painter, box, text, DARK_TEXT, CENTER, Theme.ui_font(SMALL_FONT_PX))

    return draw


def _below(painter: QPainter, theme: Theme, box: QRectF) -> None:
    color, half = _script_color(theme), box.height() / 2
    for left, top, width in ((0, 0, 1.0), (0, half, 0.4), (0.4, half, 0.2), (0.6, half, 0.25)):
        rect = QRectF(box.left() + left * box.width(), box.top() + top, width * box.width() - 1, half - 1)
        painter.fillRect(rect, color)


def _small(painter: QPainter, theme: Theme, box: QRectF) -> None:
    _node()(painter, theme, box)
    paint_dots(painter, theme, [box.center() + QPointF(x, 0) for x in (-14, -4, 11)])


LEGEND = (
    LegendEntry(_below, "A token, and below or outside it the longer tokens that begin with it"),
    LegendEntry(_node("come"), "The part that a token adds to the one above it"),
    LegendEntry(_node("Han · 4", "Han"), "Tokens that continue in the same script, and their number"),
    LegendEntry(_node(lines=CHOSEN), "Selected token; click it to go one level up"),
    LegendEntry(_node(lines=ON_PATH), "On the path to the selected token"),
    LegendEntry(_node(is_lit=False), "Does not match the search"),
    LegendEntry(_small, "Matches too small to see by colour"),
    LegendEntry(_node(lines=CURRENT), "Current match"),
    LegendEntry(characters("1,446", "dim"), "Merge rank or score of a merged token"),
)


class TreeLegend(Painted):
    """The largest classes, or the scale; a click or the arrow keys show one class alone."""

    ground = "background"

    def __init__(self, model: TreeModel, paint: TreePaint, theme_source: ThemeSource, zoom: TextZoom) -> None:
        super().__init__(theme_source, "Legend")
        self._model = model
        self._paint = paint
        self._zoom = zoom
        self._entry_ends: list[tuple[float, int]] = []
        self._classes: list[tuple[int, str]] = []
        self.setFont(Theme.ui_font(SMALL_FONT_PX))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        paint.changed.connect(self.update)
        model.evaluating.changed.connect(self._refresh)
        zoom.changed.connect(self.updateGeometry)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(0, self._zoom.scaled(LEGEND_PX))

    def _refresh(self) -> None:
        values, picture = self._model.evaluating.value, self._model.picture
        self._classes = []
        if values is not None and picture is not None and values.shares is None:
            is_token = picture.layout.tokens >= 0
            counts = np.bincount(values.classes[is_token], minlength=NO_CLASS + 1)[: len(values.names)]
            largest = [at for at in np.argsort(-counts, kind="stable").tolist() if counts[at]]
            self._classes = [(at, f"{values.names[at]} {counts[at]:,}") for at in largest]
        description = ", ".join(text for _, text in self._classes) or (values.title if values else "")
        self.setAccessibleDescription(description)
        self.setToolTip(f"{description}\n\n{ALONE}" if self._classes else description)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        values = self._model.evaluating.value
        if values is None:
            return
        if self.hasFocus():
            painter.setPen(theme.accent)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        painter.scale(self._zoom.factor, self._zoom.factor)
        x, middle = MARGIN_PX, LEGEND_PX / 2
        self._entry_ends = []
        if values.shares is not None:
            self._paint_scale(painter, theme, values)
            return
        colors, lit = class_colors(values.names, theme.name), self._paint.lit_class
        metrics = painter.fontMetrics()
        shown, rest = self._divided(metrics)
        for at, text in shown:
            width = _entry_px(metrics, text)
            color = QColor.fromRgb(int(colors[at])) if lit in (None, at) else theme.line
            fill(painter, QRectF(x, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX), color, 3)
            painter.setPen(theme.accent if lit == at else theme.dim)
            painter.drawText(QPointF(x + SWATCH_PX + UNIT_PX + 2, middle + metrics.ascent() / 2 - 1), text)
            x += width
            self._entry_ends.append((x, at))
        if rest:
            named = next((text for at, text in rest if at == lit), "")
            painter.setPen(theme.accent if named else theme.dim)
            painter.drawText(QPointF(x, middle + metrics.ascent() / 2 - 1), named or _more(len(rest)))

    def _divided(self, metrics: QFontMetrics) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        ends = list(accumulate((_entry_px(metrics, text) for _, text in self._classes), initial=MARGIN_PX))
        room, n_shown = self.width() / self._zoom.factor - MARGIN_PX, len(self._classes)
        if ends[-1] > room:
            room -= metrics.horizontalAdvance(_more(n_shown))
            n_shown = max(0, bisect_right(ends, room) - 1)
        return self._classes[:n_shown], self._classes[n_shown:]

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = event.position().x() / self._zoom.factor
        at = next((at for end, at in self._entry_ends if x < end), None)
        rest = self._divided(self.fontMetrics())[1] if self._entry_ends else []
        if at is None and rest:
            self.list_classes(rest).popup(event.globalPosition().toPoint())
        else:
            self._light(at)

    def list_classes(self, classes: list[tuple[int, str]]) -> QMenu:
        menu, values, theme = QMenu(self), self._model.evaluating.value, self._theme_source.theme
        assert values is not None
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        colors = class_colors(values.names, theme.name)
        for at, text in classes:
            swatch = QPixmap(SWATCH_PX, SWATCH_PX)
            swatch.fill(QColor.fromRgb(int(colors[at])))
            menu.addAction(swatch, text).triggered.connect(partial(self._light, at))
        return menu

    def _light(self, at: int | None, *_: object) -> None:
        self._paint.light_class(None if at == self._paint.lit_class else at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        shown = [at for at, _ in self._classes]
        if event.key() == Qt.Key.Key_Escape:
            self._paint.light_class(None)
        elif step is not None and shown:
            lit = self._paint.lit_class
            before = shown.index(lit) if lit in shown else (-1 if step > 0 else 0)
            self._paint.light_class(shown[(before + step) % len(shown)])
        else:
            super().keyPressEvent(event)

    def _paint_scale(self, painter: QPainter, theme: Theme, values: NodeValues) -> None:
        metrics, middle, x = painter.fontMetrics(), LEGEND_PX / 2, float(MARGIN_PX)
        baseline = middle + metrics.ascent() / 2 - 1
        painter.setPen(theme.dim)
        for text in (values.title + ":", values.ends[0]):
            painter.drawText(QPointF(x, baseline), text)
            x += metrics.horizontalAdvance(text) + GAP_PX
        after = sum(map(metrics.horizontalAdvance, (values.ends[1], values.nothing)))
        room = self.width() / self._zoom.factor - x - after - MARGIN_PX - SWATCH_PX - UNIT_PX - 2 * GAP_PX
        length = min(SCALE_PX, max(SHORTEST_SCALE_PX, room))
        gradient = QLinearGradient(x, 0, x + length, 0)
        colors = scale_colors(theme.name)
        for at in range(N_STOPS):
            share = at / (N_STOPS - 1)
            value = values.lowest + (1 - values.lowest) * share
            gradient.setColorAt(share, QColor.fromRgb(int(colors[round(value * (len(colors) - 1))])))
        fill(painter, QRectF(x, middle - 5, length, 10), gradient, 4)
        painter.setPen(theme.dim)
        x += length + GAP_PX
        painter.drawText(QPointF(x, baseline), values.ends[1])
        x += metrics.horizontalAdvance(values.ends[1]) + MARGIN_PX
        swatch = QRectF(x, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX)
        fill(painter, swatch, QColor.fromRgb(nothing_color(theme.name)), 3)
        painter.setPen(theme.dim)
        painter.drawText(QPointF(x + SWATCH_PX + UNIT_PX + 2, baseline), values.nothing)


class MiniMap(Painted):
    """A map of the whole tree as a small icicle, with a frame around the view; drag to move it."""

    def __init__(self, model: TreeModel, paint: TreePaint, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Map of the tree")
        self._model = model
        self._paint = paint
        self._image: QImage | None = None
        self.setFixedSize(MAP_SIZE)
        policy = self.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # keeps the size of the legend next to it
        self.setSizePolicy(policy)
        self.setToolTip("The whole tree, with the part in view. Drag to move.")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        paint.changed.connect(self._redraw)
        model.view_changed.connect(self._on_view_changed)

    def _on_view_changed(self) -> None:
        picture = self._model.picture
        left, right = self._model.view
        self.setVisible(picture is not None and right - left < WHOLE * picture.width)
        self.update()

    def _redraw(self) -> None:
        self._image = None
        self._on_view_changed()

    def _paint_image(self) -> QImage | None:
        picture, colors = self._model.picture, self._paint.colors
        if picture is None or colors is None:
            return None
        theme = self._theme_source.theme
        width, height = MAP_SIZE.width(), MAP_SIZE.height()
        whole = Icicle(picture, (0.0, float(picture.width)), width, height)
        self._pixels = np.empty((height, width), np.uint32)
        on_panel = replace(colors, ground=number(theme.panel))
        paint_icicle(on_panel, whole.view, whole.tops, self._pixels, has_gaps=False)
        return QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        picture = self._model.picture
        if self._image is None:
            self._image = self._paint_image()
        if self._image is None or picture is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawImage(0, 0, self._image)
        scale = self.width() / picture.width
        left, right = self._model.view
        width = max((right - left) * scale, LEAST_FRAME_PX)
        frame = QRectF(min(left * scale, self.width() - width), 0, width, self.height())
        shade = QColor(theme.background)
        shade.setAlpha(150)
        painter.fillRect(QRectF(0, 0, frame.left(), self.height()), shade)
        painter.fillRect(QRectF(frame.right(), 0, self.width() - frame.right(), self.height()), shade)
        painter.setPen(QPen(theme.accent, 2))
        painter.drawRect(frame.adjusted(1, 1, -1, -1))
        painter.setPen(QPen(theme.line, 1))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._center_on(event.position().x())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._center_on(event.position().x())

    def _center_on(self, x: float) -> None:
        picture = self._model.picture
        if picture is None:
            return
        left, right = self._model.view
        middle = x / self.width() * picture.width
        view = within(picture, (middle - (right - left) / 2, middle + (right - left) / 2))
        self._model.set_view(view, remember=False)


def _entry_px(metrics: QFontMetrics, text: str) -> int:
    return metrics.horizontalAdvance(text) + SWATCH_PX + UNIT_PX + MARGIN_PX


def _more(n_classes: int) -> str:
    return f"{n_classes} more ▾"
