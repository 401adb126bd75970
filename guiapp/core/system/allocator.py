"""How the C library of Linux hands out memory."""

from __future__ import annotations

import contextlib
import ctypes

# <malloc.h>
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGE_BYTES = 1 << 20
FREE_BYTES = 1 << 20


def give_freed_memory_back() -> None:
    """Call this before there are threads, in a process that is to run for hours.

    By default glibc has several heaps, and puts blocks of up to 32 MB there once one of that size was freed.
    Then a window that was used for some thousand clicks holds twice the memory that it needs, in holes.
    From now on there is one heap, and a large block goes back to the system when it is freed.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # another system, or another C library
        set_option = ctypes.CDLL(None).mallopt
        set_option(M_ARENA_MAX, 1)
        set_option(M_MMAP_THRESHOLD, LARGE_BYTES)
        set_option(M_TRIM_THRESHOLD, FREE_BYTES)


def give_holes_back() -> None:
    """Give back also what is free between blocks that are in use; takes some milliseconds."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)
