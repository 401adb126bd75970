"""Saves the contents of the Tree page: as an image of any size, as SVG, or as data of the subtree."""

from __future__ import annotations

import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QBuffer, QObject, QPointF, QRect, Qt
from PySide6.QtGui import (
    QAction,
    QColor,
    QFontMetrics,
    QGuiApplication,
    QImage,
    QPainter,
    QPen,
    QTransform,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QInputDialog

from guiapp.analysis.tree.picture import NodeColors, TreePicture
from guiapp.analysis.tree.reports import AT_ONCE, Subtree, dot_lines, json_lines
from guiapp.errors import TokenloupeError
from guiapp.kit.state.background import Progress
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.file_dialogs import ALL_FILES, ask_to_save
from guiapp.kit.widgets.notices import announce
from guiapp.kit.widgets.painting import image_bytes
from guiapp.kit.widgets.theme import Theme
from guiapp.pages.tree.appearance import is_light, node_outline
from guiapp.pages.tree.canvas import (
    DARK_TEXT,
    LIGHT_TEXT,
    MARGIN_PX,
    fitting_form,
    label_widths,
    turned_slot,
)
from guiapp.pages.tree.geometry import Geometry, LabelSlot, label_slots
from guiapp.pages.tree.model import LINE_END, TreeModel
from guiapp.pages.tree.view import TreeView

# The function that writes the lines of a subtree, and the approximate number of lines per token.
FORMATS: dict[str, tuple[Callable[[Subtree], Iterator[str]], float]] = {
    "json": (json_lines, 1 / AT_ONCE),
    "dot": (dot_lines, 2),
}
AT_ONCE_S = 0.002  # of writing lines, which holds the GIL, before a pause for the window
PAUSE_S = 0.0002
MOST_PX = 16_000  # of a side of an image
SCALE_TEXT = "Scale (1 is the size on screen):"
FINEST_PX = 0.8  # narrower nodes are only in the image behind the shapes
TOUCHING_PX = 3.0  # narrower nodes have no border, which would hide them
MOST_NODES = 30_000
PICTURE_WITHIN = Path("within.png")
DATA_BEGIN, DATA_END = b"data:image/png;base64,", b'"'  # of an image in an SVG file


class ExportError(TokenloupeError):
    """A file that cannot be written."""


class TreeExport(QObject):
    """The actions that save or copy the view; they are also its context menu.

    `saving` writes files in the background.
    """

    def __init__(self, view: TreeView, model: TreeModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._model = model
        self.saving = FileSaving(self)
        self.actions = [
            self._action("Copy picture", self.copy),
            self._action("Save picture…", self.save_scaled),
            self._action("Save drawing (SVG)…", self.save_svg),
            self._action("Save subtree as JSON…", partial(self.save_data, "json")),
            self._action("Save subtree for Graphviz…", partial(self.save_data, "dot")),
        ]
        self.animated = QAction("Animate movements", self, checkable=True, checked=view.is_animated)
        self.animated.toggled.connect(view.set_animated)
        view.addActions([*self.actions, self.animated])

    def copy(self) -> None:
        if self._view.geometry_now is not None:
            QGuiApplication.clipboard().setImage(self._view.image(1.0).copy())
            announce(self._view, "Copied the picture")

    def save_scaled(self) -> None:
        """Ask for the number of image pixels per screen pixel, and save."""
        limit = MOST_PX / max(self._view.width(), self._view.height())
        scale, is_given = QInputDialog.getDouble(self._view, "Save picture", SCALE_TEXT, 3.0, 0.1, limit, 2)
        if is_given:
            self.save_png(scale)

    def save_png(self, scale: float) -> None:
        if self._view.geometry_now is None:
            return
        path = self._ask_where("Save picture", ".png")
        if path and self._view.geometry_now is not None:  # another model may have been opened meanwhile
            image = picture_of(self._view, scale)
            self.saving.save(path, lambda _: image_bytes(image, path))

    def save_svg(self) -> None:
        geometry = self._view.geometry_now
        if geometry is not None and (path := self._ask_where("Save drawing", ".svg")):
            self.saving.save(path, partial(svg_of, Drawing.of(self._view, self._model, geometry)))

    def save_data(self, format_name: str, *_: object) -> None:
        """Save the chosen subtree in one of FORMATS."""
        picture = self._model.picture
        if picture is not None and (path := self._ask_where("Save subtree", f".{format_name}")):
            self.saving.save(path, partial(data_of, self._branch(picture), format_name))

    def _ask_where(self, title: str, ending: str) -> Path | None:
        return ask_to_save(self._view, title, f"token-tree{ending}", {"": ALL_FILES})

    def _branch(self, picture: TreePicture) -> Subtree:
        """The subtree of the chosen token, the tokens of the chosen group, or the whole tree."""
        path = self._model.chosen_path
        tokens = [token for node in path if (token := picture.token(node)) is not None]
        prefix = picture.tree.token_bytes(tokens[-1]) if tokens else b""
        is_group = len(path) > 1 and picture.token(path[-1]) is None
        only = picture.tokens_below(path[-1]) if is_group else None
        return Subtree(picture.vocabulary, prefix, only=only, spelling=self._model.spelling.now)

    def _action(self, text: str, slot: Callable[[], None]) -> QAction:
        action = QAction(text, self)
        action.triggered.connect(slot)
        return action


def picture_of(view: TreeView, scale: float) -> QImage:
    """An image of a view with all labels, at `scale` image pixels per screen pixel."""
    if max(view.width(), view.height()) * scale > MOST_PX:
        size = f"{MOST_PX:,} pixels wide or high"
        raise ExportError(f"The picture would be more than {size}. Choose a smaller scale.")
    return view.image(scale)


class Label(NamedTuple):
    """A label in a drawing."""

    slot: LabelSlot
    text: str
    color: QColor


class Drawing(NamedTuple):
    """All data for an SVG drawing of a view; usable in any thread.

    image   the nodes too small for shapes, and the background
    labels  of all nodes that have room for one and are not dimmed
    """

    title: str
    dots_per_inch: int
    image: QImage
    geometry: Geometry
    colors: NodeColors
    labels: tuple[Label, ...]

    @classmethod
    def of(cls, view: TreeView, model: TreeModel, geometry: Geometry) -> Drawing:
        colors = view.colors
        assert colors is not None  # otherwise there is no geometry
        labels = []
        for slot in filter(lambda slot: colors.is_lit(slot.node), label_slots(geometry)):
            is_dark = bool(is_light(np.array(colors.of(slot.node), np.uint32)))
            text, color = model.label(slot.node, slot.is_middle), DARK_TEXT if is_dark else LIGHT_TEXT
            labels.append(Label(slot, text, color))
        title = f"Token tree of {model.name}"
        image = view.plain_image(1.0)
        return cls(title, view.logicalDpiX(), image, geometry, colors, tuple(labels))


def svg_of(drawing: Drawing, progress: Progress = lambda share: None) -> bytes:
    """The SVG file: nodes as shapes and labels as text, over an image of all smaller nodes."""
    picture = image_bytes(drawing.image, PICTURE_WITHIN)
    buffer, generator, size = QBuffer(), QSvgGenerator(), drawing.image.size()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setResolution(drawing.dots_per_inch)
    generator.setTitle(drawing.title)
    with QPainter(generator) as painter:
        painter.drawImage(QRect(0, 0, size.width(), size.height()), _stand_in())
        _draw_nodes(painter, drawing.geometry, drawing.colors, progress)
        for label in drawing.labels:
            _draw_label(painter, label)
    before, _, after = bytes(buffer.data().data()).partition(DATA_BEGIN)
    return before + DATA_BEGIN + b64encode(picture) + after[after.index(DATA_END) :]


def _stand_in() -> QImage:
    """A pixel, to be replaced by the image: the generator would hold the GIL while compressing that."""
    image = QImage(1, 1, QImage.Format.Format_RGB32)
    image.fill(0)
    return image


def _draw_nodes(painter: QPainter, geometry: Geometry, colors: NodeColors, progress: Progress) -> None:
    picture, (left, right) = geometry.picture, geometry.view
    unit = (right - left) / geometry.width_px
    least = np.full(picture.n_levels, FINEST_PX * unit)
    nodes = picture.wide_nodes(left, right, least).tolist()[:MOST_NODES]
    for number, node in enumerate(nodes):
        progress(number / len(nodes))
        if (outline := node_outline(geometry, node)).isEmpty():  # SVG readers report an error for it
            continue
        color, (start, end) = colors.of(node), picture.span(node)
        is_narrow = end - start < TOUCHING_PX * unit
        painter.setPen(QPen(Qt.PenStyle.NoPen) if is_narrow else QPen(QColor(colors.ground)))
        painter.setBrush(QColor.fromRgb(color))
        painter.drawPath(outline)


def _draw_label(painter: QPainter, label: Label) -> None:
    slot, text = label.slot, label.text
    form = fitting_form(slot, *label_widths(text))
    if form is None:
        return
    font = Theme.ui_font(form.size_px)
    metrics = QFontMetrics(font)
    shown = form.shown(text)
    lines = shown.split(LINE_END)
    width = max(map(metrics.horizontalAdvance, lines))
    slot = turned_slot(slot, width + 2 * MARGIN_PX)
    painter.setFont(font)
    painter.setPen(label.color)
    painter.setTransform(QTransform().translate(slot.x, slot.y).rotate(slot.degrees))
    for number, line in enumerate(lines):
        left = -metrics.horizontalAdvance(line) / 2 if slot.is_centered else float(MARGIN_PX)
        down = (number - (len(lines) - 1) / 2) * metrics.height()
        painter.drawText(QPointF(left, down + (metrics.ascent() - metrics.descent()) / 2), line)
    painter.resetTransform()


def data_of(branch: Subtree, format_name: str, progress: Progress) -> bytes:
    lines_of, per_token = FORMATS[format_name]
    written: list[str] = []
    pause_at = 0.0
    for line in lines_of(branch):
        written.append(line)
        if time.perf_counter() > pause_at:
            progress(min(1.0, len(written) / (per_token * len(branch.tokens) + 1)))
            time.sleep(PAUSE_S)
            pause_at = time.perf_counter() + AT_ONCE_S
    return ("\n".join(written) + "\n").encode()
