"""Bounds of time that hold on slow and busy machines too."""

from __future__ import annotations

import time

STEPS = 200_000
USUAL_S = 0.004  # what that many steps of a loop take on an ordinary machine


def slowness() -> float:
    """How many times as long this machine takes at the moment; 1 on a faster one."""
    started = time.thread_time()
    for _ in range(STEPS):
        pass
    return max(1.0, (time.thread_time() - started) / USUAL_S)
