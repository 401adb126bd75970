"""The marker of a contender, in its colour, wherever it is named."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QBuffer, QPointF
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from guiapp.kit.charts.markers import Look, paint_marker
from guiapp.kit.widgets.painting import clear_pixmap

SWATCH_PX = 12
SHARP = 3  # pixels for one of the screen, so that it is sharp on any


def swatch(look: Look) -> QIcon:
    """The marker as an icon, alike where its control is disabled: it is the legend of the charts."""
    return _icon(look.color.rgba(), look.marker)


@lru_cache(maxsize=256)
def _icon(color: int, marker: str) -> QIcon:
    picture = _picture(Look(QColor.fromRgba(color), marker), SWATCH_PX)
    picture.setDevicePixelRatio(SHARP)
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Disabled)
    return icon


def marker_image(look: Look, size_px: int) -> str:
    """The marker as an element of rich text."""
    buffer = QBuffer()
    _picture(look, size_px).save(buffer, "PNG")
    data = bytes(buffer.data().toBase64().data()).decode()
    return f'<img src="data:image/png;base64,{data}" width="{size_px}" height="{size_px}">'


def _picture(look: Look, size_px: int) -> QPixmap:
    picture = clear_pixmap(size_px, size_px, SHARP)
    with QPainter(picture) as painter:
        paint_marker(painter, QPointF(size_px / 2, size_px / 2), size_px - 1, look)
    picture.setDevicePixelRatio(1)  # for those who say its size themselves
    return picture
