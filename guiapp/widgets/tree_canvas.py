"""Paints the tree, without what lies above it, into an image: nodes in their colours, and their labels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from guiapp.core.tree.coloring import NodeValues
from guiapp.core.tree.painting import Pixels, color_sums, paint_between, paint_icicle, paint_sunburst
from guiapp.core.tree.picture import TreePicture
from guiapp.viewmodels.tree_geometry import Geometry, Icicle, Sunburst
from guiapp.viewmodels.tree_labels import icicle_places, sunburst_places
from guiapp.widgets.theme import Theme
from guiapp.widgets.tree_colors import Colors, dimmed, node_colors, number
from guiapp.widgets.tree_labels import LabelPainter
from guiapp.widgets.tree_marks import bending

COARSER = 2  # pixels of the screen for one of a picture that bends
FOREVER_S = 3600.0
NO_PATIENCE_S = -1.0  # for a picture without labels
OPAQUE = 0xFF000000


class TreeCanvas:
    """Keeps the colours, the labels and the pixels from one frame to the next.

    An image that it gives lasts until the next one: it shares the canvas' pixels.
    """

    def __init__(self, text_of: Callable[[int], str]) -> None:
        self._text_of = text_of
        self._labels = LabelPainter(text_of)
        self._pixels: Pixels = np.zeros((1, 1), np.uint32)
        self._ground = 0
        self._sides: tuple[int, ...] = ()
        self.colors: Colors = np.zeros(1, np.uint32)

    @property
    def is_complete(self) -> bool:
        """Whether the last image has all its labels; the next one will have more."""
        return self._labels.is_complete

    def another(self) -> TreeCanvas:
        """A canvas in the same colours, for an image of another size."""
        canvas = TreeCanvas(self._text_of)
        canvas.colors, canvas._sums, canvas._ground = self.colors, self._sums, self._ground
        return canvas

    def forget_labels(self) -> None:
        """The tree is another one now."""
        self._labels.forget()

    def color(
        self, picture: TreePicture, values: NodeValues, is_lit: NDArray[np.bool_] | None, theme: Theme
    ) -> None:
        """Take the colours for some values; what is not lit is dimmed."""
        colors = node_colors(picture, values, theme)
        self.colors = colors if is_lit is None else dimmed(colors, is_lit, theme)
        self._sums = color_sums(picture, self.colors)
        self._ground = number(theme.background)

    def image(self, geometry: Geometry, scale: float, patience_s: float, is_coarse: bool = False) -> QImage:
        """The picture with as many labels as the patience allows, `scale` pixels for one of the screen.

        While it moves, a coarse one does: its turned labels and the edges in a sunburst are rougher.
        """
        if isinstance(geometry, Sunburst):
            image, places = self._sunburst(geometry, scale, is_coarse), sunburst_places(geometry)
        else:
            image, places = self._icicle(geometry, scale), icicle_places(geometry)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not is_coarse)
        self._labels.paint(painter, places, self.colors, scale, patience_s)
        painter.end()
        return image

    def bent_image(self, geometry: Geometry, roundness: float) -> QImage:
        """The picture on its way from icicle (0) to sunburst (1), coarser and without labels."""
        picture, view = geometry.picture, geometry.view
        width, height = geometry.width_px // COARSER, geometry.height_px // COARSER
        icicle, sunburst = Icicle(picture, view, width, height), Sunburst(picture, view, width, height)
        tops, shape = bending(icicle, sunburst, roundness)
        pixels = np.empty((max(int(height), 1), max(int(width), 1)), np.uint32)
        paint_between(picture, self._sums, view, tops, self._ground, shape, pixels)
        return _image_of(pixels, 1.0).scaled(
            int(geometry.width_px),
            int(geometry.height_px),
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )

    def _icicle(self, icicle: Icicle, scale: float) -> QImage:
        pixels = self._room(icicle, scale)
        self._sides = ()
        tops = np.round(icicle.tops) * scale
        paint_icicle(icicle.picture, self._sums, icicle.view, tops, self._ground, pixels)
        return _image_of(pixels, scale)

    def _sunburst(self, sunburst: Sunburst, scale: float, is_coarse: bool) -> QImage:
        pixels = self._room(sunburst, scale)
        size = min(round(sunburst.size_px * scale), *pixels.shape)
        x, y = round(sunburst.corner[0] * scale), round(sunburst.corner[1] * scale)
        if self._sides != (sides := (x, y, size, self._ground)):
            self._sides = sides
            for side in (pixels[:y], pixels[y + size :], pixels[:, :x], pixels[:, x + size :]):
                side[:] = OPAQUE | self._ground
        paint_sunburst(
            sunburst.picture,
            self._sums,
            sunburst.view,
            sunburst.radii * scale,
            self._ground,
            pixels,
            (x, y),
            size,
            is_coarse,
        )
        return _image_of(pixels, scale)

    def _room(self, geometry: Geometry, scale: float) -> Pixels:
        shape = max(1, round(geometry.height_px * scale)), max(1, round(geometry.width_px * scale))
        if self._pixels.shape != shape:
            self._pixels, self._sides = np.empty(shape, np.uint32), ()
        return self._pixels


def _image_of(pixels: Pixels, scale: float) -> QImage:
    """An image that shares its pixels with the array, which must outlive it."""
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    return image
