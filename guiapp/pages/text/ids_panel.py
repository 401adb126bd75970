"""The ids of the text: a strip or a table, with actions to copy them in several formats and to decode."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from html import escape
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QActionGroup,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QStackedWidget, QToolButton, QWidget

from guiapp.analysis.explain.id_lists import FORMATS
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.document.coloured_spans import ColouredSpans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.layout import ChipGrid
from guiapp.kit.spans.token_menu import copy_action
from guiapp.kit.state.background import LatestJob, later
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import TextZoom, TipWatch
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.notices import announce, copy_text
from guiapp.kit.widgets.painting import clear_pixmap
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    set_role,
)

if TYPE_CHECKING:
    from guiapp.pages.text.token_table import TextTokenTable

Key = Qt.Key
REPAINT_MS = 30
GAPS = QSize(6, 6)
OUTLINE_PX = 1  # space for the outline around a chip
CACHED_CHIPS = 1000
ENCODING_TEXT = "Encoding …"
EMPTY_TEXT = "Type a text to see its token ids here."
NO_TOKENS_TEXT = "No tokens: the vocabulary cannot express this text, or it was not encoded."
NO_MODEL_TEXT = "Open a model to see token ids here."
AT_ONCE = 1 << 14  # ids that can be formatted within a frame


class IdsPanel(QFrame):
    """A header with actions above the strip or the table.

    format_actions  copy the selected ids, or all if fewer than two are selected; the one used last is
                    checked
    decode_action   for the window to connect: paste ids to decode
    """

    def __init__(
        self,
        source: ModelSession,
        strip: TokenStrip,
        make_table: Callable[[], TextTokenTable],
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        set_role(self, "panel")
        self._source = source
        self.strip = strip
        self._make_table = make_table
        self._views = QStackedWidget()
        self._writing = LatestJob[tuple[str, int]](self, self._put_on_clipboard)
        QGuiApplication.clipboard().dataChanged.connect(self._writing.cancel)  # something else was copied
        self.format_actions = self._choices(list(FORMATS))
        self.view_actions = self._choices(["strip", "table"])
        for name, action in self.format_actions.items():
            action.setToolTip(f"Copy the selected ids, or all ids, as {name}")
            action.triggered.connect(self.copy_ids)
        self.decode_action = QAction("Decode", self, toolTip="Paste token ids to see their text")
        strip.addAction(copy_action(strip, "Copy ids", self.copy_ids))
        self._build_layout()
        for action in self.view_actions.values():
            action.toggled.connect(self._show_view)

    @cached_property
    def table(self) -> TextTokenTable:
        table = self._make_table()
        self._views.addWidget(table)
        return table

    @property
    def format_name(self) -> str:
        return next(name for name, action in self.format_actions.items() if action.isChecked())

    def copy_ids(self) -> None:
        """Copy in the format used last: the selected ids, the ids of the selected text, or all ids."""
        start, end = self.strip.marked_range
        if end - start < 2 and not self._source.document.has_selection:
            start, end = 0, len(self._source.tokens)
        write = partial(_written, self.format_name, self._source.tokens.ids(start, end))
        if end - start <= AT_ONCE:
            self._writing.cancel()
            self._put_on_clipboard(write(None))
        else:
            announce(self, f"Copying {counted(end - start, 'id')} …")
            self._writing.start(write)

    def stop(self) -> None:
        self._writing.wait()
        if "table" in self.__dict__:
            self.table.stop()

    def _put_on_clipboard(self, written: tuple[str, int]) -> None:
        text, n_ids = written
        copy_text(self, text, counted(n_ids, "id"))

    def _choices(self, names: list[str]) -> dict[str, QAction]:
        group = QActionGroup(self)
        actions = {name: QAction(name[0].upper() + name[1:], group, checkable=True) for name in names}
        actions[names[0]].setChecked(True)
        return actions

    def _build_layout(self) -> None:
        copy_as = set_role(FittedLabel(), "dim")
        copy_as.setFont(Theme.ui_font(SMALL_FONT_PX))
        copy_as.set_texts(["Copy as", ""])
        formats = in_row(*map(_button, self.format_actions.values()), spacing=0)
        views = in_row(*(_button(each, is_choice=True) for each in self.view_actions.values()), spacing=0)
        copying = heading("Ids"), 3 * UNIT_PX, copy_as, formats, UNIT_PX
        parts = *copying, _button(self.decode_action), STRETCH, views
        self.header = framed(in_row(*parts, margins=(MARGIN_PX, UNIT_PX, GAP_PX, 0), spacing=0))
        self._views.addWidget(self.strip)
        in_column(self.header, self._views, on=self, spacing=UNIT_PX)

    def _show_view(self) -> None:
        self._views.setCurrentWidget(self.table if self.view_actions["table"].isChecked() else self.strip)


def _written(format_name: str, token_ids: NDArray[np.int32], _: object) -> tuple[str, int]:
    """The ids as text, and their number."""
    return FORMATS[format_name](token_ids), len(token_ids)


def _button(action: QAction, is_choice: bool = False) -> QToolButton:
    """A button; with `is_choice` it shows whether its action is checked, like a tab."""
    button = tool_button(action.text(), None if is_choice else action.trigger, tip=action.toolTip())
    if is_choice:
        button.setDefaultAction(action)
    button.setFont(Theme.ui_font(SMALL_FONT_PX))
    return button


class TokenStrip(QAbstractScrollArea):
    """Chips of token ids, with hovering, clicks, key navigation and range selection.

    is_painted  whether all visible chips are drawn
    """

    def __init__(
        self,
        source: ModelSession,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
        spans: ColouredSpans | None = None,
    ) -> None:
        """`spans` provides the colours of the text, if they are not the tokens' own."""
        super().__init__()
        self._zoom = zoom or TextZoom(self)
        self._source, self._spans = source, spans
        self._theme_source = theme_source
        self._anchor: int | None = None
        self._chips: dict[tuple[int, int, float], QPixmap] = {}
        self._chips_before: dict[int, QPixmap] = {}  # by token, until all chips have their new colours
        self._most_chips = CACHED_CHIPS
        self._most_ms = inf
        self.is_painted = True
        self.setViewport(QWidget())
        self._repaint = later(self, REPAINT_MS, self.viewport().update)
        self.setAccessibleName("Token ids")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        TipWatch(self.viewport(), self._tip)
        theme_source.changed.connect(self._restyle)
        self._zoom.changed.connect(self._restyle)
        source.vocabulary_changed.connect(self._restyle)
        source.tokens_changed.connect(self._on_encoding_changed)
        source.selected_token_changed.connect(self._on_selection_changed)
        source.document.selection_changed.connect(self._repaint_soon)
        source.hovered_token_changed.connect(self.viewport().update)
        if spans is not None:
            spans.coloring_changed.connect(self._on_coloring_changed)
        self._restyle()

    def set_frame_time(self, most_ms: float) -> None:
        """Limit the drawing of new chips to so many milliseconds per frame; the next frames draw the rest."""
        self._most_ms = most_ms

    @property
    def selected_range(self) -> tuple[int, int]:
        """The selected tokens [start, end): the session's token, or a range that ends at it."""
        selected = self._source.selected_token
        if selected is None:
            return 0, 0
        anchor = selected if self._anchor is None else min(self._anchor, len(self._source.tokens) - 1)
        return min(anchor, selected), max(anchor, selected) + 1

    @property
    def marked_range(self) -> tuple[int, int]:
        """The selected range; if that is only one token, the tokens of the selected text."""
        start, end = self.selected_range
        return (end - start < 2 and self._source.tokens_of_selected_text) or (start, end)

    def select(self, index: int, extend: bool = False) -> None:
        """Select a token; with `extend`, all tokens from the last one that was selected without `extend`."""
        index = max(0, min(index, len(self._source.tokens) - 1))
        selected = self._source.selected_token
        if not extend or selected is None:
            self._anchor = None
        elif self._anchor is None:
            self._anchor = selected
        kept = self._anchor
        self._source.select_token(index)
        self._anchor = kept
        self.viewport().update()

    def select_all(self) -> None:
        if len(self._source.tokens):
            self.select(0)
            self.select(len(self._source.tokens) - 1, extend=True)

    def chip_rect(self, index: int) -> QRect:
        return self._grid.chip(index).translated(0, -self.verticalScrollBar().value())

    def sizeHint(self) -> QSize:
        return QSize(480, 2 * MARGIN_PX + 4 * self._grid.cell.height())

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._theme_source.theme.panel)
            self.is_painted = True
            if len(self._source.tokens) == 0:
                self._paint_why_empty(painter)
                return
            top = self.verticalScrollBar().value()
            first, last = self._grid.chips_between(event.rect().top() + top, event.rect().bottom() + top)
            self._paint_chips(painter, first, last, top)
            self._paint_rings(painter, first, last)
            if self.is_painted:
                self._chips_before.clear()
            else:
                QTimer.singleShot(0, self.viewport(), self.viewport().update)

    def _paint_why_empty(self, painter: QPainter) -> None:
        painter.setFont(self._zoom.ui_font(UI_FONT_PX))
        painter.setPen(self._theme_source.theme.dim)
        area = self.viewport().rect().adjusted(MARGIN_PX, UNIT_PX, -MARGIN_PX, 0)
        painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap, self._why_empty())

    def _paint_chips(self, painter: QPainter, first: int, last: int, top: int) -> None:
        """Paint the chips [first, last), scrolled by `top`; once time is up, only cached ones."""
        self._most_chips = max(CACHED_CHIPS, 2 * (last - first))
        tokens = self._source.tokens.between(first, last)
        tints = tokens.tints if self._spans is None else self._spans.tints(first, last)
        scale, deadline = self.devicePixelRatioF(), perf_counter() + self._most_ms / 1000
        looks = zip(tokens.ids.tolist(), tints.tolist(), [scale] * len(tints), strict=True)
        is_late = False
        for (x, y), look in zip(self._grid.corners(first, last), looks, strict=True):
            chip = self._chips.get(look)
            if chip is None and is_late:
                self.is_painted = False
                chip = self._chips_before.get(look[0])
                if chip is None:
                    continue
            if chip is None:
                chip = self._chip(*look)
                is_late = perf_counter() > deadline
            painter.drawPixmap(x - OUTLINE_PX, y - top - OUTLINE_PX, chip)

    def _why_empty(self) -> str:
        if self._source.vocabulary is None:
            return NO_MODEL_TEXT
        if self._source.is_encoding:
            return ENCODING_TEXT
        return NO_TOKENS_TEXT if self._source.document.size else EMPTY_TEXT

    def _chip(self, token_id: int, tint: int, scale: float) -> QPixmap:
        """A cached chip: while the user types, most chips only move."""
        from guiapp.kit.widgets.tables import draw_chip  # a late import: faster start

        if len(self._chips) >= self._most_chips:
            del self._chips[next(iter(self._chips))]
        theme = self._theme_source.theme
        chip_rect = QRect(QPoint(OUTLINE_PX, OUTLINE_PX), self._grid.chip_size)
        picture = clear_pixmap(chip_rect.right() + 1 + OUTLINE_PX, chip_rect.bottom() + 1 + OUTLINE_PX, scale)
        picture.fill(theme.panel)
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self._zoom.mono_font(SMALL_FONT_PX))
            inside = QRectF(chip_rect).adjusted(0.5, 0.5, -0.5, -0.5)
            color = theme.tint_color(tint)
            draw_chip(painter, theme, inside, str(token_id), self._attributes(token_id), color)
        self._chips[token_id, tint, scale] = picture
        return picture

    def _paint_rings(self, painter: QPainter, first: int, last: int) -> None:
        """Outline the selected chips and the hovered one in [first, last)."""
        start, end = self.marked_range
        ringed = dict.fromkeys(range(max(start, first), min(end, last)), 2)
        hovered = self._source.hovered_token
        if hovered is not None and first <= hovered < last:
            ringed.setdefault(hovered, 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for index, width in ringed.items():
            painter.setPen(QPen(self._theme_source.theme.accent, width))
            painter.drawRoundedRect(self.chip_rect(index), UNIT_PX + 1, UNIT_PX + 1)

    def _attributes(self, token_id: int) -> Attribute:
        if (vocabulary := self._source.vocabulary) is None:
            return Attribute(0)
        return Attribute(int(vocabulary.effective_attributes[token_id]))

    # Reacting to the session

    def _on_coloring_changed(self) -> None:
        self._chips_before = {token_id: chip for (token_id, *_), chip in self._chips.items()}
        self.viewport().update()

    def _restyle(self) -> None:
        vocabulary = self._source.vocabulary
        metrics = QFontMetrics(self._zoom.mono_font(SMALL_FONT_PX))
        widest = str(max(len(vocabulary) - 1, 0)) if vocabulary is not None else "0"
        self._chip_size = QSize(metrics.horizontalAdvance(widest) + GAP_PX, metrics.height() + UNIT_PX)
        self._chips.clear()
        self._chips_before.clear()
        self._update_layout()

    def _update_layout(self) -> None:
        self._grid = ChipGrid(len(self._source.tokens), self._chip_size, GAPS, self.viewport().width())
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(self._grid.cell.height())
        bar.setRange(0, max(0, self._grid.height - self.viewport().height()))
        self._repaint_soon()

    def _on_encoding_changed(self) -> None:
        """Scroll to the selected token, which may have moved with a new text or model."""
        self._update_layout()
        self._show_selected()

    def _on_selection_changed(self) -> None:
        """Follow a selection in another view, which ends a range selected here."""
        self._anchor = None
        self._show_selected()
        self._repaint_soon()

    def _show_selected(self) -> None:
        selected = self._source.selected_token
        if selected is not None and selected < len(self._source.tokens):
            with QSignalBlocker(self.verticalScrollBar()):  # a signal would repaint everything at once
                self._scroll_to(selected)
            self.setAccessibleDescription(f"token {selected + 1:,} of {len(self._source.tokens):,}")

    def _repaint_soon(self) -> None:
        """Repaint with a delay: while the user types, the text is updated first."""
        if not self._repaint.isActive():
            self._repaint.start()

    def _scroll_to(self, index: int) -> None:
        chip, bar = self.chip_rect(index), self.verticalScrollBar()
        below = chip.bottom() + UNIT_PX - self.viewport().height()
        if chip.top() < UNIT_PX:
            bar.setValue(bar.value() + chip.top() - UNIT_PX)
        elif below > 0:
            bar.setValue(bar.value() + below)

    # Input

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._zoom.take(event):
            super().wheelEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = self._step(event)
        if step is None or len(self._source.tokens) == 0:
            super().keyPressEvent(event)
            return
        selected = self._source.selected_token
        at = step if selected is None else selected + step
        self.select(at, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def _step(self, event: QKeyEvent) -> int | None:
        """The number of tokens that a key moves by; steps past an end are clamped."""
        n_columns, n_tokens = self._grid.n_columns, len(self._source.tokens)
        is_control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        selected = self._source.selected_token or 0
        page = max(1, self.viewport().height() // self._grid.cell.height()) * n_columns
        column = selected % n_columns
        steps = {
            Key.Key_Left: -1,
            Key.Key_Right: 1,
            Key.Key_Up: -n_columns if selected >= n_columns else 0,
            Key.Key_Down: n_columns if selected + n_columns < n_tokens else 0,
            Key.Key_PageUp: -page,
            Key.Key_PageDown: page,
            Key.Key_Home: -n_tokens if is_control else -column,
            Key.Key_End: n_tokens if is_control else n_columns - 1 - column,
        }
        return steps.get(Key(event.key()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self.select(index, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self._index_at(event.position().toPoint())
        self._source.hover_token(index)
        if event.buttons() & Qt.MouseButton.LeftButton and index is not None:
            self.select(index, extend=True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the widgets below must not handle a release without its press

    def leaveEvent(self, event: QEvent) -> None:
        self._source.hover_token(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if self._source.selected_token is None and event.reason() is not Qt.FocusReason.MouseFocusReason:
            self.select(0) if len(self._source.tokens) else None
        super().focusInEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._update_layout()
        super().resizeEvent(event)

    def _index_at(self, position: QPoint) -> int | None:
        return self._grid.index_at(position + QPoint(0, self.verticalScrollBar().value()))

    def _tip(self, point: QPoint) -> str:
        """The tool tip of a chip; escaped, since Qt interprets text that looks like HTML as HTML."""
        if (index := self._index_at(point)) is None:
            return ""
        token_id = int(self._source.tokens.ids(index, index + 1)[0])
        vocabulary = self._source.vocabulary
        text = "" if vocabulary is None else self._source.spelling.now.token(vocabulary, token_id, 60)
        return f"<qt>{token_id}&nbsp; {escape(isolate(text))}</qt>"
