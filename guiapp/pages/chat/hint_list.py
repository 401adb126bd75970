"""The hints about a prompt: a numbered line for each, with a button that applies its fix."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QSizePolicy

from guiapp.analysis.chat.fixes import Fix
from guiapp.analysis.chat.hints import Hint
from guiapp.kit.prompt.view import BADGE_PX, BECAME_CONTROL, color_of, draw_number
from guiapp.kit.spans.legend import Draw, LegendIcon
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row, scroll_down, take_away
from guiapp.kit.widgets.notices import SWITCHED_OFF, announce, copy_text
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, Theme, ThemeSource, set_role
from guiapp.pages.chat.model import ChatModel

ROW_PX = 40
MOST_LINES = 4  # of a hint
MOST_HINTS = 100
NARROW_PX = 440
MOST_PX = 200
NO_HINT = Hint("", "", "", (0, 0))
TITLES = {
    "content_became_control": "Content became control",
    "double_bos": "Two BOS",
    "missing_eos": "No end of turn",
    "eog_gap": "Not an end for llama.cpp",
    "near_miss": "Near miss",
    "trailing_blank": "Space at the end",
    "added_blank": "Added space",
    "lost_content": "Left out",
    "lost_part": "Partly left out",
    "lost_tools": "Tools left out",
    "escaped_arguments": "Escaped arguments",
    "unused_variable": "Variable not used",
    "untraced": "Unknown origin",
}


class HintRow(QFrame):
    """One hint with its fix.

    Signals:
        pointed_at(Hint): the user wants to see the tokens or the message of the hint.
        both_requested(): show the prompt with and without control tokens in content.
    """

    pointed_at = Signal(object)
    both_requested = Signal()

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self.hint = NO_HINT
        self._model, self._theme_source = model, theme_source
        self._number = LegendIcon(_badge(0, NO_HINT), theme_source)
        self._number.setFixedSize(BADGE_PX + 2, BADGE_PX + 2)
        self._words = StyledText(Theme.ui_font(), MOST_LINES)
        self._words.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        tip = "Show this prompt next to one with content as text"
        self.both = push_button("Side by side", self.both_requested.emit, role="link", tip=tip)
        self.button = push_button("", self._apply_fix, role="raised")
        buttons = in_row(self.both, self.button, STRETCH, spacing=GAP_PX)
        self._said = in_row((self._words, 1), buttons, spacing=GAP_PX)
        in_row(self._number, (self._said, 1), on=self, margins=(MARGIN_PX, UNIT_PX), spacing=GAP_PX)
        theme_source.changed.connect(self._write)

    def minimumSizeHint(self) -> QSize:
        """At least `ROW_PX`; a fixed minimum height would clip hints of several lines."""
        return super().minimumSizeHint().expandedTo(QSize(0, ROW_PX))

    def fold(self, is_narrow: bool) -> None:
        """Put the buttons below the text, or next to it."""
        ways = QBoxLayout.Direction
        self._said.setDirection(ways.TopToBottom if is_narrow else ways.LeftToRight)

    def show_hint(self, number: int, hint: Hint) -> None:
        """Show a hint; lay out its text again only if it has changed."""
        before, self.hint = self.hint, hint
        self._number.show_drawing(_badge(number, hint))
        self._number.setAccessibleName(f"{hint.severity} {number}")
        self.both.setVisible(hint.code == BECAME_CONTROL)
        self.button.setText("" if hint.fix is None else hint.fix.label)
        self.button.setVisible(hint.fix is not None)
        self.button.setToolTip("" if hint.fix is None else tip_of(hint.fix))
        self.button.setAccessibleDescription(hint.what)
        is_somewhere = hint.tokens[0] < hint.tokens[1]
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_somewhere else Qt.CursorShape.ArrowCursor)
        if (before.code, before.what) != (hint.code, hint.what):
            self._words.setAccessibleName(hint.what)
            self._write()

    def _write(self) -> None:
        theme, heading = self._theme_source.theme, TITLES.get(self.hint.code, self.hint.severity.capitalize())
        title = Span(f"{heading}.  ", theme.text, is_bold=True)
        self._words.set_spans([title, Span(self.hint.what, theme.dim)])

    def _apply_fix(self) -> None:
        if self.hint.fix is not None and self.hint.fix.remedy:
            copy_text(self, self.hint.fix.remedy, "the fix")
        elif self.hint.fix is not None:
            self._model.apply_fix(self.hint.fix)
            if self.hint.fix.add_special is False:
                announce(self.window(), SWITCHED_OFF)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pointed_at.emit(self.hint)


def tip_of(fix: Fix) -> str:
    """What a button does, if its label does not make that clear."""
    if fix.template is not None:
        return "Changes a copy of the template for this conversation. The model file does not change"
    return fix.remedy or ""


class HintList(QScrollArea):
    """As high as its rows, up to a limit, but at least as the first row.

    Signals:
        pointed_at(Hint), both_requested(): as for a row.
        keys_left(): the button that had keyboard focus is gone.
    """

    pointed_at = Signal(object)
    both_requested = Signal()
    keys_left = Signal()

    def __init__(self, model: ChatModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.rows: list[HintRow] = []
        self._heights_px: list[int] = []
        self._room_px = MOST_PX
        self._is_fitting = False
        self.setAccessibleName("Hints")
        self._inside = set_role(QFrame(), "panel")
        self._column = in_column(on=self._inside, spacing=0)
        self._inside.installEventFilter(self)
        scroll_down(self, self._inside)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        model.result_changed.connect(self._refresh)
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(300, min(sum(self._heights_px), self._room_px))

    def set_room(self, room_px: int) -> None:
        """Limit the height, to leave enough room to the prompt."""
        self._room_px = min(room_px, MOST_PX)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), sum(self._heights_px[:1])))

    def _refresh(self) -> None:
        hints = () if self._model.failure else self._model.hints[:MOST_HINTS]  # outdated after a failure
        had_keys = self._has_keys()
        take_away(*self.rows[len(hints) :])
        del self.rows[len(hints) :]
        while len(self.rows) < len(hints):
            self._add_row()
        for number, (row, hint) in enumerate(zip(self.rows, hints, strict=True), 1):
            row.show_hint(number, hint)
        self._fit()
        self.setVisible(bool(self.rows))
        if had_keys and not self._has_keys():
            self.keys_left.emit()

    def _has_keys(self) -> bool:
        focused = self.window().focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def _add_row(self) -> None:
        row = HintRow(self._model, self._theme_source)
        row.pointed_at.connect(self.pointed_at)
        row.both_requested.connect(self.both_requested)
        row.fold(self.width() < NARROW_PX)
        self.rows.append(row)
        self._column.addWidget(row)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for row in self.rows:
            row.fold(self.width() < NARROW_PX)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the height when the contents are laid out, as rows may be higher.

        Ignore changes during that: a scroll bar that appears makes rows higher, one that disappears makes
        them lower, and at some widths neither state is stable.
        """
        if watched is not self._inside or event.type() not in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            return super().eventFilter(watched, event)
        if self._is_fitting:
            return False
        self._is_fitting = True
        try:
            self._fit()
            return super().eventFilter(watched, event)
        finally:
            self._is_fitting = False

    def _fit(self) -> None:
        """Be as high as the rows, if there is room."""
        heights_px = [row.minimumSizeHint().height() for row in self.rows]
        if heights_px != self._heights_px:
            self._heights_px = heights_px
            self.updateGeometry()


def _badge(number: int, hint: Hint) -> Draw:
    """The hint's number as it is drawn on tokens."""
    return lambda painter, theme, box: draw_number(
        painter, box.center(), number, color_of(hint, theme), theme
    )
