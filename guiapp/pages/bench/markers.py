"""The marker of a contender, in its colour, wherever it is named."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from PySide6.QtCore import QBuffer, QPointF
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap

from guiapp.analysis.libraries.contender import split_name
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.kit.charts.markers import MARKERS, MarkerStyle, paint_marker
from guiapp.kit.widgets.painting import clear_pixmap
from guiapp.kit.widgets.theme import Theme

N_LOOKS = 84  # of 7 colours and 12 markers, each pair once
UNSPLIT_SHIFT = 42  # the same colour with another marker
FIRST = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "tokenizers", "llama.cpp", "sentencepiece")
ORDER = (*FIRST, *(name for name in (*ALGORITHMS, *PEERS) if name not in FIRST))
LEFT = [index for index in range(N_LOOKS) if index % UNSPLIT_SHIFT >= len(ORDER)]
SWATCH_PX = 12
SHARP = 3  # pixels for one of the screen, so that it is sharp on any


def swatch(style: MarkerStyle) -> QIcon:
    """The marker as an icon, alike where its control is disabled: it is the legend of the charts."""
    return _icon(style.color.rgba(), style.marker)


@lru_cache(maxsize=256)
def _icon(color: int, marker: str) -> QIcon:
    picture = _picture(MarkerStyle(QColor.fromRgba(color), marker), SWATCH_PX)
    picture.setDevicePixelRatio(SHARP)
    icon = QIcon(picture)
    icon.addPixmap(picture, QIcon.Mode.Disabled)
    return icon


def marker_image(style: MarkerStyle, size_px: int) -> str:
    """The marker as an element of rich text."""
    buffer = QBuffer()
    _picture(style, size_px).save(buffer, "PNG")
    data = bytes(buffer.data().toBase64().data()).decode()
    return f'<img src="data:image/png;base64,{data}" width="{size_px}" height="{size_px}">'


def _picture(style: MarkerStyle, size_px: int) -> QPixmap:
    picture = clear_pixmap(size_px, size_px, SHARP)
    with QPainter(picture) as painter:
        paint_marker(painter, QPointF(size_px / 2, size_px / 2), size_px - 1, style)
    picture.setDevicePixelRatio(1)  # for those who say its size themselves
    return picture


def marker_style_of(name: str, theme: Theme) -> MarkerStyle:
    """The look of an encoder or library; other names have one of those that are left, by their letters."""
    base, is_split = split_name(name)
    index = ORDER.index(base) if base in ORDER else LEFT[crc32(base.encode()) % len(LEFT)]
    index += 0 if is_split else UNSPLIT_SHIFT
    return MarkerStyle(theme.contenders[index % len(theme.contenders)], MARKERS[index % len(MARKERS)])
