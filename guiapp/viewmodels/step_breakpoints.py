"""The breakpoints as people set them: added, changed, taken away, and brought back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from guiapp.core.errors import TokenloupeError
from guiapp.core.trace.breakpoints import Breakpoint, Dialect, parse_breakpoint

Rows = tuple[Breakpoint, ...]


class StepBreakpoints(QObject):
    """`place` puts breakpoints into the debugger, and raises where they make no sense there.

    `dialect` says what they can be about; steps of encoding where it is None.

    Signals:
        changed(): `rows` or `removed` is new.
    """

    changed = Signal()

    def __init__(
        self,
        place: Callable[[Sequence[Breakpoint]], None],
        parent: QObject | None = None,
        dialect: Dialect | None = None,
    ) -> None:
        super().__init__(parent)
        self._place = place
        self._dialect = dialect
        self._rows: Rows = ()
        self._undone: list[Rows] = []
        self._done: list[Rows] = []
        self.removed: Breakpoint | None = None

    @property
    def rows(self) -> Rows:
        return self._rows

    def add(self, text: str) -> None:
        """Raises BreakpointError or ConditionError."""
        self._set((*self._rows, parse_breakpoint(text, self._dialect)))

    def change(self, index: int, text: str) -> None:
        """Raises BreakpointError or ConditionError; the old one stays then."""
        row = replace(parse_breakpoint(text, self._dialect), is_enabled=self._rows[index].is_enabled)
        self._set((*self._rows[:index], row, *self._rows[index + 1 :]))

    def remove(self, index: int) -> None:
        """Take one away; it is `removed` until the next change."""
        self._set((*self._rows[:index], *self._rows[index + 1 :]), self._rows[index])

    def enable(self, index: int, is_enabled: bool) -> None:
        row = replace(self._rows[index], is_enabled=is_enabled)
        self._set((*self._rows[:index], row, *self._rows[index + 1 :]))

    def toggle(self, text: str) -> None:
        """Set a breakpoint that is not there, remove one that is."""
        titles = [row.title for row in self._rows]
        if text in titles:
            self.remove(titles.index(text))
        else:
            self.add(text)

    def undo(self) -> None:
        """Take the last change back."""
        if self._done:
            self._undone.append(self._rows)
            self.fit(self._done.pop())

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        if self._undone:
            self._done.append(self._rows)
            self.fit(self._undone.pop())

    def fit(self, rows: Rows) -> None:
        """Take these; those that make no sense in the present text are switched off."""
        kept: list[Breakpoint] = []
        for row in rows:
            try:
                self._place([*kept, row])
                kept.append(row)
            except TokenloupeError:
                kept.append(replace(row, is_enabled=False))
        self._place(kept)
        self._keep(tuple(kept), None)

    def note(self, rows: Rows) -> None:
        """The debugger itself gave one up, which was for once only."""
        self._keep(rows, None)

    def _set(self, rows: Rows, removed: Breakpoint | None = None) -> None:
        self._place(rows)
        self._done.append(self._rows)
        self._undone.clear()
        self._keep(rows, removed)

    def _keep(self, rows: Rows, removed: Breakpoint | None) -> None:
        self._rows, self.removed = rows, removed
        self.changed.emit()
