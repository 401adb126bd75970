"""tuetoken, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_only
from guiapp.core.bench.contenders.json_files import as_file, check_for
from guiapp.core.bench.contenders.peer import Peer
from guiapp.core.bench.contenders.written_models import READS_JSON, hugging_face_json
from guiapp.core.vocab.vocabulary import VocabType


def build(module: Any, source: str) -> Contender:
    with as_file(source) as path:
        library = module.Tokenizer(str(path))
    return Contender(
        library.encode_ordinary,
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library.encode_ordinary_batch(texts),
    )


TUETOKEN = Peer(
    "tuetoken",
    "tuetoken",
    check_for("tuetoken", VocabType.BPE, VocabType.SPM),
    hugging_face_json,
    build,
    ids="a list",
    files=READS_JSON,
)
