"""GGUF: read the vocabulary in a model file, in the same order as llama.cpp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats import checks
from guiapp.core.formats.checks import PreChoice, pre_choice, warnings_about
from guiapp.core.formats.file_bytes import BytesInMemory, HeaderBytes
from guiapp.core.formats.gguf_reader import (
    VocabKeys,
    check_tensor_infos,
    first_part,
    read_header,
    split_refusals,
    tensor_infos,
)
from guiapp.core.pretokenize.pre_tokenizers import LlamaPreTokenizer
from guiapp.core.text.charsmap import LONGEST_KEY, open_charsmap
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.attributes import ATTRIBUTE_OF_TYPE
from guiapp.core.vocabulary.opening import (
    CHARACTERS,
    MERGES,
    METADATA,
    SPECIAL,
    TENSORS,
    TOKENS,
    FileNote,
    Opening,
)
from guiapp.core.vocabulary.special_ids import (
    ARCHITECTURES,
    IDS_OF_MODEL,
    MODELS_WITHOUT_VOCABULARY,
    TYPE_OF_MODEL,
    RoleFinder,
    default_rules,
)
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary
from guiapp.native.checkpoint import checkpoint
from guiapp.native.model_files import StringTable, count_unsplittable

MOST_TOKENS = 1 << 22  # sixteen times as many as in any model; each takes time to open
MOST_TOKEN_BYTES = 1 << 28
MOST_MERGES = 1 << 22  # eight times as many as in any model
MOST_CHARSMAP_BYTES = 1 << 24  # sixty times as many as in any model
LONGEST_NAME = 1 << 12
LONG_KEYS = FileNote(
    "character_map_long",
    f"Only the first {LONGEST_KEY:,} bytes of each key in the character map are compared: texts that contain "
    "a longer key may get other ids than in llama.cpp.",
)

LOADED_EMPTY = (VocabType.BPE, VocabType.SPM, VocabType.RWKV)  # llama.cpp loads these without any token

SCORES = "tokenizer.ggml.scores"
EMBEDDING = b"token_embd.weight"
MAGICS = (b"GGUF", b"FUGG")


def sniff(head: bytes) -> bool:
    """Whether a file that begins with `head` is a GGUF, of either byte order."""
    return head.startswith(MAGICS)


def read(path: Path, opening: Opening, pre: str | None) -> Vocabulary:
    """Read only the header, whatever the size of the model; `pre` replaces tokenizer.ggml.pre (BPE only).

    Raises VocabError for every file without a usable vocabulary.
    """
    source = HeaderBytes(path, opening.read_header, opening.whole_bytes)
    try:
        return _read(path, source, opening, pre)
    finally:
        source.close()


def read_converted(path: Path, data: bytes, opening: Opening) -> Vocabulary:
    """Read a GGUF in memory that was converted from the file at `path`."""
    return _read(path, BytesInMemory(f"{quoted(path.name)}, converted to GGUF,", data), opening, None)


def check_front(path: Path, whole_bytes: int) -> None:
    """Raises MoreNeededError if more of the file must be fetched to read it, VocabError if it is broken."""
    source = HeaderBytes(path, lambda _share: checkpoint(), whole_bytes)
    try:
        check_tensor_infos(source, read_header(source))
    finally:
        source.close()


def embedding_rows(path: Path) -> int | None:
    """The number of ids that have an embedding in the model; None if the file contains no embeddings.

    Raises VocabError for a file that cannot be read.
    """
    source = HeaderBytes(path, lambda _share: checkpoint())
    try:
        info = tensor_infos(source, read_header(source), (EMBEDDING,)).get(EMBEDDING)
    finally:
        source.close()
    return info.shape[-1] if info and info.shape else None


def _read(path: Path, source: HeaderBytes, opening: Opening, pre: str | None) -> Vocabulary:
    header = read_header(source)
    opening.begin(TENSORS)
    warnings = check_tensor_infos(source, header)
    opening.begin(METADATA)
    keys = VocabKeys(source, header.fields)
    count = keys.optional_count("split.count", "uint16")
    number = keys.needed_count("split.no", "uint16") if count > 1 else 0
    keys.optional_count("general.file_type", "uint32")  # read because llama.cpp refuses another type
    model = _model(keys, path, number)
    keys.refusals += split_refusals(path, number, count)
    vocabulary = _build(path, keys, model, pre_choice(keys, model, TYPE_OF_MODEL[model], pre), opening)
    warnings += keys.warnings + list(vocabulary.warnings) + list(vocabulary.refusals)
    return replace(vocabulary, warnings=tuple(dict.fromkeys(warnings)))


def _model(keys: VocabKeys, path: Path, part: int) -> str:
    """The value of `tokenizer.ggml.model`, if it is known and has a vocabulary.  Raises VocabError."""
    value = keys.scalar("tokenizer.ggml.model", "string")
    if value is None and part:
        first = quoted(first_part(path) or "the file with -00001-of- in its name", 200)
        raise keys.error(
            f"is part {part + 1} of a split model and does not contain the vocabulary",
            f"Open part 1: {first}.",
        )
    if value is None:
        raise keys.error(
            "has no tokenizer (key tokenizer.ggml.model)", "Choose a file that includes its tokenizer."
        )
    model: str = value.decode("utf-8", "backslashreplace")
    if model in MODELS_WITHOUT_VOCABULARY:
        raise keys.error(
            f"has no vocabulary: its tokenizer.ggml.model is {model}", "Choose a language model."
        )
    if model not in TYPE_OF_MODEL:
        raise keys.error(
            f"has an unknown tokenizer type: tokenizer.ggml.model is {quoted(model)!r}",
            f"Known types: {', '.join(TYPE_OF_MODEL)}.",
        )
    return model


def _build(path: Path, keys: VocabKeys, model: str, choice: PreChoice, opening: Opening) -> Vocabulary:
    kind, pre = TYPE_OF_MODEL[model], choice.meaning
    warnings = warnings_about(choice)
    architecture = _architecture(keys)
    name = _shown(keys, "general.name")
    rules = default_rules(kind, pre)
    opening.begin(MERGES)
    merge_data, merge_offsets = _merges(keys, kind, choice.in_use, warnings)
    opening.begin(CHARACTERS)
    charsmap, deviation = _charsmap(keys, kind, warnings)
    rules = _with_space_keys(keys, rules)
    opening.begin(TOKENS)
    table = _tokens(keys, kind, warnings)
    n_tokens = len(table.offsets) - 1
    scores = _per_token(keys, SCORES, n_tokens, "float32", "int32").astype(np.float32, copy=False)
    checkpoint()
    scores[np.isnan(scores)] = np.nan  # a signalling NaN would cause a warning at each use
    stored_types = _per_token(keys, "tokenizer.ggml.token_type", n_tokens, "int32", default=1)
    checkpoint()
    attributes = _attributes(stored_types)
    opening.begin(SPECIAL)
    warnings += checks.check_byte_tokens(keys, kind, table, attributes)
    special = RoleFinder(table, attributes, _default_ids(model, pre))
    special.read_keys(lambda key: keys.scalar(f"tokenizer.ggml.{key}", "uint32"))
    rules = _with_remaining_keys(keys, rules, model, pre)
    special.detect()
    special.mark_unused()
    special.collect_ends()
    special.patch_model(choice.in_use, architecture, name)
    warnings += special.warnings + checks.missing_byte_warnings(kind, rules, table)
    return Vocabulary(
        path=path,
        name=name or path.stem,
        architecture=architecture,
        type=kind,
        model=model,
        pre=choice.named,
        patterns=pre.patterns if pre else (),
        chosen_pre=choice.chosen,
        token_data=table.data,
        token_offsets=table.offsets,
        scores=scores,
        attributes=attributes,
        stored_types=stored_types,
        merge_data=merge_data,
        merge_offsets=merge_offsets,
        charsmap=charsmap,
        special_ids=special.ids,
        rules=rules,
        eog=frozenset(special.eog),
        token_table=table,
        warnings=tuple(warnings),
        refusals=tuple(dict.fromkeys(keys.refusals + special.refusals)),
        deviation=deviation,
        metadata=keys.metadata(),
    )


def _shown(keys: VocabKeys, key: str) -> str:
    return (keys.optional_string(key) or b"")[:LONGEST_NAME].decode("utf-8", "backslashreplace")


def _architecture(keys: VocabKeys) -> str:
    name = _shown(keys, "general.architecture")
    if not name:
        message = "The file does not name its architecture (key general.architecture)."
        keys.refusals.append(FileNote("architecture_missing", message))
    elif name not in ARCHITECTURES.split():
        message = f"llama.cpp does not know the architecture {quoted(name)!r}."
        keys.refusals.append(FileNote("architecture_unknown", message))
    return name


def _merges(
    keys: VocabKeys, kind: VocabType, pre_name: str, warnings: list[FileNote]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    stored = keys.strings("tokenizer.ggml.merges") if kind is VocabType.BPE else None
    if stored is None:
        if kind is VocabType.BPE and pre_name != "kimi-k2":
            raise keys.error(
                "has no merge rules (key tokenizer.ggml.merges)",
                "Choose a model file that includes its tokenizer.",
                "merges_missing",
            )
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    data, offsets, _ = stored
    if len(offsets) - 1 > MOST_MERGES:
        raise keys.error(f"has {len(offsets) - 1:,} merge rules", f"The limit is {MOST_MERGES:,}.")
    if len(offsets) == 1:
        message = "The list of merge rules is empty: every character becomes its own token."
        warnings.append(FileNote("merges_missing", message))
    elif n_broken := count_unsplittable(data, offsets):
        do, have = ("rule does", "it has") if n_broken == 1 else ("rules do", "they have")
        message = f"{n_broken:,} merge {do} not consist of two texts and a space; {have} no effect."
        warnings.append(FileNote("merge_broken", message))
    return data, offsets


def _charsmap(keys: VocabKeys, kind: VocabType, warnings: list[FileNote]) -> tuple[NDArray[np.uint8], str]:
    """The character map, and a note if Tokenloupe applies it differently from llama.cpp."""
    if kind is not VocabType.UGM:
        return np.empty(0, np.uint8), ""
    stored = keys.numbers("tokenizer.ggml.precompiled_charsmap", "uint8", "int8")
    if stored is None:
        return np.empty(0, np.uint8), ""
    data = stored.view(np.uint8)
    try:
        if not 0 < len(data) <= MOST_CHARSMAP_BYTES:
            raise ValueError(f"is {len(data):,} bytes long")
        charsmap = open_charsmap(data)
    except ValueError as fault:
        what = f"has a tokenizer.ggml.precompiled_charsmap that {fault}"
        raise keys.error(what, code="character_map_broken") from fault
    if charsmap.damage:
        message = f"The character map {charsmap.damage}: llama.cpp fails on texts that use this part of it."
        warnings.append(FileNote("character_map_broken", message))
    if not charsmap.has_long_keys:
        return data, ""
    warnings.append(LONG_KEYS)
    return data, LONG_KEYS


def _tokens(keys: VocabKeys, kind: VocabType, warnings: list[FileNote]) -> StringTable:
    stored = keys.strings("tokenizer.ggml.tokens", name_empty=True)
    if stored is None or (len(stored[1]) == 1 and kind not in LOADED_EMPTY):
        what = "has no tokens" if stored is None else "has an empty list of tokens"
        raise keys.error(
            f"{what} (key tokenizer.ggml.tokens)",
            "Choose a model file that includes its tokenizer.",
            "tokens_missing",
        )
    if len(stored[1]) == 1:
        warnings.append(FileNote("tokens_missing", "The list of tokens is empty: no text gets an id."))
    data, offsets, n_odd = stored
    if len(offsets) - 1 > MOST_TOKENS:
        raise keys.error(f"has {len(offsets) - 1:,} tokens", f"The limit is {MOST_TOKENS:,}.")
    if len(data) > MOST_TOKEN_BYTES:
        raise keys.error(
            f"has tokens with a total of {len(data):,} bytes", f"The limit is {MOST_TOKEN_BYTES:,}."
        )
    if n_odd:
        are = "token is" if n_odd == 1 else "tokens are"
        message = f"{n_odd:,} {are} empty (and named [EMPTY_<id>]) or cut at a NUL byte."
        warnings.append(FileNote("token_empty", message))
    table = StringTable(data, offsets)
    checks.check_unique(keys, table)
    return table


def _per_token(keys: VocabKeys, key: str, n_tokens: int, *kinds: str, default: int = 0) -> NDArray[np.int32]:
    """One number for each token; extra values are ignored, missing values are an error."""
    values = keys.numbers(key, *kinds)
    if values is None:
        return np.full(n_tokens, default, np.int32)
    if len(values) < n_tokens:
        what = f"has {counted(len(values), 'value')} in {key} for {counted(n_tokens, 'token')}"
        raise keys.error(what, code="scores_short" if key == SCORES else "kinds_short", key=key)
    if len(values) > n_tokens:
        which = f"{counted(len(values), 'value')} for {counted(n_tokens, 'token')}"
        message = f"{key} has {which}: some tokens may be missing."
        keys.warnings.append(FileNote("values_left_over", message))
    return values[:n_tokens]


def _attributes(stored_types: NDArray[np.int32]) -> NDArray[np.uint16]:
    is_known = (stored_types >= 0) & (stored_types < len(ATTRIBUTE_OF_TYPE))
    attributes: NDArray[np.uint16] = ATTRIBUTE_OF_TYPE[np.where(is_known, stored_types, 0)]
    return attributes


def _default_ids(model: str, pre: LlamaPreTokenizer | None) -> SpecialIds:
    ids = IDS_OF_MODEL.get(model, SpecialIds())
    return ids if pre is None or pre.has_default_bos else replace(ids, bos=None)


def _with_space_keys(keys: VocabKeys, rules: Rules) -> Rules:
    prefix = keys.scalar("tokenizer.ggml.add_space_prefix", "bool")
    remove_extra = keys.scalar("tokenizer.ggml.remove_extra_whitespaces", "bool")
    return replace(
        rules,
        add_space_prefix=rules.add_space_prefix if prefix is None else prefix,
        remove_extra_whitespaces=bool(remove_extra),
    )


def _with_remaining_keys(keys: VocabKeys, rules: Rules, model: str, pre: LlamaPreTokenizer | None) -> Rules:
    for rule, key in (
        ("add_bos", "add_bos_token"),
        ("add_eos", "add_eos_token"),
        ("add_sep", "add_sep_token"),
    ):
        value = keys.scalar(f"tokenizer.ggml.{key}", "bool")
        if value is not None:
            rules = replace(rules, **{rule: value})
    if pre is not None and pre.forces_bos:
        rules = replace(rules, add_bos=True)
    lowercase = keys.scalar("tokenizer.ggml.normalizer.lowercase", "bool")
    strip_accents = keys.scalar("tokenizer.ggml.normalizer.strip_accents", "bool")
    if model in ("bert", "whitespace"):
        is_cased = pre is not None and pre.is_cased
        lowercase = not is_cased if lowercase is None else lowercase
        strip_accents = lowercase if strip_accents is None else strip_accents
        rules = replace(rules, lowercase=lowercase, strip_accents=strip_accents)
    keys.numbers("tokenizer.ggml.suppress_tokens", "int32")
    keys.scalar("tokenizer.ggml.token_type_count", "uint32")
    return rules
