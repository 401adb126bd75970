"""rs-bpe, which brings OpenAI's two vocabularies and no others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.openai_vocabularies import CL100K, USUAL, named
from guiapp.analysis.libraries.peer import Peer, take_any


def build(module: Any, name: str) -> Contender:
    openai = module.openai
    library = openai.cl100k_base() if name == CL100K else openai.o200k_base()

    def encode_batch(texts: list[str], n_threads: int) -> Iterable[Any]:
        if n_threads == 1:
            ids, *_ = library.encode_batch(texts)
        else:
            ids, *_ = library.encode_batch_parallel(texts, openai.ParallelOptions(1, 0, n_threads))
        return cast(Iterable[Any], ids)

    return Contender(
        library.encode,
        as_str,
        ids_only,
        library.decode,
        encode_batch=encode_batch,
        other_vocabulary="" if name else USUAL,
    )


RS_BPE = Peer("rs-bpe", "rs_bpe.bpe", take_any, named, build, ids="a list")
