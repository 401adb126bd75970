"""The merges that build a token, painted as a tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication, QPainter, QPen

from guiapp.analysis.explain.merge_tree import MergeNode
from guiapp.core.text.visible_text import isolate, visible_text
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.widgets.painting import CENTER, Painted, bold, write
from guiapp.kit.widgets.text_zoom import TextZoom
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.kit.widgets.tip_watch import TipWatch

LEVEL_PX = 46
LABEL_PX = 20
BRANCH_GAP_PX = 28
ROOT_GAP_PX = 36
LABEL_LIMIT = 24
Write = Callable[[bytes, int], str]
"""How some bytes are written, up to so many characters."""
SMALLEST_SCALE = 0.6
RANK_FONT_PX = 11
MOST_SHOWN = 60  # characters
PADDING_PX = 3 * UNIT_PX


class MergeTreeView(Painted):
    """Draws merge trees side by side, smaller where they are wider than the widget, scrolled beyond that."""

    def __init__(self, theme_source: ThemeSource, zoom: TextZoom | None = None) -> None:
        super().__init__(theme_source, "How the token is built")
        TipWatch(self, self._tool_tip)
        self._zoom = zoom or TextZoom(self)
        self._roots: tuple[MergeNode, ...] = ()
        self._write: Write = visible_text
        self._layout = MergeTreeLayout((), 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.addAction(copy_action(self, "Copy merges", self.copy))
        self._zoom.changed.connect(self._resize)

    def set_roots(self, roots: tuple[MergeNode, ...], write: Write = visible_text) -> None:
        layout = layout_of(roots, QFontMetrics(self._label_font(True)).horizontalAdvance, write)
        if layout == self._layout:
            return
        self._roots, self._write, self._layout = roots, write, layout
        self.setAccessibleDescription(self.as_text())
        self._resize()

    def as_text(self) -> str:
        """The merges one a line, in the order of the drawing: `·York = ·Y + ork (4100)`."""
        lines = []
        for placed in self._layout.nodes:
            if parts := placed.node.parts:
                joined = " + ".join(self._write(part.shown, MOST_SHOWN) for part in parts)
                lines.append(f"{placed.label} = {joined} ({placed.node.worth:g})")
        return "\n".join(lines)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.as_text())

    def minimumSizeHint(self) -> QSize:
        size = self.sizeHint()
        scale = SMALLEST_SCALE if size.width() > self.width() else 1
        width = round((size.width() - 2 * PADDING_PX) * scale) + 2 * PADDING_PX
        return QSize(width if self._roots else 0, size.height())

    def sizeHint(self) -> QSize:
        width, height = self._zoom.scaled(self._layout.width), self._zoom.scaled(self._layout.height)
        return QSize(width + 2 * PADDING_PX, height)

    def _resize(self) -> None:
        self.setMinimumSize(self.minimumSizeHint())
        self.updateGeometry()
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.translate(self._origin())
        painter.scale(self._scale(), self._scale())
        painter.setPen(QPen(theme.faint, 1))
        for placed in self._layout.nodes:
            if placed.parent >= 0:
                self._paint_edge(painter, self._layout.nodes[placed.parent], placed)
        for placed in self._layout.nodes:
            self._paint_node(painter, theme, placed)

    def _paint_edge(self, painter: QPainter, above: PlacedNode, below: PlacedNode) -> None:
        gap = QFontMetrics(self._label_font()).height() + 1
        painter.drawLine(QPointF(above.x, above.y + gap), QPointF(below.x, below.y - 1))

    def _paint_node(self, painter: QPainter, theme: Theme, placed: PlacedNode) -> None:
        is_root = placed.parent < 0
        center = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.setFont(self._label_font(is_root))
        painter.setPen(theme.text)
        painter.drawText(QRectF(placed.x - 400, placed.y, 800, LEVEL_PX), center, isolate(placed.label))
        if placed.node.worth is None:
            return
        painter.setFont(Theme.mono_font(RANK_FONT_PX))
        rank = f"{placed.node.worth:,.6g}"
        metrics = painter.fontMetrics()
        width = metrics.horizontalAdvance(rank) + UNIT_PX
        top = placed.y + QFontMetrics(self._label_font()).height() + 5
        box = QRectF(placed.x - width / 2, top, width, metrics.height())
        painter.fillRect(box, theme.raised)
        write(painter, box, rank, theme.dim, CENTER)

    def _label_font(self, is_root: bool = False) -> QFont:
        return bold(Theme.mono_font(UI_FONT_PX if is_root else SMALL_FONT_PX), is_root)

    def _scale(self) -> float:
        room = self.width() - 2 * PADDING_PX
        zoom = self._zoom.factor
        return max(SMALLEST_SCALE * zoom, min(zoom, room / self._layout.width)) if self._layout.width else 1.0

    def _origin(self) -> QPointF:
        free = self.width() - self._layout.width * self._scale()
        return QPointF(max(PADDING_PX, free / 2), 0)

    def _tool_tip(self, position: QPoint) -> str:
        at = (QPointF(position) - self._origin()) / self._scale()
        for placed in self._layout.nodes:
            if abs(at.x() - placed.x) <= GAP_PX * 2 and placed.y <= at.y() <= placed.y + LEVEL_PX / 2:
                text = escape(isolate(self._write(placed.node.shown, MOST_SHOWN)))
                return f"<qt>{text}&nbsp; {placed.node.shown[:32].hex(' ').upper()}</qt>"
        return ""


# Where the nodes of a merge tree are drawn: symbols left to right, each merge above its parts


@dataclass(frozen=True)
class PlacedNode:
    """A node with its label; `x` is its middle, `y` the top of its level, `parent` an index or -1."""

    node: MergeNode
    label: str
    x: float
    y: int
    parent: int


@dataclass(frozen=True)
class MergeTreeLayout:
    """All nodes of a drawing, parents before their parts."""

    nodes: tuple[PlacedNode, ...]
    width: int
    height: int


def layout_of(
    roots: tuple[MergeNode, ...], label_width: Callable[[str], int], write: Write = visible_text
) -> MergeTreeLayout:
    """Place the trees side by side; `label_width` measures a label in pixels."""
    placed: list[PlacedNode] = []
    left = 0.0
    for root in roots:
        left = _place(root, left, 0, -1, placed, write, label_width) + ROOT_GAP_PX
    depth = max((node.y for node in placed), default=-LABEL_PX) + LABEL_PX
    return MergeTreeLayout(tuple(placed), max(0, round(left) - ROOT_GAP_PX), depth)


def _place(
    node: MergeNode,
    left: float,
    level: int,
    parent: int,
    placed: list[PlacedNode],
    write: Write,
    label_width: Callable[[str], int],
) -> float:
    """Place a node and all below it from `left` on; returns where it ends at the right."""
    label = write(node.shown, LABEL_LIMIT)
    half = label_width(label) / 2
    at = len(placed)
    placed.append(PlacedNode(node, label, left + half, level * LEVEL_PX, parent))
    if not node.parts:
        return left + 2 * half
    right, middles = left - BRANCH_GAP_PX, []
    for part in node.parts:
        first = len(placed)
        right = _place(part, right + BRANCH_GAP_PX, level + 1, at, placed, write, label_width)
        middles.append(placed[first].x)
    x = max(sum(middles) / 2, left + half)
    placed[at] = replace(placed[at], x=x)
    return max(right, x + half)
