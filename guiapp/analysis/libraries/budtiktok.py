"""BudTikTok, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender
from guiapp.analysis.libraries.json_files import json_peer, with_objects


def build(module: Any, source: str) -> Contender:
    library = module.Tokenizer.from_str(source)
    return with_objects(library, library.decode, add_special_tokens=False)


BUDTIKTOK = json_peer("budtiktok", build, "an object with a list")
