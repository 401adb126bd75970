"""tuetoken, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.json_files import as_file, json_peer
from guiapp.core.vocabulary.vocabulary import VocabType


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


TUETOKEN = json_peer("tuetoken", build, "a list", (VocabType.BPE, VocabType.SPM))
