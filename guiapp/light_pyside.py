"""Imports PySide without what programs hardly use: a tenth of the time until a window is painted.

PySide describes its functions in messages about wrong calls, in `help()` and in stub files.  The modules
that do so come as source that is compiled at every start; here each waits until it is asked for anything.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from importlib import import_module
from threading import RLock
from typing import Any

LATE_MODULES = ("layout", "parser", "lib.enum_sig", "lib.pyi_generator", "lib.tool")
PACKAGE = "shibokensupport.signature"
MODE_FLAGS_INHERITS = 3  # arguments of `compile` behind the name of the file
STAND_IN = f"from {__name__} import stand_in; __getattr__ = stand_in(__name__); del stand_in"

_late_files = {f"{PACKAGE}.{name}".replace(".", "/") + ".py": f"{PACKAGE}.{name}" for name in LATE_MODULES}
_late_code: dict[str, tuple[bytes, str]] = {}  # by module: source and the name of its file
_lock = RLock()
_compile_now = builtins.compile


def import_pyside() -> None:
    """Import QtCore, which brings PySide's own modules; does nothing if something else has."""
    if "PySide6" in sys.modules:
        return
    builtins.compile = _compile_later  # type: ignore[assignment]  # which has two signatures
    try:
        import_module("PySide6.QtCore")
    finally:
        builtins.compile = _compile_now
    _import_as_usual()


def stand_in(module_name: str) -> Callable[[str], object]:
    """What a module that comes later has for `__getattr__`: it runs the module."""

    def attribute(name: str) -> object:
        if name.startswith("__"):  # asked for by `import` itself
            raise AttributeError(name)
        module = sys.modules[module_name]
        with _lock:  # another thread may be running it
            if module_name in _late_code:
                source, file_name = _late_code.pop(module_name)
                exec(compile(source, file_name, "exec", dont_inherit=True), vars(module))
                del module.__getattr__
        try:
            return vars(module)[name]
        except KeyError:
            raise AttributeError(f"module {module_name!r} has no attribute {name!r}") from None

    return attribute


def _compile_later(source: Any, file_name: Any, *how: Any, **named: Any) -> Any:
    """A stand-in for a late module; anything else as `compile` does it."""
    if file_name in _late_files:
        _late_code[_late_files[file_name]] = source, file_name
        return _compile_now(STAND_IN, file_name, "exec")
    if len(how) < MODE_FLAGS_INHERITS:
        named.setdefault("dont_inherit", True)  # what this module imports from the future is its own
    return _compile_now(source, file_name, *how, **named)


def _import_as_usual() -> None:
    """Take PySide's part out of `import`: it reads the source of every module that it has not seen.

    That is for `from __feature__ import …`, which nobody here uses.  It makes a tenth of the time that
    loading kernels takes, and 15 MB.
    """
    builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)
