"""The head of a column: which model it is, how far that has got, what the text costs, and its menu."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.choice import joined, summary
from guiapp.kit.session.loader import title_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.widgets.choice_list import PrePicker, can_choose
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import (
    LEFT,
    MARKER_PX,
    RIGHT,
    Painted,
    bold,
    draw_marker,
    elided,
    fill,
    write,
)
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.pages.compare.models import ComparedFigures, ComparedSpans

HEIGHT_PX = 76
NUMBER_FONT_PX = 21
BAR_PX = 4
NAME_PX = 28  # the height of the button with the name


class NameButton(MenuButton):
    """`name ▾`, shortened where it does not fit."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, role="")
        self.setFont(bold(Theme.ui_font(14)))

    def set_name(self, name: str, room_px: int) -> None:
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.refresh()

    def refresh(self) -> None:
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
            more_place = QRectF(MARGIN_PX + least + 1, y, needed - least - 1, BAR_PX)
            fill(painter, more_place, theme.warning, BAR_PX / 2)


class ColumnState(QObject):
    """Name and kind of the model of a column, or why there is none.

    problem  why the model that was asked for last, or its text, came to nothing; "" where all is well

    Signals:
        changed(): something of it is new.
    """

    changed = Signal()

    def __init__(self, column: ComparedSpans) -> None:
        super().__init__()
        self.column = column
        self.session = column.session
        self.problem = ""
        self._failed_name = ""
        loader = self.session.loader
        for signal in (loader.loading_changed, loader.progress_changed, loader.refused_changed):
            signal.connect(self.changed)
        self.session.options_changed.connect(self.changed)
        loader.loading_changed.connect(self._begin)
        loader.model_changed.connect(self._clear)
        loader.failed.connect(self._fail)
        self.session.spans.failed.connect(self._fail_to_encode)
        self.session.spans.encoded.connect(self._encode)

    @property
    def has_model(self) -> bool:
        return self.session.tokenizer is not None

    @property
    def needs_pre(self) -> bool:
        return self.session.loader.refused is not None

    @property
    def progress(self) -> float | None:
        """How far opening has got, from 0 to 1; None where nothing is being opened."""
        loader = self.session.loader
        return None if loader.loading_name is None else loader.job.progress

    @property
    def name(self) -> str:
        return self.session.loader.title or title_of(self._failed_name) or "No model"

    @property
    def kind(self) -> str:
        """`BPE · llama-bpe · 128,256`, and what differs from what people expect."""
        loader, options = self.session.loader, self.session.options
        if loader.loading_name is not None:
            return f"Opening… {self.progress or 0:.0%}"
        if loader.model is None:
            return ""
        switches = [
            "" if options.encoder is None else options.encoder,
            "" if options.add_special else "none added",
            "" if options.parse_special else "special as text",
        ]
        return joined(*switches, summary(loader.model))

    @property
    def tip(self) -> str:
        return joined(self.name, self.kind, self.problem)

    @property
    def message(self) -> str:
        """What is said in place of the text, "" where that can be shown."""
        loader = self.session.loader
        if loader.model is not None:
            return ""
        if loader.loading_name is not None:
            return f"Opening {self.name} …"
        if loader.refused is not None:
            return loader.refused.reason
        return self.problem or "No model is open."

    def _begin(self) -> None:
        if self.session.loader.loading_name is not None:
            self._clear()

    def _clear(self) -> None:
        self.problem = self._failed_name = ""
        self.changed.emit()

    def _fail(self, name: str, message: str) -> None:
        self.problem, self._failed_name = message, name
        self.changed.emit()

    def _fail_to_encode(self, message: str) -> None:
        self._fail("", message)

    def _encode(self) -> None:
        if not self._failed_name:  # else the model that stayed has the text, and still another was asked for
            self._clear()


class ColumnMenu(QMenu):
    """The menu of one session.

    Signals:
        again_wanted(): the same model in one more column.
        removal_wanted(): this column is to go.
    """

    again_wanted = Signal()
    removal_wanted = Signal()

    def __init__(
        self, session: ModelSession, is_first: bool, requests: PageRequests, theme_source: ThemeSource
    ) -> None:
        super().__init__()
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # its button runs to the left
        self._session = session
        self._requests = requests
        self._theme_source = theme_source
        self._pre_picker: PrePicker | None = None
        self._add("Other model…", self.choose_model)
        self._encoders = self.addMenu("Encoder")
        self._pre = self._add("Pre-tokenizer…", self.choose_pre)
        self._add_special = self._add("Add special tokens", session.set_add_special, is_checkable=True)
        self._parse_special = self._add("Parse special tokens", session.set_parse_special, is_checkable=True)
        self.addSeparator()
        self._again = self._add("The same model again", self.again_wanted.emit)
        if not is_first:
            self._add("Remove", self.removal_wanted.emit)
        self.can_add = True
        self.aboutToShow.connect(self._refresh)

    def choose_model(self) -> None:
        self._requests.model_wanted.emit(self._button, self._session.loader.open)

    def choose_pre(self) -> None:
        """Ask how the model that waits, or else the one that is open, splits text."""
        if self._pre_picker is None:
            self._pre_picker = PrePicker(self._session.loader, self._theme_source, self._button)
            self._pre_picker.chosen.connect(self._session.loader.use_pre)
        self._pre_picker.open_under(self._button)

    @property
    def _button(self) -> QWidget:
        button = self.parentWidget()
        assert button is not None
        return button

    def _add(self, text: str, slot: object, is_checkable: bool = False) -> QAction:
        action = self.addAction(text)
        action.setCheckable(is_checkable)
        action.triggered.connect(slot)
        return action

    def _refresh(self) -> None:
        session = self._session
        self._encoders.clear()
        for algorithm in session.encoders.values():
            mark = "exact" if algorithm.exact else "approximate"
            action = self._encoders.addAction(f"{algorithm.name}: {algorithm.title} ({mark})")
            action.setCheckable(True)
            action.setChecked(session.algorithm is algorithm)
            action.triggered.connect(partial(session.set_encoder, algorithm.name))
        self._encoders.setEnabled(bool(session.encoders))
        self._pre.setEnabled(can_choose(session.loader))
        self._add_special.setChecked(session.options.add_special)
        self._parse_special.setChecked(session.options.parse_special)
        self._again.setEnabled(self.can_add and session.loader.model is not None)
