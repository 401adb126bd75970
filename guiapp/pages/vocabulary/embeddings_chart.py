"""All tokens as points of two figures: what looks untrained stands apart, and a click shows a token."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPen

from guiapp.kit.charts.chart import NUMBER, SUBTITLE, Chart, Word
from guiapp.kit.charts.scales import Scale
from guiapp.kit.widgets.painting import ring
from guiapp.kit.widgets.scales import told
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, ThemeSource
from guiapp.pages.vocabulary.embeddings import ACROSS, EmbeddingsModel, Picture
from guiapp.pages.vocabulary.marks import draw_hollow, draw_known, draw_suspects
from guiapp.pages.vocabulary.model import VocabularyModel

Pixels = NDArray[np.int64]
Key = Qt.Key
STEPS = {Key.Key_Left: -1, Key.Key_Up: -1, Key.Key_Right: 1, Key.Key_Down: 1}
NEAR_PX = 8  # of a point that a click means
FEW, LARGE_PX, SMALL_PX = 40_000, 3, 2  # up to so many tokens, points are large
RING_PX, FREE = 15, 1.03  # around the chosen token; beyond the highest value
FAINTEST = 0.3  # the strength of a single point; where most lie in one pixel it is 1
OTHERS = 0.35  # how far others are from the panel's colour to that of dim words
COLUMN_NAMES = {
    "norm": "norm",
    "cosine": "cosine distance",
    "residual": "cosine without component",
    "distance": "distance",
    "length": "length in bytes",
}
ABOUT = "{:,} tokens by {} and {}. Arrow keys go through those that look untrained."


class EmbeddingsChart(Chart):
    """What is listed has colour, the rest is grey.

    Signals:
        pointed_at(int | None): the token under the mouse.
    """

    ground = "panel"
    n_head_lines = 1
    pointed_at = Signal(object)

    def __init__(
        self, model: VocabularyModel, embeddings: EmbeddingsModel, theme_source: ThemeSource
    ) -> None:
        self._model, self._embeddings = model, embeddings
        self._density = pg.ImageItem(axisOrder="row-major")
        super().__init__(theme_source, "Norm and distance of the tokens' embeddings")
        self.box.addItem(self._density, ignoreBounds=True)
        self.setMinimumSize(160, 120)
        embeddings.changed.connect(self.redraw)
        model.shown_changed.connect(self.redraw)
        model.chosen_changed.connect(self._update)
        self.clicked.connect(self._choose)

    def sizeHint(self) -> QSize:
        return QSize(480, 240)

    @property
    def _picture(self) -> Picture | None:
        return self._embeddings.picture

    def draw(self) -> None:
        if (picture := self._picture) is None:
            return
        self.set_titles([""])
        self.setAccessibleName(self._name)
        self.setAccessibleDescription(ABOUT.format(len(picture.tokens), ACROSS, picture.up))
        scales = Scale(COLUMN_NAMES[ACROSS], told), Scale(COLUMN_NAMES[picture.up], told)
        self.frame(2 * GAP_PX + self.width_px("0000", NUMBER), GAP_PX, scales)
        highest = float(picture.x.max(initial=0)) or 1.0, float(picture.y.max(initial=0)) or 1.0
        self.show_range((0.0, highest[0] * FREE), (0.0, highest[1] * FREE))

    def place(self) -> None:
        if (picture := self._picture) is not None:
            at = QPointF(self.area.left(), self.head_px - self.line_px / 2)
            self.words.append(Word(f"↑ {COLUMN_NAMES[picture.up]}", at, self.theme.dim, SUBTITLE))
            self._draw_density(picture)

    def _pixels(self, picture: Picture) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the points are, from the lower left corner of the plot."""
        (left, right), (bottom, top) = self.box.viewRange()
        x = (picture.x - left) / (right - left) * self.area.width()
        return x, (picture.y - bottom) / (top - bottom) * self.area.height()

    def _draw_density(self, picture: Picture) -> None:
        """The points by pixel of the screen: the more lie there, the stronger it is."""
        ratio, (x, y) = self.devicePixelRatioF(), self._pixels(picture)
        width, height = (max(1, round(side * ratio)) for side in (self.area.width(), self.area.height()))
        size = round((LARGE_PX if len(x) <= FEW else SMALL_PX) * ratio)
        columns, rows = (x * ratio).astype(np.int64), (y * ratio).astype(np.int64)
        is_seen = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        shown = self._model.shown.ids  # of the next model already, perhaps
        is_listed = np.zeros(max(picture.tokens.max(initial=0), shown.max(initial=0)) + 1, np.bool_)
        is_listed[shown] = True
        listed, at = is_listed[picture.tokens], rows * width + columns
        pixels = np.zeros((height, width, 4), np.uint8)
        colors = blend(self.theme.panel, self.theme.dim, OTHERS), self.theme.contenders[0]
        for color, flags in zip(colors, (~listed, listed), strict=True):
            counts = np.bincount(at[flags & is_seen], minlength=width * height).reshape(height, width)
            there = (counts := _spread(counts, size)) > 0
            crowd = np.log(counts[there])
            most = float(crowd.max(initial=0))
            strength = FAINTEST + (1 - FAINTEST) * (crowd / most if most else np.ones(len(crowd)))
            pixels[there, :3] = color.red(), color.green(), color.blue()
            pixels[there, 3] = (strength * 255).astype(np.uint8)
        (left, right), (bottom, top) = self.box.viewRange()
        self._density.setImage(pixels, autoLevels=False, levels=None)
        self._density.setRect(QRectF(left, bottom, right - left, top - bottom))

    def token_at(self, position: QPointF) -> int | None:
        """The nearest token, those before others that look untrained or are known to be unused."""
        if (picture := self._picture) is None or not len(picture.tokens):
            return None
        x, y = self._pixels(picture)
        away = np.hypot(x + self.area.left() - position.x(), self.area.bottom() - y - position.y())
        away -= np.where(picture.is_suspect | picture.is_known, NEAR_PX / 2, 0)
        nearest = int(away.argmin())
        return int(picture.tokens[nearest]) if away[nearest] <= NEAR_PX else None

    def place_of(self, token: int) -> QPointF | None:
        """Where a token's point is; None where it has none."""
        picture = self._picture
        if picture is None or not len(rows := np.flatnonzero(picture.tokens == token)):
            return None
        return self.pixel(float(picture.x[rows[0]]), float(picture.y[rows[0]]))

    def paint_front(self, painter: QPainter) -> None:
        if (picture := self._picture) is None:
            return
        painter.save()
        painter.setClipRect(self.area.adjusted(-UNIT_PX, -UNIT_PX, UNIT_PX, UNIT_PX))
        painter.setPen(QPen(self.theme.warning, 1, Qt.PenStyle.DashLine))
        if picture.limit_across is not None:
            x = self.pixel(picture.limit_across, 0).x()
            painter.drawLine(QPointF(x, self.area.top()), QPointF(x, self.area.bottom()))
        if picture.limit_up is not None:
            y = self.pixel(0, picture.limit_up).y()
            painter.drawLine(QPointF(self.area.left(), y), QPointF(self.area.right(), y))
        is_reached = ~picture.is_unreached
        draw_known(painter, self.theme, self._points(picture, picture.is_known))
        draw_hollow(painter, self.theme, self._points(picture, picture.is_suspect & ~is_reached))
        draw_suspects(painter, self.theme, self._points(picture, picture.is_suspect & is_reached))
        if self._model.chosen is not None and (at := self.place_of(self._model.chosen)) is not None:
            rect = QRectF(at.x() - RING_PX / 2, at.y() - RING_PX / 2, RING_PX, RING_PX)
            ring(painter, rect, QPen(self.theme.accent, 2), RING_PX / 2)
        painter.restore()
        if self.hasFocus():
            ring(painter, self.rect(), self.theme.accent, UNIT_PX)
        super().paint_front(painter)

    def _points(self, picture: Picture, flags: NDArray[np.bool_]) -> list[QPointF]:
        return [self.pixel(x, y) for x, y in zip(picture.x[flags], picture.y[flags], strict=True)]

    # Mouse and keys

    def key_at(self, position: QPointF) -> Hashable:
        return self.token_at(position)

    def _on_mouse_moved(self, position: QPointF) -> None:
        super()._on_mouse_moved(position)
        self.pointed_at.emit(self.token_at(position))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed_at.emit(None)

    def _choose(self, token: int | None, _part: object) -> None:
        if token is not None:
            self._model.choose(token)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = STEPS.get(Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._embeddings.step(step)


def _spread(counts: Pixels, size: int) -> Pixels:
    """Each count on a square of so many pixels."""
    for axis in (0, 1):
        wide = counts.copy()
        for by in range(1, size):
            ahead, behind = [slice(None)] * 2, [slice(None)] * 2
            ahead[axis], behind[axis] = slice(by, None), slice(None, -by)
            wide[tuple(ahead)] += counts[tuple(behind)]
        counts = wide
    return counts
