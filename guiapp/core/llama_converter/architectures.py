"""What the converter knows: architectures with their rules, and pre-tokenizers by the hash of some ids.

converter.json has, of each architecture, its name in GGUF and its route through `conversion`; an empty route
is one that is not followed here.  It also names the source and its commit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.formats.tokenizer_config import SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted

FILE = Path(__file__).with_name("converter.json")
RENAMED = ("llm_config", "lm_config", "language_config", "lfm")  # as some call the text_config
OUTER = (
    "StepVLForConditionalGeneration Sarashina2VisionForCausalLM Exaone4_5_ForConditionalGeneration "
    "Step3p7ForConditionalGeneration KimiK3ForConditionalGeneration"
).split()
"""Architectures that count, whatever the text_config says."""
OF_CLASS = {
    "Bert": "BertModel",
    "Bloom": "BloomForCausalLM",
    "CodeGen": "PhiForCausalLM",
    "Cohere": "CohereForCausalLM",
    "Gemma": "Gemma3ForCausalLM",
    "GPT2": "GPT2LMHeadModel",
    "GPTNeoX": "GPTNeoXForCausalLM",
    "Llama": "LlamaForCausalLM",
    "PreTrained": "LlamaForCausalLM",
    "Qwen2": "Qwen2ForCausalLM",
    "Roberta": "RobertaModel",
    "T5": "T5ForConditionalGeneration",
    "XLMRoberta": "XLMRobertaModel",
}
"""A usual architecture, by the class of the tokenizer without “Tokenizer”."""


class Architecture(NamedTuple):
    """How the converter takes a folder.

    name        as config.json says
    is_assumed  there is no config.json; the class of the tokenizer decides
    rules       "architecture", "route" and what the route asks for
    """

    name: str
    is_assumed: bool
    rules: Mapping[str, Any]


@cache
def converter() -> dict[str, Any]:
    """What converter.json says."""
    content: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return content


def text_config(model: Mapping[str, Any]) -> dict[str, Any]:
    """config.json as the converter reads it, with what it says of the text model at the outside."""
    config = dict(model)
    for key in RENAMED:
        if key in config:
            config["text_config"] = config[key]
    if "thinker_config" in config:
        config["text_config"] = config["thinker_config"]["text_config"]
    return {**config, **config.get("text_config", {})}


def architecture_of(sidecars: SidecarFiles) -> Architecture:
    """Raises ComponentError where the converter refuses, or its rules are not followed here."""
    broken = next((note for note in sidecars.warnings if note.code == "config_broken"), None)
    if broken is not None:
        raise ComponentError(f"cannot be read as llama.cpp's converter does: {broken}")
    names = sidecars.model.get("architectures") or [None]
    if names[0] not in OUTER:
        names = text_config(sidecars.model).get("architectures") or names
    name, is_assumed = names[0], not sidecars.model
    if is_assumed:
        own_class = str(sidecars.config.get("tokenizer_class") or "")
        name = OF_CLASS.get(own_class.removesuffix("Fast").removesuffix("Tokenizer"))
    if name is None:
        raise ComponentError(
            "comes without a config.json that names its architecture, which llama.cpp's converter needs"
        )
    rules = converter()["architectures"].get(name)
    if rules is None:
        commit = converter()["commit"][:9]
        raise ComponentError(
            f"is of the architecture “{quoted(str(name))}”, which llama.cpp's converter ({commit}) does not know"
        )
    if not rules["route"]:
        raise ComponentError(
            f"is of the architecture “{name}”, for which llama.cpp's converter has rules that are not "
            "followed here"
        )
    return Architecture(name, is_assumed, rules)


def is_known(sidecars: SidecarFiles) -> bool:
    """Whether the converter would take such a folder by its config.json, as far as is known here."""
    try:
        return bool(sidecars.model) and not architecture_of(sidecars).is_assumed
    except (ComponentError, TypeError, AttributeError, KeyError, IndexError):
        return False
