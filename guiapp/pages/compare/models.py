"""Several models on one text: which spans they share, live while the user types, and why others differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.comparison import ModelSide, fewest_tokens, names_apart, unknown_tokens
from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.compare.spans import UNTOLD, LiveComparison, SpanColumn, column_of
from guiapp.analysis.compare.texts import LONGEST, DifferenceReason, DifferingSpan, differing_span, reasons_of
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import TokenStore
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.text.numbers_in_words import capitalized, percent
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.spans.layout import SpanWindow
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.state.background import Background, LatestJob, Progress, Working, later

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer
    from guiapp.kit.session.model_session import ComparedModels, ModelSession

PAUSE_MS = 250  # without an edit, before all lines are counted
NO_MODEL = "No model"
MOST = 500  # differences whose causes are counted
BATCH = 16
PAUSE_BEFORE_CAUSES_MS = 300  # without an edit, before causes are determined
MOST_AT_ONCE = 100_000  # tokens that the GUI thread compares, in some milliseconds
_Given = tuple["Tokenizer", NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""The model of a column, and the ids, starts and ends of its tokens."""


def model_names(sessions: Sequence[ModelSession]) -> list[str]:
    """Distinct names of the sessions' models."""
    loaders = [session.loader for session in sessions]
    pres = [each.model.tokenizer.vocabulary.chosen_pre if each.model else None for each in loaders]
    encoders = [session.options.encoder for session in sessions]
    chosen = [", ".join(filter(None, pair)) for pair in zip(pres, encoders, strict=True)]
    models = [each.model.name if each.model else each.asked[0] for each in loaders]
    return names_apart(models, chosen, [each.title or NO_MODEL for each in loaders])


class ModelsComparison(Working):
    """Columns that show which spans of a text the models share, while the page is visible.

    columns     one for each session
    live        the comparison; None if there is none, or not yet
    rows        the columns that take part, in the order of `live`
    is_telling  while some columns have signalled a change, and others not yet

    Signals:
        columns_changed(): `columns` is new.
        changed(): `live` or its contents are new.
    """

    columns_changed = Signal()
    changed = Signal()

    def __init__(self, compared: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.compared = compared
        self.text = compared.sessions[0].text
        self.document = self.text.document
        self.columns: list[ComparedSpans] = []
        self.rows: list[ComparedSpans] = []
        self.live: LiveComparison | None = None
        self.is_telling = False
        self._is_active = False
        self._comparing = Background[LiveComparison](self, self._comparing_all, is_watched=True)
        self._comparing.changed.connect(self._take)
        compared.sessions_changed.connect(self._on_sessions_changed)
        self.document.edited.connect(self._on_edited)
        self._on_sessions_changed()

    def watch(self, is_active: bool) -> None:
        if is_active == self._is_active:
            return
        self._is_active = is_active
        self._compare()

    @property
    def is_ready(self) -> bool:
        is_still = not any(
            each.session.is_encoding or each.session.loader.job.is_busy for each in self.columns
        )
        return is_still and not self._comparing.is_busy

    def walk(self, parent: QObject | None = None) -> DifferenceWalk:
        """A walk through the differences of these models."""
        walk = DifferenceWalk(self.document, self._differences, parent)
        self.changed.connect(walk.changed)
        self.columns_changed.connect(walk.leave)
        return walk

    def _differences(self) -> TokenStore | None:
        return None if self.live is None else self.live.differences

    def byte_span_of(self, index: int) -> tuple[int, int]:
        assert self.live is not None
        return self.live.differences.span(index)

    @property
    def names(self) -> dict[ComparedSpans, str]:
        """Distinct names of the columns' models."""
        names = model_names([column.session for column in self.columns])
        return dict(zip(self.columns, names, strict=True))

    def tokens_in(self, column: ComparedSpans, start: int, end: int) -> tuple[int, int]:
        """The tokens [first, last) of a column in a difference; empty ones only if that is empty."""
        if start < end:
            return column.tokens.indexes_in(start, end)
        return column.tokens.first_from(start), column.tokens.first_ending_after(start)

    # Following the models

    def _on_sessions_changed(self) -> None:
        known = {column.session: column for column in self.columns}
        sessions = list(self.compared.sessions)
        for session, column in known.items():
            if session not in sessions:
                column.close()
        self.columns = [known.get(session) or self._new_column(session) for session in sessions]
        self._drop()
        self.columns_changed.emit()
        self._compare()

    def _new_column(self, session: ModelSession) -> ComparedSpans:
        column = ComparedSpans(session, self)
        column.renewed.connect(self._compare)
        return column

    def _on_edited(self, edit: TextEdit) -> None:
        """Follow an edit, which all sessions have already followed."""
        live, stores = self.live, [each.tokens for each in self.rows]
        is_current = all(each.is_current for each in self.rows)
        if live is None or self._comparing.is_busy or not (is_current and live.can_apply_edit(stores)):
            self._compare(edit)
            return
        live.apply_edit(stores, self._column, edit, self.document.size)
        self._notify(edit)

    def _column(self, row: int, first: int, last: int) -> SpanColumn:
        column = self.rows[row]
        assert column.session.tokenizer is not None
        return column_of(column.session.tokenizer, *column.tokens.between(first, last)[:3])

    # Comparing all

    def _compare(self, edit: TextEdit | None = None) -> None:
        """Compare the whole text, in the background if that takes long."""
        before = self.rows
        self.rows = [each for each in self.columns if each.takes_part] if self._is_active else []
        n_tokens = sum(len(each.session.tokens) for each in self.rows)
        self._comparing.forget()
        if len(self.rows) < 2:
            self._drop(is_alone=True)
        elif n_tokens <= MOST_AT_ONCE:
            self._use(_compared(self._given(), self.document.size))
        else:
            is_known = self.rows == before and all(each.is_readable for each in self.columns)
            if edit is not None or not is_known:
                self._drop()  # the comparison is of another text or of other models
            self._comparing.refresh()
        self._notify(edit)

    def _comparing_all(self) -> Callable[[Progress], LiveComparison]:
        given, size = self._given(), self.document.size
        return lambda progress: _compared(given, size)

    def _given(self) -> list[_Given]:
        return [
            (session.tokenizer, tokens.ids(0, len(tokens)), tokens.starts(), tokens.ends())
            for session, tokens in ((each.session, each.session.tokens) for each in self.rows)
            if session.tokenizer is not None
        ]

    def _take(self) -> None:
        """Take a finished comparison; it is of the present tokens, as any change of them starts a new one."""
        if (live := self._comparing.value) is not None and live is not self.live:
            self._use(live)
            self._notify(None)

    def _use(self, live: LiveComparison) -> None:
        self.live = live.watch([each.session.tokens for each in self.rows])
        for column in self.columns:
            if column in self.rows:
                column.show(live, self.rows.index(column))
            else:
                column.show(None)

    def _drop(self, is_alone: bool = False) -> None:
        self.live = None
        for column in self.columns:
            column.show(None, is_alone=is_alone)

    def _notify(self, edit: TextEdit | None) -> None:
        self.is_telling = True
        for column in self.columns:
            column.notify(edit)
        self.is_telling = False
        self.changed.emit()


def _compared(given: Sequence[_Given], n_bytes: int) -> LiveComparison:
    columns = (
        column_of(model, ids, starts.astype(np.int64), ends.astype(np.int64))
        for model, ids, starts, ends in given
    )
    return LiveComparison([*columns], n_bytes)


class ComparedSpans(TokenizedText):
    """A column, whose tokens are styled by the comparison.

    Its tokens are the session's at the last comparison; newer ones are shown only with their comparison.

    Signals:
        renewed(): the session has other tokens, but not by an edit.
    """

    renewed = Signal()

    def __init__(self, session: ModelSession, comparison: ModelsComparison) -> None:
        super().__init__(session.document, session, session.spelling, parent=comparison)
        self.session, self._comparison = session, comparison
        self.show(None, is_alone=True)
        session.tokens_changed.connect(self._on_tokens_changed)

    def close(self) -> None:
        self.session.tokens_changed.disconnect(self._on_tokens_changed)
        self.deleteLater()

    def _on_tokens_changed(self, edit: TextEdit | None, tokens: TokenStore) -> None:
        if edit is None:
            self.renewed.emit()

    @property
    def name(self) -> str:
        return self._comparison.names.get(self, NO_MODEL)

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @property
    def n_unknown(self) -> int:
        """The number of tokens for text that the vocabulary cannot represent, such as [UNK]."""
        if self.vocabulary is None:
            return 0
        return sum(map(self.tokens.count, unknown_tokens(self.vocabulary).tolist()))

    @property
    def takes_part(self) -> bool:
        """Whether the session has tokens of the whole text to compare."""
        session = self.session
        return session.tokenizer is not None and (len(session.tokens) > 0 or not session.document.size)

    @property
    def is_current(self) -> bool:
        """Whether the shown tokens are still the session's."""
        return self.tokens is self.session.tokens

    @property
    def is_readable(self) -> bool:
        """Whether the vocabulary of the shown tokens is still the session's."""
        return self._vocabulary is self.session.vocabulary

    def show(self, live: LiveComparison | None, row: int = 0, is_alone: bool = False) -> None:
        """Style the tokens by a row of a comparison; without one, as shared by all models."""
        self._tokens, self._vocabulary = self.session.tokens, self.session.vocabulary
        self._live, self._row, self._is_alone = live, row, is_alone

    def spans_in(self, start: int, end: int) -> SpanWindow:
        window = super().spans_in(start, end)
        if self._is_alone:
            return window
        if self._live is None:
            return window.marked(np.ones(len(window.ids), np.bool_), np.zeros(len(window.ids), np.bool_))
        rows = slice(window.first_index, window.first_index + len(window.ids))
        shares, tints = self._live.shares[self._row][rows], self._live.tints[self._row][rows]
        return window._replace(tints=tints).marked(shares == len(self._live.shares), shares == 1)


class ColumnCost(NamedTuple):
    """The number of tokens of a column, and how many more than the column with the fewest.

    is_tied        whether another column has as few
    unknown_share  share of tokens for text that the vocabulary cannot represent; if above 0, never "fewest"
    """

    n_tokens: int
    more: int
    is_tied: bool = False
    unknown_share: float = 0.0

    @property
    def words(self) -> str:
        """The cost, relative to the column with the fewest tokens."""
        if self.unknown_share:
            return f"{percent(self.unknown_share, 1)} unknown"
        return (
            f"+{self.more:,} over the fewest"
            if self.more
            else "tied for fewest"
            if self.is_tied
            else "fewest"
        )


class _LineFigures(NamedTuple):
    """Unknown tokens by column; starts of lines that need more tokens, and how many more: int64[k]."""

    n_unknown: dict[ComparedSpans, int]
    starts: NDArray[np.int64]
    more: NDArray[np.int64]


class ComparedFigures(Working):
    """Counts of a comparison.

    fewest     the fewest tokens of a column, except columns known to have unknown tokens
    most_more  the most tokens beyond the fewest that a column needs in any line; the scale of all bars
    dear_lines int64[k]: starts of the lines in which some column needs more than the fewest
    dearness   int64[k]: how many tokens more

    Signals:
        lines_changed(): `most_more`, `dear_lines`, `dearness` and the unknown tokens are new.
    """

    lines_changed = Signal()

    def __init__(self, comparison: ModelsComparison, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self.most_more = 0
        self.dear_lines: NDArray[np.int64] = np.zeros(0, np.int64)
        self.dearness: NDArray[np.int64] = np.zeros(0, np.int64)
        self._counting = Background[_LineFigures](self, self._prepare_counting, is_watched=True)
        self._counting.changed.connect(self._on_counted)
        self._n_unknown: dict[ComparedSpans, int] = {}
        self._in_lines: dict[tuple[int, int], list[int]] = {}
        comparison.changed.connect(self._on_comparison_changed)

    @property
    def is_comparing(self) -> bool:
        return len(self._comparison.rows) > 1

    @property
    def most_tokens(self) -> int:
        return max((each.n_tokens for each in self._comparison.rows), default=0)

    def cost(self, column: ComparedSpans) -> ColumnCost | None:
        """The cost of a column; None if it has no tokens yet."""
        if not column.takes_part:
            return None
        share = self._n_unknown.get(column, 0) / max(column.n_tokens, 1)
        best = (
            each for each in self._comparison.columns if each.takes_part and not self._n_unknown.get(each)
        )
        is_tied = sum(each.n_tokens == column.n_tokens for each in best) > 1
        return ColumnCost(column.n_tokens, max(column.n_tokens - self.fewest, 0), is_tied, share)

    @property
    def fewest(self) -> int:
        columns = (each for each in self._comparison.columns if each.takes_part)
        return fewest_tokens((each.n_tokens, self._n_unknown.get(each, 0)) for each in columns)

    def row_of(self, column: ComparedSpans) -> int:
        """The index of a column among those that take part, -1 for none."""
        rows = self._comparison.rows
        return rows.index(column) if column in rows else -1

    def in_line(self, start: int, end: int) -> list[int]:
        """The number of tokens that begin in a line of the text, for each column that takes part."""
        counts = self._in_lines.get((start, end))
        if counts is None:  # all columns ask for the same lines
            counts = [each.session.n_in_line(start, end) for each in self._comparison.rows]
            self._in_lines[start, end] = counts
        return counts

    def more_in_line(self, row: int, start: int, end: int) -> int:
        """How many tokens more than the fewest among the columns without unknown tokens."""
        counts = self.in_line(start, end)
        return max(counts[row] - min(counts[each] for each in self._best), 0)

    @property
    def _best(self) -> list[int]:
        """The rows without unknown tokens; all if there are none."""
        return _rows_without_unknown(self._comparison.rows, self._n_unknown)

    def _on_comparison_changed(self) -> None:
        self._in_lines.clear()
        self._counting.refresh(PAUSE_MS)

    def _prepare_counting(self) -> Callable[[Progress], _LineFigures]:
        rows = self._comparison.rows
        n_unknown = {each: each.n_unknown for each in rows}
        counters = [each.session.line_counter() for each in rows]
        best = _rows_without_unknown(rows, n_unknown)
        starts = self._comparison.document.buffer.line_starts()
        return lambda _: _line_figures(n_unknown, counters, best, starts)

    def _on_counted(self) -> None:
        if not self._counting.is_current or self._counting.value is None:
            return
        self._n_unknown, self.dear_lines, self.dearness = self._counting.value
        self.most_more = int(self.dearness.max(initial=0))
        self.lines_changed.emit()


def _rows_without_unknown(rows: Sequence[ComparedSpans], n_unknown: Mapping[ComparedSpans, int]) -> list[int]:
    """The indexes of rows without unknown tokens; all if there are none."""
    return [at for at, row in enumerate(rows) if not n_unknown.get(row)] or [*range(len(rows))]


def _line_figures(
    n_unknown: dict[ComparedSpans, int],
    counters: Sequence[Callable[[], NDArray[np.int64]]],
    best: Sequence[int],
    starts: NDArray[np.int64],
) -> _LineFigures:
    """Compute the figures; `counters` count the tokens of columns in the lines that begin at `starts`."""
    counts = [count() for count in counters]
    more = np.zeros_like(starts)
    if counts:
        more = np.maximum(np.max(counts, axis=0) - np.min([counts[row] for row in best], axis=0), 0)
    return _LineFigures(n_unknown, starts[more > 0], more[more > 0])


# The reason for the current difference, and the number of differences by cause


@dataclass(frozen=True)
class CauseCount:
    """A kind of cause with its number, and how many differences it has."""

    kind: int
    title: str
    count: int


class DifferenceCauses(Working):
    """Reasons of differences, determined in the background while the user does not type.

    reasons  the job for the current difference; its value is None while it runs, or if there is none

    Signals:
        counts_changed(): `counts` is new.
    """

    counts_changed = Signal()

    def __init__(
        self, comparison: ModelsComparison, walk: DifferenceWalk, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._walk = walk
        self.reasons = Background[list[DifferenceReason]](self, self._explaining, is_watched=True)
        self.counts: list[CauseCount] = []
        self._kinds: list[str] = []
        self._asked: tuple[Sequence[ModelSide], DifferingSpan] | None = None
        self._batch: list[int] = []
        self._batch_job = LatestJob[list[str]](self, self._take_batch)
        self._pause = later(self, PAUSE_BEFORE_CAUSES_MS, self._examine_next)
        walk.changed.connect(self._on_walk_changed)
        comparison.changed.connect(self._on_comparison_changed)
        comparison.columns_changed.connect(self._forget)

    @property
    def is_ready(self) -> bool:
        """Whether the causes of all differences to examine are known."""
        return not (self._pause.isActive() or self.reasons.is_busy or self._batch_job.is_busy)

    @property
    def explained(self) -> list[DifferenceReason] | None:
        return self.reasons.value

    @property
    def n_examined(self) -> int:
        return min(self._walk.n_all, MOST)

    @property
    def sides(self) -> list[ModelSide]:
        """The models that are compared, under distinct names."""
        names, rows = self._comparison.names, self._comparison.rows
        each_options = [(row, row.session.tokenizer, row.session.options) for row in rows]
        return [
            ModelSide(names[row], tokenizer, options.encoder, options.add_special, options.parse_special)
            for row, tokenizer, options in each_options
            if tokenizer is not None
        ]

    def difference_at(self, index: int) -> DifferingSpan:
        comparison, byte_span = self._comparison, self._comparison.byte_span_of(index)
        tokens = [
            column.tokens.between(*comparison.tokens_in(column, *byte_span))[:3] for column in comparison.rows
        ]
        return differing_span(comparison.document.slice, comparison.document.size, byte_span, tokens)

    def _on_walk_changed(self) -> None:
        index = self._walk.current
        asked = None if index is None else (self.sides, self.difference_at(index))
        if asked != self._asked:
            self._asked = asked
            self.reasons.forget()
            self.reasons.refresh()

    def _explaining(self) -> Callable[[Progress], list[DifferenceReason]] | None:
        if self._asked is None or self._asked[1].end - self._asked[1].start > LONGEST:
            return None
        return partial(_reasons, *self._asked)

    def _forget(self) -> None:
        self._kinds, self.counts = [], []
        self.counts_changed.emit()

    def _on_comparison_changed(self) -> None:
        self._batch_job.cancel()
        self._pause.start()

    def _examine_next(self) -> None:
        live = self._comparison.live
        ids = np.zeros(0, np.int32) if live is None else live.differences.ids(0, MOST)
        self._count(ids)
        self._batch = np.flatnonzero(ids == UNTOLD)[:BATCH].tolist()
        if self._batch:
            sides, differences = self.sides, [self.difference_at(index) for index in self._batch]
            self._batch_job.start(partial(_kinds, sides, differences))

    def _take_batch(self, kinds: list[str]) -> None:
        live = self._comparison.live
        assert live is not None
        for index, kind in zip(self._batch, kinds, strict=True):
            if kind not in self._kinds:
                self._kinds.append(kind)
            span = np.array([live.differences.span(index)], np.int64)
            number = np.array([self._kinds.index(kind)], np.int32)
            live.differences.replace(index, index + 1, FragmentTokens(number, span[:, 0], span[:, 1]), 0)
        self._examine_next()

    def _count(self, ids: np.ndarray[tuple[int], np.dtype[np.int32]]) -> None:
        counts = Counter(number for number in ids.tolist() if number != UNTOLD)
        rows = [
            CauseCount(number, capitalized(self._kinds[number]), count)
            for number, count in counts.most_common()
        ]
        if rows != self.counts:
            self.counts = rows
            self.counts_changed.emit()


def _reasons(
    sides: Sequence[ModelSide], difference: DifferingSpan, progress: Progress
) -> list[DifferenceReason]:
    return list(reasons_of(sides, difference))


def _kinds(sides: Sequence[ModelSide], differences: Sequence[DifferingSpan], progress: Progress) -> list[str]:
    found = []
    for done, difference in enumerate(differences):
        progress(done / len(differences))
        found.append(_kind(sides, difference))
    return found


def _kind(sides: Sequence[ModelSide], difference: DifferingSpan) -> str:
    is_long = difference.end - difference.start > LONGEST
    explained = None if is_long else next(reasons_of(sides, difference), None)
    return Cause.UNTOLD.value if explained is None else explained.reason.title
