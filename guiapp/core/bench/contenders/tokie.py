"""tokie, from tokenizer.json."""

from __future__ import annotations

from functools import partial
from typing import Any

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_of_object
from guiapp.core.bench.contenders.json_files import as_file
from guiapp.core.bench.contenders.peer import Peer
from guiapp.core.bench.contenders.written_models import READS_JSON, check_hugging_face, hugging_face_json


def build(module: Any, source: str) -> Contender:
    with as_file(source) as path:
        library = module.Tokenizer.from_json(str(path))
    return Contender(
        partial(library.encode, add_special_tokens=False),
        as_str,
        ids_of_object,
        library.decode_bytes,
        encode_batch=lambda texts, _: library.encode_batch(texts, add_special_tokens=False),
    )


TOKIE = Peer(
    "tokie",
    "tokie",
    check_hugging_face,
    hugging_face_json,
    build,
    ids="an object with a list",
    files=READS_JSON,
)
