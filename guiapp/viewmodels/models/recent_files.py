"""The model files that were opened last, with what was seen in them then."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.viewmodels.missing_files import MissingFiles
from guiapp.viewmodels.settings import Settings

KEPT = 12


@dataclass(frozen=True)
class RecentFile:
    """A model file and a short description of its vocabulary; `chosen_pre` is "" unless chosen by hand."""

    path: str
    name: str
    type: str
    pre: str
    n_tokens: int
    chosen_pre: str = ""


class RecentFiles(QObject):
    """The newest first, no path twice, kept in the settings.

    Signals:
        changed(): `files` or `missing` is new.
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
        self._files = _parsed(settings.recent_files)
        self._missing = MissingFiles(is_there, self)
        self._missing.changed.connect(self.changed)

    @property
    def files(self) -> tuple[RecentFile, ...]:
        return self._files

    def add(self, path: Path, vocabulary: Vocabulary, name: str = "") -> None:
        """Put a file that was just opened to the top; `name` is what to call it instead of its own name."""
        pre = vocabulary.pre if vocabulary.patterns else ""
        newest = RecentFile(
            str(path.absolute()),
            name or vocabulary.name,
            vocabulary.type.value,
            pre,
            len(vocabulary),
            vocabulary.chosen_pre,
        )
        others = (file for file in self._files if file.path != newest.path)
        self._set((newest, *others)[:KEPT])

    def chosen_pre(self, name: str) -> str | None:
        """The pre-tokenizer that was chosen by hand when this file was last opened."""
        path = str(Path(name).absolute())
        return next((file.chosen_pre or None for file in self._files if file.path == path), None)

    def clear(self) -> None:
        self._set(())

    @property
    def missing(self) -> frozenset[str]:
        """The paths that were not there when somebody looked last."""
        return self._missing.paths

    def look_for_missing(self) -> None:
        self._missing.look_for(file.path for file in self._files)

    def stop(self) -> None:
        self._missing.stop()

    def _set(self, files: tuple[RecentFile, ...]) -> None:
        if files != self._files:
            self._files = files
            self._settings.set_recent_files(json.dumps([asdict(file) for file in files]))
            self.changed.emit()


def _parsed(text: str) -> tuple[RecentFile, ...]:
    """The files in a settings text; none if somebody spoiled it."""
    try:
        return tuple(
            RecentFile(
                str(row["path"]),
                str(row["name"]),
                str(row["type"]),
                str(row["pre"]),
                int(row["n_tokens"]),
                str(row.get("chosen_pre", "")),
            )
            for row in json.loads(text)
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        return ()
