"""Beside the text of a model: the tokens of each line, and how many more these are than others need."""

from __future__ import annotations

from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.margin import LineCost, LineMargin
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.compare.compared_spans import ComparedSpans
from guiapp.pages.compare.figures import ComparedFigures


class LineCounts(LineMargin):
    """Numbers at the first row of each line; amber with a bar where another model needs fewer."""

    def __init__(
        self, column: ComparedSpans, figures: ComparedFigures, editor: SpanEditor, theme_source: ThemeSource
    ) -> None:
        super().__init__(column.session.document, editor, theme_source)
        self._column = column
        self._figures = figures
        figures.lines_changed.connect(self.update)
        column.tokens_changed.connect(self.update)

    def n_before(self) -> int:
        return self._column.session.n_around[0]

    def cost_of(self, start: int, end: int) -> LineCost | None:
        row = self._figures.row_of(self._column)
        if row < 0:
            return None
        counts = self._figures.in_line(start, end)
        more = counts[row] - min(counts)
        share = more / max(self._figures.most_more, more, 1)
        return LineCost(counts[row], more > 0, f"+{more:,}", share)
