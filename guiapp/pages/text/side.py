"""The column on the right: why the selected token is there, and the most expensive words and lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from guiapp.analysis.explain.spelling import parts, without_marks
from guiapp.core.encode.counting.cost import CostlyText
from guiapp.core.text.numbers_in_words import counted, percent
from guiapp.core.text.visible_text import isolate, visible_runs
from guiapp.kit.document.statistics import N_MOST, MostExpensiveModel
from guiapp.kit.session.token_details import ExplainedToken, WhyModel
from guiapp.kit.spans.token_menu import offer_copying
from guiapp.kit.state.background import Background
from guiapp.kit.widgets.controls import SegmentedTabs, push_button
from guiapp.kit.widgets.event_filters import SeenWatch, TextZoom, plain_tip
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, clear, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.painting import LEFT, RIGHT, PaintedButton, bold, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
    set_role,
)

if TYPE_CHECKING:
    from guiapp.analysis.explain.why.explanation import WhyLine, WhyStage

FIRST_SHOWN, LAST_SHOWN = 4, 2  # lines of a long stage; the others are folded
UNFOLDED = 40  # lines per click: some vocabularies have tokens of thousands of bytes
EDGE_PX = 2 * UNIT_PX
LEAST_PX = 40  # of a text
TOKEN_FONT_PX = 18
EMPTY_TEXT = "Select a token in the text or in its ids to see why it is there."
BUSY_TEXT = "Tracing the encoder …"
TIP = "Show this in Steps"
HINT_TEXT = "Click a line to see that step in Steps."
TOP_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
ROW_PX, TEXT_PX, BAR_PX = 44, 30, 3
SHARE_PX, COUNT_PX = 46, 56
LEAST_SHARE = 0.005  # smaller shares are shown as <1 %
WORDS, LINES = "Words", "Lines"
NOTHING, COUNTING = "Every {} is a single token.", "Counting the tokens of each {} …"
MOST_EXPENSIVE, WHY = "Most expensive", "Why this token"


class ExpensiveRow(PaintedButton):
    """A word or line, its first position and number of occurrences, its tokens, and their share as a bar."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._location, self._share, self._length = "", "", 0.0
        self._n_tokens = 0
        self.setFixedHeight(ROW_PX)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_row(self, row: CostlyText, line: int, n_all: int, most: int, is_line: bool) -> None:
        """`n_all` tokens are in the whole text, and `most` tokens in the most expensive row."""
        self.setText(row.text)
        self._n_tokens = row.n_tokens
        self._location = f"line {line:,}" + (f" ×{row.n_times:,}" if row.n_times > 1 else "")
        share = row.n_tokens / n_all
        self._share = percent(share) if share >= LEAST_SHARE else "<1 %"
        self._length = row.n_tokens / most
        times = f" in {row.n_times:,} places" if row.n_times > 1 else ""
        self.setAccessibleName(f"{row.text}: {counted(row.n_tokens, 'token')}{times}, {self._share} of all")
        what = "" if is_line else f"{row.kind.capitalize()} "
        where = f"{counted(row.n_tokens, 'token')}{times}, first in line {line:,}"
        self.setToolTip(plain_tip(f"{what}{row.text}\n{where}"))
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        inside = QRectF(GAP_PX, 2, self.width() - 2 * GAP_PX, TEXT_PX)
        mono, small = Theme.mono_font(UI_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
        write(painter, inside, self._share, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))
        inside.setRight(inside.right() - SHARE_PX)
        write(painter, inside, f"{self._n_tokens:,}", theme.text, RIGHT, bold(Theme.mono_font(UI_FONT_PX)))
        inside.setRight(inside.right() - COUNT_PX)
        location_px = QFontMetrics(small).horizontalAdvance(self._location) + GAP_PX
        room = inside.width() - location_px
        shown = QFontMetrics(mono).elidedText(isolate(self.text()), Qt.TextElideMode.ElideRight, int(room))
        write(painter, inside, shown, theme.text, LEFT, mono)
        inside.setLeft(inside.left() + min(QFontMetrics(mono).horizontalAdvance(shown), room) + GAP_PX)
        write(painter, inside, self._location, theme.dim, LEFT, small)
        bar = max(self._length * (self.width() - 2 * GAP_PX), BAR_PX)
        fill(painter, QRectF(GAP_PX, TEXT_PX + 4, bar, BAR_PX), theme.warning, BAR_PX / 2)


def title_of(title: str, value: Background[Any]) -> str:
    """A heading that shows whether the contents below it are outdated."""
    is_old = value.value is not None and not value.is_current
    return f"{title.upper()}{' · updating …' if is_old else ''}"


class ExpensivePanel(QScrollArea):
    """The most expensive words or lines, in descending order.

    Signals:
        chosen(int, int): the bytes to show.
    """

    chosen = Signal(int, int)

    def __init__(self, model: MostExpensiveModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model = model
        self._shows_lines = False
        self._shown: tuple[CostlyText, ...] = ()
        self.segments = SegmentedTabs((WORDS, LINES))
        self._empty = set_role(QLabel(wordWrap=True), "dim")
        self.rows = [ExpensiveRow(theme_source) for _ in range(N_MOST)]
        for number, row in enumerate(self.rows):
            row.clicked.connect(partial(self._choose, number))
        self._title = heading(MOST_EXPENSIVE)
        head = in_row(self._title, STRETCH, self.segments)
        for inset in (head, self._empty):  # aligned with the text of the rows
            inset.setContentsMargins(GAP_PX, 0, GAP_PX, 0)
        around = MARGIN_PX - GAP_PX, MARGIN_PX
        column = in_column(head, self._empty, *self.rows, STRETCH, margins=around, spacing=0)
        scroll_down(self, framed(column, "panel"))
        self.setAccessibleName(MOST_EXPENSIVE)
        self.segments.chosen.connect(self._show_kind)
        model.changed.connect(self._refresh)
        SeenWatch(self, model.watch)
        self._refresh()

    def _show_kind(self, index: int) -> None:
        self._shows_lines = index == 1
        self._refresh()

    def _refresh(self) -> None:
        result = self._model.value
        self._shown = () if result is None else result.lines if self._shows_lines else result.words
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(self._shown))
            if result is not None and number < len(self._shown):
                dear = self._shown[number]
                of_all = result.n_tokens, self._shown[0].n_tokens
                row.show_row(dear, self._model.line_of(dear), *of_all, self._shows_lines)
        what = "line" if self._shows_lines else "word"
        self._title.setText(title_of(MOST_EXPENSIVE, self._model))
        self._empty.setText((COUNTING if result is None else NOTHING).format(what))
        self._empty.setVisible(not self._shown)

    def _choose(self, number: int) -> None:
        if number < len(self._shown):
            self.chosen.emit(*self._model.go_to(self._shown[number]))


class WhyRow(PaintedButton):
    """One line: a sentence with code in it, its rank on the right, and a note below."""

    def __init__(self, line: WhyLine, theme_source: ThemeSource, zoom: TextZoom) -> None:
        super().__init__(theme_source)
        self.line = line
        self._document = QTextDocument(self)
        self._document.setDocumentMargin(0)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self._document.setDefaultTextOption(option)
        self._worth_font = zoom.mono_font(SMALL_FONT_PX)
        self._worth = f"rank {line.worth}" if line.worth else ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._write(zoom)
        explanation = [line.text, self._worth, line.note]
        self.setText(without_marks(line.text))
        self.setAccessibleName(". ".join(without_marks(each).rstrip(".") for each in explanation if each))
        self.setToolTip(TIP)

    def _write(self, zoom: TextZoom) -> None:
        theme = self._theme_source.theme
        cursor = QTextCursor(self._document)
        _insert(cursor, self.line.text, theme, (zoom.ui_font(UI_FONT_PX), zoom.mono_font(UI_FONT_PX)))
        if self.line.note:
            cursor.insertBlock()
            fonts = zoom.ui_font(SMALL_FONT_PX), zoom.mono_font(SMALL_FONT_PX)
            _insert(cursor, self.line.note, theme, fonts)

    @property
    def _worth_px(self) -> float:
        if not self._worth:
            return 0.0
        return QFontMetricsF(self._worth_font).horizontalAdvance(self._worth) + GAP_PX

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def _fit(self) -> None:
        self._document.setTextWidth(max(LEAST_PX, self.width() - 2 * EDGE_PX - self._worth_px))
        self.setFixedHeight(ceil(self._document.size().height()) + 2 * UNIT_PX)

    def ground(self, theme: Theme) -> QColor | None:
        return theme.line if self.underMouse() or self.hasFocus() else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.save()
        painter.translate(QPointF(EDGE_PX, UNIT_PX))
        self._document.drawContents(painter)
        painter.restore()
        inside = QRectF(self.rect()).adjusted(EDGE_PX, UNIT_PX, -EDGE_PX, -UNIT_PX)
        write(painter, inside, self._worth, theme.dim, TOP_RIGHT, self._worth_font)


def _insert(cursor: QTextCursor, sentence: str, theme: Theme, fonts: tuple[QFont, QFont]) -> None:
    """Insert a sentence, with dim words and code in the second font."""
    for text, is_code in parts(sentence):
        style = QTextCharFormat()
        style.setFont(fonts[is_code])
        style.setForeground(theme.text if is_code else theme.dim)
        cursor.insertText(text, style)


class WhyPanel(QScrollArea):
    """The stages that explain the selected token.

    Signals:
        step_wanted(StepKey): show this step.
    """

    step_wanted = Signal(object)

    def __init__(self, model: WhyModel, theme_source: ThemeSource, zoom: TextZoom | None = None) -> None:
        super().__init__()
        self._zoom = zoom or TextZoom(self)
        self._model = model
        self._theme_source = theme_source
        self._shown: ExplainedToken | None = None
        self._unfolded: Counter[str] = Counter()  # the number of additional lines shown, by stage
        self.rows: list[WhyRow] = []
        self._title = heading(WHY)
        self._token = StyledText(Theme.mono_font(TOKEN_FONT_PX), 3, "Token text")
        self._remark = plain_label("dim", wraps=True)
        self._stages = QWidget()
        self._column = in_column(on=self._stages, spacing=UNIT_PX)
        self._hint = set_role(QLabel(HINT_TEXT, wordWrap=True), "dim")
        parts_shown = self._title, self._token, self._remark, self._hint, self._stages, (STRETCH, 1)
        scroll_down(self, framed(in_column(*parts_shown, margins=MARGIN_PX, spacing=GAP_PX), "panel"))
        self.setMinimumWidth(260)
        self.setAccessibleName(WHY)
        offer_copying(self, "Copy why", self.copy)
        model.changed.connect(self._refresh)
        SeenWatch(self, model.watch)
        theme_source.changed.connect(self._rebuild)
        self._zoom.changed.connect(self._rebuild)
        self._refresh()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self._zoom.take(event):
            super().wheelEvent(event)

    def copy(self) -> None:
        """Copy all stages to the clipboard, in the format of the command line."""
        from guiapp.analysis.explain.why.explanation import why_lines

        if self._shown is not None:
            copy_text(self, "\n".join(why_lines(self._shown.explanation)) + "\n", "the explanation")

    def _refresh(self) -> None:
        if self._model.value != self._shown:
            self._unfolded.clear()
            self._shown = self._model.value
            self._rebuild()
        self._title.setText(title_of(WHY, self._model))
        waits = EMPTY_TEXT if self._model.is_current else BUSY_TEXT
        self._remark.setText(self._model.problem or waits)
        self._remark.setVisible(self._shown is None)

    def _rebuild(self) -> None:
        clear(self._column)
        self.rows = []
        self._token.setVisible(self._shown is not None)
        self._hint.setVisible(self._shown is not None)
        self._token.set_font(self._zoom.mono_font(TOKEN_FONT_PX))
        self._token.set_spans(self._token_spans())
        stages = () if self._shown is None else self._shown.explanation.stages
        for number, stage in enumerate(stages):
            if number:
                self._column.addSpacing(GAP_PX)
            self._column.addWidget(heading(stage.title))
            self._column.addWidget(self._card(stage))

    def _token_spans(self) -> Iterator[Span]:
        if self._shown is None:
            return
        theme, is_control = self._theme_source.theme, self._shown.is_control
        background = None if is_control else theme.raised
        color = theme.control if is_control else theme.text
        for run in visible_runs(self._shown.data):
            yield Span(run.text, theme.dim if run.is_symbol else color, background)

    def _card(self, stage: WhyStage) -> QFrame:
        lines = list(stage.lines)
        n_shown = FIRST_SHOWN + self._unfolded[stage.name]
        n_folded = len(lines) - n_shown - LAST_SHOWN
        column = in_column(margins=UNIT_PX, spacing=0)
        if n_folded > 1:
            self._add_rows(column, lines[:n_shown])
            more = push_button(f"{n_folded:,} more", partial(self._unfold, stage.name), role="quiet")
            column.addWidget(more, 0, Qt.AlignmentFlag.AlignLeft)
            lines = lines[-LAST_SHOWN:]
        self._add_rows(column, lines)
        return framed(column, "card")

    def _add_rows(self, column: QVBoxLayout, lines: Iterable[WhyLine]) -> None:
        for line in lines:
            row = WhyRow(line, self._theme_source, self._zoom)
            row.clicked.connect(partial(self._choose, line))
            self.rows.append(row)
            column.addWidget(row)

    def _unfold(self, stage: str, *_: object) -> None:
        self._unfolded[stage] += UNFOLDED
        self._rebuild()

    def _choose(self, line: WhyLine, *_: object) -> None:
        """Request a step, unless the text has changed: its new stages will arrive soon."""
        if self._model.is_current:
            self.step_wanted.emit(line.step_key)
