"""Loads model files off the GUI thread; what was open stays open until the new one is ready."""

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
DEMO = "Tokenloupe demo: "  # what all names of demo models begin with
HASH = re.compile(r"(sha256-)?[0-9a-f]{32,}")
USUAL_STEMS = ("tokenizer", "vocab", "model", "tekken", "sentencepiece")  # of files that tell nothing
Load = Callable[[str, str | None, Progress], "Tokenizer"]


@dataclass(frozen=True, eq=False)
class OpenModel:
    """A model that is ready, under the name that it was opened by: a path or `demo:<name>`."""

    name: str
    tokenizer: Tokenizer


@dataclass(frozen=True)
class RefusedModel:
    """A model that opens only with a pre-tokenizer chosen by hand.

    pre     the one it asks for
    likely  those to choose from first
    """

    name: str
    pre: str
    reason: str
    likely: tuple[str, ...] = ()


class ModelLoader(QObject):
    """The model that is open, and the one that is on its way.

    load          what reads a file
    asked         the name and the chosen pre-tokenizer of the model that was asked for last
    refused       the model that was asked for last, where it waits for somebody to choose its pre-tokenizer
    loading_name  the name of the model that is being loaded, None when none is
    failure       why the model that was asked for last could not be opened, "" where nothing is wrong

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
        """What to call the model that is open, or else the one that was asked for; "" where there is none."""
        return title_of(self.asked[0]) if self.model is None else display_name(self.model)

    @property
    def problem(self) -> str:
        """Why the model that was asked for last is not open, "" where it is or may be soon."""
        return self.failure if self.refused is None else self.refused.reason

    def open(self, name: str, pre: str | None = None) -> None:
        """Begin to load a model instead of whatever is being loaded now; `pre` as in `open_model`."""
        self._set_refused(None)
        self.asked, self.failure = (name, pre), ""
        self.job.start(partial(_open, self.load, name, pre))
        self._set_loading(name)

    def use_pre(self, pre: str) -> None:
        """Open the model that waits for a choice, or else the present one; "" for what its file says."""
        model = self.refused or self.model
        if model is not None:
            self.open(model.name, pre or None)

    def share(self, model: OpenModel) -> None:
        """Have a model open that somebody else has loaded."""
        is_new, self.model = model is not self.model, model
        self.cancel()  # who hears of that finds this model
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
    """Whether the model that waits, or else the one that is open, can be split by another pre-tokenizer."""
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
    """What to call a model: the name in the file, else (or instead of a mere hash) what it was opened by."""
    name = quoted(model.tokenizer.vocabulary.name, LONGEST_NAME).removeprefix(DEMO)
    if name and not HASH.fullmatch(name):
        return name
    return title_of(model.name)


def title_of(name: str) -> str:
    """What to call a model that is not open yet, by the name to open it by."""
    return quoted(short_name(Path(name).stem) if is_plain(name) else name, LONGEST_NAME)


def file_of(model: OpenModel) -> str:
    """The name of the file, with its folder where all are called so; "" where the model is called so, too."""
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
