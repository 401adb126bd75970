"""Kernels that were compiled before: whether they are, and loading them.

Compiling is in warm_up.py, which imports what starting the window has no time for.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from guiapp.core.kernels.compile import NEVER_COMPILED, declared_kernels, kernel_modules
from guiapp.core.kernels.kernel_cache import complete_mark


def is_complete() -> bool:
    """Whether a warm-up with these very sources, this numba and this Python has finished before."""
    return NEVER_COMPILED or os.path.exists(complete_mark(kernel_modules()))


def load_kernels(progress: Callable[[float], None]) -> None:
    """Make all kernels ready to run; quick once a warm-up is complete."""
    leave_out_extensions()
    kernels = declared_kernels()
    for done, kernel in enumerate(kernels):
        progress(done / len(kernels))
        kernel.load()


def leave_out_extensions() -> None:
    """Keep numba from importing what is installed to extend it, of which no kernel makes use.

    Awkward Array is such a package.  It takes more than a second, in the window's process.
    """
    if not NEVER_COMPILED:
        from numba.core import entrypoints

        entrypoints._already_initialized = True
