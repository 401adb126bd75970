"""The column at the right: the difference that people look at, why it is one, and all of them by cause."""

from __future__ import annotations

import re
from functools import partial

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.analysis.compare.reasons import shown
from guiapp.analysis.compare.texts import LONGEST, DifferenceReason
from guiapp.analysis.explain.spelling import Spelling, parts
from guiapp.analysis.hunt.report import escaped
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.kit.side_by_side.grid import GridRow, SpanGrid
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.spans.legend import QUIET, RINGED, LegendEntry, LegendList, characters, token
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.layouts import STRETCH, card, framed, in_column, in_row, scroll_down, take_away
from guiapp.kit.widgets.notices import copy_text
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
from guiapp.pages.compare.differences import MOST, CauseCount, DifferenceCauses
from guiapp.pages.compare.models import ModelsComparison

ROW_PX, BAR_PX = 32, 3
CHOSEN_SHARE = 0.14  # of the accent in the ground of a chosen row
MOST_TOKENS = 60  # of a model that are shown
LEGEND = (
    LegendEntry(QUIET, "All models have this token here"),
    LegendEntry(token("word"), "At least one other model has it, too"),
    LegendEntry(RINGED, "Only this model has it"),
    LegendEntry(characters("+2", "warning"), "More tokens on this line than the model with the fewest"),
)
ADD_A_MODEL = "Add a model to compare with: the same text, cut by each, side by side."
NO_DIFFERENCE = "All models cut this text alike."
HOW_TO_WALK = "F8 goes from difference to difference, Shift+F8 back."
LOOKING = "Looking for the reason …"
TOO_LONG = f"More than {LONGEST} bytes: too long to look for the reason."


class DifferencePanel(QScrollArea):
    """Watches the walk and the causes.

    Signals:
        race_wanted(object, int): step through the text with the model of this session beside, at this place.
        model_wanted(QWidget): one more model is to be chosen, under this widget.
    """

    race_wanted = Signal(object, object)
    model_wanted = Signal(object)

    def __init__(
        self,
        comparison: ModelsComparison,
        walk: DifferenceWalk,
        causes: DifferenceCauses,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self._comparison = comparison
        self._walk = walk
        self._causes = causes
        self._theme_source = theme_source
        self._title = heading("Differences")
        self._hint = set_role(QLabel(wordWrap=True), "dim")
        self.add_button = push_button("Add model…", self._ask_for_model, role="primary")
        self.grid = SpanGrid(theme_source)
        self.reason = StyledText(Theme.ui_font(), 14)
        self.reason.setAccessibleName("Why")
        self.race_button = push_button("Step through both", self._ask_for_race)
        self.copy_button = push_button("Copy", self.copy, role="quiet", tip="Copy as Markdown")
        self._shown: list[Span] = []
        self._card = card(self.grid, self.reason, in_row(self.race_button, self.copy_button, STRETCH))
        self._by_cause = heading("By cause")
        self.causes = CauseCounts(theme_source)
        self._legend = QWidget()
        in_column(heading("Legend"), LegendList(LEGEND, theme_source), on=self._legend)
        self._build_layout()
        self.setAccessibleName("Differences")
        self.causes.chosen.connect(walk.choose_kind)
        walk.changed.connect(self._refresh)
        causes.explained_changed.connect(self._show_reason)
        causes.counts_changed.connect(self._show_counts)
        comparison.columns[0].session.spelling.changed.connect(self._refresh)
        theme_source.changed.connect(self._show_reason)
        self._refresh()
        self._show_counts()

    def copy(self) -> None:
        """Put the text, what each model makes of it, and why on the clipboard, as Markdown."""
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

    def _build_layout(self) -> None:
        by_cause = GAP_PX, self._by_cause, self.causes, GAP_PX, self._legend, (STRETCH, 1)
        parts = self._title, self._hint, in_row(self.add_button, STRETCH), self._card, *by_cause
        scroll_down(self, framed(in_column(*parts, margins=MARGIN_PX, spacing=GAP_PX), "panel"))
        self.setMinimumWidth(280)

    def _ask_for_model(self) -> None:
        self.model_wanted.emit(self.add_button)

    def _ask_for_race(self) -> None:
        byte_span, explained = self._walk.byte_span, self._causes.explained
        if byte_span is not None:
            other = explained[0].other if explained else 1
            self.race_wanted.emit(self._comparison.rows[other].session, byte_span[0])

    def _refresh(self) -> None:
        index, n_all = self._walk.current, self._walk.n_all
        is_alone = len(self._comparison.columns) < 2
        self._title.setText(self._headline(index, n_all))
        self._hint.setText(ADD_A_MODEL if is_alone else HOW_TO_WALK if n_all else NO_DIFFERENCE)
        is_compared = self._comparison.live is not None
        self._hint.setVisible(index is None and (is_alone or is_compared))
        self.add_button.setVisible(is_alone)
        self._card.setVisible(index is not None)
        self._by_cause.setVisible(n_all > 0)
        self.causes.setVisible(n_all > 0)
        self._legend.setVisible(not is_alone)
        n_counted = self._causes.n_examined
        some = f"The first {MOST:,} of {n_all:,}" if n_counted < n_all else f"All {n_all:,}"
        self._by_cause.setText(f"{some} by cause".upper())
        self.causes.show_chosen(self._walk.kind)
        if index is not None:
            self._show_difference(index)

    def _headline(self, index: int | None, n_all: int) -> str:
        if index is None or (byte_span := self._walk.byte_span) is None:
            return counted(n_all, "difference").upper() if n_all else "DIFFERENCES"
        line = self._comparison.document.line_of(byte_span[0]) + 1
        return f"DIFFERENCE {index + 1:,} OF {n_all:,} · LINE {line:,}"

    def _show_difference(self, index: int) -> None:
        sides, byte_span = self._causes.sides, self._comparison.byte_span_of(index)
        columns = self._comparison.columns
        rows = [
            self._grid_row(side.name, columns.index(column), row, byte_span)
            for row, (side, column) in enumerate(zip(sides, self._comparison.rows, strict=True))
        ]
        self.grid.show_rows(rows)
        self._show_reason()

    def _grid_row(self, name: str, number: int, row: int, byte_span: tuple[int, int]) -> GridRow:
        column, live, (start, end) = self._comparison.rows[row], self._comparison.live, byte_span
        assert live is not None
        first, last = self._comparison.tokens_in(column, start, end)
        last = min(last, first + MOST_TOKENS)
        ids, starts, ends, _ = column.tokens.between(first, last)
        spans = tuple(zip((starts - start).tolist(), (ends - start).tolist(), strict=True))
        labels = [column.label_of(token_id) for token_id in ids.tolist()]
        text = self._comparison.document.slice(start, min(end, start + LONGEST))
        tints, is_spelled = live.tints[row][first:last].tolist(), column.spelling.now is Spelling.FILE
        return GridRow(name, number, text, ids.tolist(), spans, tints, labels, is_spelled)

    def _show_reason(self) -> None:
        if self._walk.current is None:
            return
        theme, explained = self._theme_source.theme, self._causes.explained
        spans: list[Span] = []
        if explained is None:
            spans = [Span(LOOKING if self._causes.is_looking else TOO_LONG, theme.dim)]
        for each in explained or ():
            spans += [*([Span("\n", theme.text)] if spans else []), *self._spans_of(each)]
        if spans != self._shown:  # else each key would have it laid out again
            self._shown = spans
            self.reason.set_spans(spans)

    def _spans_of(self, explained: DifferenceReason) -> list[Span]:
        theme, names = self._theme_source.theme, [side.name for side in self._causes.sides]
        spans = [
            Span(text, theme.text, theme.background if part.is_code else None, text in names)
            for part in parts(explained.reason.sentence)
            for text in ([part.text] if part.is_code else _split_at_names(part.text, names))
        ]
        if explained.alike:
            others = " and ".join(names[number] for number in explained.alike)
            cut = "cuts" if len(explained.alike) == 1 else "cut"
            pieces = _split_at_names(f" {others} {cut} as {names[explained.other]} does.", names)
            spans += [Span(text, theme.text, None, text in names) for text in pieces]
        subject = explained.reason.subject
        return [*spans, Span(f"\n{explained.reason.cause.value.capitalize()} · {subject}", theme.dim)]

    def _show_counts(self) -> None:
        self.causes.show_counts(self._causes.counts, self._walk.kind)


def _split_at_names(text: str, names: list[str]) -> list[str]:
    """The names in a text, and what is between them."""
    longest_first = sorted(names, key=len, reverse=True)
    return [part for part in re.split(f"({'|'.join(map(re.escape, longest_first))})", text) if part]


class CauseRow(PaintedButton):
    """A cause, a bar, and how often it is."""

    def __init__(self, row: CauseCount, most: int, theme_source: ThemeSource) -> None:
        super().__init__(theme_source)
        self._row = row
        self._most = most
        self.setText(row.title)
        self.setCheckable(True)
        self.setFixedHeight(ROW_PX)
        self.setToolTip(plain_tip(f"{row.title}: walk through these only"))
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
        place = QRectF(inside.left(), inside.bottom() - BAR_PX, bar, BAR_PX)
        fill(painter, place, theme.faint, BAR_PX / 2)


class CauseCounts(QWidget):
    """A row for each cause.

    Signals:
        chosen(object): walk through those of this kind only, None for all.
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
        """Show these, the most frequent first; the focus stays where it was."""
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
