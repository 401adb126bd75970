"""Loads model files off the GUI thread; what was open stays open until the new one is ready."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp import open_model
from guiapp.core.tokenizer import Tokenizer
from guiapp.viewmodels.background import LatestJob, Progress

HASH = re.compile(r"[0-9a-f]{32,}")
Load = Callable[[str, Progress], Tokenizer]


@dataclass(frozen=True, eq=False)
class OpenModel:
    """A model that is ready, under the name that it was opened by: a path or `demo:<name>`."""

    name: str
    tokenizer: Tokenizer


class ModelLoader(QObject):
    """The model that is open, and the one that is on its way.

    Signals:
        model_changed(): `model` is new.
        loading_changed(): `loading_name` is new.
        progress_changed(): `progress` is new.
        failed(str, str): the name of a model that could not be opened, and why.
    """

    model_changed = Signal()
    loading_changed = Signal()
    progress_changed = Signal()
    failed = Signal(str, str)

    def __init__(self, load: Load = open_model, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._load = load
        self._model: OpenModel | None = None
        self._loading_name: str | None = None
        self._job = LatestJob[OpenModel](self)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._fail)
        self._job.progress_changed.connect(self.progress_changed)

    @property
    def model(self) -> OpenModel | None:
        return self._model

    @property
    def loading_name(self) -> str | None:
        """The name of the model that is being loaded, None when none is."""
        return self._loading_name

    @property
    def progress(self) -> float:
        return self._job.progress

    def open(self, name: str) -> None:
        """Begin to load a model instead of whatever is being loaded now."""
        self._job.start(partial(_open, self._load, name))
        self._set_loading(name)

    def cancel(self) -> None:
        self._job.cancel()
        self._set_loading(None)

    def wait(self) -> None:
        """Stop loading, and wait for it; for closing."""
        self._job.wait()

    def _take(self, model: OpenModel) -> None:
        self._model = model
        self._set_loading(None)
        self.model_changed.emit()

    def _fail(self, message: str) -> None:
        name = self._loading_name or ""
        self._set_loading(None)
        self.failed.emit(name, message)

    def _set_loading(self, name: str | None) -> None:
        if name != self._loading_name:
            self._loading_name = name
            self.loading_changed.emit()


def display_name(model: OpenModel) -> str:
    """What to call a model: the name in the file, else (or where that is a mere hash) the file's."""
    name = model.tokenizer.vocabulary.name
    return Path(model.name).stem if not name or HASH.fullmatch(name) else name


def _open(load: Load, name: str, progress: Progress) -> OpenModel:
    return OpenModel(name, load(name, progress))
