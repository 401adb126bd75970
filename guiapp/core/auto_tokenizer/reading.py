"""Build what `AutoTokenizer` makes of a tokenizer's file and the configs next to it, by its class.

It assumes that mistral-common is not installed.
Source: https://github.com/huggingface/transformers, version 5.24.0, models/auto/tokenization_auto.py.
"""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any

from guiapp.core.auto_tokenizer.backend import Arguments, Backend, arguments_of, text_of
from guiapp.core.auto_tokenizer.classes import BPE, CHARSMAP, CLASSES, KEEPING, UNIGRAM, Build, Rebuilt
from guiapp.core.formats.model_sections import PackedTexts, model_section
from guiapp.core.formats.tokenizer_config import ROLES, SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json

BASE, PYTHON = "TokenizersBackend", "PythonBackend"
TABLE: dict[str, Any] = read_json(Path(__file__).with_name("transformers.json").read_text("utf-8"))
"""Lists of the library:

types_by_class              the model types for which each tokenizer class is registered
types_without_config        model types among them without a config class
types_of_wrong_class        model types whose configs name a wrong tokenizer class
repositories_without_class  name patterns of repositories whose configured class is ignored
classes_without_type        classes not registered for any model type
other_names                 aliases of classes, without “Tokenizer”
"""
CLASS_BY_TYPE = {each: name for name, types in TABLE["types_by_class"].items() for each in types}
WRONG_CLASS = frozenset(TABLE["types_of_wrong_class"])
OTHERS = {*TABLE["types_by_class"], *TABLE["classes_without_type"]} - {BASE}
"""Classes of the library; most of those that are not supported here are pure Python."""
OTHER_CLASS_BY_TYPE = {"gpt-sw3": "GPT2Tokenizer"}  # through its config class
PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
READ_VOCAB_TXT = "Bert ConvBert DPRContextEncoder DPRQuestionEncoder DPRReader DistilBert MPNet"
READ_MERGES = "Blenderbot CLIP CodeGen Cohere Deberta GPT2 GPTNeoX OpenAIGPT Qwen2 Roberta Whisper"
READ_LISTS = {"WordPiece": READ_VOCAB_TXT.split(), "BPE": READ_MERGES.split()}
"""Classes, without “Tokenizer”, that read vocab.txt, and those that read vocab.json and merges.txt."""
Document = tuple[dict[str, Any], SidecarFiles]
"""The content of a tokenizer.json whose model is a ModelSection, and the configs with token roles."""


def document_of(content: dict[str, Any], data: bytes, sidecars: SidecarFiles, repository: str) -> Document:
    """The document of a folder with this tokenizer.json.

    content     the parsed file, with numbers as read by `tokenizers`
    data        the bytes of the file
    repository  owner/name, if the folder is a copy of a repository
    Raises ComponentError, TypeError or similar if the library fails, or its class is not supported here.
    """
    stem = class_stem(sidecars, b'"ByteLevel"' in data, repository)
    added = content["added_tokens"]
    if not isinstance(added, list):
        raise ComponentError("has added tokens that are not a list")
    arguments = arguments_of(sidecars, added)
    model = content["model"]
    if stem not in CLASSES:
        return document_of_parts(stem, content, arguments, sidecars)
    charsmap = _charsmap(content.get("normalizer"))
    arguments |= {"post_processor": content.get("post_processor"), CHARSMAP: charsmap}
    vocab, merges = model["vocab"], partial(model.get, "merges", [])
    if isinstance(vocab, list):  # a class reads scores with Python's json, which rounds differently
        vocab = read_json(data)["model"]["vocab"]
    return _rebuilt(CLASSES[stem], vocab, merges, arguments, sidecars, content.get("padding"))


def document_of_lists(content: dict[str, Any], sidecars: SidecarFiles, repository: str) -> Document:
    """The document for vocab.txt, or vocab.json with merges.txt; `content`: the same as a tokenizer.json."""
    stem, model = class_stem(sidecars, False, repository), content["model"]
    if stem not in READ_LISTS[model["type"]]:
        raise _not_read_by(stem)
    arguments, build = arguments_of(sidecars, None), CLASSES.get(stem) or KEEPING[stem]
    return _rebuilt(build, model["vocab"], partial(model.get, "merges"), arguments, sidecars)


def document_of_parts(
    stem: str, content: dict[str, Any], arguments: Arguments, sidecars: SidecarFiles
) -> Document:
    """The document for a file whose class keeps the file's or the converter's components."""
    build = CLASSES.get(stem) or KEEPING.get(stem)
    built = build({**arguments, "vocab": []}) if build else None
    parts = {part: content.get(part) for part in PARTS}
    backend = Backend(model_section(content["model"]), parts, content["added_tokens"])
    return _finished(backend, built, arguments, sidecars, content.get("padding"))


def document_of_pieces(
    stem: str,
    pieces: list[tuple[str, float]],
    merges: Callable[[], PackedTexts],
    arguments: Arguments,
    sidecars: SidecarFiles,
) -> Document:
    """The document for SentencePiece's pieces, whose components a class rebuilds."""
    if stem in READ_LISTS["WordPiece"]:
        raise _not_read_by(stem)
    return _rebuilt(CLASSES[stem], pieces, merges, arguments, sidecars)


def _not_read_by(stem: str) -> ComponentError:
    name = stem if stem == BASE else f"{stem}Tokenizer"
    return ComponentError(f"is not read by {name}, as which transformers loads the folder")


def class_stem(sidecars: SidecarFiles, is_byte_level: bool, repository: str) -> str:
    """The name of the class without “Tokenizer”.  Raises ComponentError if it is not supported here."""
    broken = next((note for note in sidecars.warnings if note.code == "config_broken"), None)
    if broken is not None:
        raise ComponentError(f"cannot be read as transformers does: {broken}")
    name = class_of(sidecars, is_byte_level, repository)
    stem = name.removesuffix("Tokenizer")
    if stem not in CLASSES and stem not in KEEPING and stem not in (BASE, "Parakeet"):
        raise ComponentError(
            f"is loaded by transformers as {quoted(name)}, which is not known here; "
            "`tokenloupe hunt FOLDER transformers` runs the library"
        )
    return stem


def _rebuilt(
    build: Build,
    vocab: Any,
    merges: Callable[[], Any],
    arguments: Arguments,
    sidecars: SidecarFiles,
    padding: Any = None,
) -> Document:
    built = build({**arguments, "vocab": vocab})
    if built.kind == UNIGRAM and not isinstance(vocab, list):
        raise ComponentError("has tokens without scores, which its class in transformers needs")
    if built.kind != UNIGRAM and isinstance(vocab, list):
        vocab = {text: row for row, (text, _) in enumerate(vocab)}
    rules = {"merges": merges()} if built.kind == BPE else {}
    section = model_section({"type": built.kind, "vocab": vocab, **rules, **built.options})
    parts = {"normalizer": built.normalizer, "pre_tokenizer": built.pre_tokenizer, "decoder": built.decoder}
    backend = Backend(section, {**parts, "post_processor": None})
    if built.before is not None:
        backend.parts["post_processor"] = built.before(backend, built.arguments)
    return _finished(backend, built, arguments, sidecars, padding)


def _finished(
    backend: Backend, built: Rebuilt | None, arguments: Arguments, sidecars: SidecarFiles, padding: Any = None
) -> Document:
    given = arguments if built is None else built.arguments
    backend.set_up(given, padding)
    backend.fix_mistral_pattern(arguments, sidecars)
    if built is not None and built.frame is not None:
        backend.parts["post_processor"] = built.frame(backend, given)
    if built is not None and built.finish is not None:
        built.finish(backend)
    if built is not None and built.posts:
        backend.post_init(given)
    roles = {
        role: text_of(token) for key, role in ROLES.items() if (token := backend.roles.get(key)) is not None
    }
    return backend.document(), sidecars._replace(roles=roles)


def _charsmap(normalizer: Any) -> Any:
    """The component with the first character map of SentencePiece in a normalizer."""
    steps = normalizer["normalizers"] if normalizer and normalizer.get("type") == "Sequence" else [normalizer]
    maps = (each for each in steps if each and each.get("type") == "Precompiled")
    return next((each for each in maps if "precompiled_charsmap" in each), None)


# The class of `transformers` that loads a folder, by its configs


def class_of(sidecars: SidecarFiles, is_byte_level: bool, repository: str) -> str:
    """The name of the class; BASE for the class that uses the file unchanged.

    is_byte_level  whether "ByteLevel" is in tokenizer.json
    repository     owner/name, if the folder is a copy of a repository
    Raises ComponentError if the library fails, or needs code that comes with the model.
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
    """The class that a name stands for; None if the library has no such class."""
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
