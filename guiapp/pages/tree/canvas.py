"""Paints the tree without what lies above it: an image of nodes in their colours, and the labels on it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from guiapp.analysis.tree.painting import NodeColors, Pixels, paint_between, paint_icicle, paint_sunburst
from guiapp.pages.tree.geometry import Geometry, Icicle, Sunburst
from guiapp.pages.tree.labels import Place, places
from guiapp.pages.tree.labels_view import LabelPainter
from guiapp.pages.tree.marks import bending

COARSER = 2  # pixels of the screen for one of a picture that bends
FOREVER_S = 3600.0
OPAQUE = 0xFF000000


class TreeCanvas:
    """Keeps the labels and the pixels from one frame to the next; `colors` are those to paint in.

    An image that it gives lasts until the next one: it shares the canvas' pixels.
    """

    def __init__(self, text_of: Callable[[int, bool], str], colors: NodeColors | None = None) -> None:
        self._text_of = text_of
        self._labels = LabelPainter(text_of)
        self._pixels: Pixels = np.zeros((1, 1), np.uint32)
        self._sides: tuple[int, ...] = ()
        self._labelled: Geometry | None = None
        self._places: list[Place] = []
        self.colors = colors

    @property
    def is_complete(self) -> bool:
        """Whether all labels were drawn; the next time there will be more of them."""
        return self._labels.is_complete

    def another(self) -> TreeCanvas:
        """A canvas in the same colours, for an image of another size."""
        return TreeCanvas(self._text_of, self.colors)

    def forget_labels(self) -> None:
        """The tree is another one now."""
        self._labels.forget()
        self._labelled, self._places = None, []

    def image(self, geometry: Geometry, scale: float, is_coarse: bool = False) -> QImage:
        """The picture without labels, `scale` pixels for one of the screen; while it moves, a coarse one."""
        colors = self._colors_for(geometry)
        if isinstance(geometry, Sunburst):
            return self._sunburst(geometry, colors, scale, is_coarse)
        return self._icicle(geometry, colors, scale)

    def paint_labels(
        self,
        painter: QPainter,
        geometry: Geometry,
        scale: float,
        patience_s: float = FOREVER_S,
        is_coarse: bool = False,
    ) -> None:
        """Draw the labels on such a picture: all that are known, and new ones as the patience allows."""
        if geometry is not self._labelled:
            self._labelled, self._places = geometry, places(geometry)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not is_coarse)
        self._labels.paint(painter, self._places, self._colors_for(geometry), scale, patience_s)

    def bent_image(self, geometry: Geometry, roundness: float) -> QImage:
        """The picture on its way from icicle (0) to sunburst (1), coarser and without labels."""
        picture, view, colors = geometry.picture, geometry.view, self._colors_for(geometry)
        width, height = geometry.width_px // COARSER, geometry.height_px // COARSER
        icicle, sunburst = Icicle(picture, view, width, height), Sunburst(picture, view, width, height)
        tops, shape = bending(icicle, sunburst, roundness)
        pixels = np.empty((max(int(height), 1), max(int(width), 1)), np.uint32)
        paint_between(colors, view, tops, shape, pixels)
        return _image_of(pixels, 1.0).scaled(
            int(geometry.width_px),
            int(geometry.height_px),
            Qt.AspectRatioMode.IgnoreAspectRatio,
            Qt.TransformationMode.SmoothTransformation,
        )

    def _colors_for(self, geometry: Geometry) -> NodeColors:
        assert self.colors is not None
        assert self.colors.picture is geometry.picture
        return self.colors

    def _icicle(self, icicle: Icicle, colors: NodeColors, scale: float) -> QImage:
        pixels = self._room(icicle, scale)
        self._sides = ()
        paint_icicle(colors, icicle.view, icicle.edges * scale, pixels)
        return _image_of(pixels, scale)

    def _sunburst(self, sunburst: Sunburst, colors: NodeColors, scale: float, is_coarse: bool) -> QImage:
        pixels = self._room(sunburst, scale)
        size = min(round(sunburst.size_px * scale), *pixels.shape) // 2 * 2
        x, y = round(sunburst.corner[0] * scale), round(sunburst.corner[1] * scale)
        if self._sides != (sides := (x, y, size, colors.ground)):
            self._sides = sides
            for side in (pixels[:y], pixels[y + size :], pixels[:, :x], pixels[:, x + size :]):
                side[:] = OPAQUE | colors.ground
        paint_sunburst(colors, sunburst.view, sunburst.radii * scale, pixels, (x, y), size, is_coarse)
        return _image_of(pixels, scale)

    def _room(self, geometry: Geometry, scale: float) -> Pixels:
        shape = max(1, round(geometry.height_px * scale)), max(1, round(geometry.width_px * scale))
        if self._pixels.shape != shape:
            self._pixels, self._sides = np.empty(shape, np.uint32), ()
        return self._pixels


def _image_of(pixels: Pixels, scale: float) -> QImage:
    """An image that shares its pixels with the array, which must outlive it.

    They are opaque, yet in the format that is drawn on a window in the least time.
    """
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    return image
