"""The converter's tables: rules by architecture, and pre-tokenizers by the hash of some ids.

converter.json has for each architecture its name in GGUF and its route through `conversion`; an empty route
is not supported here.  It also names the source and its commit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.formats.tokenizer_config import SidecarFiles, read_sidecars
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.vocabulary import LLAMA_CPP

WHY = "llama.cpp gives the ids of the GGUF that its converter makes of the folder."
RENAMED = ("llm_config", "lm_config", "language_config", "lfm")  # other names of text_config


class Architecture(NamedTuple):
    """How the converter treats a folder.

    is_assumed  whether the class of the tokenizer decided, because there is no config.json
    rules       "architecture", "route" and the options of the route
    """

    name: str
    is_assumed: bool
    rules: Mapping[str, Any]


@cache
def converter() -> dict[str, Any]:
    """The content of converter.json."""
    content: dict[str, Any] = json.loads(Path(__file__).with_name("converter.json").read_text("utf-8"))
    return content


def text_config(model: Mapping[str, Any]) -> dict[str, Any]:
    """config.json with the keys of the text model moved to the top level."""
    inner = [model[key] for key in ("text_config", *RENAMED) if key in model]
    inner += [model["thinker_config"]["text_config"]] if "thinker_config" in model else []
    return {**model, **(inner[-1] if inner else {})}


def architecture_of(sidecars: SidecarFiles) -> Architecture:
    """The architecture of a folder.  Raises ComponentError if it is refused, or its rules are unsupported."""
    names = sidecars.model.get("architectures") or [None]
    if names[0] not in converter()["outer"]:
        names = text_config(sidecars.model).get("architectures") or names
    name, is_assumed = names[0], not sidecars.model
    if is_assumed:
        own_class = str(sidecars.config.get("tokenizer_class")).removesuffix("Fast")
        name = converter()["architecture_of_class"].get(own_class.removesuffix("Tokenizer"))
    if name is None:
        raise ComponentError("has no config.json next to it whose architecture llama.cpp's converter knows")
    rules = converter()["architectures"].get(name)
    if not (rules and rules["route"]):
        why = "for which llama.cpp's converter has rules that are not followed here"
        why = why if rules else f"which llama.cpp's converter ({converter()['commit'][:9]}) does not know"
        raise ComponentError(f"is of the architecture “{quoted(str(name))}”, {why}")
    return Architecture(name, is_assumed, rules)


def readings_of(path: Path) -> dict[str, str]:
    """The reading of llama.cpp, if config.json names an architecture that its converter accepts."""
    sidecars = read_sidecars(path)
    try:
        is_taken = bool(sidecars.model and architecture_of(sidecars))
    except (ComponentError, TypeError, AttributeError, KeyError, IndexError):
        is_taken = False
    return {LLAMA_CPP: WHY} if is_taken else {}
