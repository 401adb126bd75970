"""The card beside the pointer: the whole token that a node of the picture stands for."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QLayout, QWidget

from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.tree.details import NODE_FACTS, NodeDetails
from guiapp.widgets.shared.layouts import AS_AROUND, in_column
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme

OFFSET_PX = 18
ELIDED = 44


class TreeCard(QFrame):
    """A frame that follows the pointer and lets all clicks through."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        set_role(self, "card")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._title = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._title.setFont(Theme.mono_font(17))
        self._rows = [(QLabel(), QLabel()) for _ in NODE_FACTS]
        facts = self._facts = QGridLayout()
        facts.setHorizontalSpacing(3 * UNIT_PX)
        facts.setVerticalSpacing(2)
        for row, (name, value) in enumerate(self._rows):
            set_role(name, "dim")
            for place, label in enumerate((name, value)):
                label.setTextFormat(Qt.TextFormat.PlainText)
                facts.addWidget(label, row, place)
            name.setFont(Theme.ui_font(SMALL_FONT_PX))
            value.setFont(Theme.mono_font(SMALL_FONT_PX))
        margins = 3 * UNIT_PX, GAP_PX
        layout = in_column(self._title, facts, on=self, margins=margins, spacing=AS_AROUND)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        self.hide()

    def show_at(self, details: NodeDetails, point: QPoint) -> None:
        """Show what is known about a node, beside a point of the parent."""
        self._title.setText(isolate(_short(details.text)))
        for at, (name, value) in enumerate(self._rows):
            is_used = at < len(details.facts)
            name.setVisible(is_used)
            value.setVisible(is_used)
            if is_used:
                name.setText(details.facts[at][0])
                value.setText(_short(details.facts[at][1]))
        self._fit()
        self.move_to(point)
        self.show()
        self.raise_()

    def _fit(self) -> None:
        """Be as large as the facts need that are shown now, before anything is painted."""
        layout = self.layout()
        assert layout is not None
        for part in (self._facts, layout):
            part.invalidate()
        layout.activate()

    def move_to(self, point: QPoint) -> None:
        """Follow the pointer, on the side where there is room."""
        room = self._around.rect()
        box = QRect(point + QPoint(OFFSET_PX, OFFSET_PX), self.size())
        if box.right() > room.right():
            box.moveRight(point.x() - OFFSET_PX)
        if box.bottom() > room.bottom():
            box.moveBottom(max(box.height(), min(point.y() - OFFSET_PX, room.bottom() - GAP_PX)))
        self.move(box.topLeft())


def _short(text: str) -> str:
    return text if len(text) <= ELIDED else text[: ELIDED - 1] + "…"
