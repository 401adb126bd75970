"""Time limits that also hold on slow and busy machines."""

from __future__ import annotations

import time

STEPS = 200_000
USUAL_S = 0.004  # time of STEPS loop steps on an ordinary machine


def slowness() -> float:
    """The present slowness of this machine relative to an ordinary one; at least 1."""
    started = time.thread_time()
    for _ in range(STEPS):
        pass
    return max(1.0, (time.thread_time() - started) / USUAL_S)
