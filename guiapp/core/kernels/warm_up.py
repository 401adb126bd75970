"""Compile all kernels, so that nobody waits for it later.

Compiling holds Python's global lock, so a window lets a child process do it:

    python -m guiapp.core.kernels.warm_up

It prints one JSON line per step, {"done": 3, "of": 12, "name": "…"}, and fills the disk cache that all
processes share; compiled.py loads from there.  The work is done by processes of its own, one per core and
of low priority.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from inspect import getsourcelines
from typing import Any

from guiapp.core.kernels.compile import Kernel, declared_kernels, kernel_modules
from guiapp.core.kernels.compiled import leave_out_extensions
from guiapp.core.kernels.kernel_cache import complete_mark

MOST_WORKERS = 4
LOWER_PRIORITY = 2

Report = Callable[[int, int, str], None]


def warm_up(report: Report = lambda done, of, name: None) -> None:
    """Compile every kernel; `report(done, of, name)` at the beginning and behind each one."""
    kernels = sorted(declared_kernels(), key=_n_lines_of_module, reverse=True)  # the longest work first
    report(0, len(kernels), "")
    workers = ProcessPoolExecutor(
        min(os.cpu_count() or 1, MOST_WORKERS),
        multiprocessing.get_context("spawn"),
        initializer=_prepare_worker,
    )
    with workers:
        jobs = {workers.submit(_compile, *_name(each)): ".".join(_name(each)) for each in kernels}
        for done, job in enumerate(as_completed(jobs), 1):
            job.result()
            report(done, len(kernels), jobs[job])
    mark = complete_mark(kernel_modules())
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


def _compile(module: str, name: str) -> None:
    getattr(sys.modules[module], name).load()


def _prepare_worker() -> None:
    """Let the window go first, and end with the process that waits for us."""
    if hasattr(os, "nice"):
        os.nice(LOWER_PRIORITY)
    leave_out_extensions()
    declared_kernels()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _name(kernel: Kernel[..., Any]) -> tuple[str, str]:
    return kernel.function.__module__, kernel.function.__name__


def _n_lines_of_module(kernel: Kernel[..., Any]) -> int:
    return len(getsourcelines(sys.modules[kernel.function.__module__])[0])


def _print_progress(done: int, of: int, name: str) -> None:
    print(json.dumps({"done": done, "of": of, "name": name}), flush=True)


if __name__ == "__main__":
    warm_up(_print_progress)
