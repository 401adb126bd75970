"""Stop long work: it calls `checkpoint` repeatedly, and its caller decides what happens there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Item = TypeVar("Item")
Visit = Callable[[], None]
Progress = Callable[[float], None]

ITEMS_BETWEEN = 1 << 10

_visit: ContextVar[Visit | None] = ContextVar("visit", default=None)


def has_visitor() -> bool:
    """Whether anything happens at a checkpoint of this thread."""
    return _visit.get() is not None


def checkpoint() -> None:
    """Call this thread's visitor, whose exception stops the work."""
    if (visit := _visit.get()) is not None:
        visit()


def stoppable(items: Iterable[Item]) -> Iterator[Item]:
    """The same items, with a checkpoint now and then."""
    for number, item in enumerate(items):
        if number % ITEMS_BETWEEN == 0:
            checkpoint()
        yield item


@contextmanager
def at_checkpoints(visit: Visit) -> Iterator[None]:
    """Call `visit` at each checkpoint of this thread, including those of the native library."""
    before = _visit.set(visit)
    try:
        yield
    finally:
        _visit.reset(before)
