"""What there is to look at in a prompt: a numbered line each, with one button that mends it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy

from guiapp.core.chat.hints import Hint
from guiapp.viewmodels.chat.model import ChatModel
from guiapp.widgets.chat.badge import BADGE_PX, BECAME_CONTROL, color_of, draw_number
from guiapp.widgets.shared.buttons import push_button
from guiapp.widgets.shared.layouts import Part, in_column, in_row, scroll_down
from guiapp.widgets.shared.painting import Painted
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.styled_text import Span, StyledText
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, UNIT_PX, Theme, ThemeSource

ROW_PX = 40
MOST_LINES = 4  # of a hint
MOST_ROWS = 4  # without scrolling
MOST_HINTS = 100
MOST_FURTHER_PX = 40  # for those of several lines
TITLES = {
    "content_became_control": "Content became control",
    "double_bos": "Two BOS",
    "missing_eos": "No end of turn",
    "eog_gap": "Not an end for llama.cpp",
    "near_miss": "Near miss",
    "trailing_blank": "Blank at the end",
    "added_blank": "Added blank",
    "lost_content": "Left out",
    "untraced": "Origins unknown",
}


class _Number(Painted):
    """A badge as on the tokens."""

    def __init__(self, number: int, hint: Hint, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, f"{hint.severity} {number}")
        self._number, self._hint = number, hint
        self.setFixedSize(BADGE_PX + 2, BADGE_PX + 2)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        middle = QPointF(self.width() / 2, self.height() / 2)
        draw_number(painter, middle, self._number, color_of(self._hint, theme), theme)


class HintRow(QFrame):
    """One hint; a click shows the tokens it is about.

    Signals:
        clicked(): the row was clicked.
        both_wanted(): show the prompt with and without control tokens in content.
    """

    clicked = Signal()
    both_wanted = Signal()

    def __init__(self, number: int, hint: Hint, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self.hint = hint
        self.setMinimumHeight(ROW_PX)
        self._theme_source = theme_source
        self._words = StyledText(Theme.ui_font(), MOST_LINES)
        self._words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._words.setAccessibleName(hint.what)
        parts: list[Part] = [_Number(number, hint, theme_source), (self._words, 1)]
        self.button = None
        if hint.code == BECAME_CONTROL:
            tip = "Show the tokens as the model reads them, and as text, side by side"
            parts.append(push_button("Side by side", self.both_wanted.emit, role="link", tip=tip))
        if hint.fix is not None:
            self.button = push_button(hint.fix.label, partial(model.mend, hint.fix), role="raised")
            self.button.setAccessibleDescription(hint.what)
            parts.append(self.button)
        in_row(*parts, on=self, margins=(MARGIN_PX, UNIT_PX), spacing=GAP_PX)
        if hint.tokens[0] < hint.tokens[1]:
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme_source.changed.connect(self._write)
        self._write()

    def _write(self) -> None:
        theme, said = self._theme_source.theme, TITLES.get(self.hint.code, self.hint.severity.capitalize())
        title = Span(f"{said}.  ", theme.text, is_bold=True)
        self._words.set_spans([title, Span(self.hint.what, theme.dim)])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()


class HintList(QScrollArea):
    """As high as its rows, up to a few.

    Signals:
        pointed_at(Hint): people want to see what it is about.
        both_wanted(): as of a row.
    """

    pointed_at = Signal(object)
    both_wanted = Signal()

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
            row.both_wanted.connect(self.both_wanted)
        inside = QFrame()
        set_role(inside, "panel")
        in_column(*self.rows, on=inside, spacing=0)
        inside.installEventFilter(self)
        self.setWidget(inside)
        self._fit()
        self.setVisible(bool(self.rows))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What is inside is laid out anew: its rows may be higher."""
        if watched is self.widget() and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """Be as high as the first rows."""
        heights = (max(row.sizeHint().height(), ROW_PX) for row in self.rows[:MOST_ROWS])
        height = min(sum(heights), MOST_ROWS * ROW_PX + MOST_FURTHER_PX)
        if height != self.height():
            self.setFixedHeight(height)
