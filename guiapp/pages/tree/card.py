"""The card beside the pointer: which token a node of the picture stands for, in a few words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainterPath
from PySide6.QtWidgets import QFrame, QLayout, QWidget

from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.layouts import in_column
from guiapp.kit.widgets.style_sheet import plain_label, set_role
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme

NEAREST_PX, STEP_PX = 14, 16  # from the pointer to the card, and how much farther it is tried each time
APART_PX = 4  # from what the card is about
ELIDED = 28
TITLE_PX = 15
SIDES = (*product((1, -1), (1, -1)), (0, 1), (0, -1), (1, 0), (-1, 0))  # right and down first


class TreeCard(QFrame):
    """Lies beside the node that it is about, and lets all clicks through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        set_role(self, "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title = plain_label()
        self._title.setFont(Theme.mono_font(TITLE_PX))
        self._lines = plain_label("dim")
        self._lines.setFont(Theme.ui_font(SMALL_FONT_PX))
        layout = in_column(self._title, self._lines, on=self, margins=(GAP_PX, UNIT_PX), spacing=2)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.hide()

    def show_beside(self, node: QPainterPath, point: QPointF, title: str, lines: tuple[str, ...]) -> None:
        """Say something about a node, near a point of it; nothing where all the room is the node's."""
        self._title.setText(isolate(title if len(title) <= ELIDED else title[: ELIDED - 1] + "…"))
        self._lines.setText("\n".join(lines))
        layout = self.layout()
        assert layout is not None
        layout.activate()  # be as large as these words need
        room = self._around.rect().adjusted(UNIT_PX, UNIT_PX, -UNIT_PX, -UNIT_PX)
        place = place_beside(room, self.sizeHint(), point.toPoint(), _beside(node))
        if place is None:
            self.hide()
            return
        self.move(place)
        self.show()
        self.raise_()


def place_beside(room: QRect, size: QSize, point: QPoint, is_free: Callable[[QRect], bool]) -> QPoint | None:
    """The corner of a free box near a point, not over it; None where there is none in the room."""
    for way in range(NEAREST_PX, room.width() + room.height(), STEP_PX):
        for right, down in SIDES:
            x = point.x() + right * way - (size.width() * (1 - right)) // 2
            y = point.y() + down * way - (size.height() * (1 - down)) // 2
            x = min(max(x, room.left()), room.right() + 1 - size.width())
            y = min(max(y, room.top()), room.bottom() + 1 - size.height())
            box = QRect(QPoint(x, y), size)
            if room.contains(box) and not box.contains(point) and is_free(box):
                return box.topLeft()
    return None


def _beside(node: QPainterPath) -> Callable[[QRect], bool]:
    """Whether a box lies apart from a node."""

    def is_free(box: QRect) -> bool:
        return not node.intersects(QRectF(box).adjusted(-APART_PX, -APART_PX, APART_PX, APART_PX))

    return is_free
