"""Paints one frame of the tree: the pixels of its nodes, and their labels, cached as small images."""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QFontMetricsF, QImage, QPainter, QTransform

from guiapp.analysis.tree.picture import NodeColors, Pixels, paint_between, paint_icicle, paint_sunburst
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.painting import SHARED_PX
from guiapp.kit.widgets.theme import Theme
from guiapp.pages.tree.appearance import bending, is_light
from guiapp.pages.tree.geometry import DOWNWARDS, SIZES_PX, Geometry, Icicle, LabelSlot, Sunburst, label_slots
from guiapp.pages.tree.model import LINE_END, MORE_SIGN

MOST_KEPT = 6000
NEW_PER_FRAME_S = 0.002  # for new labels; the rest follow in the next frames
NEW_WHILE_MOVING_S = 0.0004
NO_TIME_S = 0.0  # in a frame that also paints the nodes
ROOM_STEP_PX = 6  # shortened labels are drawn for widths in these steps
LEAST_ROOM_PX = 18  # for a shortened label
LEAST_LETTERS = 5  # of a shortened label
LETTER_EM = 1.1  # no single letter is wider
NARROWEST_EM = 0.01  # avoids a division by zero: the root of an unnamed model has an empty label
LEGIBLE_PX = 12  # smallest font size for a label with more than the name
MARGIN_PX = 1
LETTER_SIZES_PX = SIZES_PX[1:].tolist()
MEASURED_PX = SHARED_PX
HINTED_PX = 3  # by how much hinting may widen small letters over their measured width
COARSER = 2  # screen pixels for one pixel of a bending picture
FOREVER_S = 3600.0
OPAQUE = 0xFF000000
DARK_TEXT, LIGHT_TEXT = QColor("#14161b"), QColor("#eceef4")


@dataclass(frozen=True, eq=False)
class _Label:
    """A drawn label, and its size on the screen."""

    image: QImage
    width: float
    height: float

    @cached_property
    def downwards(self) -> QImage:
        """The image rotated by `DOWNWARDS`: drawing it takes a third of the time of rotating it."""
        return self.image.transformed(QTransform().rotate(DOWNWARDS))


class LabelForm(NamedTuple):
    """The form of a label: font size, with or without the part after MORE_SIGN, and steps of room."""

    size_px: int
    has_more: bool = True
    room_steps: int = 0

    def shown(self, text: str) -> str:
        """The text shortened to this form; "" if hardly a letter would be left."""
        if not self.has_more:
            text = text.partition(MORE_SIGN)[0]
        if not self.room_steps:
            return isolate(text)
        if LINE_END in text:  # a number, which must not be cut
            return ""
        room = ROOM_STEP_PX * self.room_steps * MEASURED_PX // self.size_px
        left = QFontMetrics(Theme.ui_font(MEASURED_PX)).elidedText(text, Qt.TextElideMode.ElideRight, room)
        return isolate(left) if left == text or len(left) > LEAST_LETTERS else ""


_Named = tuple[int, bool]  # a node, and whether the label is the whole token
_Key = tuple[_Named, LabelForm, bool]


def label_widths(text: str) -> tuple[float, float]:
    """The widths of a label with and without the part after MORE_SIGN, at a font size of 1 px."""
    name = text.partition(MORE_SIGN)[0]
    metrics = QFontMetricsF(Theme.ui_font(MEASURED_PX))
    width = max(map(metrics.horizontalAdvance, map(isolate, name.split(LINE_END)))) / MEASURED_PX
    return (width if name == text else metrics.horizontalAdvance(isolate(text)) / MEASURED_PX), width


def fitting_form(slot: LabelSlot, whole: float, name: float) -> LabelForm | None:
    """The form for a label slot, given `label_widths`.

    The whole label if that is legible, else only the name, as large as fits, else shortened.  A single
    letter is drawn upright or not at all: lying on its side, it could be mistaken for another.
    """
    is_downwards = slot.degrees == DOWNWARDS
    if name <= LETTER_EM and is_downwards:
        size = _fitting_size(name, slot.upright_px, slot.size_px)
        return LabelForm(size, has_more=False) if size else None
    size = 0 if is_downwards else _fitting_size(whole, slot.room_px, slot.size_px)
    if size >= LEGIBLE_PX:
        return LabelForm(size)
    size = _fitting_size(name, slot.room_px, slot.size_px)
    size = size or _fitting_size(name, slot.down_px, slot.size_px)
    if size:
        return LabelForm(size, has_more=False)
    longest = max(slot.room_px, slot.down_px) - 2 * MARGIN_PX
    if longest < LEAST_ROOM_PX:
        return None
    return LabelForm(LETTER_SIZES_PX[0], has_more=False, room_steps=int(longest / ROOM_STEP_PX))


def _fitting_size(width: float, room_px: float, most_px: int) -> int:
    """The largest font size up to `most_px` for a label of this width at 1 px; 0 if none fits."""
    largest = min(most_px, (room_px - 2 * MARGIN_PX) / max(width, NARROWEST_EM))
    return LETTER_SIZES_PX[bisect_right(LETTER_SIZES_PX, largest) - 1] if largest >= LETTER_SIZES_PX[0] else 0


def turned_slot(slot: LabelSlot, width_px: float) -> LabelSlot:
    """The slot for a label of this width: horizontal if possible, else rotated around its middle."""
    if slot.degrees:
        return slot if width_px > slot.upright_px else slot._replace(degrees=0.0)
    if slot.down_px and width_px > slot.room_px + HINTED_PX:
        return slot._replace(x=slot.x + slot.room_px / 2, degrees=DOWNWARDS, is_centered=True)
    return slot


class LabelPainter:
    """Draws labels from a cache of images; new ones only while there is time left in a frame.

    After that, a cached image for less room is used, if there is one.  `text_of` returns the label of a
    node, or its whole token.
    """

    def __init__(self, text_of: Callable[[int, bool], str]) -> None:
        self._text_of = text_of
        self._labels: OrderedDict[_Key, _Label] = OrderedDict()
        self._newest: dict[tuple[_Named, bool], LabelForm] = {}
        self._widths: dict[_Named, tuple[float, float]] = {}
        self._scale = 1.0
        self._left_s = 0.0
        self.is_complete = True

    def forget(self) -> None:
        self._labels.clear()
        self._newest.clear()
        self._widths.clear()

    def paint(
        self,
        painter: QPainter,
        slots: Sequence[LabelSlot],
        colors: NodeColors,
        scale: float,
        patience_s: float,
    ) -> None:
        """Draw the labels of all nodes that are not dimmed; `is_complete` is whether all were drawn.

        `patience_s` limits the time for new ones.
        """
        self.is_complete = True
        if scale != self._scale:
            self.forget()
            self._scale = scale
        self._left_s = patience_s
        lit = [slot for slot in slots if colors.is_lit(slot.node)] if colors.lit is not None else slots
        is_dark_text = is_light(colors.values[[slot.node for slot in lit]]).tolist()
        for slot, is_dark in zip(lit, is_dark_text, strict=True):
            label = self._label(slot, is_dark)
            if label is not None:
                self._paint(painter, slot, label)

    def _paint(self, painter: QPainter, slot: LabelSlot, label: _Label) -> None:
        slot = turned_slot(slot, label.width)
        if slot.degrees not in (0.0, DOWNWARDS):
            before = painter.worldTransform()
            painter.translate(slot.x, slot.y)
            painter.rotate(slot.degrees)
            painter.drawImage(QPointF(-label.width / 2, -label.height / 2), label.image)
            painter.setWorldTransform(before)
            return
        image, width, height, scale = label.image, label.width, label.height, self._scale
        if slot.degrees:
            image, width, height = label.downwards, height, width
        x = slot.x - width / 2 if slot.is_centered else slot.x
        left, top = round(x * scale) / scale, round((slot.y - height / 2) * scale) / scale
        painter.drawImage(QPointF(left, top), image)

    def _label(self, slot: LabelSlot, is_dark_text: bool) -> _Label | None:
        """The label in the form that fits, or a smaller one; None if none fits, or time is up."""
        named = slot.node, slot.is_middle
        widths = self._widths.get(named) or self._measure(named)
        form = None if widths is None else fitting_form(slot, *widths)
        if form is None:
            return None
        label = self._labels.get((named, form, is_dark_text))
        if label is not None:
            return label
        if self._has_time():
            return self._draw_and_cache(named, form, is_dark_text)
        newest = self._newest.get((named, is_dark_text))
        if newest is None or newest.size_px > form.size_px:
            return None
        label = self._labels.get((named, newest, is_dark_text))
        is_fitting = label is not None and label.width <= max(slot.room_px, slot.down_px)
        return label if is_fitting else None

    def _has_time(self) -> bool:
        self.is_complete &= self._left_s > 0
        return self.is_complete

    def _measure(self, named: _Named) -> tuple[float, float] | None:
        if not self._has_time():
            return None
        started = time.perf_counter()
        self._widths[named] = label_widths(self._text_of(*named))
        self._left_s -= time.perf_counter() - started
        return self._widths[named]

    def _draw_and_cache(self, named: _Named, form: LabelForm, is_dark_text: bool) -> _Label:
        started = time.perf_counter()
        label = self._labels[named, form, is_dark_text] = self._draw(named, form, is_dark_text)
        self._newest[named, is_dark_text] = form
        while len(self._labels) > MOST_KEPT:
            (old, *_, was_dark), _ = self._labels.popitem(last=False)
            self._newest.pop((old, was_dark), None)
        self._left_s -= time.perf_counter() - started
        return label

    def _draw(self, named: _Named, form: LabelForm, is_dark_text: bool) -> _Label:
        font, scale = Theme.ui_font(MEASURED_PX), self._scale
        metrics, factor = QFontMetricsF(font), form.size_px / MEASURED_PX
        shown = form.shown(self._text_of(*named))
        lines = shown.split(LINE_END)
        widths = [metrics.horizontalAdvance(line) for line in lines]
        width = max(widths) * factor + 2 * MARGIN_PX
        height = ceil(metrics.height() * factor) * len(lines)
        image = QImage(
            max(1, round(width * scale)), round(height * scale), QImage.Format.Format_ARGB32_Premultiplied
        )
        image.setDevicePixelRatio(scale)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            painter.setFont(font)
            painter.setPen(DARK_TEXT if is_dark_text else LIGHT_TEXT)
            painter.translate(MARGIN_PX, round(metrics.ascent() * factor))
            painter.scale(factor, factor)
            for number, line in enumerate(lines):
                middle = (max(widths) - widths[number]) / 2
                painter.drawText(QPointF(middle, number * metrics.height()), line)
        return _Label(image, width, height)


class TreeCanvas:
    """Keeps labels and pixels between frames; `colors` are the colours to paint with.

    A returned image is valid until the next one: it shares the pixels of the canvas.
    """

    def __init__(self, text_of: Callable[[int, bool], str], colors: NodeColors | None = None) -> None:
        self._text_of = text_of
        self._labels = LabelPainter(text_of)
        self._pixels: Pixels = np.zeros((1, 1), np.uint32)
        self._sides: tuple[int, ...] = ()
        self._labelled: Geometry | None = None
        self._slots: list[LabelSlot] = []
        self.colors = colors

    @property
    def is_complete(self) -> bool:
        return self._labels.is_complete

    def another(self) -> TreeCanvas:
        return TreeCanvas(self._text_of, self.colors)

    def forget_labels(self) -> None:
        self._labels.forget()
        self._labelled, self._slots = None, []

    def image(self, geometry: Geometry, scale: float, is_coarse: bool = False) -> QImage:
        """The picture without labels, at `scale` device pixels per pixel; coarse while it moves."""
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
        """Draw the labels on such a picture: all cached ones, and new ones while there is time."""
        if geometry is not self._labelled:
            self._labelled, self._slots = geometry, label_slots(geometry)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, not is_coarse)
        self._labels.paint(painter, self._slots, self._colors_for(geometry), scale, patience_s)

    def bent_image(self, geometry: Geometry, roundness: float) -> QImage:
        """The picture between icicle (0) and sunburst (1), at a coarser resolution and without labels."""
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

    The pixels are opaque, but the premultiplied format is the fastest to draw on a window.
    """
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, pixels.strides[0], QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(scale)
    return image
