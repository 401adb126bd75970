"""splintr, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_only
from guiapp.core.bench.contenders.peer import Peer
from guiapp.core.bench.contenders.written_models import READS_JSON, check_hugging_face, hugging_face_json


def build(module: Any, source: str) -> Contender:
    library = module.from_json_bytes(source.encode())
    return Contender(
        library.encode_raw,
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library.encode_batch(texts),
    )


SPLINTR = Peer(
    "splintr-rs", "splintr", check_hugging_face, hugging_face_json, build, ids="a list", files=READS_JSON
)
