"""Lets exceptions in overrides of Qt methods reach `sys.excepthook`.

In Python 3.11, PySide 6.11 crashes when C code raises (as a list does for a wrong index) in an override that
Python called through Qt, such as `resizeEvent` by `resize()`: the exception is not an object yet. An `except`
makes it one. Remove this module with Python 3.11: in later versions exceptions are always objects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

from shiboken6 import Shiboken


def protect_overrides() -> None:
    """Make our subclasses of Qt classes catch and re-raise the exceptions of their overrides.

    Call this once after their modules are imported, before any object exists.
    """
    for cls in _loaded(Shiboken.Object) - _protected if sys.version_info < (3, 12) else ():
        _protected.add(cls)
        of_qt = [vars(base) for base in cls.__mro__ if base.__module__.startswith("PySide6.")]
        for name, function in list(vars(cls).items()):
            if isinstance(function, FunctionType) and name[0] != "_" and any(name in each for each in of_qt):
                setattr(cls, name, _raising_objects(function))


_protected: set[type] = set()


def _loaded(cls: type) -> set[type]:
    """All subclasses of a class in this program."""
    below: list[type] = cls.__subclasses__()
    ours = {each for each in below if each.__module__.startswith("guiapp.")}
    return ours.union(*map(_loaded, below))


def _raising_objects(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def override(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except BaseException:
            raise

    return override
