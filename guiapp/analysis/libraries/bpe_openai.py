"""bpe-openai, GitHub's algorithm with the vocabularies that it brings."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.openai_vocabularies import USUAL, named
from guiapp.analysis.libraries.peer import Peer, take_any


def build(module: Any, name: str) -> Contender:
    library = module.get_encoding(name or USUAL)
    return Contender(
        library.encode_ordinary,
        as_str,
        ids_only,
        library.decode_bytes,
        encode_batch=lambda texts, n_threads: library.encode_ordinary_batch(texts, num_threads=n_threads),
        other_vocabulary="" if name else USUAL,
    )


BPE_OPENAI = Peer("bpe-openai", "bpe_openai", take_any, named, build, ids="a list")
