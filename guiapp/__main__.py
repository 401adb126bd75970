"""`python -m guiapp`, the same as the console script `tokenloupe`."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import ExitStack, suppress

NEW_OBJECTS = 100_000  # between garbage collections: a short command ends before the first
SHORT = ("count", "tokenize", "detokenize")
LEAVE_FILES = ("bench", "hunt", "chat")  # their processes are killed; the window starts itself


def main() -> int:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # else numpy starts threads that we do not need
    gc.set_threshold(NEW_OBJECTS)
    from guiapp.core import interrupts

    status, scratch = interrupts.INTERRUPTED, ExitStack()
    try:
        interrupts.end_soon_when_interrupted()
        from guiapp.cli.main import run

        if sys.argv[1:2] and sys.argv[1] in LEAVE_FILES:
            from guiapp.core.sources.files import begin_scratch

            scratch.callback(begin_scratch())
            atexit.register(scratch.close)
        status = run(sys.argv[1:])
        gc.freeze()  # else Python collects garbage at exit: a sixth of the time of a short command
        if sys.argv[1:2] and sys.argv[1] in SHORT:  # else memory is freed piece by piece
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(status)
    except BaseException:
        if interrupts.has_results.is_set() or not interrupts.has_happened.is_set():
            raise
    if interrupts.has_happened.is_set():
        with suppress(Exception):  # the reader may be gone
            sys.stdout.flush()
        scratch.close()
        os._exit(status)  # Python would wait for threads and processes
    return status


if __name__ == "__main__":
    sys.exit(main())
