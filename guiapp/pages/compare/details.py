"""The column at the right: the difference that people look at, why it is one, and all of them by cause."""

from __future__ import annotations

import re

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.analysis.compare.difference_reasons import LONGEST, Told
from guiapp.analysis.explain.code_marks import parts
from guiapp.core.text.figures import counted
from guiapp.kit.spans.legend import QUIET, RINGED, LegendEntry, LegendList, characters, token
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.card import card
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.style_sheet import heading, set_role
from guiapp.kit.widgets.styled_text import Span, StyledText
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource
from guiapp.pages.compare.causes import CauseList
from guiapp.pages.compare.difference_causes import MOST, DifferenceCauses
from guiapp.pages.compare.difference_report import markdown
from guiapp.pages.compare.difference_walk import DifferenceWalk
from guiapp.pages.compare.models import ModelsComparison
from guiapp.pages.compare.token_grid import GridRow, GridToken, TokenGrid

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


class DetailsPanel(QScrollArea):
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
        self.grid = TokenGrid(theme_source)
        self.reason = StyledText(Theme.ui_font(), 14)
        self.reason.setAccessibleName("Why")
        self.race_button = push_button("Step through both", self._ask_for_race)
        self.copy_button = push_button("Copy", self.copy, role="quiet", tip="Copy as Markdown")
        self._shown: list[Span] = []
        self._card = card(self.grid, self.reason, in_row(self.race_button, self.copy_button, STRETCH))
        self._by_cause = heading("By cause")
        self.causes = CauseList(theme_source)
        self._legend = QWidget()
        in_column(heading("Legend"), LegendList(LEGEND, theme_source), on=self._legend)
        self._lay_out()
        self.setAccessibleName("Differences")
        self.causes.chosen.connect(walk.choose_kind)
        walk.changed.connect(self._follow)
        causes.told_changed.connect(self._show_reason)
        causes.counts_changed.connect(self._show_counts)
        comparison.columns[0].session.spelling.changed.connect(self._follow)
        theme_source.changed.connect(self._show_reason)
        self._follow()
        self._show_counts()

    def copy(self) -> None:
        """Put the difference on the clipboard, as Markdown."""
        index = self._walk.current
        if index is not None:
            told = markdown(self._causes.sides, self._causes.difference_at(index), self._causes.told or [])
            QGuiApplication.clipboard().setText(told)

    def _lay_out(self) -> None:
        add = in_row(self.add_button, STRETCH)
        by_cause = self._by_cause, self.causes
        column = (
            self._title,
            self._hint,
            add,
            self._card,
            GAP_PX,
            *by_cause,
            GAP_PX,
            self._legend,
        )
        inside = in_column(*column, (STRETCH, 1), margins=MARGIN_PX, spacing=GAP_PX)
        scroll_down(self, framed(inside, "panel"))
        self.setMinimumWidth(280)

    def _ask_for_model(self) -> None:
        self.model_wanted.emit(self.add_button)

    def _ask_for_race(self) -> None:
        stretch, told = self._walk.stretch, self._causes.told
        if stretch is not None:
            other = told[0].other if told else 1
            self.race_wanted.emit(self._comparison.rows[other].session, stretch[0])

    def _follow(self) -> None:
        """Show what is new of the differences, while somebody looks."""
        index, n_all = self._walk.current, self._walk.n_all
        is_alone = len(self._comparison.columns) < 2
        self._title.setText(self._headline(index, n_all))
        self._hint.setText(ADD_A_MODEL if is_alone else HOW_TO_WALK if n_all else NO_DIFFERENCE)
        is_settled = self._comparison.live is not None
        self._hint.setVisible(index is None and (is_alone or is_settled))
        self.add_button.setVisible(is_alone)
        self._card.setVisible(index is not None)
        self._by_cause.setVisible(n_all > 0)
        self.causes.setVisible(n_all > 0)
        self._legend.setVisible(not is_alone)
        n_counted = self._causes.n_looked_into
        some = f"The first {MOST:,} of {n_all:,}" if n_counted < n_all else f"All {n_all:,}"
        self._by_cause.setText(f"{some} by cause".upper())
        self.causes.show_chosen(self._walk.kind)
        if index is not None:
            self._show_difference(index)

    def _headline(self, index: int | None, n_all: int) -> str:
        if index is None or (stretch := self._walk.stretch) is None:
            return counted(n_all, "difference").upper() if n_all else "DIFFERENCES"
        line = self._comparison.document.line_of(stretch[0]) + 1
        return f"DIFFERENCE {index + 1:,} OF {n_all:,} · LINE {line:,}"

    def _show_difference(self, index: int) -> None:
        sides, stretch = self._causes.sides, self._comparison.stretch_of(index)
        columns = self._comparison.columns
        rows = [
            GridRow(columns.index(column), side.name, self._tokens(row, stretch))
            for row, (side, column) in enumerate(zip(sides, self._comparison.rows, strict=True))
        ]
        self.grid.show_rows(rows)
        self._show_reason()

    def _tokens(self, row: int, stretch: tuple[int, int]) -> tuple[GridToken, ...]:
        column, live = self._comparison.rows[row], self._comparison.live
        assert live is not None
        first, last = self._comparison.tokens_in(column, *stretch)
        last = min(last, first + MOST_TOKENS)
        ids, starts, ends, _ = column.tokens.between(first, last)
        tints = live.tints[row][first:last].tolist()
        labels = [column.label_of(token_id) for token_id in ids.tolist()]
        if stretch[0] == stretch[1]:  # tokens without text: side by side
            return tuple(map(GridToken, range(len(ids)), range(1, len(ids) + 1), labels, ids.tolist(), tints))
        return tuple(map(GridToken, starts.tolist(), ends.tolist(), labels, ids.tolist(), tints))

    def _show_reason(self) -> None:
        if self._walk.current is None:
            return
        theme, told = self._theme_source.theme, self._causes.told
        spans: list[Span] = []
        if told is None:
            spans = [Span(LOOKING if self._causes.is_looking else TOO_LONG, theme.dim)]
        for each in told or ():
            spans += [Span("\n", theme.text)] if spans else []
            spans += self._spans_of(each)
        if spans != self._shown:  # else each key would have it laid out again
            self._shown = spans
            self.reason.set_spans(spans)

    def _spans_of(self, told: Told) -> list[Span]:
        theme, names = self._theme_source.theme, [side.name for side in self._causes.sides]
        spans = [
            Span(text, theme.text, theme.background if part.is_code else None, text in names)
            for part in parts(told.reason.sentence)
            for text in ([part.text] if part.is_code else _around_names(part.text, names))
        ]
        if told.alike:
            others = " and ".join(names[number] for number in told.alike)
            cut = "cuts" if len(told.alike) == 1 else "cut"
            sentence = f" {others} {cut} as {names[told.other]} does."
            spans += [Span(text, theme.text, None, text in names) for text in _around_names(sentence, names)]
        subject = told.reason.subject
        return [*spans, Span(f"\n{told.reason.cause.value.capitalize()} · {subject}", theme.dim)]

    def _show_counts(self) -> None:
        self.causes.show_counts(self._causes.counts, self._walk.kind)


def _around_names(text: str, names: list[str]) -> list[str]:
    """The names in a text, and what is between them."""
    longest_first = sorted(names, key=len, reverse=True)
    return [part for part in re.split(f"({'|'.join(map(re.escape, longest_first))})", text) if part]
