"""IREE's tokenizer, from tokenizer.json."""

from __future__ import annotations

from typing import Any

import numpy as np

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_only
from guiapp.core.bench.contenders.peer import Peer
from guiapp.core.bench.contenders.written_models import READS_JSON, check_hugging_face, hugging_face_json


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)

    def encode_batch(texts: list[str], _: int) -> list[Any]:
        ids, lengths = library.encode_batch_to_array(texts)
        return np.split(ids, np.cumsum(lengths)[:-1])

    return Contender(library.encode_to_array, as_str, ids_only, library.decode, encode_batch=encode_batch)


IREE = Peer(
    "iree-tokenizer",
    "iree.tokenizer",
    check_hugging_face,
    hugging_face_json,
    build,
    ids="an array",
    files=READS_JSON,
)
