"""The breakpoints as people set them: added, changed, taken away, and brought back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.trace.breakpoints import Breakpoint, Dialect, parse_breakpoint
from guiapp.analysis.trace.conditions import unquoted
from guiapp.errors import TokenloupeError

Rows = tuple[Breakpoint, ...]


def at_bytes(rows: Iterable[Breakpoint], start: int, end: int) -> list[Breakpoint]:
    """Those at bytes of a stretch of text."""
    stretch = range(start, max(end, start + 1))
    return [row for row in rows if row.kind == "byte" and int(row.value) in stretch]


def at_operations(rows: Iterable[Breakpoint], names: Sequence[str]) -> list[Breakpoint]:
    """Those at one of these operations."""
    return [row for row in rows if row.kind == "operation" and unquoted(row.value) in names]


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
        self.rows: Rows = ()
        self._undone: list[Rows] = []
        self._done: list[Rows] = []
        self.removed: Breakpoint | None = None

    def add(self, text: str) -> None:
        """Raises BreakpointError or ConditionError."""
        self._set((*self.rows, parse_breakpoint(text, self._dialect)))

    def change(self, index: int, text: str) -> None:
        """Raises BreakpointError or ConditionError; the old one stays then."""
        row = replace(parse_breakpoint(text, self._dialect), is_enabled=self.rows[index].is_enabled)
        self._set((*self.rows[:index], row, *self.rows[index + 1 :]))

    def remove(self, index: int) -> None:
        """Take one away; it is `removed` until the next change."""
        self._set((*self.rows[:index], *self.rows[index + 1 :]), self.rows[index])

    def enable(self, index: int, is_enabled: bool) -> None:
        row = replace(self.rows[index], is_enabled=is_enabled)
        self._set((*self.rows[:index], row, *self.rows[index + 1 :]))

    def toggle(self, text: str) -> None:
        """Set a breakpoint that is not there, remove one that is."""
        titles = [row.title for row in self.rows]
        if text in titles:
            self.remove(titles.index(text))
        else:
            self.add(text)

    def toggle_bytes(self, start: int, end: int) -> None:
        """Set one at the first byte of a stretch of text, or remove all that are in it."""
        self._toggle_all(at_bytes(self.rows, start, end), [f"byte {start}"])

    def toggle_operations(self, names: Sequence[str]) -> None:
        """Set one at each of these operations, or remove all that are at one of them."""
        self._toggle_all(at_operations(self.rows, names), [f"operation {name}" for name in names])

    def _toggle_all(self, old: list[Breakpoint], new: list[str]) -> None:
        if old:
            self._set(tuple(row for row in self.rows if row not in old), old[0])
        else:
            self._set((*self.rows, *(parse_breakpoint(text, self._dialect) for text in new)))

    def undo(self) -> None:
        """Take the last change back."""
        if self._done:
            self._undone.append(self.rows)
            self.fit(self._done.pop())

    def redo(self) -> None:
        """Make the change again that was taken back last."""
        if self._undone:
            self._done.append(self.rows)
            self.fit(self._undone.pop())

    def exchange(self, rows: Rows) -> None:
        """Take others instead, as one change."""
        self._done.append(self.rows)
        self._undone.clear()
        self.fit(rows)

    def forget(self) -> None:
        """Begin anew, with none and nothing to take back."""
        self._done.clear()
        self._undone.clear()
        self.fit(())

    def fit(self, rows: Rows) -> None:
        """Take these; those that make no sense in the present text are switched off."""
        fitted: list[Breakpoint] = []
        for row in rows:
            try:
                self._place([*fitted, row])
                fitted.append(row)
            except TokenloupeError:
                fitted.append(replace(row, is_enabled=False))
        self._place(fitted)
        self._keep(tuple(fitted), None)

    def note(self, rows: Rows) -> None:
        """The debugger itself gave one up, which was for once only."""
        self._keep(rows, None)

    def _set(self, rows: Rows, removed: Breakpoint | None = None) -> None:
        self._place(rows)
        self._done.append(self.rows)
        self._undone.clear()
        self._keep(rows, removed)

    def _keep(self, rows: Rows, removed: Breakpoint | None) -> None:
        self.rows, self.removed = rows, removed
        self.changed.emit()
