"""Compile all kernels, so that nobody waits for it later.

Compiling holds Python's global lock, so a window lets a child process do it:

    python -m guiapp.core.kernels.warm_up

It prints one JSON line per step, {"done": 3, "of": 12, "name": "…"}, and fills the disk cache that all
processes share; compiled.py loads from there.  The work is done by processes of its own, one per core and
of low priority.
"""

from __future__ import annotations

import atexit
import gc
import json
import multiprocessing
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from guiapp.core.kernels.compile import declared_kernels, kernel_modules
from guiapp.core.kernels.compiled import leave_out_extensions
from guiapp.core.kernels.kernel_cache import complete_mark, sources_of

MOST_WORKERS = 4
LOWER_PRIORITY = 2
NEW_OBJECTS = 500_000  # between two looks for garbage: compiling makes much that is needed until its end

Report = Callable[[int, int, str], None]


def warm_up(report: Report = lambda done, of, name: None) -> None:
    """Compile every kernel; `report(done, of, name)` at the beginning and behind each module of them.

    Kernels of one module call the same routines, which a process compiles only once.
    """
    kernels, names = declared_kernels(), defaultdict[str, list[str]](list)
    for each in kernels:
        names[each.function.__module__].append(each.function.__name__)
    report(0, len(kernels), "")
    workers = ProcessPoolExecutor(
        min(os.cpu_count() or 1, MOST_WORKERS),
        multiprocessing.get_context("spawn"),
        initializer=_prepare_worker,
    )
    with workers:
        longest_first = sorted(names, key=_n_bytes_compiled_in, reverse=True)
        jobs = {workers.submit(_compile, module, names[module]): module for module in longest_first}
        done = 0
        for job in as_completed(jobs):
            job.result()
            done += len(names[jobs[job]])
            report(done, len(kernels), jobs[job])
    mark = complete_mark(kernel_modules())
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


def _compile(module: str, names: list[str]) -> None:
    for name in names:
        getattr(sys.modules[module], name).load()


def _prepare_worker() -> None:
    """Let the window go first, and end with the process that waits for us."""
    if hasattr(os, "nice"):
        os.nice(LOWER_PRIORITY)
    leave_out_extensions()
    declared_kernels()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 1000)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    atexit.register(os._exit, 0)  # taking apart what compiling has built would take a second


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _n_bytes_compiled_in(module: str) -> int:
    """The size of all that the kernels of a module can be made from: a guess at how long it takes."""
    return sum(source.stat().st_size for source in sources_of([module]))


def _print_progress(done: int, of: int, name: str) -> None:
    print(json.dumps({"done": done, "of": of, "name": name}), flush=True)


if __name__ == "__main__":
    warm_up(_print_progress)
