"""tokie, from tokenizer.json."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.libraries.contender import Contender
from guiapp.analysis.libraries.json_files import as_file, json_peer, with_objects


def build(module: Any, source: str) -> Contender:
    with as_file(source) as path:
        library = module.Tokenizer.from_json(str(path))
    return with_objects(library, library.decode_bytes, add_special_tokens=False)


TOKIE = json_peer("tokie", build, "an object with a list")
