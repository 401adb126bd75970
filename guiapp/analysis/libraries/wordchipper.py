"""wordchipper, which fetches OpenAI's vocabularies; given the file, it stays off the network."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from guiapp.analysis.libraries.contender import Contender, UnavailableError, as_str, ids_only
from guiapp.analysis.libraries.openai_vocabularies import name_of, ranks_text
from guiapp.analysis.libraries.peer import Peer
from guiapp.analysis.libraries.written_models import ranks_of_bytes
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.vocabulary.vocabulary import Vocabulary

CACHE_VARIABLE = "WORDCHIPPER_CACHE_DIR"


class NamedRanks(NamedTuple):
    name: str
    file: bytes


def check(vocabulary: Vocabulary) -> None:
    if not name_of(vocabulary):
        raise UnavailableError("wordchipper knows OpenAI's vocabularies only, and fetches those.")


def source_of(tokenizer: Tokenizer) -> NamedRanks:
    return NamedRanks(name_of(tokenizer.vocabulary), ranks_text(ranks_of_bytes(tokenizer.vocabulary)))


def build(module: Any, source: NamedRanks) -> Contender:
    with TemporaryDirectory() as folder:
        path = Path(folder, "openai", source.name, f"{source.name}.tiktoken")
        path.parent.mkdir(parents=True)
        path.write_bytes(source.file)
        os.environ[CACHE_VARIABLE] = folder
        library = module.Tokenizer.from_pretrained(source.name)
    no_special = module.SpecialFilter.include_none()
    return Contender(
        partial(library.encode, special_filter=no_special),
        as_str,
        ids_only,
        library.decode,
        encode_batch=lambda texts, _: library.encode_batch(texts, special_filter=no_special),
    )


WORDCHIPPER = Peer("wordchipper", "wordchipper", check, source_of, build, ids="a list")
