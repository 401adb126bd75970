"""The current item of a list, and steps to the next and previous one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.kit.document.document import TextDocument


class ItemWalk(QObject):
    """The current one of some items; it stays current while others are added and removed.

    keys  returns a key that identifies each of the current items

    Signals:
        changed(): `current` or `n_all` is new; the owner also emits it when the items are new.
        moved(): show the current item to the user.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, keys: Callable[[], Sequence[object]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self._key: object = None

    @property
    def n_all(self) -> int:
        return len(self._keys())

    @property
    def current(self) -> int | None:
        """The index of the current item, from 0; None for none."""
        keys = self._keys()
        return keys.index(self._key) if self._key in keys else None

    def step(self, by: int) -> None:
        """Move by some items, wrapping around; without a current item, start at the first or the last."""
        if n_all := self.n_all:
            start = self.current
            self.go_to(((-(by > 0) if start is None else start) + by) % n_all)

    def go_to(self, index: int) -> None:
        if 0 <= index < self.n_all:
            self._look_at(index)
            self.changed.emit()
            self.moved.emit()

    def leave(self) -> None:
        self._key = None
        self.changed.emit()

    def _look_at(self, index: int) -> None:
        self._key = self._keys()[index]


class Differences(Protocol):
    """Spans of a text in order; a `TokenStore` is such a list."""

    def __len__(self) -> int: ...

    def span(self, index: int) -> tuple[int, int]:
        """The bytes [start, end) of a difference; empty if text is missing there."""

    def first_from(self, offset: int) -> int:
        """The index of the first difference that begins at or after a byte; the length if none does."""

    def ids(self, first: int, last: int) -> NDArray[np.int32]:
        """The kinds of the differences [first, last)."""


class DifferenceWalk(ItemWalk):
    """The current difference in a document; it stays current through edits elsewhere.

    kind  steps go only to differences of this kind, None for all; `changed` reports it as well
    """

    def __init__(
        self,
        document: TextDocument,
        differences: Callable[[], Differences | None],
        parent: QObject | None = None,
    ) -> None:
        """`differences` returns those of the current text, None while they are not known."""
        super().__init__(list, parent)
        self._document = document
        self._differences = differences
        self._byte_span: tuple[int, int] | None = None
        self._index = 0  # its index at the last step
        self._caret = -1  # the caret after the last step
        self.kind: int | None = None
        document.written.connect(self._on_edited)  # emitted before listeners of `edited` read the span

    @property
    def is_known(self) -> bool:
        """Whether the differences of the current text are known."""
        return self._differences() is not None

    @property
    def n_all(self) -> int:
        differences = self._differences()
        return 0 if differences is None else len(differences)

    @property
    def current(self) -> int | None:
        differences = self._differences()
        if differences is None or self._byte_span is None:
            return None
        if self._index < len(differences) and differences.span(self._index) == self._byte_span:
            return self._index  # several differences may have the same span if tokens have no text
        index = differences.first_from(self._byte_span[0])
        while index < len(differences) and (span := differences.span(index))[0] == self._byte_span[0]:
            if span == self._byte_span:
                return index
            index += 1
        return None

    @property
    def byte_span(self) -> tuple[int, int] | None:
        return self._byte_span if self.current is not None else None

    def step(self, by: int, start: int | None = None) -> None:
        """Go to the next or previous one: from the current one, or from the caret if that has moved.

        Without a current one, start at the byte `start` if given, else at the caret.
        """
        differences, current, caret = self._differences(), self.current, self._document.caret
        if differences is None or not len(differences):
            return
        if current is None or caret != self._caret:
            after = differences.first_from(caret if current is not None or start is None else start)
            current = after - 1 if by > 0 else after
        kinds = differences.ids(0, len(differences))
        for distance in range(1, len(differences) + 1):
            index = (current + by * distance) % len(differences)
            if self.kind is None or int(kinds[index]) == self.kind:
                self.go_to(index)
                return

    def go_to(self, index: int) -> None:
        super().go_to(index)
        if index == self.current:
            self._caret = self._document.caret  # receivers of `moved` may have set it

    def _look_at(self, index: int) -> None:
        if (differences := self._differences()) is not None:
            self._byte_span, self._index = differences.span(index), index

    def leave(self) -> None:
        self._byte_span, self.kind = None, None
        super().leave()

    def choose_kind(self, kind: int | None) -> None:
        """Limit steps to one kind, and go to the first difference of it; None for all kinds."""
        differences, self.kind = self._differences(), kind
        kinds = [] if differences is None else differences.ids(0, len(differences)).tolist()
        if kind in kinds:  # else an edit has removed the last one
            self.go_to(kinds.index(kind))
        else:
            self.changed.emit()

    def _on_edited(self, edit: TextEdit) -> None:
        if self._byte_span is not None:
            start, end = self._byte_span
            if edit.start + edit.removed <= start and edit.start < end:
                self._byte_span = start + edit.shift, end + edit.shift
            elif edit.start < end:
                self._byte_span = None
