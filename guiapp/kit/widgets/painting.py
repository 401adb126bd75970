"""Shared code of widgets that paint themselves: shapes, lines of text, markers, icons, images."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from math import cos, pi, sin
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QObject, QPointF, QRect, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QGradient,
    QIcon,
    QImage,
    QImageWriter,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
    QTextLayout,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QProgressBar, QWidget

from guiapp.core.demo import resources_folder
from guiapp.core.sources.files import replace_file
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import TokenloupeError, not_written
from guiapp.kit.widgets.theme import UNIT_PX, Theme, ThemeSource

SIZE_PX = 16  # of an icon
SCALES = (1, 2, 3)  # device pixels per pixel
DISABLED = 0.35  # opacity of an icon; the style's own grey is hardly visible on a dark background
MARKER_PX = 9
CORNERS = (3, -pi / 2), (4, pi / 4), (4, 0.0)  # triangle, square, diamond: count, angle of the first
WHOLE = 1000
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter
WRAP = Qt.TextFlag.TextWordWrap
SHARED_PX = 64
SAMPLES = tuple("αяאعअகទไខབაԱአ汉あ한😀∑⠁→")  # one for each script
TURN_MS = 100  # between two lookups
LAST_PLAIN = "\u058f"  # up to here: Latin, Greek, Cyrillic and a few more, which most fonts have


class Painted(QWidget):
    """A widget that paints itself, again when the theme changes.

    ground  the theme colour of its background; if set, Qt need not paint what is below
    """

    ground = ""

    def __init__(self, theme_source: ThemeSource, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme_source = theme_source
        self.setAccessibleName(name)
        theme_source.changed.connect(self.update)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, bool(self.ground))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme_source.theme
        with QPainter(self) as painter:  # ends even if painting fails
            if self.ground:
                painter.fillRect(event.rect(), getattr(theme, self.ground))
            painter.setClipRect(event.rect())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint(painter, theme)

    @abstractmethod
    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw the whole widget, or at least the part inside the painter's clip."""


class Overlay(Painted):
    """A widget above all others of a window; transparent for the mouse."""

    def __init__(self, theme_source: ThemeSource, window: QWidget, name: str = "") -> None:
        super().__init__(theme_source, name, window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self, rect: QRect) -> None:
        self.setGeometry(rect)
        self.show()
        self.raise_()


class PaintedButton(QAbstractButton):
    """A button that paints itself on a background with round corners, and an outline if focused."""

    radius_px: float = 6

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        theme_source.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, whole = self._theme_source.theme, QRectF(self.rect())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if (ground := self.ground(theme)) is not None:
                fill(painter, whole, ground, self.radius_px)
            if (edge := self.edge(theme)) is not None:
                ring(painter, whole, edge, self.radius_px)
            self.paint(painter, theme)

    def ground(self, theme: Theme) -> QColor | None:
        is_meant = self.isEnabled() and self.underMouse()
        return theme.raised if is_meant or self.hasFocus() else None

    def edge(self, theme: Theme) -> QColor | None:
        return theme.accent if self.hasFocus() else None

    @abstractmethod
    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw the contents of the button."""


def fill(painter: QPainter, rect: QRectF | QRect, brush: QBrush | QColor | QGradient, radius: float) -> None:
    """Draw a rectangle with round corners and no outline."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)
    painter.drawRoundedRect(rect, radius, radius)


def ring(painter: QPainter, rect: QRectF | QRect, pen: QPen | QColor, radius: float) -> None:
    """Draw an outline with round corners just inside a rectangle."""
    pen = QPen(pen)
    half = pen.widthF() / 2
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(rect).adjusted(half, half, -half, -half), radius, radius)


def elided(text: str, font: QFont, width: float, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight) -> str:
    """Elide a text to a width."""
    return QFontMetricsF(font).elidedText(text, mode, width)


def write(
    painter: QPainter,
    rect: QRectF | QRect,
    text: str,
    color: QColor,
    side: Qt.AlignmentFlag | Qt.TextFlag | int = LEFT,
    font: QFont | None = None,
) -> None:
    """Draw a line of text at a side of a rectangle; in the painter's font by default."""
    font = painter.font() if font is None else font
    painter.setPen(color)
    if max(text, default="") <= LAST_PLAIN:
        painter.setFont(font)
        painter.drawText(rect, side, text)
        return
    shared, factor = in_shared_size(font)
    painter.setFont(shared)
    with scaled(painter, factor):
        painter.drawText(QRectF(QPointF(rect.topLeft()) / factor, QSizeF(rect.size()) / factor), side, text)
    painter.setFont(font)


def width_of(text: str, font: QFont) -> float:
    """The width of a text as `write` draws it."""
    shared, factor = in_shared_size(font)
    return QFontMetricsF(shared).horizontalAdvance(text) * factor


def in_shared_size(font: QFont) -> tuple[QFont, float]:
    """The font in the one size in which texts of all scripts are shaped, and the scale factor.

    Qt looks up the fonts of a script for each size separately, and caches them, with a description of each
    font that it examined, as long as a QFont of that size lives.
    """
    shared = QFont(font)
    shared.setPixelSize(SHARED_PX)
    return shared, font.pixelSize() / SHARED_PX


def find_fonts(font: QFont, owner: QObject) -> None:
    """Look up fonts for all scripts before a text needs them: one at a time, with pauses.

    For the first character of a script, Qt takes some 10 ms to find a font.  A page in ten scripts that
    scrolled into view took 100.
    """
    waiting, turn = list(SAMPLES), QTimer(owner, interval=TURN_MS)

    def search() -> None:
        layout = QTextLayout(waiting.pop(0), font)
        layout.beginLayout()
        layout.createLine().setLineWidth(100)
        layout.endLayout()
        if not waiting:
            turn.stop()

    turn.timeout.connect(search)
    turn.start()


@contextmanager
def scaled(painter: QPainter, factor: float) -> Iterator[None]:
    """Scale the painter within a block."""
    before = painter.worldTransform()
    painter.scale(factor, factor)
    yield
    painter.setWorldTransform(before)


def outline(theme: Theme, attributes: int, line_px: float = 1.3) -> QPen:
    """The outline of a token with these `Attribute` bits: solid for control, dotted for user-defined."""
    if attributes & Attribute.CONTROL:
        return QPen(theme.control, line_px)
    if attributes & Attribute.USER_DEFINED:
        return QPen(theme.text, 1.4, Qt.PenStyle.DotLine, Qt.PenCapStyle.RoundCap)
    return QPen(Qt.PenStyle.NoPen)


def clear_pixmap(
    width: float, height: float, scale: float, color: QColor | Qt.GlobalColor = Qt.GlobalColor.transparent
) -> QPixmap:
    """A filled pixmap, with `scale` device pixels for each pixel."""
    pixmap = QPixmap(max(1, round(width * scale)), max(1, round(height * scale)))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(color)
    return pixmap


def bold(font: QFont, is_bold: bool = True) -> QFont:
    font.setBold(is_bold)
    return font


class ShareBar(QProgressBar):
    """A progress bar without text; `name` is for screen readers."""

    def __init__(self, name: str, width_px: int | None = None) -> None:
        super().__init__(textVisible=False, maximum=WHOLE)
        self.setAccessibleName(name)
        if width_px is not None:
            self.setFixedWidth(width_px)

    def show_share(self, share: float) -> None:
        """Show a share from 0 to 1."""
        self.setValue(round(share * WHOLE))


def color_of(number: int, theme: Theme) -> QColor:
    return theme.contenders[number % len(theme.contenders)]


def draw_marker(painter: QPainter, center: QPointF, number: int, theme: Theme) -> None:
    """Draw the marker of a column: a circle, a triangle, a square, a diamond."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color_of(number, theme))
    radius = MARKER_PX / 2
    if number % (len(CORNERS) + 1) == 0:
        painter.drawEllipse(QRectF(center.x() - radius, center.y() - radius, MARKER_PX, MARKER_PX))
        return
    n_corners, first = CORNERS[(number - 1) % len(CORNERS)]
    reach = radius * 1.25
    angles = [first + 2 * pi * corner / n_corners for corner in range(n_corners)]
    painter.drawPolygon(
        QPolygonF([QPointF(center.x() + reach * cos(at), center.y() + reach * sin(at)) for at in angles])
    )


class Marker(Painted):
    """The marker of a column, for use in front of the name of its model."""

    def __init__(self, theme_source: ThemeSource, number: int) -> None:
        super().__init__(theme_source)
        self._number = number
        self.setFixedSize(MARKER_PX + UNIT_PX, MARKER_PX + UNIT_PX)

    def show_number(self, number: int) -> None:
        self._number = number
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        draw_marker(painter, QRectF(self.rect()).center(), self._number, theme)


def icon(name: str, color: QColor, size_px: int = SIZE_PX) -> QIcon:
    """An icon of resources/icons in one colour, sharp on all screens."""
    return _icon(name, color.name(), size_px)


@lru_cache(maxsize=256)
def _icon(name: str, color: str, size_px: int) -> QIcon:
    source = _source(name).replace("currentColor", color)
    renderer = QSvgRenderer(QByteArray(source.encode()))
    result = QIcon()
    for scale in SCALES:
        pixmap = clear_pixmap(size_px * scale, size_px * scale, 1)
        with QPainter(pixmap) as painter:
            renderer.render(painter, QRectF(pixmap.rect()))
        faded = clear_pixmap(pixmap.width(), pixmap.height(), 1)
        with QPainter(faded) as painter:
            painter.setOpacity(DISABLED)
            painter.drawPixmap(0, 0, pixmap)
        for each, mode in ((pixmap, QIcon.Mode.Normal), (faded, QIcon.Mode.Disabled)):
            each.setDevicePixelRatio(scale)
            result.addPixmap(each, mode)
    return result


@cache
def _source(name: str) -> str:
    return (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def application_icon() -> QIcon:
    return QIcon(str(resources_folder() / "icons" / "tokenloupe.svg"))


class ImageError(TokenloupeError):
    """An image that cannot be written; the message states what to do."""


def image_bytes(image: QImage, path: Path) -> bytes:
    """Encode an image in the format of the path's ending; compressing a large PNG takes a second."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, path.suffix[1:].lower().encode()).write(image):
        raise ImageError(f"{path} does not end in a picture format. Use an ending such as .png.")
    return bytes(buffer.data().data())


def save_image(image: QImage, path: Path) -> None:
    """Write an image, or change nothing.  Raises ImageError."""
    try:
        replace_file(path, image_bytes(image, path))
    except OSError as error:
        raise ImageError(not_written(path, error)) from error
