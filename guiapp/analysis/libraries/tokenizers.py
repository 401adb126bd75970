"""Hugging Face's tokenizers, from the tokenizer.json that it reads."""

from __future__ import annotations

from functools import partial
from typing import Any

from guiapp.analysis.libraries.contender import Contender, as_str, ids_of_object
from guiapp.analysis.libraries.peer import Peer
from guiapp.analysis.libraries.written_models import (
    READS_JSON,
    READS_TOKENS,
    check_hugging_face,
    hugging_face_json,
    unsplit_hugging_face_json,
)


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)
    library.no_truncation()
    library.no_padding()
    library.encode_special_tokens = True

    def encode_special(text: str, adds_special: bool) -> Any:
        library.encode_special_tokens = False
        try:
            return library.encode(text, add_special_tokens=adds_special)
        finally:
            library.encode_special_tokens = True

    return Contender(
        partial(library.encode, add_special_tokens=False),
        as_str,
        ids_of_object,
        partial(library.decode, skip_special_tokens=False),
        encode_batch=lambda texts, _: library.encode_batch(texts, add_special_tokens=False),
        encode_special=encode_special if library.get_added_tokens_decoder() else None,
    )


TOKENIZERS = Peer(
    "tokenizers",
    "tokenizers",
    check_hugging_face,
    hugging_face_json,
    build,
    ids="an object with a list, spans and more",
    unsplit=unsplit_hugging_face_json,
    files={**READS_JSON, **READS_TOKENS},
)
