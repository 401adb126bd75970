"""Walks from difference to difference of a comparison, and says which one is looked at."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.pages.compare.models import ModelsComparison


class DifferenceWalk(QObject):
    """The difference that people look at; it stays so through edits elsewhere.

    kind  only those of this kind are walked through, None for all; a kind is the id that a difference has

    Signals:
        changed(): `current`, `n_all` or `kind` is new.
        moved(): people are to see the current one.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, comparison: ModelsComparison, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._comparison = comparison
        self._byte_span: tuple[int, int] | None = None
        self._caret = -1  # where it was at the last step
        self.kind: int | None = None
        comparison.changed.connect(self.changed)
        comparison.columns_changed.connect(self.leave)
        comparison.document.written.connect(self._on_edited)  # before anybody asks

    @property
    def n_all(self) -> int:
        live = self._comparison.live
        return 0 if live is None else len(live.differences)

    @property
    def current(self) -> int | None:
        """Which one it is, from 0."""
        live = self._comparison.live
        if live is None or self._byte_span is None:
            return None
        start, end = self._byte_span
        differences = live.differences
        index = differences.first_from(start)
        while index < len(differences) and differences.span(index)[0] == start:
            if differences.span(index) == (start, end):
                return index
            index += 1
        return None

    @property
    def byte_span(self) -> tuple[int, int] | None:
        """The bytes of the current one."""
        return self._byte_span if self.current is not None else None

    def step(self, by: int) -> None:
        """Go to the next one, or the one before: from the current one, or from the caret if that moved."""
        live = self._comparison.live
        if live is None or not len(live.differences):
            return
        caret, differences = self._comparison.document.caret, live.differences
        current = self.current
        if current is None or caret != self._caret:
            behind = differences.first_from(caret)
            current = behind - 1 if by > 0 else behind
        ids = differences.ids(0, len(differences))
        for distance in range(1, len(differences) + 1):
            index = (current + by * distance) % len(differences)
            if self.kind is None or int(ids[index]) == self.kind:
                self.go_to(index)
                return

    def go_to(self, index: int) -> None:
        """Look at this one."""
        self._byte_span = self._comparison.byte_span_of(index)
        self._caret = self._comparison.document.caret
        self.changed.emit()
        self.moved.emit()

    def leave(self) -> None:
        """Look at none."""
        self._byte_span, self.kind = None, None
        self.changed.emit()

    def choose_kind(self, kind: int | None) -> None:
        """Walk only through those of one kind from now on, beginning with the first; None for all."""
        live, self.kind = self._comparison.live, kind
        ids = [] if live is None else live.differences.ids(0, len(live.differences)).tolist()
        if kind in ids:  # else an edit has taken the last one away
            self.go_to(ids.index(kind))
        else:
            self.changed.emit()

    def _on_edited(self, edit: TextEdit) -> None:
        if self._byte_span is not None:
            start, end = self._byte_span
            if edit.start + edit.removed <= start and edit.start < end:
                self._byte_span = start + edit.shift, end + edit.shift
            elif edit.start < end:
                self._byte_span = None
