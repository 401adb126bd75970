"""splintr, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_only
from guiapp.analysis.libraries.json_files import json_peer


def build(module: Any, source: str) -> Contender:
    library = module.from_json_bytes(source.encode())
    return Contender(
        library.encode_raw,
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library.encode_batch(texts),
    )


SPLINTR = json_peer("splintr-rs", build, "a list", module="splintr")
