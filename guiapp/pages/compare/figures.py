"""What the models need, in numbers: tokens in all, and line by line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.kit.state.background import later
from guiapp.pages.compare.compared_spans import ComparedSpans
from guiapp.pages.compare.models import ModelsComparison

PAUSE_MS = 250  # without an edit, until all lines are counted


class ColumnCost(NamedTuple):
    """The tokens of a column, and how many more these are than those of the one with the fewest."""

    n_tokens: int
    more: int
    ratio: float | None  # to the first column

    @property
    def words(self) -> str:
        ratio = "" if self.ratio is None else f" · {self.ratio:.2f}×"
        return f"+{self.more:,}{ratio}" if self.more else f"fewest{ratio}"


class ComparedFigures(QObject):
    """Counts of a comparison.

    most_more  how many tokens more than the least a column needs in any line, at most; the scale of all bars
    dear_lines int64[k]: where lines begin in which some column needs more than another one
    dearness   int64[k]: how many tokens more

    Signals:
        lines_changed(): `most_more`, `dear_lines` and `dearness` are new.
    """

    lines_changed = Signal()

    def __init__(self, comparison: ModelsComparison, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self.most_more = 0
        self.dear_lines: NDArray[np.int64] = np.zeros(0, np.int64)
        self.dearness: NDArray[np.int64] = np.zeros(0, np.int64)
        self._pause = later(self, PAUSE_MS, self._count_lines)
        self._in_lines: dict[tuple[int, int], list[int]] = {}
        comparison.changed.connect(self._on_comparison_changed)

    @property
    def is_comparing(self) -> bool:
        """Whether there are several models with tokens."""
        return len(self._comparison.rows) > 1

    @property
    def most_tokens(self) -> int:
        """Those of the column with the most."""
        return max((each.n_tokens for each in self._comparison.rows), default=0)

    def cost(self, column: ComparedSpans) -> ColumnCost | None:
        """None for one that has no tokens yet."""
        if not column.takes_part:
            return None
        first = self._comparison.columns[0]
        ratio = column.n_tokens / first.n_tokens if first.takes_part and first.n_tokens else None
        return ColumnCost(column.n_tokens, column.n_tokens - self._comparison.fewest, ratio)

    def row_of(self, column: ComparedSpans) -> int:
        """Which of the columns that take part it is, -1 for none."""
        rows = self._comparison.rows
        return rows.index(column) if column in rows else -1

    def in_line(self, start: int, end: int) -> list[int]:
        """The tokens of each column that takes part that begin in a line of the text."""
        counts = self._in_lines.get((start, end))
        if counts is None:  # all columns ask for the same lines
            counts = [each.session.n_in_line(start, end) for each in self._comparison.rows]
            self._in_lines[start, end] = counts
        return counts

    def _on_comparison_changed(self) -> None:
        self._in_lines.clear()
        self._pause.start()

    def _count_lines(self) -> None:
        """All lines at once, when nobody types."""
        document = self._comparison.document
        starts = np.append(0, document.buffer.newlines + 1)
        counts = [each.session.n_in_lines(starts) for each in self._comparison.rows] or [
            np.zeros_like(starts)
        ]
        more: NDArray[np.int64] = np.ptp(np.array(counts, np.int64), axis=0)
        self.most_more = int(more.max(initial=0))
        self.dear_lines, self.dearness = starts[more > 0], more[more > 0]
        self.lines_changed.emit()
