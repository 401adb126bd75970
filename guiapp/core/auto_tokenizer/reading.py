"""From a tokenizer's file and the configs next to it to what `AutoTokenizer` makes of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from guiapp.core.auto_tokenizer.backend import Arguments, Backend, arguments_of, text_of
from guiapp.core.auto_tokenizer.choice import BASE, class_of
from guiapp.core.auto_tokenizer.classes import BPE, CHARSMAP, CLASSES, KEEPING, UNIGRAM, Build, Rebuilt
from guiapp.core.formats.model_sections import PackedTexts, model_section
from guiapp.core.formats.tokenizer_config import ROLES, SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json

PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
READ_VOCAB_TXT = "Bert ConvBert DPRContextEncoder DPRQuestionEncoder DPRReader DistilBert MPNet"
READ_MERGES = "Blenderbot CLIP CodeGen Cohere Deberta GPT2 GPTNeoX OpenAIGPT Qwen2 Roberta Whisper"
READ_LISTS = {"WordPiece": READ_VOCAB_TXT.split(), "BPE": READ_MERGES.split()}
"""Classes, without “Tokenizer”, that read vocab.txt, and those that read vocab.json and merges.txt."""
Document = tuple[dict[str, Any], SidecarFiles]
"""A tokenizer.json whose model is a ModelSection, and the configs with the roles of its tokens."""


def document_of(content: dict[str, Any], data: bytes, sidecars: SidecarFiles, repository: str) -> Document:
    """What a folder with this tokenizer.json amounts to.

    data        the file, of which `content` has the numbers as `tokenizers` reads them
    repository  owner/name, where the folder is a copy of one
    Raises ComponentError, TypeError and the like where the library fails, or its class is not known here.
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
    if isinstance(vocab, list):  # a class reads scores by Python's json, which rounds them otherwise
        vocab = read_json(data)["model"]["vocab"]
    return _rebuilt(CLASSES[stem], vocab, merges, arguments, sidecars, content.get("padding"))


def document_of_lists(content: dict[str, Any], sidecars: SidecarFiles, repository: str) -> Document:
    """The same of vocab.txt, or of vocab.json and merges.txt, as a tokenizer.json would have their model."""
    stem, model = class_stem(sidecars, False, repository), content["model"]
    if stem not in READ_LISTS[model["type"]]:
        raise _not_read_by(stem)
    arguments, build = arguments_of(sidecars, None), CLASSES.get(stem) or KEEPING[stem]
    return _rebuilt(build, model["vocab"], partial(model.get, "merges"), arguments, sidecars)


def document_of_parts(
    stem: str, content: dict[str, Any], arguments: Arguments, sidecars: SidecarFiles
) -> Document:
    """The same of a file whose class keeps its parts, or those that a converter has made."""
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
    """The same of the pieces of SentencePiece that a class rebuilds."""
    if stem in READ_LISTS["WordPiece"]:
        raise _not_read_by(stem)
    return _rebuilt(CLASSES[stem], pieces, merges, arguments, sidecars)


def _not_read_by(stem: str) -> ComponentError:
    name = stem if stem == BASE else f"{stem}Tokenizer"
    return ComponentError(f"is not read by {name}, as which transformers loads the folder")


def class_stem(sidecars: SidecarFiles, is_byte_level: bool, repository: str) -> str:
    """The name of the class without “Tokenizer”.  Raises ComponentError where it is not known here."""
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
    """The first table of SentencePiece in a normalizer, as a part of its own."""
    steps = normalizer["normalizers"] if normalizer and normalizer.get("type") == "Sequence" else [normalizer]
    maps = (each for each in steps if each and each.get("type") == "Precompiled")
    return next((each for each in maps if "precompiled_charsmap" in each), None)
