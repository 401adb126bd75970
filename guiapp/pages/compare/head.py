"""The head of a column: which model it is, and what the text costs with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QToolButton

from guiapp.core.text.figures import counted
from guiapp.kit.widgets.painting import (
    LEFT,
    MARKER_PX,
    RIGHT,
    Painted,
    bold,
    draw_marker,
    elided,
    fill,
    icon,
    write,
)
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.pages.compare.column_state import ColumnState
from guiapp.pages.compare.figures import ComparedFigures

HEIGHT_PX = 76
NUMBER_FONT_PX = 21
BAR_PX = 4
NAME_PX = 28  # the height of the button with the name


class NameButton(QToolButton):
    """`name ▾`, shortened where it does not fit."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._whole = ""
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow goes behind the text
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFont(bold(Theme.ui_font(14)))
        theme_source.changed.connect(self._color)
        self._color()

    def set_name(self, name: str, room_px: int) -> None:
        """Show as much of a name as there is room for."""
        shown = elided(name, self.font(), max(room_px, 0), Qt.TextElideMode.ElideMiddle).replace("&", "&&")
        if shown != self.text():
            self.setText(shown)
            self._fit()

    def event(self, event: QEvent) -> bool:
        taken = super().event(event)
        if event.type() in (QEvent.Type.Polish, QEvent.Type.StyleChange):  # how much is around the text
            self._fit()
        return taken

    def _fit(self) -> None:
        self.resize(self.sizeHint().width(), NAME_PX)

    def _color(self) -> None:
        self.setIcon(icon("chevron-down", self._theme_source.theme.dim))


class ColumnHead(Painted):
    """Marker, name, kind, number of tokens, what these are more than the fewest, and both as a bar."""

    ground = "panel"
    number = 0  # of the column, from the left

    def __init__(self, state: ColumnState, figures: ComparedFigures, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._state = state
        self._figures = figures
        self.name_button = NameButton(theme_source)
        self.name_button.setParent(self)
        self.setFixedHeight(HEIGHT_PX)
        self.is_focused = False
        state.changed.connect(self.refresh)

    def sizeHint(self) -> QSize:
        return QSize(280, HEIGHT_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Show what is new."""
        cost = self._figures.cost(self._state.column)
        number = "" if cost is None else f"{cost.n_tokens:,}"
        taken = QFontMetricsF(Theme.mono_font(NUMBER_FONT_PX)).horizontalAdvance(number)
        left = MARGIN_PX + MARKER_PX + UNIT_PX
        self.name_button.move(left, GAP_PX)
        self.name_button.set_name(self._state.name, self.width() - left - round(taken) - 2 * MARGIN_PX - 40)
        told = self._state.kind if cost is None else f"{counted(cost.n_tokens, 'token')}, {cost.words}"
        self.setAccessibleName(f"{self._state.name}: {told}")
        self.name_button.setAccessibleName(f"Model {self.number + 1}: {self._state.name}")
        self.name_button.setToolTip(self._state.tip)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        right = self.width() - MARGIN_PX
        middle = GAP_PX + NAME_PX / 2
        draw_marker(painter, QPointF(MARGIN_PX + MARKER_PX / 2, middle), self.number, theme)
        cost = self._figures.cost(self._state.column)
        second = QRectF(MARGIN_PX, GAP_PX + NAME_PX, right - MARGIN_PX, 20)
        small = Theme.mono_font(SMALL_FONT_PX)
        taken = 0.0
        if cost is not None:
            number = QRectF(MARGIN_PX, GAP_PX, right - MARGIN_PX, NAME_PX)
            write(painter, number, f"{cost.n_tokens:,}", theme.text, RIGHT, Theme.mono_font(NUMBER_FONT_PX))
            if self._figures.is_comparing:
                color = theme.warning if cost.more else theme.good
                write(painter, second, cost.words, color, RIGHT, small)
                taken = QFontMetricsF(small).horizontalAdvance(cost.words) + GAP_PX
                self._draw_bar(painter, theme, cost.n_tokens, cost.more)
        font = Theme.ui_font(SMALL_FONT_PX)
        problem = self._state.problem if self._state.has_model else ""  # else it is told below
        kind, color = (problem, theme.bad) if problem else (self._state.kind, theme.dim)
        room = second.adjusted(0, 0, -taken, 0)
        write(painter, room, elided(kind, font, room.width()), color, LEFT, font)
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line)
        if self.is_focused:
            painter.fillRect(0, 0, self.width(), 2, theme.accent)

    def _draw_bar(self, painter: QPainter, theme: Theme, n_tokens: int, more: int) -> None:
        most = max(self._figures.most_tokens, 1)
        room, y = self.width() - 2 * MARGIN_PX, self.height() - 3 * UNIT_PX - BAR_PX + 2
        needed, least = (round(room * share / most) for share in (n_tokens, n_tokens - more))
        fill(painter, QRectF(MARGIN_PX, y, least, BAR_PX), theme.faint, BAR_PX / 2)
        if needed > least:
            fill(
                painter,
                QRectF(MARGIN_PX + least + 1, y, needed - least - 1, BAR_PX),
                theme.warning,
                BAR_PX / 2,
            )
