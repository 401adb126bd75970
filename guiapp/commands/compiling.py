"""Says on standard error why the first command with a large model takes a while."""

from __future__ import annotations

import sys
import time
from typing import Any

PATIENCE_S = 1.0


def tell_of_compiling(numba: Any) -> None:
    """Say so, once, if from now on numba compiles something and that takes long; not if it only loads it."""
    events = numba.core.event

    class Notice(events.Listener):  # type: ignore[misc, name-defined]  # numba has no types
        """Told when the compiling of a function begins and ends, and of all that are compiled within it."""

        began: float | None = None
        is_told = False

        def on_start(self, event: Any) -> None:
            now = time.monotonic()
            if self.began is None:
                self.began = now
            elif now - self.began > PATIENCE_S and not self.is_told:
                self.is_told = True
                print("Compiling the encoder for the first start …", file=sys.stderr, flush=True)

        on_end = on_start

    events.register("numba:compile", Notice())
