"""quicktok, which compiles the patterns that it knows, from tokenizer.json or tekken.json."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.json_files import json_peer
from guiapp.analysis.libraries.written_models import READS_JSON
from guiapp.core.vocabulary.vocabulary import VocabType

NAME = "loaded"


def build(module: Any, source: str | Path) -> Contender:
    with TemporaryDirectory() as folder:
        if isinstance(source, str):
            path = Path(folder, "tokenizer.json")
            path.write_text(source, "utf-8")
        else:
            path = source
        module.import_tokenizer(str(path), NAME, folder)
        library = module.Tokenizer(NAME, folder)

    def encode_batch(texts: list[str], n_threads: int) -> list[Any]:
        ids, offsets = library.encode_batch(texts, n_threads)
        return np.split(ids, offsets[1:-1])

    return Contender(
        library.encode_ordinary, as_str, ids_only, library.decode_bytes, encode_batch=encode_batch
    )


QUICKTOK = json_peer(
    "quicktok-v1", build, "a list", (VocabType.BPE,), "quicktok", {**READS_JSON, "tekken.json": Path}
)
