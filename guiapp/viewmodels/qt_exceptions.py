"""Lets exceptions in overrides of Qt's methods reach `sys.excepthook`.

In Python 3.11, PySide 6.11 crashes when C code raises (as a list does at a wrong index) in an override that
Python called through Qt, as it calls `resizeEvent` by `resize()`: such an exception is no object yet. Any
`except` makes it one. This module may go with Python 3.11: in later versions exceptions always are objects.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

from shiboken6 import Shiboken


def protect_overrides() -> None:
    """Have all later classes that derive from Qt's catch what their overrides raise, and raise it again."""
    if sys.version_info < (3, 12):
        Shiboken.Object.__init_subclass__ = classmethod(_protect)  # type: ignore[assignment]


def _protect(cls: Any, /, **options: Any) -> None:
    super(Shiboken.Object, cls).__init_subclass__(**options)
    qt_classes = (base for base in cls.__mro__ if base.__module__.startswith("PySide6."))
    for name in vars(cls).keys() & {each for base in qt_classes for each in vars(base)}:
        if not name.startswith("_") and isinstance(function := vars(cls)[name], FunctionType):
            setattr(cls, name, _raising_objects(function))


def _raising_objects(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def override(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except BaseException:
            raise

    return override
