"""fastokens, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender
from guiapp.analysis.libraries.json_files import json_peer, with_objects
from guiapp.core.vocabulary.vocabulary import VocabType


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_json_str(source)
    return with_objects(library, library.decode, add_special_tokens=False, split_special_tokens=True)


FASTOKENS = json_peer("fastokens", build, "an object with a list", (VocabType.BPE, VocabType.SPM))
