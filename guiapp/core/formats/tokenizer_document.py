"""The vocabulary described by the content of a tokenizer.json, which readers of other formats also build.

Only some formats need this module and its imports, so their readers import it when they read a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.model_sections import ModelSection, model_section, packed_texts
from guiapp.core.formats.ranks import check_ids, in_order
from guiapp.core.formats.tokenizer_config import FLAGS, SidecarFiles, model_name
from guiapp.core.hugging_face.decoders import decoder_of
from guiapp.core.hugging_face.normalizers import Normalizer, normalizer_of
from guiapp.core.hugging_face.pre_tokenizers import (
    PreTokenizer,
    normalize,
    patterns_of,
    pre_tokenizer_of,
    without_byte_mapping,
)
from guiapp.core.hugging_face.spec import ComponentError
from guiapp.core.pretokenize.pre_tokenizers import Pattern
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.attributes import (
    ATTRIBUTE_OF_TYPE,
    BYTE_TYPE,
    CONTROL_TYPE,
    NORMAL_TYPE,
    UNKNOWN_TYPE,
    UNUSED_TYPE,
    USER_DEFINED_TYPE,
)
from guiapp.core.vocabulary.byte_alphabet import CHARACTER_OF_BYTE
from guiapp.core.vocabulary.opening import MERGES, SPECIAL, TOKENS, FileNote, Opening
from guiapp.core.vocabulary.parts import AddedToken, Parts
from guiapp.core.vocabulary.special_ids import RoleFinder
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, Vocabulary
from guiapp.errors import EncodeError
from guiapp.native.checkpoint import stoppable
from guiapp.native.model_files import BYTE_STAND_INS, MARKED_SPACES, PLAIN, StringTable

Templates = list[list[int | None]]  # ids in order; None stands for the text

MOST_AROUND = 1 << 12  # ids
BYTES_OF_UTF_8 = (*range(0xC0), *range(0xC2, 0xF5))


@contextmanager
def checked_layout(file: WholeFile) -> Iterator[None]:
    """Turn errors caused by unexpected values into a VocabError about the file."""
    try:
        yield
    except ComponentError as error:
        raise file.error(quoted(str(error), 200)) from error
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError, ValueError) as error:
        raise file.error(f"does not have the layout of such files: {quoted(repr(error))}") from error


def vocabulary_of(
    file: WholeFile, content: dict[str, Any], sidecars: SidecarFiles, opening: Opening
) -> Vocabulary:
    """The vocabulary of a tokenizer.json.  Raises errors that `checked_layout` turns into VocabError."""
    opening.begin(MERGES)
    model = model_section(content["model"])
    opening.begin(TOKENS)
    added, warnings = _added_tokens(content.get("added_tokens") or [], model, "ids_hold" in content)
    table, types = _tokens(file, model, added)
    opening.begin(SPECIAL)
    parts = _parts(content, model, added, types)
    attributes = ATTRIBUTE_OF_TYPE[types]
    roles = RoleFinder(table, attributes.copy(), _roles(table, parts, sidecars))
    roles.detect()
    roles.collect_ends()
    ids = {token.token_id for token in added}
    with np.errstate(over="ignore"):  # `parts` has the exact scores
        scores = parts.scores.astype(np.float32)
    return Vocabulary(
        path=file.path,
        name=model_name(file.path),
        type=model.type,
        model=model.options.kind,
        patterns=_patterns(parts),
        token_data=table.data,
        token_offsets=table.offsets,
        scores=scores,
        attributes=attributes,
        stored_types=types,
        merge_data=model.merge_data,
        merge_offsets=model.merge_offsets,
        special_ids=roles.ids,
        rules=Rules(
            add_bos=bool(parts.before),
            add_eos=bool(parts.after),
            ignore_merges=model.options.ignore_merges,
            byte_encoding=parts.spelling == BYTE_STAND_INS,
        ),
        eog=frozenset(roles.eog & ids),
        token_table=table,
        warnings=(
            *(*model.warnings, *warnings, *_searched_alike(parts.added_tokens)),
            *(*_not_applied(content), *sidecars.warnings),
            *_switched_elsewhere(sidecars, roles.ids, parts),
        ),
        metadata=sidecars.config,
        library="tokenizers",
        parts=parts,
    )


def _patterns(parts: Parts) -> tuple[Pattern, ...]:
    """The patterns that split the text, if splitting consists of patterns only and bytes are merged."""
    are_searched = any(token.normalized for token in parts.added_tokens) and not parts.normalizes_nothing
    are_all = parts.merges_bytes and not are_searched
    return (patterns_of(parts.pre_tokenizer) or ()) if are_all else ()


def _added_tokens(
    spec: Any, model: ModelSection, ids_hold: bool
) -> tuple[tuple[AddedToken, ...], list[FileNote]]:
    """The added tokens with the ids that the library gives them: the id in the model, or the next free one.

    ids_hold  the ids in `spec` are final, because the tokens were added gradually
    """
    by_text: dict[str, AddedToken] = {}
    warnings: list[FileNote] = []
    contents = [each["content"] for each in stoppable(spec)]
    known = dict(zip(contents, model.find(contents), strict=True))
    next_id = model.n_texts
    for each, content in zip(spec, contents, strict=True):
        if not content:
            continue
        token_id = by_text[content].token_id if content in by_text else known[content]
        given = each.get("id", 0)
        if type(given) is not int or not 0 <= given < 1 << 32:
            raise ComponentError(f"gives the added token “{quoted(content)}” the id {quoted(repr(given))}")
        if token_id is None:
            token_id = each["id"] if ids_hold else next_id
            next_id += 1
        if each.get("id", token_id) != token_id and not warnings:
            spec = (
                f"The file gives the added token “{quoted(content)}” the id {quoted(str(each['id']))}, but "
                f"its position makes it {token_id:,}, as in the library."
            )
            warnings.append(FileNote("added_token_id", spec))
        flags = {flag: each.get(flag, False) is True for flag in FLAGS}
        flags["special"] |= content in by_text and by_text[content].special
        by_text[content] = AddedToken(token_id, content, content, **flags)
    return tuple(by_text.values()), warnings


def _tokens(
    file: WholeFile, model: ModelSection, added: tuple[AddedToken, ...]
) -> tuple[StringTable, NDArray[np.int32]]:
    """The texts of all ids, and their types, numbered as in GGUF files."""
    own = model.find([token.content for token in added])
    new = {token.token_id: token.content for token, known in zip(added, own, strict=True) if known is None}
    ids = np.append(model.ids, np.fromiter(new, np.int64, len(new)))
    n_tokens = check_ids(file, ids)
    types = np.full(n_tokens, UNUSED_TYPE, np.int32)
    types[model.ids] = NORMAL_TYPE
    if model.options.byte_fallback:
        names = model.find([f"<0x{byte:02X}>" for byte in range(256)])
        types[[token_id for token_id in names if token_id is not None]] = BYTE_TYPE
    if model.options.unknown is not None:
        types[model.options.unknown] = UNKNOWN_TYPE
    for token in added:
        types[token.token_id] = CONTROL_TYPE if token.special else USER_DEFINED_TYPE
    unused = np.flatnonzero(types == UNUSED_TYPE)
    data, offsets = packed_texts([*new.values(), *(f"[PAD{token_id}]" for token_id in unused.tolist())])
    all_data = np.concatenate([model.data, data])
    all_offsets = np.concatenate([model.offsets, model.offsets[-1] + offsets[1:]])
    return StringTable(*in_order((all_data, all_offsets), np.append(ids, unused))), types


def _parts(
    content: dict[str, Any], model: ModelSection, added: tuple[AddedToken, ...], types: NDArray[np.int32]
) -> Parts:
    in_model = np.zeros(len(types), np.bool_)
    in_model[model.ids] = True
    scores = np.zeros(len(types))
    scores[model.ids[: len(model.scores)]] = model.scores
    before, after = affix_ids(content.get("post_processor"))
    for token_id in (*before, *after):
        if token_id >= len(types):
            raise ComponentError(f"adds the id {token_id:,} to texts, which is not a token")
    spec = {key: content.get(key) for key in ("normalizer", "pre_tokenizer", "decoder")}
    normalizer, pre_tokenizer = normalizer_of(spec["normalizer"]), pre_tokenizer_of(spec["pre_tokenizer"])
    added = tuple(_with_searched(token, normalizer) for token in added)
    if any(not token.searched for token in added):  # the library's search might never end
        raise ComponentError("has an added token that its normalizer reduces to nothing")
    return Parts(
        model=model.options,
        in_model=in_model,
        normalizer=normalizer,
        pre_tokenizer=pre_tokenizer,
        decoder=decoder_of(spec["decoder"]),
        added_tokens=added,
        before=before,
        after=after,
        spelling=_spelling(spec),
        normalizes_nothing=_changes_nothing(spec["normalizer"]),
        merges_bytes=_merges_bytes(model, pre_tokenizer),
        scores=scores,
    )


def _with_searched(token: AddedToken, normalizer: Normalizer) -> AddedToken:
    if not token.normalized:
        return token
    try:
        return token._replace(searched=normalize(normalizer, token.content.encode(), True).text())
    except EncodeError:
        raise ComponentError("has an added token that its normalizer makes too long") from None


def _searched_alike(added: tuple[AddedToken, ...]) -> Iterator[FileNote]:
    """Warn if several added tokens match the same text: the library's choice varies between processes."""
    by_text = Counter(token.searched for token in added if token.normalized)
    for text, count in by_text.most_common(1):
        if count > 1:
            yield FileNote(
                "added_token_twice",
                f"{count:,} added tokens match the same text “{quoted(text)}”. The library takes one at "
                "random; here it is the first.",
            )


def _changes_nothing(normalizer: Any) -> bool:
    return normalizer is None or (
        normalizer["type"] == "Sequence" and all(map(_changes_nothing, normalizer["normalizers"]))
    )


def _merges_bytes(model: ModelSection, pre_tokenizer: PreTokenizer) -> bool:
    options = model.options
    is_marked = options.continuing_prefix or options.end_suffix
    if options.kind != "BPE" or is_marked or without_byte_mapping(pre_tokenizer) is None:
        return False
    return None not in model.find([CHARACTER_OF_BYTE[byte] for byte in BYTES_OF_UTF_8])


def _spelling(spec: Any) -> int:
    """The spelling of tokens, by the components that convert between tokens and text."""
    kinds = {text for each in _components(spec) if isinstance(text := each.get("type"), str)}
    if "ByteLevel" in kinds:
        return BYTE_STAND_INS
    marks = "Metaspace" in kinds or any(each.get("content") == "▁" for each in _components(spec))
    return MARKED_SPACES if marks else PLAIN


def _components(spec: Any) -> Iterator[dict[str, Any]]:
    """Yield a component, or each of several, and all their parts."""
    if isinstance(spec, dict):
        yield spec
    for each in spec.values() if isinstance(spec, dict) else spec if isinstance(spec, list) else ():
        yield from _components(each)


def _roles(table: StringTable, parts: Parts, sidecars: SidecarFiles) -> SpecialIds:
    """The ids of roles from the sidecar files, else from their positions before or after a text."""
    rows = table.find([text.encode("utf-8", "replace") for text in sidecars.roles.values()]).tolist()
    ids = {role: row for role, row in zip(sidecars.roles, rows, strict=True) if row >= 0}
    if parts.before:
        ids.setdefault("bos", parts.before[0])
    if parts.after:
        ids.setdefault("eos", parts.after[-1])
    if parts.model.unknown is not None:
        ids["unk"] = parts.model.unknown
    return SpecialIds(**ids)


def _not_applied(content: dict[str, Any]) -> Iterator[FileNote]:
    if isinstance(cut := content.get("truncation"), dict):
        spec = (
            f"The file truncates texts to {quoted(str(cut.get('max_length')))} tokens; here they stay whole."
        )
        yield FileNote("truncation", spec)
    if content.get("padding"):
        yield FileNote("padding", "The file pads texts with padding tokens; here nothing is added.")


def _switched_elsewhere(sidecars: SidecarFiles, ids: SpecialIds, parts: Parts) -> Iterator[FileNote]:
    """Warn about settings in tokenizer_config.json that do not apply to the ids here."""
    around = {"add_bos_token": ids.bos in parts.before, "add_eos_token": ids.eos in parts.after}
    for key, is_there in around.items():
        if isinstance(spec := sidecars.config.get(key), bool) and spec != is_there:
            does = "adds one" if is_there else "does not add one"
            yield FileNote(
                "around_switched",
                f"tokenizer_config.json turns {key} {'on' if spec else 'off'}, but tokenizer.json {does}: "
                "the ids follow tokenizer.json, as in its library.",
            )
    if sidecars.config.get("clean_up_tokenization_spaces") is True:
        spec = "transformers drops spaces before punctuation when it decodes; here the decoder keeps them."
        yield FileNote("clean_up_elsewhere", spec)


def affix_ids(spec: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids added before and after a text.  Raises ComponentError."""
    ids = list(chain(*_applied(spec, [[None]])))
    if ids.count(None) != 1:
        raise ComponentError(
            "has a post-processor that repeats or drops the text instead of adding ids to it"
        )
    at = ids.index(None)
    return _whole(ids[:at]), _whole(ids[at + 1 :])


def _whole(ids: list[int | None]) -> tuple[int, ...]:
    return tuple(token_id for token_id in ids if token_id is not None)


def _applied(spec: Any, parts: Templates) -> Templates:
    """Apply a post-processor to a text to which other processors may already have added ids."""
    if spec is None:
        return parts
    kind = spec["type"]
    if kind == "Sequence":
        for each in spec["processors"]:
            parts = _applied(each, parts)
        return parts
    if kind not in PROCESSORS:
        raise ComponentError(f"uses an unknown post-processor “{quoted(str(kind))}”")
    parts = PROCESSORS[kind](spec, parts)
    _check_size(sum(map(len, parts)))
    return parts


def _check_size(n_parts: int) -> None:
    if n_parts > MOST_AROUND + 1:  # 1 for the text
        raise ComponentError(f"has a post-processor that adds more than {MOST_AROUND:,} ids to a text")


def _template(spec: Any, parts: Templates) -> Templates:
    if len(parts) > 2:
        raise ComponentError("has a post-processor that fills a template from more than two parts")
    template = spec["single"] if len(parts) == 1 else spec["pair"]
    pieces, n_parts = list[list[int | None]](), 0
    for piece in _filled(template, spec["special_tokens"], parts):
        n_parts += len(piece)
        _check_size(n_parts)  # early, before repeated long pieces fill the memory
        pieces.append(list(piece))
    return pieces


def _filled(template: Any, special: Any, parts: Templates) -> Iterator[list[int | None]]:
    for piece in template:
        if "SpecialToken" in piece:
            yield list(map(_id, special[piece["SpecialToken"]["id"]]["ids"]))
        elif (sequence := piece["Sequence"]["id"]) in ("A", "B")[: len(parts)]:
            yield parts[0 if sequence == "A" else 1]
        else:
            raise ComponentError(
                f"has a post-processor that refers to a missing text “{quoted(str(sequence))}”"
            )


def _bert(spec: Any, parts: Templates) -> Templates:
    first, last = _id(spec["cls"][1]), _id(spec["sep"][1])
    return [[first, *parts[0], last], *([*part, last] for part in parts[1:])]


def _roberta(spec: Any, parts: Templates) -> Templates:
    first, last = _id(spec["cls"][1]), _id(spec["sep"][1])
    return [[first, *parts[0], last], *([last, *part, last] for part in parts[1:])]


def _byte_level(spec: Any, parts: Templates) -> Templates:
    """ByteLevel only changes offsets."""
    return parts


PROCESSORS: dict[str, Callable[[Any, Templates], Templates]] = {
    "TemplateProcessing": _template,
    "BertProcessing": _bert,
    "RobertaProcessing": _roberta,
    "ByteLevel": _byte_level,
}


def _id(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ComponentError(f"has a post-processor with an invalid id: {quoted(repr(value))}")
    return value
