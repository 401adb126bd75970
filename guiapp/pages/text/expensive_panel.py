"""Which words and lines take the most tokens; a click goes there."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.core.encode.counting.cost import CostlyText
from guiapp.core.text.figures import counted, percent
from guiapp.core.text.visible_text import isolate
from guiapp.kit.document.statistics import N_MOST, MostExpensiveModel
from guiapp.kit.widgets.controls import SegmentedTabs
from guiapp.kit.widgets.event_filters import SeenWatch
from guiapp.kit.widgets.layouts import STRETCH, framed, head_row, in_column, scroll_down
from guiapp.kit.widgets.painting import LEFT, RIGHT, PaintedButton, bold, fill, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    Theme,
    ThemeSource,
    set_role,
)

ROW_PX, TEXT_PX, BAR_PX = 44, 30, 3
SHARE_PX, COUNT_PX = 46, 56
LEAST_SHARE = 0.005  # that is not written as 0 %
WORDS, LINES = "Words", "Lines"
TOKEN, WHY = range(2)
NOTHING = "Each {} of this text is a single token: nothing is dear."


class ExpensiveRow(PaintedButton):
    """A word or a line, where it is first and how often, its tokens, and their share as a bar."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._places, self._share, self._length = "", "", 0.0
        self._n_tokens = 0
        self.setFixedHeight(ROW_PX)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def show_row(self, row: CostlyText, line: int, n_all: int, most: int) -> None:
        """`n_all` tokens are in the text, and `most` in the dearest row."""
        self.setText(row.text)
        self._n_tokens = row.n_tokens
        self._places = f"line {line:,}" + (f" ×{row.n_times:,}" if row.n_times > 1 else "")
        share = row.n_tokens / n_all
        self._share = percent(share) if share >= LEAST_SHARE else "<1 %"
        self._length = row.n_tokens / most
        times = f" in {row.n_times:,} places" if row.n_times > 1 else ""
        self.setAccessibleName(f"{row.text}: {counted(row.n_tokens, 'token')}{times}, {self._share} of all")
        self.setToolTip(f"{row.text}\n{counted(row.n_tokens, 'token')}{times}, from line {line:,} on")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, ROW_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        inside = QRectF(GAP_PX, 2, self.width() - 2 * GAP_PX, TEXT_PX)
        mono, small = Theme.mono_font(UI_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
        write(painter, inside, self._share, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))
        inside.setRight(inside.right() - SHARE_PX)
        write(painter, inside, f"{self._n_tokens:,}", theme.text, RIGHT, bold(Theme.mono_font(UI_FONT_PX)))
        inside.setRight(inside.right() - COUNT_PX)
        places_px = QFontMetrics(small).horizontalAdvance(self._places) + GAP_PX
        room = inside.width() - places_px
        shown = QFontMetrics(mono).elidedText(isolate(self.text()), Qt.TextElideMode.ElideRight, int(room))
        write(painter, inside, shown, theme.text, LEFT, mono)
        inside.setLeft(inside.left() + min(QFontMetrics(mono).horizontalAdvance(shown), room) + GAP_PX)
        write(painter, inside, self._places, theme.dim, LEFT, small)
        bar = max(self._length * (self.width() - 2 * GAP_PX), BAR_PX)
        fill(painter, QRectF(GAP_PX, TEXT_PX + 4, bar, BAR_PX), theme.warning, BAR_PX / 2)


class ExpensivePanel(QScrollArea):
    """The dearest words or lines, the dearest first.

    Signals:
        chosen(int, int): the bytes of what people want to see.
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
        head = head_row("Most expensive", self.segments)
        for inset in (head, self._empty):  # as far as the words of a row are from its edges
            inset.setContentsMargins(GAP_PX, 0, GAP_PX, 0)
        around = MARGIN_PX - GAP_PX, MARGIN_PX
        column = in_column(head, self._empty, *self.rows, STRETCH, margins=around, spacing=0)
        scroll_down(self, framed(column, "panel"))
        self.setAccessibleName("Most expensive")
        self.segments.chosen.connect(self._show_kind)
        model.changed.connect(self._refresh)
        SeenWatch(self, model.set_shown)
        self._refresh()

    def _show_kind(self, index: int) -> None:
        self._shows_lines = index == 1
        self._refresh()

    def _refresh(self) -> None:
        result = self._model.result
        self._shown = () if result is None else result.lines if self._shows_lines else result.words
        for number, row in enumerate(self.rows):
            row.setVisible(number < len(self._shown))
            if result is not None and number < len(self._shown):
                dear = self._shown[number]
                row.show_row(dear, self._model.line_of(dear), result.n_tokens, self._shown[0].n_tokens)
        self._empty.setText(NOTHING.format("line" if self._shows_lines else "word"))
        self._empty.setVisible(result is not None and not self._shown)

    def _choose(self, number: int) -> None:
        if number < len(self._shown):
            self.chosen.emit(*self._model.go_to(self._shown[number]))


class SideColumn(QWidget):
    """The column at the right: the selected token, why it is there, or what is most expensive."""

    def __init__(self, card: QWidget, why: QWidget, most_expensive: ExpensivePanel) -> None:
        super().__init__()
        self.segments = SegmentedTabs(("Token", "Why", "Most expensive"))
        self._panels = (card, why, most_expensive)
        bar = framed(in_column(self.segments, margins=(0, GAP_PX, 0, 0)), "panel")
        in_column(bar, *((panel, 1) for panel in self._panels), on=self, spacing=0)
        self.segments.chosen.connect(self._show)
        self._show(TOKEN)

    def show_why(self) -> None:
        """Bring why the token is there to the front."""
        self.segments.choose(WHY)

    def _show(self, index: int) -> None:
        for number, panel in enumerate(self._panels):
            panel.setVisible(number == index)

    @property
    def shown(self) -> QWidget:
        return next(panel for panel in self._panels if panel.isVisibleTo(self))
