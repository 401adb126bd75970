"""Recently opened models and texts, and the models installed on this machine."""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from PySide6.QtCore import QObject, Signal

from guiapp.core.formats.file_bytes import FileState, file_state
from guiapp.core.sources import cached
from guiapp.core.sources.installed import Installed, installed_models, own_folders
from guiapp.core.sources.locate import is_plain, lasting_name
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.state.background import LatestJob, Progress, Working
from guiapp.kit.state.settings import Settings

if TYPE_CHECKING:
    from guiapp.core.formats.table import Glance

AT_ONCE = 200  # files that are read between two updates of the list
KEPT = 12
Row = TypeVar("Row")


class InstalledRow(NamedTuple):
    """An installed model; `glance` is None until its file was read."""

    model: Installed
    glance: Glance | None = None


class InstalledModels(Working):
    """The installed models, as of the last scan.

    rows        one for each model
    downloaded_bytes  size of the downloaded files

    Signals:
        changed(): the rows or `downloaded_bytes` are new.
        looking_changed(): `is_looking` is new.
    """

    changed = Signal()
    looking_changed = Signal()
    _found = Signal(object, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[InstalledRow, ...] = ()
        self.downloaded_bytes = 0
        self._seen: dict[FileState | None, Glance] = {}
        self._job = LatestJob[None](self)
        self._job.busy_changed.connect(self.looking_changed)
        self._found.connect(self._take)

    @property
    def is_looking(self) -> bool:
        return self._job.is_busy

    def scan(self) -> None:
        """Search for installed models again."""
        self._job.start(self._scan)

    def delete_downloads(self) -> None:
        """Delete downloaded files; those that cannot be deleted stay in `downloaded_bytes`."""
        self._job.start(self._delete_downloads)

    def _scan(self, progress: Progress) -> None:
        from guiapp.core.formats.table import glances_apart  # imported late for a fast first frame

        models = {model: file_state(model.path) for model in installed_models(own_folders())}
        downloaded_bytes = cached.size_bytes()
        new = [(state, model.path) for model, state in models.items() if state not in self._seen]
        for first in range(0, len(new), AT_ONCE):
            self._found.emit(self._rows_of(models), downloaded_bytes)
            states, paths = zip(*new[first : first + AT_ONCE], strict=True)
            self._seen |= zip(states, glances_apart(paths, progress), strict=True)
        self._found.emit(self._rows_of(models), downloaded_bytes)

    def _rows_of(self, models: Mapping[Installed, FileState | None]) -> tuple[InstalledRow, ...]:
        return tuple(InstalledRow(model, self._seen.get(state)) for model, state in models.items())

    def _delete_downloads(self, progress: Progress) -> None:
        with suppress(OSError):
            cached.clear()
        self._scan(progress)

    def _take(self, rows: tuple[InstalledRow, ...], downloaded_bytes: int) -> None:
        if (rows, downloaded_bytes) != (self.rows, self.downloaded_bytes):
            self.rows, self.downloaded_bytes = rows, downloaded_bytes
            self.changed.emit()


class Recent(Working, Generic[Row]):
    """Recent items, newest first, each path once, saved in the settings as JSON.

    Missing files are detected in the background: a disk may be asleep or on the network.

    setting  name in the settings
    missing  the paths that did not exist at the last check

    Signals:
        changed(): the files or `missing` is new.
    """

    changed = Signal()
    _found = Signal(str, bool)
    setting: str

    def __init__(
        self,
        settings: Settings,
        is_there: Callable[[str], bool] = os.path.exists,  # Path.exists raises without permission
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        try:  # empty if the setting is invalid
            self._rows = dict(map(self._row_of, read_json(getattr(settings, self.setting))))
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            self._rows = {}
        self.missing: frozenset[str] = frozenset()
        self._is_there = is_there
        self._job = LatestJob[None](self)
        self._found.connect(self._note)

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(self._rows)

    def clear(self) -> None:
        self._set({})

    def check_missing(self) -> None:
        """Check which paths do not exist, and update `missing`."""
        self._job.start(partial(self._check_paths, self.paths))

    def _put_first(self, path: str, row: Row) -> None:
        others = [(each, old) for each, old in self._rows.items() if each != path]
        self._set(dict([(path, row), *others[: KEPT - 1]]))

    def _set(self, rows: dict[str, Row]) -> None:
        if list(rows.items()) != list(self._rows.items()):
            self._rows = rows
            entries = [self._entry_of(*each) for each in rows.items()]
            setattr(self._settings, self.setting, json.dumps(entries))
            self.changed.emit()

    @abstractmethod
    def _row_of(self, entry: Any) -> tuple[str, Row]:
        """Parse a path and its row from the settings; raises TypeError or the like for an invalid entry."""

    @abstractmethod
    def _entry_of(self, path: str, row: Row) -> object:
        """The entry for the settings, the inverse of `_row_of`."""

    def _check_paths(self, paths: Iterable[str], progress: Progress) -> None:
        for path in paths:
            progress(0.0)
            self._found.emit(path, not is_plain(path) or self._is_there(path))

    def _note(self, path: str, is_there: bool) -> None:
        missing = self.missing - {path} if is_there else self.missing | {path}
        if missing != self.missing:
            self.missing = missing
            self.changed.emit()


class RecentTexts(Recent[bool]):
    """Recent files with texts, sessions or training data.

    A row is True if the file was opened as training data.
    """

    setting = "recent_texts"

    def add(self, path: Path, is_data: bool = False) -> None:
        """Put a file that was just opened or saved first."""
        self._put_first(str(path.absolute()), is_data)

    def is_data(self, path: Path) -> bool:
        return self._rows.get(str(path.absolute()), False)

    def _row_of(self, entry: Any) -> tuple[str, bool]:
        return (os.fspath(entry["data"]), True) if isinstance(entry, dict) else (os.fspath(entry), False)

    def _entry_of(self, path: str, row: bool) -> object:
        return {"data": path} if row else path


@dataclass(frozen=True)
class RecentFile:
    """A model by its path, or by a name such as `ollama:llama3.2`, and a short description of its vocabulary.

    chosen_pre  the pre-tokenizer that was chosen by hand, "" for none
    """

    path: str
    name: str
    type: str
    pre: str
    n_tokens: int
    chosen_pre: str = ""


class RecentFiles(Recent[RecentFile]):
    """Recent models."""

    setting = "recent_files"

    @property
    def files(self) -> tuple[RecentFile, ...]:
        return tuple(self._rows.values())

    def add(self, named: str | Path, vocabulary: Vocabulary, name: str = "") -> None:
        """Put a model that was just opened first; `name` replaces its own name."""
        newest = RecentFile(
            lasting_name(str(named)),
            name or vocabulary.name,
            vocabulary.type.value,
            vocabulary.pre if vocabulary.patterns else "",
            len(vocabulary),
            vocabulary.chosen_pre,
        )
        self._put_first(newest.path, newest)

    def chosen_pre(self, name: str) -> str | None:
        """The pre-tokenizer that was chosen by hand when this file was last opened."""
        row = self._rows.get(lasting_name(name))
        return None if row is None else row.chosen_pre or None

    def _row_of(self, entry: Any) -> tuple[str, RecentFile]:
        path, name, type_, pre = (str(entry[key]) for key in ("path", "name", "type", "pre"))
        chosen_pre = str(entry.get("chosen_pre", ""))
        return path, RecentFile(path, name, type_, pre, int(entry["n_tokens"]), chosen_pre)

    def _entry_of(self, path: str, row: RecentFile) -> object:
        return asdict(row)


@dataclass(frozen=True)
class RecentItems:
    """Recent models and texts, and the models installed on this machine."""

    recent: RecentFiles
    recent_texts: RecentTexts
    installed: InstalledModels
