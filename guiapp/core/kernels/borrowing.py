"""Routines that only borrow the arrays they are given.

numba counts references to arrays, with atomic instructions.  It leaves that out of simple functions; in those
that call others it counts each array whenever it is handed on, and a look into a table of pieces takes
several times as long.  A routine that makes no array and returns none does not need it: whoever called it
holds what it works on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from guiapp.core.kernels.compile import routine_options, tell_numba

F = TypeVar("F", bound=Callable[..., Any])


def borrowing(function: F) -> F:
    """Declare a `routine` that neither makes arrays, slices among them, nor returns any.

    The same then holds for all plain routines that it calls.
    """
    tell_numba(lambda numba: numba.extending.register_jitable(**routine_options(numba, _nrt=False))(function))
    return function


def allocating(function: F) -> F:
    """Declare a `routine` that makes arrays, although those who call it only borrow theirs."""
    tell_numba(lambda numba: numba.extending.register_jitable(**routine_options(numba, _nrt=True))(function))
    return function
