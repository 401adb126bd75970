"""The text files that were opened or saved last."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.viewmodels.missing_files import MissingFiles
from guiapp.viewmodels.settings import Settings

KEPT = 12


class RecentTexts(QObject):
    """The newest first, no path twice, kept in the settings.

    Signals:
        changed(): `paths` or `missing` is new.
    """

    changed = Signal()

    def __init__(
        self,
        settings: Settings,
        is_there: Callable[[str], bool] = os.path.isfile,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._paths = _parsed(settings.recent_texts)
        self._missing = MissingFiles(is_there, self)
        self._missing.changed.connect(self.changed)

    @property
    def paths(self) -> tuple[str, ...]:
        return self._paths

    @property
    def missing(self) -> frozenset[str]:
        """The paths that were not there when somebody looked last."""
        return self._missing.paths

    def add(self, path: Path) -> None:
        """Put a file that was just opened or saved to the top."""
        newest = str(path.absolute())
        self._set((newest, *(each for each in self._paths if each != newest))[:KEPT])

    def clear(self) -> None:
        self._set(())

    def look_for_missing(self) -> None:
        self._missing.look_for(self._paths)

    def stop(self) -> None:
        self._missing.stop()

    def _set(self, paths: tuple[str, ...]) -> None:
        if paths != self._paths:
            self._paths = paths
            self._settings.set_recent_texts(json.dumps(paths))
            self.changed.emit()


def _parsed(text: str) -> tuple[str, ...]:
    """The paths in a settings text; none if somebody spoiled it."""
    try:
        paths = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    return tuple(path for path in paths if isinstance(path, str)) if isinstance(paths, list) else ()
