"""What there is to look at in a prompt: a numbered line each, with one button that mends it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QWidget

from guiapp.core.chat.hints import Hint
from guiapp.viewmodels.chat.model import ChatModel
from guiapp.widgets.chat.prompt_view import BADGE_PX, draw_number
from guiapp.widgets.shared.buttons import push_button
from guiapp.widgets.shared.fitted_label import FittedLabel
from guiapp.widgets.shared.layouts import in_column, in_row, scroll_down
from guiapp.widgets.shared.painting import Painted
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource

ROW_PX = 40
MOST_ROWS = 4  # without scrolling
MOST_HINTS = 100


class _Number(Painted):
    """A badge as on the tokens."""

    def __init__(self, number: int, hint: Hint, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, f"{hint.severity} {number}")
        self._number, self._hint = number, hint
        self.setFixedSize(BADGE_PX + 2, BADGE_PX + 2)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        middle = QPointF(self.width() / 2, self.height() / 2)
        draw_number(painter, theme, middle, self._number, self._hint)


class HintRow(QFrame):
    """One hint; a click shows the tokens it is about.

    Signals:
        clicked(): the row was clicked.
    """

    clicked = Signal()

    def __init__(self, number: int, hint: Hint, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self.hint = hint
        self.setFixedHeight(ROW_PX)
        words = FittedLabel()
        words.set_texts([hint.what])
        words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        parts: list[QWidget | tuple[QWidget, int]] = [_Number(number, hint, theme_source), (words, 1)]
        self.button = None
        if hint.fix is not None:
            self.button = push_button(hint.fix.label, partial(model.mend, hint.fix), role="raised")
            self.button.setAccessibleDescription(hint.what)
            parts.append(self.button)
        in_row(*parts, on=self, margins=(MARGIN_PX, 0), spacing=GAP_PX)
        if hint.tokens[0] < hint.tokens[1]:
            self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()


class HintList(QScrollArea):
    """As high as its rows, up to a few.

    Signals:
        pointed_at(Hint): people want to see what it is about.
    """

    pointed_at = Signal(object)

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self._shown: tuple[Hint, ...] = ()
        self.rows: list[HintRow] = []
        self.setAccessibleName("Hints")
        scroll_down(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        model.result_changed.connect(self._follow)
        self._follow()

    def sizeHint(self) -> QSize:
        return QSize(300, self.height())

    def _follow(self) -> None:
        hints = self._model.hints[:MOST_HINTS]
        if hints == self._shown and self.widget() is not None:
            return
        self._shown = hints
        self.rows = [
            HintRow(number, hint, self._model, self._theme_source) for number, hint in enumerate(hints, 1)
        ]
        for row in self.rows:
            row.clicked.connect(partial(self.pointed_at.emit, row.hint))
        inside = QFrame()
        set_role(inside, "panel")
        in_column(*self.rows, on=inside, spacing=0)
        self.setWidget(inside)
        self.setFixedHeight(ROW_PX * min(len(self.rows), MOST_ROWS))
        self.setVisible(bool(self.rows))
