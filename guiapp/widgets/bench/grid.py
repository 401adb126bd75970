"""Where the cards of the Bench page lie: in two columns, in one where there is less width, or one alone."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from guiapp.widgets.shared.layouts import scroll_down
from guiapp.widgets.shared.theme import GAP_PX

STRETCHES = (5, 4)  # of two columns
NARROW_PX = 760  # the width below which there is one column
LEAST_HEIGHT_PX, LEAST_HEIGHT_ALONE_PX = 220, 320  # of a card beside others in a row, and of one with a row


class CardGrid(QScrollArea):
    """Lays four cards out and scrolls where there is no room for them."""

    def __init__(self, cards: Sequence[QWidget]) -> None:
        super().__init__()
        self._cards = cards
        self._alone: QWidget | None = None
        self._state: tuple[int, QWidget | None] | None = None
        inner = QWidget()
        self._grid = QGridLayout(inner)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(GAP_PX + 4)
        scroll_down(self, inner)
        for widget in (self.viewport(), inner):
            widget.setAutoFillBackground(False)
        self._arrange()

    def show_alone(self, card: QWidget | None) -> None:
        """Give one card all the room; None shows all of them."""
        self._alone = card
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        n_columns = 1 if self.width() < NARROW_PX or self._alone is not None else 2
        if self._state == (n_columns, self._alone):
            return
        self._state = n_columns, self._alone
        shown = list(self._cards) if self._alone is None else [self._alone]
        for index, card in enumerate(self._cards):
            self._grid.removeWidget(card)
            card.setMinimumHeight(LEAST_HEIGHT_PX if n_columns == 2 else LEAST_HEIGHT_ALONE_PX)
            self._grid.setRowStretch(index, 0)
        for index, card in enumerate(shown):
            row, column = divmod(index, n_columns)
            self._grid.addWidget(card, row, column)
            self._grid.setRowStretch(row, 1)
        for card in self._cards:  # now that each has a place: before, it would be a window
            card.setVisible(card in shown)
        for column, stretch in enumerate(STRETCHES):
            self._grid.setColumnStretch(column, stretch if column < n_columns else 0)
