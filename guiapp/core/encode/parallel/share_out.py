"""Work that several threads share out among them, the calling one included."""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Sequence
from operator import itemgetter
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def share_out(function: Callable[[T], R], items: Sequence[T], n_threads: int) -> list[R]:
    """The results of a function that releases Python's lock, in order.

    The first error, in the order of the items, is raised here, once nothing runs any more.  Where the system
    refuses further threads, those that it gave do all the work.  Nobody waits for threads to start, as
    `threading` would: that takes as long as to encode a hundred short texts.
    """
    results: dict[int, R] = {}
    places = iter(range(len(items)))
    ended: SimpleQueue[tuple[int, BaseException] | None] = SimpleQueue()

    def work() -> None:
        place = 0
        try:
            for place in places:
                results[place] = function(items[place])
        except BaseException as error:
            ended.put((place, error))
        else:
            ended.put(None)
        for _ in places:  # after an error nobody begins anything more
            pass

    n_started = _start(work, min(n_threads, len(items)) - 1)
    work()
    failures = [failure for _ in range(n_started + 1) if (failure := ended.get()) is not None]
    if failures:
        raise min(failures, key=itemgetter(0))[1]
    return [results[place] for place in range(len(items))]


def _start(work: Callable[[], None], n_threads: int) -> int:
    """How many of so many threads the system has started."""
    for n_started in range(n_threads):
        try:
            start_new_thread(work, ())
        except RuntimeError:
            return n_started
    return max(n_threads, 0)
