"""A scrollable, read-only text with its tokens; `SpanEditor` makes it editable."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, QRectF, QSignalBlocker, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from guiapp.analysis.editing.text_buffer import TextBlocks, TextEdit
from guiapp.core.text.normalized import decode
from guiapp.core.text.visible_text import INVISIBLE, confusables
from guiapp.kit.document.document import TextDocument
from guiapp.kit.document.search import TextSearch
from guiapp.kit.session.token_details import character_tip, chip_tip, passing_tip
from guiapp.kit.spans.block import TextMetrics
from guiapp.kit.spans.frame import (
    AddedTokenRows,
    ChipBox,
    Divisions,
    LabelledLine,
    Marks,
    PointedOut,
    RowPixmaps,
    Screen,
    ScreenPart,
    ShownBlock,
    blocks_in,
    lines_between,
)
from guiapp.kit.spans.layout import SpanSource, token_at
from guiapp.kit.spans.painter import UPRIGHT_PX, draw_upright
from guiapp.kit.spans.rows import MARGIN_PX, SpanRows
from guiapp.kit.state.background import later
from guiapp.kit.widgets.event_filters import TipWatch
from guiapp.kit.widgets.painting import CENTER, fill, find_fonts, write
from guiapp.kit.widgets.theme import TEXT_FONT_PX, Theme, ThemeSource, set_role

SIDE_PX = 24
NO_BOS = "no BOS"
LABEL_FONT_PX, LABEL_HEIGHT_PX, LABEL_RADIUS_PX = 10, 12, 3
NEXT_ROW_BYTES = 1 << 10  # labels of the row below the window extend into it
ZOOM_STEPS_PX = (9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 28, 32, 40, 48)
WHEEL_NOTCH = 120
NOTCH_ROWS = 3
ROWS_AT_ONCE = 4  # in a frame that continues one that ran out of time


class _Upright(NamedTuple):
    """A vertical line between two bytes of the text."""

    offset: int
    color: QColor
    label: str = ""


class SpanView(QAbstractScrollArea):
    """The text of a document with its tokens coloured in place.

    rows  the layout of the text, for queries of positions

    Signals:
        hovered(int): the token under the mouse; -1 for none.
        token_clicked(int): a token was clicked.
        zoom_changed(): `font_px` is new.
        moved(int): all rows moved down by so many pixels; 0 if they may have changed in other ways.
        scrolled(): another part of the text is visible, other than by an edit.
    """

    hovered = Signal(int)
    token_clicked = Signal(int)
    zoom_changed = Signal()
    moved = Signal(int)
    scrolled = Signal()
    _looks_changed = Signal()

    def __init__(
        self,
        document: TextDocument,
        spans: SpanSource,
        themes: ThemeSource,
        side_px: int = SIDE_PX,
        blocks: TextBlocks | None = None,
    ) -> None:
        super().__init__()
        self._side_px = side_px
        self._document = document
        self._spans = spans
        self._themes = themes
        self.font_px = TEXT_FONT_PX
        self.rows = SpanRows(document, TextMetrics.of(themes.theme.mono_font(self.font_px)), blocks)
        self._shows_whitespace = True
        self._selected_token = self._hovered_token = -1
        self._pointed_out: PointedOut | None = None
        self._keeps_rows = (False, False)  # for added tokens, even if there are none
        self._added = AddedTokenRows(spans)
        self._search: TextSearch | None = None
        self._token_tip: Callable[[int], str] | None = None
        self._open_invisible: Callable[[int, int, QPoint], None] | None = None
        self._marks_look_alikes = False
        self._placeholder = ""
        self._note_at: Callable[[int], str] | None = None
        self._divisions: Divisions | None = None
        self._label_font = Theme.ui_font(LABEL_FONT_PX)
        self._screen = Screen()
        self._is_changing = False
        self._looks_changed.connect(self._update_what_changed, Qt.ConnectionType.QueuedConnection)
        self._most_ms, self._goes_gently = inf, False
        self._unfinished: list[QRect] = []
        self._go_on = later(self, 0, self._paint_unfinished)
        find_fonts(self.rows.metrics.font, self)
        self._set_up_window()
        self._restyle()
        self._read_added_tokens()
        spans.tokens_changed.connect(self._on_tokens_changed)
        themes.changed.connect(self._restyle)

    def _set_up_window(self) -> None:
        set_role(self, "spans")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setViewport(QWidget())
        self.viewport().setMouseTracking(True)
        self.viewport().installEventFilter(self)
        TipWatch(self.viewport(), lambda point: self.tip(QPointF(point)))
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    # Frame time

    def set_frame_time(self, most_ms: float, goes_gently: bool = False) -> None:
        """Limit the painting of new rows to so many milliseconds, so that typing and scrolling stay fluid.

        With `goes_gently`, repaint only a few rows at a time, new or not; the others stay unchanged for now.
        """
        self._most_ms, self._goes_gently = most_ms, goes_gently

    @property
    def is_painted(self) -> bool:
        """Whether all visible rows are fully painted."""
        return not self._unfinished

    # Content

    def set_font_px(self, size_px: int) -> None:
        size_px = min(max(size_px, ZOOM_STEPS_PX[0]), ZOOM_STEPS_PX[-1])
        if size_px == self.font_px:
            return
        self.font_px = size_px
        self.rows.set_metrics(TextMetrics.of(self._themes.theme.mono_font(size_px)))
        self._read_added_tokens()
        self._restyle()
        self._fit_rows()
        self.zoom_changed.emit()

    def zoom(self, steps: int) -> None:
        """Increase the font size by some steps, or decrease it by negative ones."""
        at = int(np.searchsorted(ZOOM_STEPS_PX, self.font_px)) + steps
        self.set_font_px(ZOOM_STEPS_PX[min(max(at, 0), len(ZOOM_STEPS_PX) - 1)])

    def set_shows_whitespace(self, shows: bool) -> None:
        """Mark spaces, tabs and newlines with faint symbols, or leave them blank."""
        self._shows_whitespace = shows
        self._restyle()

    def set_marks_confusables(self, marks: bool) -> None:
        """Underline letters that can be mistaken for letters of another script, within a word."""
        self._marks_look_alikes = marks
        self._repaint_changes()

    def set_placeholder(self, text: str) -> None:
        self._placeholder = text
        self.viewport().update()

    def set_selected_token(self, index: int) -> None:
        if index != self._selected_token:
            self._selected_token = index
            self._repaint_changes()

    def set_hovered_token(self, index: int) -> None:
        if index != self._hovered_token:
            self._hovered_token = index
            self._repaint_changes()

    def point_out(self, target: PointedOut | None) -> None:
        """Mark a span (a position, if empty) and its line; None removes the mark."""
        if target != self._pointed_out:
            self._pointed_out = target
            self._repaint_changes()

    def keep_rows_for_added(self, before: bool, after_text: bool) -> None:
        """Reserve rows for tokens added before and after the text, even if there are none."""
        if (before, after_text) != self._keeps_rows:
            self._keeps_rows = (before, after_text)
            self._read_added_tokens()
            self._fit_rows()

    def show_from(self, position: tuple[int, float]) -> None:
        """Scroll to the position of another view of the text (its `rows.top`)."""
        if position != self.rows.top:
            before = self.rows.top
            self.rows.show_from(position)
            self._scrolled_from(before)

    def show_matches(self, search: TextSearch) -> None:
        """Mark the matches of a search from now on."""
        self._search = search
        search.found_changed.connect(self._repaint_changes)

    def set_note(self, note_at: Callable[[int], str]) -> None:
        """Start tool tips with a note about the byte under the mouse; "" for no note."""
        self._note_at = note_at

    @property
    def divisions(self) -> Divisions | None:
        """Dividing lines, and dimmed or shaded ranges; the caller must update them after edits."""
        return self._divisions

    def set_divisions(self, divisions: Divisions | None) -> None:
        self._divisions = divisions
        self._repaint_changes()

    @property
    def top(self) -> tuple[int, float]:
        """The first byte of the topmost visible row, and the y of that row in the window."""
        block, row = self.rows.row_at(0)
        start = self.rows.row_span(block, row)[0]
        return start, self.rows.position_of(start).y

    def show_at(self, offset: int, y: float) -> None:
        """Scroll the row of a byte to a y in the window, as far as the text permits."""
        y_before = self.rows.top
        self.rows.show_at(offset, y)
        self._scrolled_from(y_before)

    def cut_again(self) -> None:
        """Update the blocks of the same text after their boundaries changed; keep the scroll position."""
        top, is_at_top = self.top, self.rows.scroll_y <= 0
        self.rows.reset()
        self._fit_rows()
        if not is_at_top:
            self.show_at(*top)

    def reveal(self, start: int, end: int) -> None:
        """Scroll to a span, to its beginning if it does not fit; if empty, to the tokens added there."""
        y_before = self.rows.top
        self.rows.reveal(end)
        self.rows.reveal(start)
        if start == end == 0:
            self.rows.scroll_to(0)
        elif start == end == self._document.size:
            self.rows.scroll_to_end()
        self._scrolled_from(y_before)

    def token_at(self, point: QPointF) -> int:
        """The token under a point of the viewport; -1 if there is none."""
        for chip in self._chips():
            if chip.rect.contains(point):
                return chip.token
        offset = self._byte_at(point)
        if offset < 0:
            return -1
        return token_at(self._spans.spans_in(offset, offset + 1), offset)

    def _byte_at(self, point: QPointF) -> int:
        """The byte at a point; -1 outside the text."""
        block, row = self.rows.row_at(point.y())
        start = self.rows.row_span(block, row)[0]
        y = self.rows.position_of(start).y
        if not y <= point.y() < y + self.rows.metrics.row_height:
            return -1
        return self.rows.byte_at(block, row, point.x() - self._side_px)

    # Reacting to the models

    def _restyle(self) -> None:
        self._pixmaps = RowPixmaps(self._themes.theme, self.rows.metrics, self._shows_whitespace)
        self._screen.forget()
        self.viewport().update()

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if edit is not None:
            self.rows.set_preedit(None)  # its offset may be gone; the input method will set it again
            if edit.start == 0 and edit.added == self._document.size:
                self.rows.reset()
            else:
                self.rows.apply(edit)
        else:
            self.rows.invalidate()
        self._read_added_tokens()
        self._fit_rows()

    def _read_added_tokens(self) -> None:
        self._added.read(self._document.size)
        row_px = self.rows.metrics.row_height
        before, after_text = self._keeps_rows
        header, footer = before or bool(self._added.leading), after_text or bool(self._added.trailing)
        self.rows.set_frame(header * row_px, footer * row_px)

    # Scrolling

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_rows()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        bar = self.verticalScrollBar()
        if bar.value() < bar.maximum():
            self._scroll(bar.value() - round(self.rows.scroll_y))
        else:
            y_before = self.rows.top
            self.rows.scroll_to_end()
            self._scrolled_from(y_before)

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y() / WHEEL_NOTCH
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            if notches:  # zero for sideways scrolling, or fingers coming to rest
                self.zoom(1 if notches > 0 else -1)
        elif not event.pixelDelta().isNull():
            self._scroll(-event.pixelDelta().y())
        else:
            self._scroll(-notches * NOTCH_ROWS * self.rows.metrics.row_height)
        event.accept()

    def _scroll(self, distance: float) -> None:
        y_before = self.rows.top
        self.rows.scroll_by(distance)
        self._scrolled_from(y_before)

    def _scrolled_from(self, before: tuple[int, float]) -> None:
        """Show a new scroll position: scroll the pixels that stay visible, paint the rest."""
        height, shown = self.viewport().height(), self.rows.visible()
        number = before[0] - self.rows.top[0]  # several blocks may begin at one byte
        moved = round(shown[number].y + before[1]) if 0 <= number < len(shown) else height
        if abs(moved) >= height or not self.is_painted:
            self.viewport().update()
            moved = 0
        elif moved:
            self.viewport().scroll(0, moved)
            self._screen.forget()
        self._sync_scroll_bar()
        self.moved.emit(moved)
        if self.rows.top != before:
            self.scrolled.emit()

    def _fit_rows(self) -> None:
        """Fit the rows to the viewport after a change; a hidden view does so when it is shown."""
        if not self.isVisible():
            return
        self.rows.set_size(self.viewport().width() - 2 * self._side_px, self.viewport().height())
        self.rows.clamp_scroll()
        self._sync_scroll_bar()
        self.moved.emit(0)
        self._unfinished.clear()
        self._repaint_changes()

    def _sync_scroll_bar(self) -> None:
        bar = self.verticalScrollBar()
        height = self.viewport().height()
        with QSignalBlocker(bar):
            bar.setRange(0, max(0, round(self.rows.content_height) - height))
            bar.setEnabled(bar.maximum() > 0)  # hides the handle, not the bar
            bar.setPageStep(height)
            bar.setSingleStep(self.rows.metrics.row_height)
            bar.setValue(round(self.rows.scroll_y))

    # Painting

    def _repaint_changes(self) -> None:
        """Repaint what changed, after all views of the text have processed the change.

        A hidden view is painted as a whole when it is shown.
        """
        if not self._is_changing and self.isVisible():
            self._is_changing = True
            self._looks_changed.emit()

    def _update_what_changed(self) -> None:
        self._is_changing = False
        window, caret_y = self.viewport().rect(), self.rows.position_of(self._document.caret).y
        changed = self._screen.differing(self._parts(self._blocks_in(QRegion(window))))
        if self._goes_gently:
            self._unfinished = sorted(changed, key=lambda rect: abs(rect.top() - caret_y))
            self._paint_unfinished()
            return
        for rect in changed:
            self.viewport().update(rect)

    def paintEvent(self, event: QPaintEvent) -> None:
        area = event.region()
        self._pixmaps.begin_frame(self._most_ms, self.viewport().size(), self.devicePixelRatioF())
        blocks = self._blocks_in(area)
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._themes.theme.background)
            unfinished = self._draw_rows(painter, area, blocks)
            self._draw_above_rows(painter)
        self._unfinished = [rect for rect in self._unfinished if not QRegion(rect).subtracted(area).isEmpty()]
        self._unfinished += unfinished
        painted = QRegion() if self._is_changing else area
        for rect in unfinished:
            painted -= QRegion(rect)
        self._screen.note(self._parts(blocks), area, painted)
        if self._unfinished:
            self._go_on.start()

    def _draw_above_rows(self, painter: QPainter) -> None:
        for chip in self._chips():
            self._pixmaps.draw_chip(painter, chip.rect, chip.label, chip.is_ringed, *self._marks_of(chip))
        if self._keeps_rows[0] and not self._added.leading:
            self._draw_placeholder(painter, MARGIN_PX - self.rows.scroll_y, NO_BOS)
        if not self._document.size:
            self._draw_placeholder(painter, self.rows.position_of(0).y, self._placeholder)
        uprights, theme = self._uprights(), self._themes.theme
        for upright in uprights:
            line = self._upright_rect(upright.offset)
            draw_upright(painter, line.center().x(), line.top(), line.height(), upright.color)
        for rect, label in self._labels(uprights):
            fill(painter, rect, theme.text, LABEL_RADIUS_PX)
            write(painter, rect, label, theme.background, CENTER, self._label_font)
        if (caret := self._shown_caret()) is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.fillRect(caret, self._themes.theme.accent)

    def _draw_rows(self, painter: QPainter, area: QRegion, blocks: list[ShownBlock]) -> list[QRect]:
        """Draw the rows that touch an area, those near the caret first; return those only sketched."""
        row_px, caret_y = self.rows.metrics.row_height, self.rows.position_of(self._document.caret).y
        touched = [
            (abs(y - caret_y), y, row, shown)
            for shown in blocks
            for row in range(shown.block.layout.n_rows)
            if area.intersects(self._row_rect(y := shown.block.y + row * row_px))
        ]
        sketched = []
        for _, y, row, shown in sorted(touched, key=itemgetter(0)):
            layout, corner = shown.block.layout, QPointF(self._side_px, y)
            if not self._pixmaps.draw_row(painter, layout, row, shown.tokens, shown.highlights, corner):
                sketched.append(self._row_rect(y) & self.viewport().rect())
        return sketched

    def _blocks_in(self, area: QRegion) -> list[ShownBlock]:
        marked = self._selected_token, self._hovered_token, self._pointed_out
        uprights, caret = self._uprights(), self._shown_caret()
        lines = [(self._upright_rect(each.offset), "") for each in uprights] + self._labels(uprights)
        lines += [] if caret is None else [(caret, "")]
        letters = self._letters_passing if self._marks_look_alikes else None
        marks = Marks(self._document.selection, *marked, self._search, tuple(lines), letters, self._divisions)
        return blocks_in(area, self.rows, self._spans, marks)

    def _letters_passing(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        return tuple((each.start, each.end) for each in confusables(self._document.slice(start, end)))

    def _parts(self, blocks: list[ShownBlock]) -> list[ScreenPart]:
        chips = tuple(
            (chip.label, chip.is_ringed, chip.rect.getRect(), *self._marks_of(chip)) for chip in self._chips()
        )
        visible = self.rows.visible()
        above = lines_between(self._labels(self._uprights()), -inf, visible[0].y if visible else 0)
        outer = *chips, *((rect.getRect(), words) for rect, words in above)
        return self._screen.parts_of(blocks, self.rows, outer, self.viewport().rect())

    def _row_rect(self, y: float) -> QRect:
        return QRect(0, int(y), self.viewport().width(), self.rows.metrics.row_height)

    def _paint_unfinished(self) -> None:
        """Repaint a few more rows; the rest would only be sketched again."""
        for rect in self._unfinished[:ROWS_AT_ONCE]:
            self.viewport().update(rect)

    def _shown_caret(self) -> QRectF | None:
        """The rectangle of the caret; None while it is not drawn."""
        return None

    def _uprights(self) -> list[_Upright]:
        """The visible lines between two bytes."""
        theme, target, visible = self._themes.theme, self._pointed_out, self.rows.visible()
        found = []
        if self._divisions is not None and visible:
            end = visible[-1].start + visible[-1].layout.size + NEXT_ROW_BYTES
            seen = self._divisions.lines_in(visible[0].start, min(end, self._document.size))
            found = [_Upright(at, theme.text, words) for at, words in seen]
        if target is not None and target.start == target.end:
            found.append(_Upright(min(target.start, self._document.size), theme.accent))
        return found

    def _labels(self, uprights: list[_Upright]) -> list[LabelledLine]:
        """The labels and their rectangles, at row ends, or at the lines in full rows; without overlaps."""
        shown: list[LabelledLine] = []
        if not any(upright.label for upright in uprights):
            return shown
        sizes = QFontMetricsF(self._label_font)
        for upright in uprights:
            if upright.label:
                line = self._upright_rect(upright.offset)
                width = sizes.horizontalAdvance(upright.label) + LABEL_HEIGHT_PX
                right = self.viewport().width() - width
                rect = QRectF(right - LABEL_HEIGHT_PX, line.top(), width, LABEL_HEIGHT_PX)
                if self._row_end_px(upright.offset) < rect.left():  # covers no text
                    rect.moveCenter(QPointF(rect.center().x(), line.center().y()))
                else:
                    rect.moveTo(
                        min(line.center().x(), right),
                        line.top() - LABEL_HEIGHT_PX / (2 if upright.offset else 1),
                    )
                if not shown or not rect.intersects(shown[-1][0]):
                    shown.append((rect, upright.label))
        return shown

    def _row_end_px(self, offset: int) -> float:
        """The x where the text of an offset's row ends."""
        position = self.rows.position_of(offset)
        _, end = self.rows.row_span(position.block, position.row)
        return self._side_px + self.rows.position_of(end, at_row_end=True).x

    def _upright_rect(self, offset: int) -> QRectF:
        position = self.rows.position_of(offset)
        left = self._side_px + round(position.x) - UPRIGHT_PX / 2
        return QRectF(left, position.y, UPRIGHT_PX, self.rows.metrics.row_height)

    def _marks_of(self, chip: ChipBox) -> tuple[bool, bool]:
        return chip.token == self._selected_token, chip.token == self._hovered_token

    def _draw_placeholder(self, painter: QPainter, y: float, words: str) -> None:
        """Write a hint that is not part of the text, from y down."""
        painter.setFont(self.rows.metrics.font)
        painter.setPen(self._themes.theme.faint)
        left, top = self._side_px + 4, y + self.rows.metrics.baseline - painter.fontMetrics().ascent()
        room = QRectF(left, top, self.viewport().width() - 2 * left, self.viewport().height())
        painter.drawText(room, Qt.TextFlag.TextWordWrap.value, words)

    def _chips(self) -> list[ChipBox]:
        """The visible chips above and below the text."""
        return self._added.chips(self.rows, self._side_px, self.viewport().height())

    # Hovering and tool tips

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """End hovering when the mouse leaves the viewport, perhaps for a scroll bar."""
        if event.type() == QEvent.Type.Leave and watched is self.viewport():
            self._hover(-1)
        return super().eventFilter(watched, event)

    def _hover(self, index: int) -> None:
        if index != self._hovered_token:
            self.set_hovered_token(index)
            self.hovered.emit(index)

    def open_chip(self, point: QPointF) -> None:
        """Describe a chip in the text at once, when clicked."""
        offset = self._byte_at(point)
        chip = self.rows.chip_span(offset) if offset >= 0 else None
        if chip is None:
            return
        global_point = self.viewport().mapToGlobal(point.toPoint())
        if self._open_invisible is not None and INVISIBLE.search(decode(self._document.slice(*chip))):
            self._open_invisible(*chip, global_point)
        else:
            QToolTip.showText(global_point, self.tip(point), self.viewport())

    def set_token_tip(self, describe: Callable[[int], str]) -> None:
        """Start tool tips with `describe(token)` of the token under the mouse."""
        self._token_tip = describe

    def open_invisible_by(self, open_: Callable[[int, int, QPoint], None]) -> None:
        """Make a click on a chip of invisible characters open something at a point of the screen.

        `open_` gets the bytes that the chip represents; without it, a click shows the tool tip.
        """
        self._open_invisible = open_

    def tip(self, point: QPointF) -> str:
        offset = self._byte_at(point)
        if offset < 0:
            return ""
        chip = self.rows.chip_span(offset)
        byte_note = "" if self._note_at is None else self._note_at(offset)
        lines = [byte_note] if byte_note else []
        if chip is None:
            start = self._document.character_start(offset)
            token = token_at(self._spans.spans_in(offset, offset + 1), offset)
            about = "" if self._token_tip is None or token < 0 else self._token_tip(token)
            tip = character_tip(self._document, self._spans, start, about)
            return "\n".join(filter(None, (*lines, self._passing(start), tip)))
        return "\n".join((*lines, chip_tip(self._document, self._spans, *chip)))

    def _passing(self, start: int) -> str:
        """The tip of a confusable character, if these are marked."""
        if not self._marks_look_alikes:
            return ""
        first, end = self.rows.block_span(self.rows.position_of(start).block)
        letters = confusables(self._document.slice(first, end))
        return "".join(map(passing_tip, (each for each in letters if each.start == start - first)))
