"""Work that several threads share out among them, the calling one included."""

from __future__ import annotations

from _thread import start_new_thread
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def share_out(function: Callable[[T], R], items: Sequence[T], n_threads: int) -> list[R]:
    """The results of a function that releases Python's lock, in order.

    What it raises is raised here, once nothing runs any more.  Nobody waits for threads to start, as
    `threading` would: that takes as long as to encode a hundred short texts.
    """
    results: dict[int, R] = {}
    places = iter(range(len(items)))
    ended: SimpleQueue[BaseException | None] = SimpleQueue()

    def work() -> None:
        try:
            for place in places:
                results[place] = function(items[place])
        except BaseException as error:
            ended.put(error)
        else:
            ended.put(None)
        for _ in places:  # after an error nobody begins anything more
            pass

    n_workers = max(1, min(n_threads, len(items)))
    for _ in range(n_workers - 1):
        start_new_thread(work, ())
    work()
    for error in [ended.get() for _ in range(n_workers)]:
        if error is not None:
            raise error
    return [results[place] for place in range(len(items))]
