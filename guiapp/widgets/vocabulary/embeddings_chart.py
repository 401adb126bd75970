"""All tokens as points of two figures, painted by pixel: what looks untrained stands apart, a click looks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
)

from guiapp.viewmodels.vocabulary.embeddings import ACROSS, EmbeddingsModel, Picture
from guiapp.viewmodels.vocabulary.model import Shown, VocabularyModel
from guiapp.widgets.shared.painting import CENTER, LEFT, RIGHT, Painted, clear_pixmap, ring, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.steps.pictures.scales import Scale, told

Pixels = NDArray[np.int64]
Key = Qt.Key
STEPS = {Key.Key_Left: -1, Key.Key_Up: -1, Key.Key_Right: 1, Key.Key_Down: 1}
NEAR_PX = 8  # of a point that a click means
LINE_PX = 18  # of numbers and names
FEW, LARGE_PX, SMALL_PX = 40_000, 3, 2  # up to so many tokens, points are large
MARK_PX, KNOWN_PX, RING_PX = 5, 7, 15
FAINTEST = 0.3  # the share of the colour of a single point; the most that lie in one place have all of it
OTHERS = 0.35  # how far others are from the panel's colour to that of dim words
COLUMN_NAMES = {
    "norm": "norm",
    "cosine": "cosine distance",
    "residual": "cosine without component",
    "distance": "distance",
    "length": "length in bytes",
}
ALIKE = "{:,} tokens by {} and {}. Arrow keys go through those that look untrained."


class _Placed(NamedTuple):
    """Where the points are, and the picture of all of them; of what, in what size and theme."""

    picture: Picture
    shown: Shown
    look: object
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    pixmap: QPixmap


class EmbeddingsChart(Painted):
    """What is listed has colour, the rest is grey.

    Signals:
        pointed_at(int | None): the token under the mouse.
    """

    ground = "panel"
    pointed_at = Signal(object)

    def __init__(
        self, model: VocabularyModel, embeddings: EmbeddingsModel, theme_source: ThemeSource
    ) -> None:
        super().__init__(theme_source, "Norm and distance of the tokens' embeddings")
        self._model = model
        self._embeddings = embeddings
        self._placed: _Placed | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFont(Theme.ui_font(SMALL_FONT_PX))
        self.setMinimumSize(160, 120)
        embeddings.changed.connect(self._follow)
        model.shown_changed.connect(self.update)
        model.chosen_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(480, 240)

    def _follow(self) -> None:
        picture = self._embeddings.picture
        words = "" if picture is None else ALIKE.format(len(picture.tokens), ACROSS, picture.up)
        self.setAccessibleDescription(words)
        self.update()

    # Geometry

    @property
    def area(self) -> QRectF:
        """Where points are."""
        left = 2 * GAP_PX + QFontMetricsF(Theme.mono_font(SMALL_FONT_PX)).horizontalAdvance("0000")
        return QRectF(self.rect()).adjusted(left, LINE_PX + UNIT_PX, -GAP_PX, -LINE_PX - UNIT_PX)

    def token_at(self, position: QPointF) -> int | None:
        """The nearest token, those before others that look untrained or are known to be unused."""
        placed = self._place()
        if placed is None or not len(placed.x):
            return None
        picture = placed.picture
        away = np.hypot(placed.x - position.x(), placed.y - position.y())
        away -= np.where(picture.is_suspect | picture.is_known, NEAR_PX / 2, 0)
        nearest = int(away.argmin())
        return int(picture.tokens[nearest]) if away[nearest] <= NEAR_PX else None

    def place_of(self, token: int) -> QPointF | None:
        """Where a token's point is; None where it has none."""
        placed = self._place()
        if placed is None or not len(rows := np.flatnonzero(placed.picture.tokens == token)):
            return None
        return QPointF(placed.x[rows[0]], placed.y[rows[0]])

    def _place(self) -> _Placed | None:
        """Where all are, and their picture, as long as nothing of it changes."""
        picture, theme = self._embeddings.picture, self._theme_source.theme
        if picture is None:
            return None
        ratio = self.devicePixelRatioF()
        shown, look, last = self._model.shown, (self.size(), ratio, theme.name), self._placed
        if last is None or last.picture is not picture or last.shown is not shown or last.look != look:
            area = self.area
            across, up = _scales(picture)
            x = area.left() + area.width() * picture.x / (across.highest or 1)
            y = area.bottom() - area.height() * picture.y / (up.highest or 1)
            pixmap = clear_pixmap(self.width(), self.height(), ratio)
            with QPainter(pixmap) as painter:
                painter.drawImage(0, 0, self._points(picture, x, y, ratio, theme))
                _paint_marks(painter, picture, x, y, theme)
            self._placed = _Placed(picture, shown, look, x, y, pixmap)
        return self._placed

    def _points(
        self, picture: Picture, x: NDArray[np.float64], y: NDArray[np.float64], ratio: float, theme: Theme
    ) -> QImage:
        """The points by pixel: the more lie there, the stronger it is."""
        width, height = max(1, round(self.width() * ratio)), max(1, round(self.height() * ratio))
        size = round((LARGE_PX if len(x) <= FEW else SMALL_PX) * ratio)
        at = (y * ratio).astype(np.int64).clip(0, height - 1) * width
        at += (x * ratio).astype(np.int64).clip(0, width - 1)
        is_listed = np.zeros(len(self._model.prepared.figures) if self._model.prepared else 0, np.bool_)
        is_listed[self._model.shown.ids] = True
        listed = is_listed[picture.tokens]
        pixels = np.zeros((height, width, 4), np.uint8)
        colors = blend(theme.panel, theme.dim, OTHERS), theme.contenders[0]
        for color, flags in zip(colors, (~listed, listed), strict=True):
            counts = _spread(np.bincount(at[flags], minlength=width * height).reshape(height, width), size)
            there = counts > 0
            crowd = np.log(counts[there])
            most = float(crowd.max(initial=0))
            strength = FAINTEST + (1 - FAINTEST) * (crowd / most if most else np.ones(len(crowd)))
            rgb = np.array([color.blue(), color.green(), color.red(), 255])
            pixels[there] = (strength[:, None] * rgb).astype(np.uint8)
        image = QImage(pixels.data, width, height, QImage.Format.Format_ARGB32_Premultiplied).copy()
        image.setDevicePixelRatio(ratio)
        return image

    # Painting

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if (placed := self._place()) is None:
            return
        self._paint_scales(painter, theme, placed.picture)
        painter.drawPixmap(0, 0, placed.pixmap)
        if self._model.chosen is not None and (at := self.place_of(self._model.chosen)) is not None:
            place = QRectF(at.x() - RING_PX / 2, at.y() - RING_PX / 2, RING_PX, RING_PX)
            ring(painter, place, QPen(theme.accent, 2), RING_PX / 2)
        if self.hasFocus():
            ring(painter, self.rect(), theme.accent, UNIT_PX)

    def _paint_scales(self, painter: QPainter, theme: Theme, picture: Picture) -> None:
        area, font = self.area, Theme.mono_font(SMALL_FONT_PX)
        across, up = _scales(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for value in across.ticks(max(2, int(area.width() // 90))):
            x = area.left() + area.width() * across.share(value)
            painter.setPen(theme.line)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            place = QRectF(x - 30, area.bottom() + UNIT_PX, 60, LINE_PX)
            write(painter, place, told(value), theme.dim, CENTER, font)
        for value in up.ticks(max(2, int(area.height() // 40))):
            y = area.bottom() - area.height() * up.share(value)
            painter.setPen(theme.line)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            place = QRectF(0, y - LINE_PX / 2, area.left() - GAP_PX, LINE_PX)
            write(painter, place, told(value), theme.dim, RIGHT, font)
        painter.setPen(QPen(theme.warning, 1, Qt.PenStyle.DashLine))
        if picture.limit_across is not None:
            x = area.left() + area.width() * across.share(picture.limit_across)
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        if picture.limit_up is not None:
            y = area.bottom() - area.height() * up.share(picture.limit_up)
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        small, head = Theme.ui_font(SMALL_FONT_PX), QRectF(area.left(), 0, area.width(), LINE_PX)
        write(painter, head, f"↑ {COLUMN_NAMES[picture.up]}", theme.dim, LEFT, small)
        write(painter, head, f"{COLUMN_NAMES[ACROSS]} →", theme.dim, RIGHT, small)

    # Mouse and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        token = self.token_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if token is None else Qt.CursorShape.PointingHandCursor)
        self.pointed_at.emit(token)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed_at.emit(None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        token = self.token_at(event.position())
        if event.button() is Qt.MouseButton.LeftButton and token is not None:
            self._model.choose(token)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = STEPS.get(Key(event.key()))
        if step is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            self._embeddings.step(step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()


def _scales(picture: Picture) -> tuple[Scale, Scale]:
    return Scale(float(picture.x.max(initial=0))), Scale(float(picture.y.max(initial=0)))


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


def _paint_marks(
    painter: QPainter, picture: Picture, x: NDArray[np.float64], y: NDArray[np.float64], theme: Theme
) -> None:
    """Circles for what is known to be unused; squares for what looks so, hollow where no text leads."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def places(flags: NDArray[np.bool_]) -> list[QPointF]:
        return [QPointF(*place) for place in zip(x[flags].tolist(), y[flags].tolist(), strict=True)]

    draw_known(painter, theme, places(picture.is_known))
    draw_hollow(painter, theme, places(picture.is_suspect & picture.is_unreached))
    draw_suspects(painter, theme, places(picture.is_suspect & ~picture.is_unreached))


def draw_suspects(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Squares of what looks untrained."""
    painter.setPen(QPen(theme.warning, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
    painter.drawPoints(QPolygonF(places))


def draw_hollow(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Squares of what looks untrained, and is not reached by text either."""
    painter.setPen(QPen(theme.warning, 1))
    painter.setBrush(theme.panel)
    for at in places:
        painter.drawRect(QRectF(at.x() - MARK_PX / 2, at.y() - MARK_PX / 2, MARK_PX, MARK_PX))


def draw_known(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Circles of what is known to be unused."""
    painter.setPen(QPen(theme.dim, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for at in places:
        painter.drawEllipse(at, KNOWN_PX / 2, KNOWN_PX / 2)
