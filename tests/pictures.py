"""What is seen of widgets: pictures to compare part by part, and each text and shape that is painted."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import pytest
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF
from PySide6.QtGui import (
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPixmap,
    QPolygonF,
    QTextItem,
    QTransform,
)
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.widgets.shared.painting import Painted
from guiapp.widgets.shared.shaped_texts import ShapedTexts


class Picture(NamedTuple):
    """A widget as it looks, and where which of its parts is."""

    image: QImage
    parts: list[tuple[str, QRect]]

    def differences(self, other: Picture) -> list[str]:
        """The parts without parts of their own that look or stand otherwise; empty if all is the same."""
        if self.image == other.image and self.parts == other.parts:
            return []
        pairs = list(zip(self.parts, other.parts, strict=False))
        moved = [f"{one} ≠ {two}" for one, two in pairs if one != two]
        painted = [name for name, place in self.parts if self.image.copy(place) != other.image.copy(place)]
        return moved + painted[-5:] or ["something"]


def settle() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()


def picture_of(widget: QWidget) -> Picture:
    """With nothing in focus, as carets blink."""
    if focus := QApplication.focusWidget():
        focus.clearFocus()
    settle()
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    shown = [part for part in widget.findChildren(QWidget) if part.isVisibleTo(widget)]
    return Picture(image, [(_name(part), QRect(part.mapTo(widget, QPoint()), part.size())) for part in shown])


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"


class Paintings(QPaintEngine):
    """Notes what is painted, in pixels of the widget, rather than painting it."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.texts: list[tuple[str, QRectF]] = []
        self.shapes: list[QRectF] = []
        self._turn = QTransform()

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def begin(self, device: QPaintDevice) -> bool:
        self.setActive(True)
        return True

    def end(self) -> bool:
        return True

    def updateState(self, state: QPaintEngineState) -> None:
        if state.state() & QPaintEngine.DirtyFlag.DirtyTransform:
            self._turn = state.transform()

    def drawTextItem(self, place: QPointF, item: QTextItem) -> None:
        if item.text():  # others are glyphs of shaped texts
            height = item.ascent() + item.descent()
            box = QRectF(place.x(), place.y() - item.ascent(), item.width(), height)
            self.texts.append((item.text(), self._turn.mapRect(box)))

    def drawPixmap(self, place: QRectF, picture: QPixmap, part: QRectF) -> None:
        self.shapes.append(self._turn.mapRect(place))

    def drawRects(self, rects: list[QRectF]) -> None:
        self.shapes += [self._turn.mapRect(QRectF(rect)) for rect in rects]

    def drawPath(self, path: QPainterPath) -> None:
        self.shapes.append(self._turn.mapRect(path.controlPointRect()))

    def drawPolygon(self, points: list[QPointF], mode: object) -> None:
        self.shapes.append(self._turn.map(QPolygonF([QPointF(point) for point in points])).boundingRect())

    def drawLines(self, lines: list[QLineF]) -> None:
        for line in lines:
            self.drawPolygon([line.p1(), line.p2()], None)

    def shaped(self, texts: ShapedTexts, painter: QPainter, placed, share: float = 0.5) -> None:
        for left, room, middle, text in placed:
            width, height = texts.width(text), texts._lone.height * 0.8  # lines may touch
            box = QRectF(left + (room - width) * share, middle - height / 2, width, height)
            self.texts.append((text, painter.combinedTransform().mapRect(box)))


class Canvas(QPaintDevice):
    """As large as a widget."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self._like = widget
        self.paintings = Paintings()

    def paintEngine(self) -> QPaintEngine:
        return self.paintings

    def metric(self, metric: QPaintDevice.PaintDeviceMetric) -> int:
        names = QPaintDevice.PaintDeviceMetric
        sizes = {names.PdmWidth: self._like.width(), names.PdmHeight: self._like.height()}
        dots = names.PdmDpiX, names.PdmDpiY, names.PdmPhysicalDpiX, names.PdmPhysicalDpiY
        ones = names.PdmDevicePixelRatio, names.PdmDepth
        scaled = {names.PdmDevicePixelRatioScaled: 1 << 16}
        return (sizes | scaled | dict.fromkeys(dots, 96) | dict.fromkeys(ones, 1)).get(metric, 0)


def paintings_of(widget: Painted) -> Paintings:
    canvas = Canvas(widget)
    with pytest.MonkeyPatch.context() as patch, QPainter(canvas) as painter:
        patch.setattr(
            ShapedTexts, "draw_all", lambda *given, **named: canvas.paintings.shaped(*given, **named)
        )
        widget.paint(painter, widget._theme_source.theme)
    return canvas.paintings


def badly_placed(widget: Painted) -> list[str]:
    """What is painted beyond the edges of a widget, and texts that lie over each other."""
    paintings, edges = paintings_of(widget), QRectF(widget.rect()).adjusted(-2, -2, 2, 2)
    name = widget.accessibleName() or type(widget).__name__
    beyond = [f"{name}: {text} {box}" for text, box in paintings.texts if (edges | box) != edges]
    beyond += [f"{name}: {shape}" for shape in paintings.shapes if (edges | shape) != edges]
    for (one, box), (other, place) in combinations(paintings.texts, 2):
        shared = box & place
        if min(shared.width(), shared.height()) > 4 and (one, box) != (other, place):
            beyond.append(f"{name}: {one} over {other}")
    return beyond
