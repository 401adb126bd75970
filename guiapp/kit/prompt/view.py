"""The view of a prompt: turns, tokens by origin, hints, and a line about the selected token."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QSizePolicy

from guiapp.analysis.chat.hints import Hint
from guiapp.analysis.editing.text_buffer import BlockSplice, TextBlocks, TextBuffer, TextEdit, Unbroken
from guiapp.core.text.normalized import n_equal_from_start
from guiapp.core.text.visible_text import isolate
from guiapp.kit.prompt.shown import ShownPrompt, hue_of
from guiapp.kit.prompt.spans import ChatSpans, line_of, origin_descriptions
from guiapp.kit.spans.layout import token_boxes
from guiapp.kit.spans.legend import RINGED, Draw, LegendEntry, characters, ringed, token
from guiapp.kit.spans.painter import GAP_PX as CHIP_GAP_PX
from guiapp.kit.spans.painter import RADIUS_PX, faded
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.spans.view import SpanView
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import CENTER, RIGHT, bold, fill, ring, write
from guiapp.kit.widgets.theme import (
    MARGIN_PX,
    SMALL_FONT_PX,
    TEXT_FONT_PX,
    Theme,
    ThemeSource,
    plain_label,
    set_role,
)

BADGE_PX = 16
NUMBER_PX = 10
BECAME_CONTROL, DOUBLE_BOS, NEAR_MISS = "content_became_control", "double_bos", "near_miss"
STRIP_LINE_PX = 46
MOST_SHOWN = 32
NOTHING = ["Select a token to see its origin.", "Select a token."]
SIDE_PX = 48  # for the numbers of turns, and the lines next to them
LINE_PX = 3
MOST_MARKED = 40  # tokens of a hint
VEIL_ALPHA = 140  # of the overlay on an outdated prompt


def ring_hint(painter: QPainter, rect: QRectF, color: QColor) -> None:
    ring(painter, rect, QPen(color, 1.5), RADIUS_PX)


def mark_hint(painter: QPainter, rect: QRectF, hint: Hint, color: QColor) -> None:
    if hint.code == NEAR_MISS:
        painter.fillRect(QRectF(rect.left(), rect.bottom() + 1, rect.width(), 2), color)
    elif hint.code in (BECAME_CONTROL, DOUBLE_BOS):
        ring_hint(painter, rect, color)


def _of_roles(painter: QPainter, theme: Theme, box: QRectF) -> None:
    half = box.width() / 2
    fill(painter, box.adjusted(0, 0, -half - 1, 0), theme.origins[2], RADIUS_PX)
    fill(painter, box.adjusted(half, 0, 0, 0), theme.origins[3], RADIUS_PX)


def _hint(color: str) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        ring_hint(painter, box.adjusted(6, 2, 0, 0), getattr(theme, color))
        draw_number(painter, box.topLeft() + QPointF(8, 6), 1, getattr(theme, color), theme)

    return draw


LEGEND = (
    LegendEntry(_of_roles, "Content, in the colour of its role"),
    LegendEntry(
        token("<end>", ringed(lambda theme: theme.faint), 0),
        "Written by the template; outlined: a control token",
    ),
    LegendEntry(_hint("bad"), "Content that became a control token, with the number of its hint"),
    LegendEntry(_hint("warning"), "A doubled token, or text that only looks like a control token"),
    LegendEntry(RINGED, "Only in this prompt, when two are compared"),
    LegendEntry(characters("×4"), "How often a line of the template ran; faint lines did not run"),
)


WordsOf = Callable[[int], tuple[list[str], list[str]]]


def origin_words(model: ShownPrompt, token: int) -> tuple[list[str], list[str]]:
    """The origin of a token, and the line of the template that wrote it, each in several lengths."""
    origin = model.origins[token]
    return origin_descriptions(origin), [line_of(origin), f"line {origin.line}" if origin.line else ""]


class PromptView(SpanView):
    """A view of a prompt; arrow keys move the model's selected token.

    numbers_hints  whether marked tokens show the numbers of their hints
    """

    numbers_hints = True

    def __init__(
        self,
        model: ShownPrompt,
        spans: ChatSpans,
        themes: ThemeSource,
        marked: TokenizedText | None = None,
    ) -> None:
        """`marked` has the same tokens as `spans`, with marks, and is shown instead."""
        blocks = TurnBlocks(spans.document.buffer, spans)
        super().__init__(spans.document, marked or spans, themes, SIDE_PX, blocks)
        self._model, self._chat_spans = model, spans
        set_role(self, "tokens")
        self.setAccessibleName("Prompt")
        model.result_changed.connect(self._on_result_changed)
        model.late_changed.connect(self.viewport().update)
        model.selected_changed.connect(self._on_selected_changed)
        self.token_clicked.connect(model.select_token)

    def _on_result_changed(self) -> None:
        self.viewport().update()
        self._on_selected_changed()

    def _on_selected_changed(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        self.set_selected_token(-1 if index is None else index)
        description = ""
        if index is not None and encoding is not None:
            label = self._chat_spans.label_of(int(encoding.token_ids[index]))
            description = f"{label}, {self.words_of(index)[0][0]}"
        self.setAccessibleDescription(description)

    def words_of(self, token: int) -> tuple[list[str], list[str]]:
        """Texts about a token, and about the line that wrote it, each in several lengths."""
        return origin_words(self._model, token)

    # Mouse and keys

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.token_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            index = self.token_at(event.position())
            self._model.select_token(index if index >= 0 else None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        encoding, index = self._model.encoding, self._model.selected_token
        if encoding is None or not len(encoding):
            super().keyPressEvent(event)
            return
        last = len(encoding) - 1
        ways = {
            Qt.Key.Key_Left: -1 if index is None else max(index - 1, 0),
            Qt.Key.Key_Right: 0 if index is None else min(index + 1, last),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        key = Qt.Key(event.key())
        if key in ways:
            self.go_to(max(ways[key], 0))
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._go_up_or_down(1 if key is Qt.Key.Key_Down else -1)
        else:
            super().keyPressEvent(event)

    def go_to(self, index: int) -> None:
        self._model.select_token(index)
        if self._model.encoding is not None:
            self.reveal(*self._model.encoding.spans[index].tolist())

    def _go_up_or_down(self, step: int) -> None:
        encoding, index = self._model.encoding, self._model.selected_token
        if encoding is None or index is None:
            self.go_to(0)
            return
        position = self.rows.position_of(int(encoding.spans[index, 0]))
        row_px = self.rows.metrics.row_height
        for n_rows in (1, 2):  # there may be an empty row between turns
            y = position.y + (step * n_rows + 0.5) * row_px
            found = self.token_at(QPointF(self._side_px + position.x + 2, y))
            if found < 0:
                block, row = self.rows.row_at(y)
                offset, _ = self.rows.caret_at(block, row, position.x)
                start, end = self.rows.row_span(block, row)
                if start < end:
                    found = self._chat_spans.tokens.first_ending_after(min(offset, end - 1))
            if 0 <= found < len(encoding) and found != index:
                self.go_to(found)
                return

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            painter.setClipRegion(event.region())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            theme = self._themes.theme
            self._draw_turns(painter, theme)
            visible, tokens = self.rows.visible(), self._chat_spans.tokens
            first = tokens.first_ending_from(visible[0].start)
            last = tokens.first_after(visible[-1].start + visible[-1].layout.size)
            self.draw_marks(painter, theme, first, last)
            self._draw_hints(painter, theme, first, last)
            if self._model.is_late and self._model.chat is not None:
                painter.fillRect(event.rect(), faded(theme.background, VEIL_ALPHA))

    def draw_marks(self, painter: QPainter, theme: Theme, first: int, last: int) -> None:
        """Mark some of the visible tokens [first, last); for subclasses."""

    def rects_of(self, first: int, last: int) -> list[QRectF]:
        """The visible rectangles of the tokens [first, last); a token over several rows has several."""
        return [rect for _, rect in self.token_rects(first, last)]

    def token_rects(self, first: int, last: int) -> Iterator[tuple[int, QRectF]]:
        """Yield the visible rectangles of the tokens [first, last), each with its token."""
        yield from ((chip.token, chip.rect) for chip in self._chips() if first <= chip.token < last)
        (start, _), (_, end) = self._chat_spans.tokens.span(first), self._chat_spans.tokens.span(last - 1)
        row_px = self.rows.metrics.row_height
        for block in self.rows.visible():
            if not (block.start < end and start < block.start + block.layout.size):
                continue
            window = self._chat_spans.spans_in(start, end).relative_to(block.start)
            for row in range(block.layout.n_rows):
                boxes = token_boxes(window, block.layout.geometry(row))
                indexes, y = boxes.indexes + window.first_index, block.y + row * row_px + CHIP_GAP_PX / 2
                for at in np.flatnonzero((first <= indexes) & (indexes < last)).tolist():
                    left, right = float(boxes.left[at]), float(boxes.right[at])
                    rect = QRectF(self._side_px + left, y, right - left, row_px - CHIP_GAP_PX)
                    yield int(indexes[at]), rect

    def _draw_hints(self, painter: QPainter, theme: Theme, first: int, last: int) -> None:
        """Mark the visible tokens of hints; the first token of each hint shows its number."""
        hints = self._model.hints
        shown = [
            (at, start, range(max(start, first), min(end, start + MOST_MARKED, last)))
            for at, hint in enumerate(hints)
            for start, end in hint.ranges_within(first, last)
        ]
        marked = {index for _, _, tokens in shown for index in tokens}
        if not marked:
            return
        rects = defaultdict[int, list[QRectF]](list)
        for index, rect in self.token_rects(min(marked), max(marked) + 1):
            if index in marked:
                rects[index].append(rect)
        for at, start, tokens in shown:
            color = color_of(hints[at], theme)
            for rect in chain.from_iterable(rects[index] for index in tokens):
                mark_hint(painter, rect, hints[at], color)
            for rect in rects[start][:1] if self.numbers_hints else ():
                draw_number(painter, QPointF(rect.left() + 2, rect.top()), at + 1, color, theme)

    def _draw_turns(self, painter: QPainter, theme: Theme) -> None:
        """Draw a number and a line in the role's colour next to each turn; `…` for the generation prompt."""
        spans, chat = self._chat_spans, self._model.chat
        if chat is None or not chat.turns:
            return
        row_px, firsts = self.rows.metrics.row_height, [turn.start for turn in chat.turns]
        for block in self.rows.visible():
            if not block.layout.size:
                continue
            at = bisect_right(firsts, spans.tokens.first_ending_after(block.start)) - 1
            turn, is_first = chat.turns[at], block.start == 0 or block.start in spans.turns
            if turn.message is None and not turn.role:
                continue
            top = block.y + CHIP_GAP_PX / 2 if is_first else block.y - CHIP_GAP_PX / 2
            line = QRectF(SIDE_PX - 14, top, LINE_PX, block.bottom - CHIP_GAP_PX / 2 - top)
            fill(painter, line, theme.roles[hue_of(turn.role)], LINE_PX / 2)
            if is_first:
                number = "…" if turn.message is None else str(turn.message + 1)
                rect = QRectF(0, block.y, SIDE_PX - 20, row_px)
                write(painter, rect, number, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))


class TurnBlocks(TextBlocks):
    """The lines of a text, which also end at the ends of turns."""

    def __init__(self, buffer: TextBuffer, spans: ChatSpans) -> None:
        self._spans = spans
        super().__init__(buffer)

    def unbroken(self, block: int) -> Unbroken:
        start, controls = self.start(block), self._spans.controls
        first, last = np.searchsorted(controls[:, 0], (start, self.end(block)))
        return tuple((each - start, end - start) for each, end in controls[first:last].tolist())

    def reset(self) -> None:
        """Divide the whole text again."""
        super().reset()
        self._starts = self._starts[~np.isin(self._starts, _between_pairs(self._buffer.newlines))]
        turns = self._spans.turns
        turns = turns[turns < len(self._buffer)]
        new = np.unique(turns[~np.isin(turns, self._starts)])
        self._starts = np.sort(np.concatenate((self._starts, new, turns)))  # a repeated start: an empty block

    def apply(self, edit: TextEdit) -> BlockSplice:
        """Follow an edit; turns on both sides of it may begin elsewhere."""
        old = self._starts
        self.reset()
        n_before = n_equal_from_start(old, self._starts)
        after = old[n_before:] + edit.shift, self._starts[n_before:]
        n_behind = n_equal_from_start(after[0][::-1], after[1][::-1])
        n_kept = n_before + n_behind
        return BlockSplice(n_before, len(old) - n_kept, len(self._starts) - n_kept)


def _between_pairs(newlines: NDArray[np.int64]) -> NDArray[np.int64]:
    """The offsets between two adjacent newlines, which share a row; longer runs are divided into pairs."""
    goes_on = np.diff(newlines, prepend=np.int64(-2)) == 1
    firsts = np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(newlines))))
    seconds: NDArray[np.int64] = newlines[(np.arange(len(newlines)) - firsts) % 2 == 1]
    return seconds


class TokenLine(QFrame):
    """A line about the selected token: `· log  1515  message 2, user  written by line 17  Show in tree`."""

    def __init__(
        self,
        model: ShownPrompt,
        spans: TokenizedText,
        requests: PageRequests,
        theme_source: ThemeSource,
        words_of: WordsOf | None = None,
        nothing: Sequence[str] = NOTHING,
    ) -> None:
        """`words_of` replaces `origin_words`; `nothing` are the texts if no token is selected."""
        super().__init__()
        set_role(self, "status")
        self.setAccessibleName("Selected token")
        self._words_of, self._nothing = words_of or partial(origin_words, model), [*nothing]
        self._model, self._spans, self._requests = model, spans, requests
        self.setFixedHeight(STRIP_LINE_PX)
        self.token, self.id = plain_label(), plain_label("number")
        self.token.setFont(Theme.mono_font(TEXT_FONT_PX))
        self.where, self.line = set_role(FittedLabel(), "dim"), set_role(FittedLabel(), "dim")
        self.where.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.tree = tool_button("Show in tree", self._show_in_tree, tip="Show this token in the token tree")
        parts = self.token, self.id, (self.where, 1), self.line, self.tree
        in_row(*parts, on=self, margins=(MARGIN_PX, 0), spacing=MARGIN_PX)
        model.selected_changed.connect(self._refresh)
        model.result_changed.connect(self._refresh)
        model.session.spelling.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        is_there = index is not None and encoding is not None
        for part in (self.token, self.id, self.tree):
            part.setVisible(is_there)
        if index is None or encoding is None:
            self.where.set_texts(self._nothing if encoding is not None else [""])
            self.line.set_texts([""])
            return
        token_id = int(encoding.token_ids[index])
        self.token.setText(isolate(self._spans.label_of(token_id)[:MOST_SHOWN]))
        self.id.setText(f"{token_id}")
        where, line = self._words_of(index)
        self.where.set_texts(where)
        self.line.set_texts(line)

    def _show_in_tree(self) -> None:
        index, encoding = self._model.selected_token, self._model.encoding
        if index is not None and encoding is not None:
            self._requests.token_wanted.emit(int(encoding.token_ids[index]))


def color_of(hint: Hint, theme: Theme) -> QColor:
    """Red if content became a control token, else amber."""
    return theme.bad if hint.code == BECAME_CONTROL else theme.warning


def draw_number(painter: QPainter, middle: QPointF, number: int, color: QColor, theme: Theme) -> None:
    half = BADGE_PX / 2
    rect = QRectF(middle.x() - half, middle.y() - half, BADGE_PX, BADGE_PX)
    fill(painter, rect, color, half)
    write(painter, rect, str(number), theme.background, CENTER, bold(Theme.ui_font(NUMBER_PX)))
