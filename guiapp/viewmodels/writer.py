"""A thread that writes files for the window, one thing after another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


class Writer:
    """Does what it is given in the order in which it comes; Python ends when all is done."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._thread: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[..., object], *arguments: Any, **named: Any) -> Future[object]:
        """Have something done; nobody waits for it."""
        if self._thread is None:
            from concurrent.futures import ThreadPoolExecutor  # time that starting does not have

            self._thread = ThreadPoolExecutor(1, self._name)
        return self._thread.submit(work, *arguments, **named)

    def finish(self) -> None:
        """Wait until all is done."""
        if self._thread is not None:
            self._thread.submit(lambda: None).result()
