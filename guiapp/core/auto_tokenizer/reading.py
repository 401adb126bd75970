"""From a tokenizer.json and the configs next to it to what `AutoTokenizer.from_pretrained` makes of them."""

from __future__ import annotations

from typing import Any

from guiapp.core.auto_tokenizer.backend import Arguments, Backend, arguments_of, text_of
from guiapp.core.auto_tokenizer.choice import BASE, class_of
from guiapp.core.auto_tokenizer.classes import BPE, CHARSMAP, CLASSES, KEEPING, UNIGRAM, Rebuilt
from guiapp.core.formats.model_sections import model_section
from guiapp.core.formats.tokenizer_config import ROLES, SidecarFiles
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.text.numbers_in_words import quoted

PARTS = ("normalizer", "pre_tokenizer", "post_processor", "decoder")


def document_of(
    content: dict[str, Any], sidecars: SidecarFiles, is_byte_level: bool, repository: str
) -> tuple[dict[str, Any], SidecarFiles]:
    """The tokenizer.json that a folder with this one amounts to, and the configs with the roles of tokens.

    The model of the document is a ModelSection.


    is_byte_level  “"ByteLevel"” stands in the file
    repository     owner/name, where the folder is a copy of one
    Raises ComponentError, TypeError and the like where the library fails, or its class is not known here.
    """
    broken = next((note for note in sidecars.warnings if note.code == "config_broken"), None)
    if broken is not None:
        raise ComponentError(f"cannot be read as transformers does: {broken}")
    name = class_of(sidecars, is_byte_level, repository)
    added = content["added_tokens"]
    if not isinstance(added, list):
        raise ComponentError("has added tokens that are not a list")
    arguments = arguments_of(sidecars, added)
    parts = {part: content.get(part) for part in PARTS}
    stem = name.removesuffix("Tokenizer")
    built: Rebuilt | None
    if stem in CLASSES:
        built, backend = _rebuilt(CLASSES[stem], content, arguments)
    else:
        built = KEEPING[stem](arguments) if stem in KEEPING else None
        if built is None and name not in (BASE, "ParakeetTokenizer"):
            raise ComponentError(
                f"is loaded by transformers as {quoted(name)}, which is not known here; "
                "`tokenloupe hunt FOLDER transformers` runs the library"
            )
        backend = Backend(model_section(content["model"]), parts, added)
    backend.set_up(arguments if built is None else built.arguments)
    backend.fix_mistral_pattern(arguments, sidecars)
    if built is not None:
        _finish(built, backend)
    roles = {
        role: text_of(token) for key, role in ROLES.items() if (token := backend.roles.get(key)) is not None
    }
    return backend.document(), sidecars._replace(roles=roles)


def _rebuilt(build: Any, content: dict[str, Any], arguments: Arguments) -> tuple[Rebuilt, Backend]:
    spec = content["model"]
    charsmap = _charsmap(content.get("normalizer"))
    given = {
        **arguments,
        "vocab": spec.get("vocab"),
        "post_processor": content.get("post_processor"),
        CHARSMAP: charsmap,
    }
    built: Rebuilt = build(given)
    section = model_section(_model(built, spec))
    parts = {"normalizer": built.normalizer, "pre_tokenizer": built.pre_tokenizer, "decoder": built.decoder}
    backend = Backend(section, {**parts, "post_processor": None})
    if built.before is not None:
        backend.parts["post_processor"] = built.before(backend)
    return built, backend


def _finish(built: Rebuilt, backend: Backend) -> None:
    if built.frame is not None:
        backend.parts["post_processor"] = built.frame(backend)
    if built.finish is not None:
        built.finish(backend)
    if built.posts:
        backend.post_init()


def _charsmap(normalizer: Any) -> Any:
    """The first table of SentencePiece in a normalizer, as a part of its own."""
    steps = normalizer["normalizers"] if normalizer and normalizer.get("type") == "Sequence" else [normalizer]
    maps = (
        step
        for step in steps
        if step and step.get("type") == "Precompiled" and "precompiled_charsmap" in step
    )
    return next(maps, None)


def _model(built: Rebuilt, spec: dict[str, Any]) -> dict[str, Any]:
    """The tokens and rules of a file in the model of a class."""
    vocab = spec["vocab"]
    if built.kind == UNIGRAM and not isinstance(vocab, list):
        raise ComponentError("has tokens without scores, which its class in transformers needs")
    if built.kind != UNIGRAM and isinstance(vocab, list):
        vocab = {each[0]: row for row, each in enumerate(vocab)}
    rules = {"merges": spec.get("merges", [])} if built.kind == BPE else {}
    return {"type": built.kind, "vocab": vocab, **rules, **built.options}
