"""The gguf package in parts: its `__init__` imports all of it, for making models and their cards, too.

That takes three times as long as what reading needs, and a tenth of the time of a short command.
"""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec, module_from_spec
from types import ModuleType


def import_in_parts(name: str) -> None:
    """From now on `from <name>.part import …` runs that part and what it imports.

    The first one who asks the package itself for anything gets it as it usually is.
    """
    if name not in sys.modules and (spec := find_spec(name)) is not None:
        package = module_from_spec(spec)
        package.__class__ = _PackageInParts
        sys.modules[name] = package


class _PackageInParts(ModuleType):
    _running = threading.RLock()
    _is_begun = False

    def __getattr__(self, name: str) -> object:
        """What is not there yet; other threads wait until it is."""
        with self._running:
            if not self._is_begun and self.__spec__ is not None and self.__spec__.loader is not None:
                self._is_begun = True
                self.__spec__.loader.exec_module(self)
        return super().__getattribute__(name)
