"""What the colours of the tree mean, in one line below it; and the whole tree in small, to move the view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from guiapp.core.tree.coloring import NO_CLASS
from guiapp.core.tree.painting import paint_icicle
from guiapp.viewmodels.tree.geometry import Icicle, within
from guiapp.viewmodels.tree.model import TreeModel
from guiapp.widgets.shared.painting import Painted, fill
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.tree.colors import class_colors, number, scale_colors
from guiapp.widgets.tree.paint import TreePaint

LEGEND_PX = 30
SWATCH_PX = 10
SCALE_PX = 160
MAP_SIZE = QSize(190, 64)
LEAST_FRAME_PX = 3
N_STOPS = 16
ALONE = "Click on one to show it alone; click again to show all."


class TreeLegend(Painted):
    """The classes with the most tokens, or the scale; a click on a class shows it alone, as do arrow keys."""

    ground = "background"

    def __init__(self, model: TreeModel, paint: TreePaint, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Legend")
        self._model = model
        self._paint = paint
        self._places: list[tuple[float, int]] = []
        self._classes: list[tuple[int, str]] = []
        self.setFixedHeight(LEGEND_PX)
        self.setFont(Theme.ui_font(SMALL_FONT_PX))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        paint.changed.connect(self.update)
        model.values_changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        values, picture = self._model.values, self._model.picture
        self._classes = []
        if values is not None and picture is not None and values.shares is None:
            is_token = picture.layout.tokens >= 0
            counts = np.bincount(values.classes[is_token], minlength=NO_CLASS + 1)[: len(values.names)]
            largest = [at for at in np.argsort(-counts, kind="stable").tolist() if counts[at]]
            self._classes = [(at, f"{values.names[at]} {counts[at]:,}") for at in largest]
        said = ", ".join(text for _, text in self._classes) or (values.title if values else "")
        self.setAccessibleDescription(said)
        self.setToolTip(f"{said}\n\n{ALONE}" if self._classes else said)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        values = self._model.values
        if values is None:
            return
        if self.hasFocus():
            painter.setPen(theme.accent)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        x, middle = MARGIN_PX, self.height() / 2
        self._places = []
        if values.shares is not None:
            self._paint_scale(painter, theme, values.title, values.ends)
            return
        colors, lit = class_colors(values.names, theme.name), self._paint.lit_class
        metrics = painter.fontMetrics()
        for at, text in self._classes:
            width = metrics.horizontalAdvance(text) + SWATCH_PX + UNIT_PX + MARGIN_PX
            if x + width > self.width() - MARGIN_PX:
                painter.setPen(theme.dim)
                painter.drawText(QPointF(x, middle + metrics.ascent() / 2 - 1), "…")
                break
            fill(
                painter,
                QRectF(x, middle - SWATCH_PX / 2, SWATCH_PX, SWATCH_PX),
                _color(int(colors[at])) if lit in (None, at) else theme.line,
                3,
            )
            painter.setPen(theme.accent if lit == at else theme.dim)
            painter.drawText(QPointF(x + SWATCH_PX + UNIT_PX + 2, middle + metrics.ascent() / 2 - 1), text)
            x += width
            self._places.append((x, at))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Show the class under the pointer alone, or all again."""
        at = next((at for end, at in self._places if event.position().x() < end), None)
        self._paint.light_class(None if at == self._paint.lit_class else at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        shown = [at for _, at in self._places]
        if event.key() == Qt.Key.Key_Escape:
            self._paint.light_class(None)
        elif step is not None and shown:
            lit = self._paint.lit_class
            before = shown.index(lit) if lit in shown else (-1 if step > 0 else 0)
            self._paint.light_class(shown[(before + step) % len(shown)])
        else:
            super().keyPressEvent(event)

    def _paint_scale(self, painter: QPainter, theme: Theme, title: str, ends: tuple[str, str]) -> None:
        metrics, middle, x = painter.fontMetrics(), self.height() / 2, float(MARGIN_PX)
        baseline = middle + metrics.ascent() / 2 - 1
        painter.setPen(theme.dim)
        for text in (title + ":", ends[0]):
            painter.drawText(QPointF(x, baseline), text)
            x += metrics.horizontalAdvance(text) + GAP_PX
        gradient = QLinearGradient(x, 0, x + SCALE_PX, 0)
        for at, color in enumerate(scale_colors(theme.name, N_STOPS).tolist()):
            gradient.setColorAt(at / (N_STOPS - 1), _color(color))
        fill(painter, QRectF(x, middle - 5, SCALE_PX, 10), gradient, 4)
        painter.setPen(theme.dim)
        painter.drawText(QPointF(x + SCALE_PX + GAP_PX, baseline), ends[1])


class MiniMap(QWidget):
    """The whole tree as a small icicle, with a frame around what is in view; drag it to move."""

    def __init__(
        self, model: TreeModel, paint: TreePaint, theme_source: ThemeSource, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._paint = paint
        self._theme_source = theme_source
        self._image: QImage | None = None
        self.setFixedSize(MAP_SIZE)
        self.setAccessibleName("Map of the tree")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        paint.changed.connect(self._redraw)
        model.view_changed.connect(self._follow_view)

    def _follow_view(self) -> None:
        picture = self._model.picture
        left, right = self._model.view
        self.setVisible(picture is not None and right - left < 0.995 * picture.width)
        self.update()

    def _redraw(self) -> None:
        self._image = None
        self._follow_view()

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

    def paintEvent(self, event: QPaintEvent) -> None:
        picture, theme = self._model.picture, self._theme_source.theme
        if self._image is None:
            self._image = self._paint_image()
        if self._image is None or picture is None:
            return
        painter = QPainter(self)
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


def _color(value: int) -> QColor:
    return QColor(value >> 16 & 255, value >> 8 & 255, value & 255)
