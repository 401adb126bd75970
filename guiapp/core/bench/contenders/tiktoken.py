"""OpenAI's tiktoken, and what takes the same: ranks of bytes, and one pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_only, with_lists
from guiapp.core.bench.contenders.peer import Peer, only
from guiapp.core.bench.contenders.written_models import Ranks, check_ranks, ranks_and_pattern
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary


def ranks_peer(name: str, build: Callable[[Any, Ranks], Contender]) -> Peer:
    """A library that is given ranks and a pattern."""

    def check(vocabulary: Vocabulary) -> None:
        only(name, VocabType.BPE)(vocabulary)
        check_ranks(vocabulary, name)

    return Peer(name, name, check, ranks_and_pattern, build, ids="a list")


def _tiktoken(library: Any, source: Ranks) -> Contender:
    encoding = library.Encoding(
        "loaded", pat_str=source.pattern, mergeable_ranks=source.ranks, special_tokens={}
    )
    return Contender(
        encoding.encode_ordinary,
        as_str,
        ids_only,
        encoding.decode_bytes,
        encode_batch=lambda texts, n_threads: encoding.encode_ordinary_batch(texts, num_threads=n_threads),
    )


def _riptoken(library: Any, source: Ranks) -> Contender:
    core = library.CoreBPE(source.ranks, {}, source.pattern)
    return with_lists(core.encode_ordinary, core.decode_bytes, core.encode_ordinary_batch)


TIKTOKEN, RIPTOKEN = ranks_peer("tiktoken", _tiktoken), ranks_peer("riptoken", _riptoken)
