"""Loads model files in the background; the old model stays open until the new one is ready."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import is_plain, short_name
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.errors import UnknownPreError
from guiapp.kit.state.background import LatestJob, Progress

if TYPE_CHECKING:
    from guiapp.core.encode.tokenizer import Tokenizer

LONGEST_NAME = 100
DEMO = "Tokenloupe demo: "  # prefix of the names of demo models
HASH = re.compile(r"(sha256-)?[0-9a-f]{32,}")
USUAL_STEMS = ("tokenizer", "vocab", "model", "tekken", "sentencepiece")  # uninformative file names
Load = Callable[[str, str | None, Progress], "Tokenizer"]


@dataclass(frozen=True, eq=False)
class OpenModel:
    """An open model, with the name that it was opened by: a path or `demo:<name>`."""

    name: str
    tokenizer: Tokenizer


@dataclass(frozen=True)
class RefusedModel:
    """A model that opens only with a pre-tokenizer chosen by hand.

    pre     the one that its file names
    likely  the ones to suggest first
    """

    name: str
    pre: str
    reason: str
    likely: tuple[str, ...] = ()


class ModelLoader(QObject):
    """The open model, and the one that is being loaded.

    load          the function that reads a file
    asked         name and chosen pre-tokenizer of the last requested model
    refused       the last requested model, if the user must choose its pre-tokenizer
    loading_name  name of the model that is being loaded, None for none
    failure       why the last requested model could not be opened, "" if there is no error

    Signals:
        model_changed(): `model` is new.
        loading_changed(): `loading_name` is new.
        progress_changed(): `job.progress` is new.
        failed(str, str): the name of a model that could not be opened, and why.
        refused_changed(): `refused` is new.
    """

    model_changed = Signal()
    loading_changed = Signal()
    progress_changed = Signal()
    failed = Signal(str, str)
    refused_changed = Signal()

    def __init__(self, load: Load = open_model, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.load = load
        self.model: OpenModel | None = None
        self.asked: tuple[str, str | None] = "", None
        self.loading_name: str | None = None
        self.refused: RefusedModel | None = None
        self.failure = ""
        self.job = LatestJob[OpenModel | RefusedModel](self, self._take, self._fail)
        self.job.progress_changed.connect(self.progress_changed)

    @property
    def title(self) -> str:
        """The display name of the open model, else of the requested one; "" if there is none."""
        return title_of(self.asked[0]) if self.model is None else display_name(self.model)

    @property
    def problem(self) -> str:
        """Why the last requested model is not open; "" if it is open or loading."""
        return self.failure if self.refused is None else self.refused.reason

    def open(self, name: str, pre: str | None = None) -> None:
        """Start loading a model, cancelling any other loading; `pre` as in `open_model`."""
        self._set_refused(None)
        self.asked, self.failure = (name, pre), ""
        self.job.start(partial(_open, self.load, name, pre))
        self._set_loading(name)

    def use_pre(self, pre: str) -> None:
        """Open the refused model, else the current one, with a pre-tokenizer; "" for the file's own."""
        model = self.refused or self.model
        if model is not None:
            self.open(model.name, pre or None)

    def share(self, model: OpenModel) -> None:
        """Use a model that was loaded elsewhere."""
        is_new, self.model = model is not self.model, model
        self.cancel()  # after `model` is set, because listeners read it
        if is_new:
            self.failure = ""
            self._set_refused(None)
            self.model_changed.emit()

    def cancel(self) -> None:
        self.job.cancel()
        self._set_loading(None)

    def wait(self) -> None:
        self.job.wait()

    def _take(self, result: OpenModel | RefusedModel) -> None:
        if isinstance(result, RefusedModel):
            self._set_loading(None)
            self._set_refused(result)
        else:
            self.model = result
            self._set_loading(None)
            self.model_changed.emit()

    def _set_refused(self, refused: RefusedModel | None) -> None:
        if refused != self.refused:
            self.refused = refused
            self.refused_changed.emit()

    def _fail(self, message: str) -> None:
        name, self.failure = self.loading_name or "", message
        self._set_loading(None)
        self.failed.emit(name, message)

    def _set_loading(self, name: str | None) -> None:
        if name != self.loading_name:
            self.loading_name = name
            self.loading_changed.emit()


def can_choose(loader: ModelLoader) -> bool:
    """Whether the user can choose a pre-tokenizer for the refused model, else for the open one."""
    if loader.refused is not None:
        return True
    vocabulary = None if loader.model is None else loader.model.tokenizer.vocabulary
    if vocabulary is not None and (vocabulary.readings or vocabulary.parts is not None):
        return bool(vocabulary.readings)
    return (
        vocabulary is not None
        and vocabulary.type is VocabType.BPE
        and vocabulary.model not in ("gemma4", "tekken")
    )


def display_name(model: OpenModel) -> str:
    """The name of a model: the one in the file, or the one it was opened by if that is empty or a hash."""
    name = quoted(model.tokenizer.vocabulary.name, LONGEST_NAME).removeprefix(DEMO)
    if name and not HASH.fullmatch(name):
        return name
    return title_of(model.name)


def title_of(name: str) -> str:
    """The display name of a model that is not open yet, from the name to open it by."""
    return quoted(short_name(Path(name).stem) if is_plain(name) else name, LONGEST_NAME)


def file_of(model: OpenModel) -> str:
    """The file name of a model, with its folder if the name is a usual one; "" if it is the display name."""
    path = Path(model.name)
    if title_of(model.name) == display_name(model):
        return ""
    if not is_plain(model.name):
        return quoted(model.name)
    is_usual = path.stem in USUAL_STEMS
    return quoted(os.path.join(path.parent.name, path.name) if is_usual else path.name)


def _open(load: Load, name: str, pre: str | None, progress: Progress) -> OpenModel | RefusedModel:
    try:
        return OpenModel(name, load(name, pre, progress))
    except UnknownPreError as error:
        return RefusedModel(name, error.pre, str(error), error.likely)
