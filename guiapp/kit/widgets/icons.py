"""Icons of one stroke weight, drawn in whatever colour the theme asks for."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from guiapp.core.demo import resources_folder
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
