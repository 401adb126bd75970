"""riptoken, which takes what tiktoken takes."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.peer import Peer, only
from guiapp.analysis.libraries.written_models import RanksAndPattern, check_ranks, ranks_and_pattern
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary


def check(vocabulary: Vocabulary) -> None:
    only("riptoken", VocabType.BPE)(vocabulary)
    check_ranks(vocabulary, "riptoken")


def build(library: Any, source: RanksAndPattern) -> Contender:
    core = library.CoreBPE(source.ranks, {}, source.pattern)
    return Contender(
        core.encode_ordinary,
        as_str,
        ids_only,
        core.decode_bytes,
        encode_batch=lambda texts, _: core.encode_ordinary_batch(texts),
    )


RIPTOKEN = Peer("riptoken", "riptoken", check, ranks_and_pattern, build, ids="a list")
