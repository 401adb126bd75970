"""What walking through an encoding and through a training have in common, as the window shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.breakpoints import Breakpoint, Dialect, Walk
from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.text.visible_text import visible_text
from guiapp.core.vocabulary.token_tree import TokenTree
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.pages.steps.breakpoints import StepBreakpoints
from guiapp.pages.steps.clock import StepClock

WALKERS = ("greedy", "rwkv")
MOST_OTHERS = 6
LOOK_AHEAD = 6  # bytes of the text behind the token
AnyWalk = TypeVar("AnyWalk", bound=Walk)


class WalkModel(QObject, Generic[AnyWalk]):
    """A walk, its breakpoints, and a clock that plays it.

    walk  None while there are no steps

    Signals:
        position_changed(): the place among the steps is new.
        breakpoints_changed(): the rows of `breakpoints` or their hits are new.
    """

    position_changed = Signal()
    breakpoints_changed = Signal()

    def __init__(self, dialect: Dialect | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.walk: AnyWalk | None = None
        self.breakpoints = StepBreakpoints(self._place, self, dialect)
        self.clock = StepClock(self)
        self.clock.ticked.connect(self._play_on)

    @property
    def position(self) -> int:
        return 0 if self.walk is None else self.walk.position

    @property
    def n_steps(self) -> int:
        return 0 if self.walk is None else self.walk.n_steps

    @property
    def awaits_steps(self) -> bool:
        """Whether more steps are on their way."""
        return False

    @property
    def stopped_at(self) -> Breakpoint | None:
        """The breakpoint that ended the last run."""
        return None if self.walk is None else self.walk.stopped_at

    @property
    def hits(self) -> list[NDArray[np.int64]]:
        """The positions at which each breakpoint is hit."""
        if self.walk is None:
            return [np.empty(0, np.int64) for _ in self.breakpoints.rows]
        return self.walk.stops.hits

    def _place(self, rows: Sequence[Breakpoint]) -> None:
        if self.walk is not None:
            self.walk.set_breakpoints(rows)

    # Moving

    def go_to(self, position: int) -> None:
        self._moved(lambda walk: walk.go_to(position))

    def step(self) -> None:
        self.go_to(self.position + 1)

    def back(self) -> None:
        self.go_to(self.position - 1)

    def into(self) -> None:
        """The smallest step."""
        self.step()

    def over(self) -> None:
        """A larger step, where there are any."""
        self.step()

    def back_over(self) -> None:
        self.back()

    def out(self) -> None:
        """Finish what is under way."""
        self.to_end()

    def run(self) -> None:
        """Go on to the next breakpoint, or to the end."""
        self._moved(lambda walk: walk.run())

    def reverse(self) -> None:
        """Go back to the previous breakpoint, or to the start."""
        self._moved(lambda walk: walk.reverse())

    def restart(self) -> None:
        self.go_to(0)

    def to_end(self) -> None:
        self.go_to(self.n_steps)

    def _moved(self, move: Callable[[AnyWalk], object]) -> None:
        walk = self.walk
        if walk is None:
            return
        before, rows = (walk.position, walk.stopped_at), walk.breakpoints
        move(walk)
        self._arrived(walk)
        if walk.breakpoints != rows:  # one was for once only
            self.breakpoints.note(walk.breakpoints)
        if (walk.position, walk.stopped_at) != before or walk.stopped_at is not None:
            self.position_changed.emit()

    def _arrived(self, walk: AnyWalk) -> None:
        """The walk may be somewhere else; nobody has been told yet."""

    # Playing

    def play(self) -> None:
        """Take a step now and then, to where a run would stop; from the end, start anew."""
        if self.walk is None and not self.awaits_steps:
            return
        if self.position >= self.n_steps:
            self.restart()
        self.clock.play()

    def toggle_play(self) -> None:
        if self.clock.is_playing:
            self.clock.pause()
        else:
            self.play()

    def _play_on(self) -> None:
        if self.position < self.n_steps:
            self._advance()
        is_over = self.position >= self.n_steps and not self.awaits_steps
        if is_over or self.stopped_at is not None:
            self.clock.pause()

    def _advance(self) -> None:
        """A step of a run."""
        self._moved(lambda walk: walk.until(walk.position + 1))


# The walk down the token tree that ends with the token of the present step


class WalkNode(NamedTuple):
    """A token on the way: what it adds to the one before, and where else the way could have gone from there.

    others    the beginnings of the other ways, `n_others` of them in all
    """

    token_id: int
    added: str
    text: str
    others: tuple[str, ...]
    n_others: int


class MatchedPath(NamedTuple):
    """The tokens on the way, the last one taken; `text_after` is the text that leads to no longer token."""

    nodes: list[WalkNode]
    text_after: str


def walk(debugger: Debugger, tree: TokenTree) -> MatchedPath:
    """What longest match does at a step; without nodes where it takes nothing."""
    trace, step = debugger.trace, debugger.position
    if step >= len(trace) or trace.operation(step) != "take":
        return MatchedPath([], "")
    taken, end = int(trace.columns.result[step]), int(trace.columns.end[step])
    text_after = visible_text(trace.text[end : end + LOOK_AHEAD])
    if not tree.is_matched[taken]:
        return MatchedPath([], text_after)
    return MatchedPath(
        [_node(debugger.vocabulary, tree, token_id, debugger.spelling) for token_id in tree.path(taken)],
        text_after,
    )


def _node(vocabulary: Vocabulary, tree: TokenTree, token_id: int, spelling: Spelling) -> WalkNode:
    siblings = tree.children(tree.parent(token_id))
    at = int((siblings == token_id).argmax())
    first = max(0, min(at - MOST_OTHERS // 2, len(siblings) - MOST_OTHERS - 1))
    near = [int(other) for other in siblings[first : first + MOST_OTHERS + 1] if other != token_id]
    added, *others = (spelling.part(vocabulary, tree.added_bytes(each)) for each in (token_id, *near))
    text = spelling.token(vocabulary, token_id)
    return WalkNode(token_id, added, text, tuple(others), len(siblings) - 1)
