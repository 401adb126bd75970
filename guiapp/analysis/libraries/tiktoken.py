"""OpenAI's tiktoken: ranks of bytes, and one pattern."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.peer import Peer, only
from guiapp.analysis.libraries.written_models import RanksAndPattern, check_ranks, ranks_and_pattern
from guiapp.core.vocabulary.vocabulary import VocabType, Vocabulary


def check(vocabulary: Vocabulary) -> None:
    only("tiktoken", VocabType.BPE)(vocabulary)
    check_ranks(vocabulary, "tiktoken")


def build(library: Any, source: RanksAndPattern) -> Contender:
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


TIKTOKEN = Peer("tiktoken", "tiktoken", check, ranks_and_pattern, build, ids="a list")
