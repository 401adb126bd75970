"""How kernels are declared, and when they are compiled.

A kernel is a plain function over typed flat arrays.  It runs in one of two ways:

compiled     by numba, without the GIL, from a disk cache; the usual case
interpreted  as the Python it is written in: until compiled ones are loaded, for work so small that
             importing numba would take longer, and in tests with NUMBA_DISABLE_JIT=1

A loop over bytes is what compiled code does best and Python worst.  So a kernel that opens models may have
a twin, `@name.interpreted_by`, which does the same with what Python is good at: bytes, dicts, whole arrays.

Indices must not be negative: compiled, a[-1] is not the last item but what lies before the first one.

A kernel is compiled for the types that its annotations name and for no others, so that this can happen
before anybody calls it.  numba is imported at the first compiled call: importing this package stays cheap.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import cache, update_wrapper
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, Generic, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from guiapp.core.kernels.front_end import shorten_front_end
from guiapp.core.kernels.kernel_cache import cache_folder, cache_root
from guiapp.core.kernels.routine_compiler import (
    kernel_compiler,
    routine_compiler,
    share_between_callers,
    take_indices_as_they_are,
)
from guiapp.core.kernels.short_calls import shorten_calls

P = ParamSpec("P")
R = TypeVar("R")
F = TypeVar("F", bound=Callable[..., Any])

NEVER_COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
SMALL_MODEL = 1 << 17  # bytes of a model file
SMALL_TEXT = 1 << 12  # bytes of a text
KNOWN_NUMBA = "0.68."  # what routine_compiler.py is made for


class _State:
    """Whether kernels run compiled, and what numba must be told once it is imported."""

    interpreted = NEVER_COMPILED
    numba: Any = None
    when_imported: list[Callable[[Any], object]] = []
    choosing_folder = threading.Lock()
    kernels: list[Kernel[..., Any]] = []


class Kernel(Generic[P, R]):
    """A function that runs compiled, or as it is written; see `kernel`."""

    def __init__(self, function: Callable[P, R]) -> None:
        self.function = function
        self.interpreted = function
        self.dispatcher: Any = None
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if _State.interpreted:
            with np.errstate(over="ignore"):  # hashes wrap around on purpose
                return self.interpreted(*args, **kwargs)
        if self.dispatcher is None:
            self.load()
        result: R = self.dispatcher(*args, **kwargs)
        return result

    def interpreted_by(self, twin: Callable[P, R]) -> Callable[P, R]:
        """Declare what does the same sooner where nothing is compiled; tests without numba run the kernel."""
        if not NEVER_COMPILED:
            self.interpreted = twin
        return twin

    def load(self) -> None:
        """Take the compiled code from the disk cache; where it is not there, compile it."""
        if NEVER_COMPILED:
            return
        dispatcher = _cached_dispatcher(self.function)
        dispatcher.compile(argument_types(self.function))
        self.dispatcher = dispatcher


def kernel(function: Callable[P, R]) -> Kernel[P, R]:
    """Declare an entry point: called from Python, compiled without the GIL, kept in the disk cache."""
    declared = Kernel(function)
    _State.kernels.append(declared)
    return declared


def routine(function: F) -> F:
    """Declare a plain function that kernels and other routines may call."""
    tell_numba(lambda numba: numba.extending.register_jitable(**routine_options(numba))(function))
    return function


def routine_options(numba: Any, **more: Any) -> dict[str, Any]:
    """What numba must know of a function that only kernels and routines call.

    A numba whose insides may be others compiles routines its usual way, which takes longer.
    """
    of_ours = {"pipeline_class": routine_compiler(numba), "no_cfunc_wrapper": True}
    return of_ours | more if _is_known(numba) else more


def kernel_options(numba: Any) -> dict[str, Any]:
    """What numba must know of a kernel."""
    options = {"nogil": True, "no_cfunc_wrapper": True}
    return options | {"pipeline_class": kernel_compiler(numba)} if _is_known(numba) else options


def tell_numba(action: Callable[[Any], object]) -> None:
    """Run `action(numba)` as soon as numba is imported, at once where it already is."""
    if _State.numba is None:
        _State.when_imported.append(action)
    else:
        action(_State.numba)


def declared_kernels() -> list[Kernel[..., Any]]:
    """All kernels of the project."""
    for module in kernel_modules():
        import_module(module)
    return list(_State.kernels)


def kernel_modules() -> list[str]:
    """The names of all modules that may declare kernels."""
    return [f"{__package__}.{module.name}" for module in iter_modules([str(Path(__file__).parent)])]


def run_interpreted(interpreted: bool) -> None:
    """Choose how all kernels run from now on; NUMBA_DISABLE_JIT=1 wins over it."""
    _State.interpreted = interpreted or NEVER_COMPILED


def is_interpreted() -> bool:
    return _State.interpreted


def awaits_compiled() -> bool:
    """Whether kernels run interpreted for now, or for a little work: no time to prepare for much."""
    return _State.interpreted and not NEVER_COMPILED


def interpret_if_small(model_bytes: int, text_bytes: int = 0) -> None:
    """In a process that does one thing: run kernels interpreted if that takes less than to import numba."""
    if model_bytes <= SMALL_MODEL and text_bytes <= SMALL_TEXT:
        run_interpreted(True)


def _cached_dispatcher(function: Callable[..., Any]) -> Any:
    numba = _numba()
    folder = cache_folder(function.__module__)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        _tell_of_no_cache(str(cache_root()), type(error).__name__)
        return numba.njit(**kernel_options(numba))(function)
    with _State.choosing_folder:  # numba asks a global variable for it
        numba.config.CACHE_DIR = str(folder)
        return numba.njit(cache=True, **kernel_options(numba))(function)


@cache
def _tell_of_no_cache(folder: str, reason: str) -> None:
    """Say so, once."""
    print(f"Kernels are compiled anew at each start: cannot write to {folder} ({reason}).", file=sys.stderr)


def argument_types(function: Callable[..., Any]) -> tuple[Any, ...]:
    """What numba calls the types that a kernel's annotations name.

    `NDArray[…]` has one axis; `np.ndarray[tuple[int, int], …]` has two.
    """
    hints = get_type_hints(function)
    return tuple(_numba_type(hint) for name, hint in hints.items() if name != "return")


def _numba_type(hint: Any) -> Any:
    types, from_dtype = _numba().types, _numba().from_dtype
    if hint in (bool, int, float):
        return {bool: types.boolean, int: types.int64, float: types.float64}[hint]
    if get_origin(hint) is np.ndarray:
        shape, dtype = get_args(hint)
        n_axes = 1 if Ellipsis in get_args(shape) else len(get_args(shape))
        return types.Array(from_dtype(np.dtype(get_args(dtype)[0])), n_axes, "C")
    hints = get_type_hints(hint)
    fields = [_numba_type(hints[name]) for name in hint._fields]
    if all(field == fields[0] for field in fields):  # to numba that is another kind of tuple
        return types.NamedUniTuple(fields[0], len(fields), hint)
    return types.NamedTuple(fields, hint)


def _numba() -> Any:
    if _State.numba is None:
        import numba
        import numba.extending

        _State.numba = numba
        if _is_known(numba):
            share_between_callers(numba)
            take_indices_as_they_are(numba)
            shorten_front_end(numba)
            shorten_calls(numba)
        for action in _State.when_imported:
            action(numba)
        _State.when_imported.clear()
    return _State.numba


def _is_known(numba: Any) -> bool:
    return bool(numba.__version__.startswith(KNOWN_NUMBA))
