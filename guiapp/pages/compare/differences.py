"""The differences of compared models: why the current one is one, and all counted by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.comparison import ModelSide
from guiapp.analysis.compare.reasons import Cause
from guiapp.analysis.compare.spans import UNTOLD
from guiapp.analysis.compare.texts import (
    LONGEST,
    DifferenceReason,
    DifferingSpan,
    differing_span,
    reasons_of,
)
from guiapp.core.encode.encoding import FragmentTokens
from guiapp.core.text.numbers_in_words import capitalized
from guiapp.kit.session.loader import display_name
from guiapp.kit.side_by_side.walk import DifferenceWalk
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.pages.compare.models import ModelsComparison

MOST = 500  # differences whose causes are counted
BATCH = 16
PAUSE_MS = 300  # without an edit, until causes are looked for


@dataclass(frozen=True)
class CauseCount:
    """A kind of cause, the number it has, and how many differences are of it."""

    kind: int
    title: str
    count: int


class DifferenceCauses(Working):
    """Reasons, found in the background while nobody types.

    explained  of the current difference; None while they are looked for, or where there is none

    Signals:
        explained_changed(): `explained` is new.
        counts_changed(): `counts` is new.
    """

    explained_changed = Signal()
    counts_changed = Signal()

    def __init__(
        self, comparison: ModelsComparison, walk: DifferenceWalk, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._walk = walk
        self.explained: list[DifferenceReason] | None = None
        self.counts: list[CauseCount] = []
        self._kinds: list[str] = []
        self._asked: tuple[Sequence[ModelSide], DifferingSpan] | None = None
        self._job = LatestJob[list[DifferenceReason]](self, self._take)
        self._batch: list[int] = []
        self._batch_job = LatestJob[list[str]](self, self._take_batch)
        self._pause = later(self, PAUSE_MS, self._examine_next)
        walk.changed.connect(self._on_walk_changed)
        comparison.changed.connect(self._on_comparison_changed)
        comparison.columns_changed.connect(self._forget)

    @property
    def is_ready(self) -> bool:
        """Whether the causes of all differences that are looked into are known."""
        return not (self._pause.isActive() or self._job.is_busy or self._batch_job.is_busy)

    @property
    def is_looking(self) -> bool:
        return self._job.is_busy

    @property
    def n_examined(self) -> int:
        return min(self._walk.n_all, MOST)

    @property
    def sides(self) -> list[ModelSide]:
        """The models that are compared, each by a name of its own."""
        sides: list[ModelSide] = []
        for number, column in enumerate(self._comparison.columns):
            session, model = column.session, column.session.loader.model
            if column in self._comparison.rows and model is not None:
                name = display_name(model)
                if any(side.name == name for side in sides):
                    name = f"{name} ({number + 1})"
                options = session.options
                switches = options.encoder, options.add_special, options.parse_special
                sides.append(ModelSide(name, model.tokenizer, *switches))
        return sides

    def difference_at(self, index: int) -> DifferingSpan:
        comparison, byte_span = self._comparison, self._comparison.byte_span_of(index)
        tokens = [
            column.tokens.between(*comparison.tokens_in(column, *byte_span))[:3] for column in comparison.rows
        ]
        return differing_span(comparison.document.slice, comparison.document.size, byte_span, tokens)

    def _on_walk_changed(self) -> None:
        index = self._walk.current
        asked = None if index is None else (self.sides, self.difference_at(index))
        if asked == self._asked:
            return
        self._asked, self.explained = asked, None
        if asked is None or asked[1].end - asked[1].start > LONGEST:
            self._job.cancel()
        else:
            self._job.start(partial(_reasons, *asked))
        self.explained_changed.emit()

    def _take(self, explained: list[DifferenceReason]) -> None:
        self.explained = explained
        self.explained_changed.emit()

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
