"""Checks that background work ends with its owner."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection

from conftest import PATIENCE_S
from PySide6.QtCore import QObject, QTimer

from guiapp.kit.state.background import LatestJob


def see_that_nothing_goes_on(
    owner: QObject, close: Callable[[], object], goes_on: Collection[LatestJob[object]] = ()
) -> None:
    """Assert that after `close` no timer runs, and no job except those in `goes_on`."""
    may_end = threading.Event()
    own = [owner] if isinstance(owner, LatestJob) else []
    jobs = [job for job in (*own, *owner.findChildren(LatestJob)) if job not in goes_on]
    timers = owner.findChildren(QTimer)
    assert jobs or timers
    for job in jobs:
        job.start(lambda _: may_end.wait(PATIENCE_S))
    for timer in timers:
        timer.start(60_000)
    threading.Timer(0.05, may_end.set).start()
    close()
    assert [job for job in jobs if job.is_busy or not job._has_ended.is_set()] == []
    assert [timer for timer in timers if timer.isActive()] == []
