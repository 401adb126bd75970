"""IREE's tokenizer, from tokenizer.json."""

from __future__ import annotations

from typing import Any

import numpy as np

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.json_files import json_peer


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)

    def encode_batch(texts: list[str], _: int) -> list[Any]:
        ids, lengths = library.encode_batch_to_array(texts)
        return np.split(ids, np.cumsum(lengths)[:-1])

    return Contender(library.encode_to_array, as_str, ids_only, library.decode, encode_batch=encode_batch)


IREE = json_peer("iree-tokenizer", build, "an array", module="iree.tokenizer")
