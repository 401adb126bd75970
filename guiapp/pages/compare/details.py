"""The column at the right: the current difference, its reason, and all differences by cause."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLabel, QWidget

from guiapp.analysis.compare.reasons import Cause, shown
from guiapp.analysis.compare.texts import LONGEST
from guiapp.analysis.hunt.report import escaped
from guiapp.core.text.numbers_in_words import capitalized, counted, quoted
from guiapp.kit.side_by_side.details import ItemDetails, row_of, sentence_spans
from guiapp.kit.side_by_side.grid import GridRow
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.spans.legend import QUIET, RINGED, LegendEntry, LegendList, characters, token
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import FittedLabel, Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, card, in_column, in_row, take_away
from guiapp.kit.widgets.notices import copy_text
from guiapp.kit.widgets.page_base import PageRequests
from guiapp.kit.widgets.painting import (
    LEFT,
    RIGHT,
    PaintedButton,
    elided,
    fill,
    write,
)
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    blend,
    heading,
    set_role,
)
from guiapp.pages.compare.models import MOST, CauseCount, DifferenceCauses, ModelsComparison

ROW_PX, BAR_PX = 32, 3
LINE_PX = 48  # two lines of text, and margins
CHOSEN_SHARE = 0.14  # of the accent in the background of a chosen row
LEAST_PX, WIDE_PX = 280, 560
LEGEND = (
    LegendEntry(QUIET, "All models have this token here"),
    LegendEntry(token("word"), "At least one other model has it too"),
    LegendEntry(RINGED, "Only this model has it"),
    LegendEntry(characters("+2", "warning"), "More tokens on this line than the model with the fewest"),
)
SHORT_LEGEND = tuple(map(LegendEntry, (QUIET, token("word"), RINGED), ("in all", "in some", "only here")))
ADD_A_MODEL = "Add a model to see how both cut the same text, side by side."
NO_DIFFERENCE = "All models cut this text the same."
DIFFERENCE = (
    "A difference is a part of the text that the models do not all cut the same way. "
    "Two become one when you add a model that has no boundary between them."
)
HOW_TO_WALK = f"{DIFFERENCE} F8 goes to the next one, Shift+F8 to the previous one."
LOOKING = "Finding the reason …"
TOO_LONG = f"More than {LONGEST} bytes: too long to find the reason."


class DifferencePanel(ItemDetails):
    """Shows the current difference of the walk, its reason, and counts by cause."""

    def __init__(
        self,
        comparison: ModelsComparison,
        walk: DifferenceWalk,
        causes: DifferenceCauses,
        requests: PageRequests,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__(theme_source, "Differences", LEAST_PX)
        self._comparison = comparison
        self._walk = walk
        self._causes = causes
        self._requests = requests
        self._hint = set_role(QLabel(wordWrap=True), "dim")
        self.race_button = push_button("Step through both", self._ask_for_race)
        self.copy_button = push_button("Copy", self.copy, role="quiet", tip="Copy as Markdown")
        self.head.addWidget(self.copy_button)
        self._pair = set_role(FittedLabel(), "dim")  # if there are more than two models
        self.reason.setAccessibleName("Why")
        buttons = in_row(self.race_button, (self._pair, 1), spacing=GAP_PX)
        self._parts = in_column((self.grid, 1), (in_column(self.reason, buttons, STRETCH), 1))
        self._card = card(self._parts)
        self._by_cause = heading("By cause")
        self.causes = CauseCounts(theme_source)
        self._legend = QWidget()
        in_column(heading("Legend"), LegendList(LEGEND, theme_source), on=self._legend)
        above = self.head, self._hint, self._card, GAP_PX
        self.arrange(*above, self._by_cause, self.causes, GAP_PX, self._legend, (STRETCH, 1))
        self.causes.chosen.connect(walk.choose_kind)
        walk.changed.connect(self._refresh)
        causes.reasons.changed.connect(self._show_reason)
        causes.counts_changed.connect(self._show_counts)
        comparison.columns[0].session.spelling.changed.connect(self._refresh)
        theme_source.changed.connect(self._show_reason)
        self._refresh()
        self._show_counts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the reason below the tokens, or at their right if there is room."""
        super().resizeEvent(event)
        ways = QBoxLayout.Direction
        self._parts.setDirection(ways.LeftToRight if self.width() >= WIDE_PX else ways.TopToBottom)

    def copy(self) -> None:
        """Copy the text, the tokens of each model, and the reason as Markdown."""
        if (index := self._walk.current) is None:
            return
        sides, difference = self._causes.sides, self._causes.difference_at(index)
        span = difference.context[difference.start : difference.end]
        lines = [
            f"In {shown(difference.context)}, {shown(span)} is cut differently.",
            "",
            f"    text   {escaped(difference.context)}",
            f"    here   {escaped(span)}",
        ]
        for side, tokens in zip(sides, difference.tokens, strict=True):
            ids = " ".join(str(token_id) for token_id, _, _ in tokens)
            lines.append(f"    {quoted(side.name)}: {ids or 'no tokens'}")
        reasons = [each.reason.sentence for each in self._causes.explained or []]
        copy_text(self, "\n".join([*lines, "", *reasons]).rstrip() + "\n", "the difference")

    def _ask_for_race(self) -> None:
        byte_span, explained = self._walk.byte_span, self._causes.explained
        if byte_span is not None:
            other = explained[0].other if explained else 1  # as `_pair` shows
            self._requests.race_wanted.emit(self._comparison.rows[other].session, byte_span[0])

    def _refresh(self) -> None:
        index, n_all, byte_span = self._walk.current, self._walk.n_all, self._walk.byte_span
        is_alone = len(self._comparison.columns) < 2
        title = counted(n_all, "difference") if n_all else "Differences"
        if byte_span is not None and index is not None:
            line = self._comparison.document.line_of(byte_span[0]) + 1
            title = f"Difference {index + 1:,} of {n_all:,} · line {line:,}"
            self.grid.show_rows(list(self._grid_rows(byte_span)))
            self._show_reason()
        self.title.set_texts([title.upper()])
        self._hint.setText(ADD_A_MODEL if is_alone else HOW_TO_WALK if n_all else NO_DIFFERENCE)
        is_compared = self._comparison.live is not None
        self._hint.setVisible(index is None and (is_alone or is_compared))
        self._card.setVisible(index is not None)
        self.copy_button.setVisible(index is not None)
        self._by_cause.setVisible(n_all > 0)
        self.causes.setVisible(n_all > 0)
        self._legend.setVisible(not is_alone)
        n_counted = self._causes.n_examined
        some = f"The first {MOST:,} of {n_all:,}" if n_counted < n_all else f"All {n_all:,}"
        self._by_cause.setText(f"{some} by cause".upper())
        self.causes.show_chosen(self._walk.kind)

    def _grid_rows(self, byte_span: tuple[int, int]) -> Iterator[GridRow]:
        comparison, live = self._comparison, self._comparison.live
        assert live is not None
        for side, column, tints in zip(self._causes.sides, comparison.rows, live.tints, strict=True):
            between = comparison.tokens_in(column, *byte_span)
            yield row_of(column, side.name, comparison.columns.index(column), between, byte_span, tints)

    def _show_reason(self) -> None:
        if self._walk.current is not None:
            explained, names = self._causes.explained, [side.name for side in self._causes.sides]
            other = explained[0].other if explained else 1
            pair = f"{names[0]} and {names[other]}", f"columns 1 and {other + 1}", f"1 and {other + 1}"
            self._pair.set_texts([*pair, ""] if len(names) > 2 else [""])
            self.show_reason(_reason_spans(self._causes, self._theme_source.theme))

    def _show_counts(self) -> None:
        self.causes.show_counts(self._causes.counts, self._walk.kind)


def _reason_spans(causes: DifferenceCauses, theme: Theme) -> list[Span]:
    """Why models cut the current difference unlike the first model: a paragraph for each reason."""
    if causes.explained is None:
        return [Span(LOOKING if causes.reasons.is_busy else TOO_LONG, theme.dim)]
    names = [side.name for side in causes.sides]
    colors = {name: (name, theme.text) for name in names}
    spans: list[Span] = []
    for number, each in enumerate(causes.explained):
        sentence, about = each.reason.clause, f"\n{capitalized(each.reason.title)}"
        if each.reason in (earlier.reason for earlier in causes.explained[:number]):
            continue  # such as an option turned off, which explains all models
        if each.alike:
            others = " and ".join(names[number] for number in each.alike)
            s, other = "s" if len(each.alike) == 1 else "", names[each.other]
            is_added = each.reason.cause is Cause.AROUND
            sentence += f" {others} {f'add{s} as many as' if is_added else f'cut{s} it as'} {other}"
            sentence += "." if is_added else " does."
        spans += [Span("\n", theme.text)] * bool(spans)
        spans += [*sentence_spans(sentence, theme, colors), Span(about, theme.dim)]
    return spans


class ReasonLine(QFrame):
    """The reason for the current difference, above the columns while the details are hidden."""

    def __init__(self, walk: DifferenceWalk, causes: DifferenceCauses, theme_source: ThemeSource) -> None:
        super().__init__()
        set_role(self, "bar")
        self._walk, self._causes, self._theme_source = walk, causes, theme_source
        self._is_active = False
        self.text = StyledText(Theme.ui_font(), 2, "Why")
        in_column(self.text, STRETCH, on=self, margins=(MARGIN_PX, UNIT_PX))
        self.setFixedHeight(LINE_PX)  # so that no step of the walk moves the text
        walk.changed.connect(self._refresh)
        causes.reasons.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def set_active(self, is_active: bool) -> None:
        self._is_active = is_active
        self._refresh()

    def _refresh(self) -> None:
        is_shown = self._is_active and self._walk.current is not None
        self.setVisible(is_shown)
        if is_shown:
            spans = _reason_spans(self._causes, self._theme_source.theme)
            breaks = [at for at, span in enumerate(spans) if span.text == "\n"]  # before each later reason
            if breaks:
                more = f" · {counted(len(breaks), 'more reason')} under “Why they differ”"
                spans = [*spans[: breaks[0]], Span(more, self._theme_source.theme.dim)]
            self.text.set_spans(spans)


class CauseRow(PaintedButton):
    """A cause, its number of differences, and a bar."""

    def __init__(self, row: CauseCount, most: int, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._row = row
        self._most = most
        self.setText(row.title)
        self.setCheckable(True)
        self.setFixedHeight(ROW_PX)
        self.setToolTip(plain_tip(f"{row.title}: go through these only"))
        self.setAccessibleName(f"{row.title}: {counted(row.count, 'difference')}")

    def ground(self, theme: Theme) -> QColor | None:
        if self.isChecked():
            return blend(theme.raised, theme.accent, CHOSEN_SHARE)
        return theme.raised if self.underMouse() else None

    def paint(self, painter: QPainter, theme: Theme) -> None:
        inside = QRectF(self.rect()).adjusted(GAP_PX, UNIT_PX, -GAP_PX, -UNIT_PX)
        above = inside.adjusted(0, 0, 0, -BAR_PX - UNIT_PX)
        count, small, font = f"{self._row.count:,}", Theme.mono_font(SMALL_FONT_PX), Theme.ui_font(UI_FONT_PX)
        room = above.width() - QFontMetricsF(small).horizontalAdvance(count) - GAP_PX
        write(painter, above, elided(self.text(), font, room), theme.text, LEFT, font)
        write(painter, above, count, theme.dim, RIGHT, small)
        bar = max(inside.width() * self._row.count / self._most, 2)
        bar_rect = QRectF(inside.left(), inside.bottom() - BAR_PX, bar, BAR_PX)
        fill(painter, bar_rect, theme.faint, BAR_PX / 2)


class CauseCounts(QWidget):
    """Rows of causes.

    Signals:
        chosen(object): walk only through differences of this kind, None for all.
    """

    chosen = Signal(object)

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._rows: dict[int, CauseRow] = {}
        self._layout = in_column(on=self, spacing=0)
        self.setAccessibleName("Differences by cause")

    @property
    def rows(self) -> list[CauseRow]:
        return list(self._rows.values())

    def show_counts(self, counts: list[CauseCount], chosen: int | None) -> None:
        """Show counts, the most frequent first; keep the focus on its cause."""
        focused = next((kind for kind, row in self._rows.items() if row.hasFocus()), None)
        take_away(*self._rows.values())
        most = max((count.count for count in counts), default=1)
        self._rows = {count.kind: CauseRow(count, most, self._theme_source) for count in counts}
        for kind, row in self._rows.items():
            row.setChecked(kind == chosen)
            row.clicked.connect(partial(self._choose, kind))
            self._layout.addWidget(row)
        if focused in self._rows:
            self._rows[focused].setFocus(Qt.FocusReason.OtherFocusReason)

    def show_chosen(self, chosen: int | None) -> None:
        for kind, row in self._rows.items():
            row.setChecked(kind == chosen)

    def _choose(self, kind: int) -> None:
        self.chosen.emit(kind if self._rows[kind].isChecked() else None)
