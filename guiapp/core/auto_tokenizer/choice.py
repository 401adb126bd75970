"""Which class of `transformers` loads a folder, by its configs; mistral-common is not installed.

Source: https://github.com/huggingface/transformers, version 5.24.0, models/auto/tokenization_auto.py.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from guiapp.core.auto_tokenizer.classes import CLASSES, KEEPING
from guiapp.core.formats.tokenizer_config import SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json

BASE, PYTHON = "TokenizersBackend", "PythonBackend"
TABLE: dict[str, Any] = read_json(Path(__file__).with_name("transformers.json").read_text("utf-8"))
"""What the library lists:

types_by_class              the types of models that each class is registered for
types_without_config        of these, those that no class for config.json has
types_of_wrong_class        those whose configs name a wrong class of tokenizers
repositories_without_class  patterns of those whose configs are not believed
classes_without_type        that it has besides
other_names                 of the same classes, without “Tokenizer”
"""
CLASS_BY_TYPE = {each: name for name, types in TABLE["types_by_class"].items() for each in types}
WRONG_CLASS = frozenset(TABLE["types_of_wrong_class"])
OTHERS = {*TABLE["types_by_class"], *TABLE["classes_without_type"]} - {BASE}
"""Classes that the library has; most that are not known here are Python alone."""
OTHER_CLASS_BY_TYPE = {"gpt-sw3": "GPT2Tokenizer"}  # through its class for config.json


def class_of(sidecars: SidecarFiles, is_byte_level: bool, repository: str) -> str:
    """The name of the class, BASE where it is the one that takes the file as it stands.

    is_byte_level  "ByteLevel" stands in tokenizer.json
    repository     owner/name, where the folder is a copy of one
    Raises ComponentError where the library fails, or needs code that comes with the model.
    """
    model, config = sidecars.model, sidecars.config
    model_type, model_name = _text(model, "model_type") or "", model.get("model_name")
    named, in_model = _text(config, "tokenizer_class"), _text(model, "tokenizer_class")
    hub, registered = named or in_model, CLASS_BY_TYPE.get(model_type)
    is_wrong = model_type in WRONG_CLASS or (isinstance(model_name, str) and model_name in WRONG_CLASS)
    own_code = _own_code(config.get("auto_map"))
    if own_code is None:
        if any(fnmatchcase(repository.lower(), pattern) for pattern in TABLE["repositories_without_class"]):
            return BASE
        if hub and _stem(hub) == "LlamaTokenizer" and not is_wrong and is_byte_level:
            return BASE
        if hub is not None and registered is not None and registered != _stem(hub):
            found = None if registered == BASE else resolved(registered if is_wrong else hub)
            return BASE if found in (None, PYTHON) else str(found)
    elif model_type not in WRONG_CLASS and not _is_known(named, model_type):
        raise ComponentError("comes with a tokenizer_config.json whose auto_map needs the model's own code")
    if named is not None:
        found = resolved(_stem(named))
        return BASE if found in (None, PYTHON) else str(found)
    if in_model:
        found = resolved(in_model)
        if found in (None, PYTHON):
            raise ComponentError(
                f"comes with a config.json that names the unknown class “{quoted(in_model)}”"
            )
        return str(found)
    if model_type == "encoder-decoder":
        model_type = _text(model["encoder"], "model_type") or ""
    if model_type in TABLE["types_without_config"]:
        return BASE
    return resolved(OTHER_CLASS_BY_TYPE.get(model_type) or CLASS_BY_TYPE.get(model_type, BASE)) or BASE


def _text(config: Any, key: str) -> str | None:
    value = config.get(key)
    if value is not None and not isinstance(value, str):
        raise ComponentError(f"comes with a config whose {key} is not a name: {quoted(repr(value))}")
    return value


def _own_code(auto_map: Any) -> Any:
    return auto_map.get("AutoTokenizer") if isinstance(auto_map, dict) else auto_map


def _is_known(named: str | None, model_type: str) -> bool:
    has_config = model_type in CLASS_BY_TYPE and model_type not in TABLE["types_without_config"]
    return has_config or (named is not None and resolved(_stem(named)) is not None)


def _stem(name: str) -> str:
    return name.removesuffix("Fast")


def resolved(name: str) -> str | None:
    """The class that a name stands for; None where the library has none."""
    stem = _stem(name)
    if name.startswith("DPR") and name != stem:
        return name
    if stem in (BASE, "BloomTokenizer") or name == "PreTrainedTokenizerFast":
        return BASE
    if stem in ("PreTrainedTokenizer", PYTHON):
        return PYTHON
    short = stem.removesuffix("Tokenizer")
    short = TABLE["other_names"].get(short, short)
    is_known = short in CLASSES or short in KEEPING or f"{short}Tokenizer" in OTHERS
    return f"{short}Tokenizer" if is_known and stem.endswith("Tokenizer") else None
