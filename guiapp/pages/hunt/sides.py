"""Who is hunted against whom: the window's model, and one of Compare, another file, an installed library."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.libraries.table import PEERS, reason_against
from guiapp.core.vocabulary.quoting import quoted
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.kit.session.choice import summary
from guiapp.kit.session.loader import OpenModel, display_name
from guiapp.kit.session.model_session import ComparedModels, ModelSession

LIBRARIES = ("llama.cpp", "tokenizers", "tiktoken", "sentencepiece")


class HuntSide(NamedTuple):
    """One of the two.

    name   as `open_model` takes it, or that of a library
    pre    the pre-tokenizer that splits its text instead of the file's own
    title  what to call it
    about  its kind and size, where they are known
    """

    name: str
    pre: str | None
    title: str
    about: str = ""

    @property
    def is_library(self) -> bool:
        return self.name in PEERS


class Library(NamedTuple):
    """An installed reference that can take the vocabulary, or why it cannot."""

    side: HuntSide
    reason: str


def side_of(model: OpenModel) -> HuntSide:
    vocabulary = model.tokenizer.vocabulary
    return HuntSide(model.name, vocabulary.chosen_pre or None, display_name(model), summary(model))


class Sides(QObject):
    """A, which is the window's model, and B, which people choose.

    Signals:
        changed(): `first`, `second` or what they can be is new.
    """

    changed = Signal()

    def __init__(self, compared: ComparedModels, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._compared, self._session = compared, compared.sessions[0]
        self._connected: list[ModelSession] = []
        self._chosen: HuntSide | None = None  # B, where it is not the next model of Compare
        self._split_as = ""  # A, where that was chosen here
        self._session.vocabulary_changed.connect(self._on_vocabulary_changed)
        compared.sessions_changed.connect(self._on_sessions_changed)
        self._on_sessions_changed()

    @property
    def first(self) -> HuntSide | None:
        """A: the window's model."""
        if (model := self._session.loader.model) is None:
            return None
        side = side_of(model)
        if not self._split_as:
            return side
        return side._replace(pre=self._split_as, about=f"{side.about} · split as {self._split_as}")

    @property
    def second(self) -> HuntSide | None:
        """B: the one that was chosen, or else the next model of Compare."""
        return self._chosen or next(iter(self.models), None)

    @property
    def models(self) -> list[HuntSide]:
        """Those of Compare that are open, but for the window's own."""
        loaders = [session.loader for session in self._compared.sessions[1:]]
        return [side_of(loader.model) for loader in loaders if loader.model is not None]

    @property
    def libraries(self) -> list[Library]:
        """All that the command line offers, those that cannot take part with the reason."""
        return [_library(name, self._session.vocabulary) for name in LIBRARIES]

    @property
    def why_not(self) -> str:
        """What has to be done before these two can be hunted, "" where nothing has."""
        first, second = self.first, self.second
        if first is None:
            return "Open a model to hunt with."
        if second is None:
            return "Choose what to hunt against: another model, or an installed library."
        if first[:2] == second[:2]:
            return "A and B are the same file, read alike: nothing can differ. Choose another one as B."
        return ""

    @property
    def is_first_split_otherwise(self) -> bool:
        """Whether A is split as was chosen here."""
        return self._split_as != ""

    def choose_second(self, side: HuntSide | None) -> None:
        """Hunt against this one from now on; None for the next model of Compare."""
        self._chosen = side
        self.changed.emit()

    def choose_file(self, name: str, pre: str | None = None) -> None:
        """The same for a model that is not open."""
        self.choose_second(HuntSide(name, pre or None, quoted(Path(name).name or name), pre or ""))

    def split_first_as(self, pre: str) -> None:
        """Split the text of A so until another model is opened; B stays, whatever becomes of Compare."""
        self._split_as, self._chosen = pre, self.second
        self.changed.emit()

    def _on_vocabulary_changed(self) -> None:
        self._split_as = ""
        if self._chosen is not None and self._chosen.is_library:
            reasons = {library.side.name: library.reason for library in self.libraries}
            self._chosen = None if reasons[self._chosen.name] else self._chosen
        self.changed.emit()

    def _on_sessions_changed(self) -> None:
        for session in self._compared.sessions[1:]:
            if session not in self._connected:
                session.vocabulary_changed.connect(self.changed)
        self._connected = list(self._compared.sessions[1:])
        self.changed.emit()


def _library(name: str, vocabulary: Vocabulary | None) -> Library:
    reason = reason_against(name, vocabulary)
    about = f"{PEERS[name].version} · installed reference" if PEERS[name].is_installed else ""
    return Library(HuntSide(name, None, name, about), reason)
