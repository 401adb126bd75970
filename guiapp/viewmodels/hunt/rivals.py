"""Whom the window's model can be hunted against: models of Compare, other files, installed libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from guiapp.core.bench.peers import PEERS, reason_against
from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.models.choice import summary
from guiapp.viewmodels.models.loader import OpenModel, display_name

LIBRARIES = ("llama.cpp", "tokenizers", "tiktoken", "sentencepiece")


class Side(NamedTuple):
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

    side: Side
    reason: str


def side_of(model: OpenModel) -> Side:
    vocabulary = model.tokenizer.vocabulary
    return Side(model.name, vocabulary.chosen_pre or None, display_name(model), summary(model))


def sides_of(sessions: Sequence[ModelSession]) -> list[Side]:
    """Those of them that are open."""
    return [side_of(session.loader.model) for session in sessions if session.loader.model is not None]


def libraries(vocabulary: Vocabulary | None) -> list[Library]:
    """All that the command line offers, those that cannot take part with the reason."""
    return [_library(name, vocabulary) for name in LIBRARIES]


def _library(name: str, vocabulary: Vocabulary | None) -> Library:
    reason = reason_against(name, vocabulary)
    about = f"{PEERS[name].version} · installed reference" if PEERS[name].is_installed else ""
    return Library(Side(name, None, name, about), reason)
