"""The appearance of widgets: pictures to compare part by part, and all painted texts and shapes."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QBrush,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QTextItem,
    QTransform,
)
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import Theme

NOT_SEEN = "\u2066\u2067\u2068\u2069"  # isolates of writing directions


class Picture(NamedTuple):
    """The image of a widget, and the names and positions of its parts."""

    image: QImage
    parts: list[tuple[str, QRect]]

    def differences(self, other: Picture) -> list[str]:
        """Parts without subparts that differ in appearance or position; empty if all are equal."""
        if self.image == other.image and self.parts == other.parts:
            return []
        pairs = list(zip(self.parts, other.parts, strict=False))
        moved = [f"{one} ≠ {two}" for one, two in pairs if one != two]
        painted = [name for name, place in self.parts if self.image.copy(place) != other.image.copy(place)]
        return moved + painted[-5:] or ["something"]


def process_events() -> None:
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()


def picture_of(widget: QWidget) -> Picture:
    """The picture of a widget without focus, because carets blink."""
    if focus := QApplication.focusWidget():
        focus.clearFocus()
    process_events()
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return Picture(image, picture_parts(widget))


def stale_parts(window: QWidget) -> list[str]:
    """Parts that would look different if repainted: a missing update."""
    process_events()
    parts = [("window", window.rect()), *picture_parts(window)]
    shown = window.screen().grabWindow(window.winId()).toImage()
    repainted = window.grab().toImage().convertToFormat(shown.format())
    return [name for name, place in parts if shown.copy(place) != repainted.copy(place)]


def picture_parts(widget: QWidget) -> list[tuple[str, QRect]]:
    shown = [part for part in widget.findChildren(QWidget) if part.isVisibleTo(widget)]
    return [(_name(part), QRect(part.mapTo(widget, QPoint()), part.size())) for part in shown]


def _name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"


class Mark(NamedTuple):
    """A painted text or shape; a shape has an empty text, and an unused colour an empty name."""

    text: str
    place: QRectF
    pen: str
    brush: str = ""
    look: str = ""  # of a text: "bold" or "struck"; of a line: "dashed" or "dotted"


class Paintings(QPaintEngine):
    """Records what is painted, in pixels of the widget, instead of painting it."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.marks: list[Mark] = []
        self._turn, self._pen, self._brush = QTransform(), QPen(), QBrush()

    @property
    def written(self) -> list[Mark]:
        return [mark for mark in self.marks if mark.text]

    @property
    def drawn(self) -> list[Mark]:
        return [mark for mark in self.marks if not mark.text]

    @property
    def texts(self) -> list[tuple[str, QRectF]]:
        return [(mark.text, mark.place) for mark in self.written]

    @property
    def shapes(self) -> list[QRectF]:
        return [mark.place for mark in self.drawn]

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
        if state.state() & QPaintEngine.DirtyFlag.DirtyPen:
            self._pen = state.pen()
        if state.state() & QPaintEngine.DirtyFlag.DirtyBrush:
            self._brush = state.brush()

    def drawTextItem(self, place: QPointF, item: QTextItem) -> None:
        text = item.text().strip(NOT_SEEN)
        if text:  # empty texts are glyphs of shaped texts
            height = item.ascent() + item.descent()
            box = QRectF(place.x(), place.y() - item.ascent(), item.width(), height)
            look = _font_style(item.font().bold(), item.font().strikeOut())
            self._write(Mark(text, self._turn.mapRect(box), self._pen.color().name(), look=look))

    def _write(self, mark: Mark) -> None:
        """Add a text; join it to an adjacent one, because Qt splits texts by script."""
        before = self.marks[-1] if self.marks else mark
        gap = QPointF(before.place.right() - mark.place.left(), before.place.top() - mark.place.top())
        if before.text and before[2:] == mark[2:] and gap.manhattanLength() < 0.5:
            self.marks[-1] = mark._replace(text=before.text + mark.text, place=before.place | mark.place)
        else:
            self.marks.append(mark)

    def drawPixmap(self, place: QRectF, picture: QPixmap, part: QRectF) -> None:
        self.marks.append(Mark("", self._turn.mapRect(place), ""))

    def drawRects(self, rects: list[QRectF]) -> None:
        for rect in rects:
            self._shape(self._turn.mapRect(QRectF(rect)))

    def drawPath(self, path: QPainterPath) -> None:
        self._shape(self._turn.mapRect(path.controlPointRect()))

    def drawPolygon(self, points: list[QPointF], mode: object) -> None:
        self._shape(self._turn.map(QPolygonF([QPointF(point) for point in points])).boundingRect())

    def drawLines(self, lines: list[QLineF]) -> None:
        for line in lines:
            place = self._turn.map(QPolygonF([line.p1(), line.p2()])).boundingRect()
            self.marks.append(_shape(place, self._pen, QBrush()))

    def _shape(self, place: QRectF) -> None:
        self.marks.append(_shape(place, self._pen, self._brush))


def _shape(place: QRectF, pen: QPen, brush: QBrush) -> Mark:
    is_line, is_filled = pen.style() != Qt.PenStyle.NoPen, brush.style() != Qt.BrushStyle.NoBrush
    look = {Qt.PenStyle.DashLine: "dashed", Qt.PenStyle.DotLine: "dotted"}.get(pen.style(), "")
    return Mark(
        "", place, pen.color().name() if is_line else "", brush.color().name() if is_filled else "", look
    )


def _font_style(is_bold: bool, is_struck: bool) -> str:
    return " ".join(word for word, is_so in (("bold", is_bold), ("struck", is_struck)) if is_so)


class Canvas(QPaintDevice):
    """A paint device of the size of a widget."""

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
    paintings = canvas.paintings
    with QPainter(canvas) as painter:
        painter.setClipRect(widget.rect())
        painter.setFont(widget.font())  # as Qt does for a painter of the widget
        widget.paint(painter, widget._theme_source.theme)
    return paintings


COLORS = (
    *("text", "dim", "faint", "line", "accent", "good", "bad", "warning", "control", "panel", "raised"),
    *("on_accent", "span_text"),
)


def in_words(marks: list[Mark], theme: Theme) -> list[str]:
    """Each text with style and colour, each shape with those of line and fill, in reading order."""
    names = {getattr(theme, name).name(): name for name in reversed(COLORS)} | {"": ""}
    names |= {color.name(): f"span{number}" for number, color in enumerate(theme.span_colors)}
    ordered = sorted(marks, key=lambda mark: (round(mark.place.center().y()), mark.place.left()))
    fields = (
        (mark.text, mark.look, names.get(mark.pen, "?"), names.get(mark.brush, "?")) for mark in ordered
    )
    return [" ".join(filter(None, words)) for words in fields]
