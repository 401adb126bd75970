"""snaptokens, from tokenizer.json."""

from __future__ import annotations

from functools import partial
from typing import Any

from guiapp.core.bench.contenders.contender import Contender, as_str, ids_of_object
from guiapp.core.bench.contenders.json_files import check_for
from guiapp.core.bench.contenders.peer import Peer
from guiapp.core.bench.contenders.written_models import READS_JSON, hugging_face_json
from guiapp.core.vocab.vocabulary import VocabType


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_json_str(source)
    return Contender(
        partial(library.encode, add_special_tokens=False),
        as_str,
        ids_of_object,
        library.decode,
        encode_batch=lambda texts, _: library.encode_batch(texts, add_special_tokens=False),
    )


SNAPTOKENS = Peer(
    "snaptokens",
    "snaptokens",
    check_for("snaptokens", VocabType.BPE),
    hugging_face_json,
    build,
    ids="an object with a list",
    files=READS_JSON,
)
