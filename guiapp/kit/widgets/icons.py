"""Icons of one stroke weight, drawn in whatever colour the theme asks for."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QRectF
from PySide6.QtGui import QColor, QIcon, QImage, QImageWriter, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from guiapp.core.demo import resources_folder
from guiapp.core.sources.files import replace_file
from guiapp.errors import TokenloupeError, not_written
from guiapp.kit.widgets.painting import clear_pixmap

SIZE_PX = 16
SCALES = (1, 2, 3)  # device pixels per pixel
DISABLED = (
    0.35  # opacity where an action cannot be chosen; the style's own grey is hardly seen on dark ground
)


def icon(name: str, color: QColor, size_px: int = SIZE_PX) -> QIcon:
    """An icon of resources/icons in one colour, sharp on all screens."""
    source = _source(name).replace("currentColor", color.name())
    renderer = QSvgRenderer(QByteArray(source.encode()))
    result = QIcon()
    for scale in SCALES:
        pixmap = clear_pixmap(size_px * scale, size_px * scale, 1)
        with QPainter(pixmap) as painter:
            renderer.render(painter, QRectF(pixmap.rect()))
        faded = _faded(pixmap)
        for each, mode in ((pixmap, QIcon.Mode.Normal), (faded, QIcon.Mode.Disabled)):
            each.setDevicePixelRatio(scale)
            result.addPixmap(each, mode)
    return result


def _faded(pixmap: QPixmap) -> QPixmap:
    faded = clear_pixmap(pixmap.width(), pixmap.height(), 1)
    with QPainter(faded) as painter:
        painter.setOpacity(DISABLED)
        painter.drawPixmap(0, 0, pixmap)
    return faded


@cache
def _source(name: str) -> str:
    return (resources_folder() / "icons" / f"{name}.svg").read_text(encoding="utf-8")


def application_icon() -> QIcon:
    """The icon of the program."""
    return QIcon(str(resources_folder() / "icons" / "tokenloupe.svg"))


# Pictures as files


class ImageError(TokenloupeError):
    """A picture that cannot be written; the message says what to do."""


def image_bytes(image: QImage, path: Path) -> bytes:
    """What a file holds whose ending names the format; to make a large PNG small takes a second."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not QImageWriter(buffer, path.suffix[1:].lower().encode()).write(image):
        raise ImageError(f"{path} names no kind of picture. Choose another ending, such as .png.")
    return bytes(buffer.data().data())


def save_image(image: QImage, path: Path) -> None:
    """Write a picture, or change nothing.  Raises ImageError."""
    try:
        replace_file(path, image_bytes(image, path))
    except OSError as error:
        raise ImageError(not_written(path, error)) from error
