"""Who can take part in a run: our encoders and other tokenizers, with the reason where one cannot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from guiapp.analysis.libraries.custom import KINDS, CustomContender
from guiapp.analysis.libraries.table import PEERS, ids_form, reason_against, version_of
from guiapp.core.encode.catalogue import Algorithm
from guiapp.core.vocabulary.vocabulary import Vocabulary


@dataclass(frozen=True)
class Entrant:
    """Something that can be ticked; `reason` says why it cannot, "" if it can.

    note  its complexity or version
    tip   more about it in a sentence or two
    """

    name: str
    note: str
    reason: str = ""
    tip: str = ""


def our_entrants(encoders: Mapping[str, Algorithm]) -> list[Entrant]:
    """The encoders of a vocabulary."""
    return [Entrant(name, algorithm.complexity) for name, algorithm in encoders.items()]


def peer_entrants(vocabulary: Vocabulary | None) -> list[Entrant]:
    """Other tokenizers; those that are missing say how to get them, others what is against them."""
    return [
        Entrant(name, _known_version(name), reason_against(name, vocabulary), ids_form(name))
        for name in PEERS
    ]


def custom_entrants(own: Iterable[CustomContender]) -> list[Entrant]:
    """Contenders of one's own; what they run is in the tip."""
    return [Entrant(each.name, "your own", "", f"{KINDS[each.kind]}\n{each.shown}") for each in own]


_known_version = cache(version_of)  # looking it up takes a millisecond
