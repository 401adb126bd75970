"""The model files that were opened last, with what was seen in them then."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.viewmodels.background import LatestJob, Progress
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
    _found = Signal(str, bool)

    def __init__(
        self,
        settings: Settings,
        is_there: Callable[[str], bool] = os.path.isfile,  # Path's own raises where it must not search
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._is_there = is_there
        self._files = _parsed(settings.recent_files)
        self._missing: frozenset[str] = frozenset()
        self._looking = LatestJob[None](self)
        self._found.connect(self._note)

    @property
    def files(self) -> tuple[RecentFile, ...]:
        return self._files

    def add(self, path: Path, vocabulary: Vocabulary, name: str = "") -> None:
        """Put a file that was just opened to the top; `name` is what to call it instead of its own name."""
        pre = vocabulary.pre_type and vocabulary.pre
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
        return self._missing

    def look_for_missing(self) -> None:
        """Look, in the background: a disk that is asleep or far away takes its time."""
        self._looking.start(partial(self._look, [file.path for file in self._files]))

    def stop(self) -> None:
        self._looking.wait()

    def _look(self, paths: list[str], progress: Progress) -> None:
        for done, path in enumerate(paths):
            progress(done / len(paths))
            self._found.emit(path, self._is_there(path))

    def _note(self, path: str, is_there: bool) -> None:
        missing = self._missing - {path} if is_there else self._missing | {path}
        if missing != self._missing:
            self._missing = missing
            self.changed.emit()

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
