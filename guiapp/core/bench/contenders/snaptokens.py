"""snaptokens, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.core.bench.contenders.contender import Contender
from guiapp.core.bench.contenders.json_files import json_peer, with_objects
from guiapp.core.vocab.vocabulary import VocabType


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_json_str(source)
    return with_objects(library, library.decode, add_special_tokens=False)


SNAPTOKENS = json_peer("snaptokens", build, "an object with a list", (VocabType.BPE,))
