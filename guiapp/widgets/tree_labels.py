"""The names of the nodes on the picture of the tree, drawn once and kept as small images."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from math import cos, radians, sin
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QImage, QPainter, QTransform

from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.tree_labels import Place
from guiapp.viewmodels.tree_model import COUNT_SIGN
from guiapp.widgets.theme import Theme
from guiapp.widgets.tree_colors import is_light

MOST_KEPT = 6000
NEW_PER_FRAME_S = 0.002  # for labels that were not drawn before; the others follow in the next frame
ROOM_STEP_PX = 6  # shortened labels are made for rooms of these steps
LEAST_ROOM_PX = 20  # for a shortened label
DARK_TEXT, LIGHT_TEXT = QColor("#14161b"), QColor("#eceef4")


class _Label(NamedTuple):
    """A drawn text, and its size on the screen."""

    image: QImage
    width: float
    height: float


class LabelPainter:
    """Draws labels from a store of images; what is new is drawn as far as the time of a frame allows.

    `text_of` gives the label of a node.
    """

    def __init__(self, text_of: Callable[[int], str]) -> None:
        self._text_of = text_of
        self._labels: OrderedDict[tuple[int, int, bool, int], _Label] = OrderedDict()
        self._fonts: dict[int, QFont] = {}
        self._scale = 1.0
        self.is_complete = True

    def forget(self) -> None:
        """Drop all images: the tree or the fonts are others now."""
        self._labels.clear()
        self._fonts.clear()

    def paint(
        self,
        painter: QPainter,
        places: Sequence[Place],
        colors: NDArray[np.uint32],
        scale: float,
        patience_s: float,
    ) -> None:
        """Draw the labels on their nodes, none without patience; `is_complete` tells whether all were.

        `colors` has 0xRRGGBB for each node of the tree.
        """
        self.is_complete = True
        if patience_s < 0:
            return
        if scale != self._scale:
            self.forget()
            self._scale = scale
        deadline = time.perf_counter() + patience_s
        is_dark_text = is_light(colors[[place.node for place in places]]).tolist()
        for place, is_dark in zip(places, is_dark_text, strict=True):
            if place.room_px > place.size_px / 2:
                self._paint(painter, place, is_dark, scale, deadline)
        painter.resetTransform()

    def _paint(
        self, painter: QPainter, place: Place, is_dark_text: bool, scale: float, deadline: float
    ) -> None:
        label = self._label(place, is_dark_text, 0, scale, deadline)
        if label is not None and label.width > place.room_px:
            steps = int(place.room_px / ROOM_STEP_PX)
            is_enough = place.room_px >= LEAST_ROOM_PX
            label = self._label(place, is_dark_text, steps, scale, deadline) if is_enough else None
        if label is None:
            return
        if place.degrees and label.width > place.upright_px:
            cosine, sine = cos(radians(place.degrees)), sin(radians(place.degrees))
            painter.setTransform(QTransform(cosine, sine, -sine, cosine, place.x, place.y))
            painter.drawImage(QPointF(-label.width / 2, -label.height / 2), label.image)
            return
        x = place.x - label.width / 2 if place.is_centered else place.x
        left, top = round(x * scale) / scale, round((place.y - label.height / 2) * scale) / scale
        painter.resetTransform()
        painter.drawImage(QPointF(left, top), label.image)

    def _label(
        self, place: Place, is_dark_text: bool, room_steps: int, scale: float, deadline: float
    ) -> _Label | None:
        key = (place.node, place.size_px, is_dark_text, room_steps)
        label = self._labels.get(key)
        if label is not None:
            return label
        if time.perf_counter() > deadline:
            self.is_complete = False
            return None
        text = self._text_of(place.node)
        room_px = ROOM_STEP_PX * room_steps if room_steps else None
        label = self._labels[key] = self._draw(text, room_px, place.size_px, is_dark_text, scale)
        while len(self._labels) > MOST_KEPT:
            self._labels.popitem(last=False)
        return label

    def _draw(self, text: str, room_px: int | None, size_px: int, is_dark_text: bool, scale: float) -> _Label:
        font = self._fonts.setdefault(size_px, Theme.ui_font(size_px))
        metrics = QFontMetrics(font)
        if room_px is not None:
            text = text.partition(COUNT_SIGN)[0]
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room_px)
        shown = isolate(text)
        width, height = metrics.horizontalAdvance(shown) + 2, metrics.height()
        image = QImage(
            max(1, round(width * scale)), round(height * scale), QImage.Format.Format_ARGB32_Premultiplied
        )
        image.setDevicePixelRatio(scale)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        painter.setFont(font)
        painter.setPen(DARK_TEXT if is_dark_text else LIGHT_TEXT)
        painter.drawText(QPointF(1, metrics.ascent()), shown)
        painter.end()
        return _Label(image, width, height)
