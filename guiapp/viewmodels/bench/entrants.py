"""Who can take part in a run: our encoders and other tokenizers, with the reason where one cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from guiapp.core.bench.contenders.table import PEERS, reason_against
from guiapp.core.catalogue import Algorithm
from guiapp.core.vocab.vocabulary import Vocabulary


@dataclass(frozen=True)
class Entrant:
    """Something that can be ticked; `reason` says why it cannot, "" if it can."""

    name: str
    note: str
    reason: str = ""


def our_entrants(encoders: Mapping[str, Algorithm]) -> list[Entrant]:
    """The encoders of a vocabulary."""
    return [Entrant(name, algorithm.complexity) for name, algorithm in encoders.items()]


def peer_entrants(vocabulary: Vocabulary | None) -> list[Entrant]:
    """Other tokenizers; those that are missing say how to get them, others what is against them."""
    return [Entrant(name, peer_version(name), reason_against(name, vocabulary)) for name in PEERS]


@cache
def peer_version(name: str) -> str:
    return PEERS[name].version if PEERS[name].is_installed else ""
