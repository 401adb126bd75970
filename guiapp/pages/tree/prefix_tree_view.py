"""The last token of every prefix of the text, drawn as a tree of arcs, and the greedy walk beside it."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPen

from guiapp.analysis.tree.greedy_walk import PrefixTree
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.later import later
from guiapp.kit.widgets.painting import Painted, bold, write
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.pages.tree.greedy_walk import TreeWalk
from guiapp.pages.tree.model import TreeModel

ROW_PX = 17
INDENT_PX = 12
SETTLE_MS = 60
FONT_PX = 12


class PrefixTreeView(Painted):
    """One row for each prefix: its last token, hanging under the prefix before it.

    The rows of the tokens of the whole text are bold; a click looks at a token in the tree.
    """

    def __init__(
        self, walk: TreeWalk, model: TreeModel, session: ModelSession, theme_source: ThemeSource
    ) -> None:
        super().__init__(theme_source, "Last token of each prefix")
        self._walk = walk
        self._model = model
        self._tree: PrefixTree | None = None
        self._depths: list[int] = []
        self._chosen: set[int] = set()
        self._settled = later(self, SETTLE_MS, self._follow)
        session.tokens_changed.connect(self._follow_soon)
        session.selected_token_changed.connect(self._follow_soon)
        model.picture_changed.connect(self._follow_picture)
        model.spelling.changed.connect(self.update)
        self._follow()

    def sizeHint(self) -> QSize:
        return QSize(200, ROW_PX * max(1, len(self._depths) - 1))

    def _follow_soon(self) -> None:
        self._settled.start()

    def _follow(self) -> None:
        tree = self._tree = self._walk.prefix_tree()
        self._depths = []
        self._chosen = set()
        if tree is not None:
            for parent in tree.parents.tolist():
                self._depths.append(0 if parent < 0 else self._depths[parent] + 1)
            self._chosen = set(tree.chosen())
        self.setFixedHeight(self.sizeHint().height())
        self.update()

    def _follow_picture(self) -> None:
        """Forget the tokens of another vocabulary, which are none of the next picture."""
        if self._model.picture is None:
            self._tree = None
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        tree = self._tree
        if tree is None or self._model.picture is None:
            write(painter, self.rect(), "Select a token of the text.", theme.dim, Qt.AlignmentFlag.AlignLeft)
            return
        for end in range(1, len(tree.parents)):
            self._paint_row(painter, theme, tree, end)

    def _paint_row(self, painter: QPainter, theme: Theme, tree: PrefixTree, end: int) -> None:
        parent, token = int(tree.parents[end]), int(tree.token_ids[end])
        if token < 0:
            return
        is_chosen = end in self._chosen
        y, x = (end - 0.5) * ROW_PX, 8 + self._depths[end] * INDENT_PX
        color = QColor(theme.accent if is_chosen else theme.faint)
        painter.setPen(QPen(color, 2 if is_chosen else 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if parent > 0:
            path = QPainterPath(QPointF(x - INDENT_PX, (parent - 0.5) * ROW_PX + 5))
            path.lineTo(x - INDENT_PX, y - 4)
            path.quadTo(x - INDENT_PX, y, x - 2, y)
            painter.drawPath(path)
        painter.setBrush(color)
        painter.drawEllipse(QPointF(x, y), 2.2, 2.2)
        painter.setFont(bold(Theme.mono_font(FONT_PX), is_chosen))
        painter.setPen(theme.text if is_chosen else theme.dim)
        box = QRectF(x + 8, y - ROW_PX / 2, self.width() - x - 8, ROW_PX)
        text = self._model.written(token, 24)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        end = int(event.position().y() // ROW_PX) + 1
        if self._tree is not None and 0 < end < len(self._tree.token_ids):
            token = int(self._tree.token_ids[end])
            if token >= 0:
                self._model.look_at_token(token)
