"""vocab.json and merges.txt: byte-level BPE like GPT-2's; the files do not specify how text is split.

As in `transformers`, the class of the tokenizer or the type of the model in the sidecar files decides.
Source: https://github.com/huggingface/transformers, convert_slow_tokenizer.py.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.formats import json_parts as part
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.json_parts import Part
from guiapp.core.formats.tokenizer_config import (
    SidecarFiles,
    Token,
    added_tokens,
    read_sidecars,
    role_tokens,
    with_ids,
    with_roles,
)
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_json
from guiapp.core.vocabulary.opening import METADATA, FileNote, Opening
from guiapp.core.vocabulary.vocabulary import MERGES_VERSION

MOST_TOKENS = 1 << 20
STRING = rb'"(?:[^"\\\0-\x1f]|\\.)*"'
FIRST_PAIRS = re.compile(rb"\s*\{(?:\s*" + STRING + rb"\s*:\s*[0-9]{1,9}\s*,){3}")
END_OF_TEXT, START_OF_TEXT = "<|endoftext|>", "<|startoftext|>"


class Family(NamedTuple):
    """What a class of `transformers` adds to tokens and merges.

    usual       the token of each role, unless the files specify another
    affixes     roles of the tokens added before and after each text
    normalizer, split, end_suffix, decoders   as in tokenizer.json; `decoders` follow the byte decoder
    note        for the user
    """

    usual: Mapping[str, Any]
    affixes: tuple[str, str] | None = None
    normalizer: Part | None = None
    split: Part | None = None
    end_suffix: str = ""
    decoders: tuple[Part, ...] = ()
    note: FileNote | None = None


GPT2 = Family(dict.fromkeys(("bos_token", "eos_token", "unk_token"), END_OF_TEXT))
ROBERTA = Family(
    {
        **dict.fromkeys(("bos_token", "cls_token"), "<s>"),
        **dict.fromkeys(("eos_token", "sep_token"), "</s>"),
        "unk_token": "<unk>",
        "pad_token": "<pad>",
        "mask_token": {"content": "<mask>", "lstrip": True, "normalized": True},
    },
    affixes=("cls_token", "sep_token"),
    note=FileNote(
        "versions_differ",
        "<mask> includes a space before it, as in transformers 4; in transformers 5 it does not.",
    ),
)
CLIP = Family(
    {**dict.fromkeys(("eos_token", "unk_token", "pad_token"), END_OF_TEXT), "bos_token": START_OF_TEXT},
    affixes=("bos_token", "eos_token"),
    normalizer=part.CLIP_NORMALIZER,
    split=part.CLIP_SPLIT,
    end_suffix="</w>",
    decoders=(part.replaced("</w>", " "), part.stripped(0, 1)),
)
QWEN = Family(
    dict.fromkeys(("eos_token", "unk_token", "pad_token"), END_OF_TEXT),
    normalizer=part.NFC,
    split=part.QWEN_SPLIT,
)
FAMILIES = {
    "gpt2": GPT2,
    "codegen": GPT2,
    **dict.fromkeys(("roberta", "bart", "longformer", "led"), ROBERTA),
    "clip": CLIP,
    "qwen2": QWEN,
}
"""By the tokenizer class without “Tokenizer”, or the model type, in lower case."""


def sniff(head: bytes) -> bool:
    """Whether a file begins like merge rules with a version, or like a JSON object of numbers."""
    return head.startswith(MERGES_VERSION) or FIRST_PAIRS.match(head) is not None


def document(path: Path, opening: Opening) -> tuple[WholeFile, dict[str, Any], SidecarFiles]:
    """The file of tokens, the equivalent tokenizer.json, and the sidecar files.

    `path` is either of the two files.  Raises VocabError if one is damaged or missing.
    """
    from guiapp.core.formats.tokenizer_document import checked_layout

    tokens, merges = _both(path, opening)
    opening.begin(METADATA)
    sidecars = read_sidecars(path)
    ids, rules = _ids(tokens), _merges(merges)
    with checked_layout(tokens):
        family, notes = _family(sidecars)
        roles = role_tokens(sidecars, family.usual)
        content = document_of(ids, rules, family, roles, sidecars)
        return tokens, content, with_roles(sidecars, roles, *notes)


def _family(sidecars: SidecarFiles) -> tuple[Family, tuple[FileNote, ...]]:
    """The family by tokenizer class, else by model type; GPT-2 with a note if neither is known."""
    message = sidecars.config.get("tokenizer_class") or sidecars.model.get("model_type") or ""
    name = str(message).removesuffix("Fast").removesuffix("Tokenizer")
    if name.lower() in FAMILIES:
        family = FAMILIES[name.lower()]
        return family, () if family.note is None else (family.note,)
    what = (
        f"name the unknown model family “{quoted(str(message), 60)}”"
        if message
        else "do not name a model family"
    )
    message = f"The files next to it {what}: text is split as in GPT-2."
    return GPT2, (FileNote("family_unknown", message),)


def _both(path: Path, opening: Opening) -> tuple[WholeFile, WholeFile]:
    """The file of tokens and the file of merges; `path` is one of them.  Raises VocabError."""
    given = WholeFile(path, opening)
    is_merges = given.data.startswith(MERGES_VERSION)
    swapped = ("merges", "vocab", ".txt", ".json") if is_merges else ("vocab", "merges", ".json", ".txt")
    name = path.name.replace(swapped[0], swapped[1]).replace(swapped[2], swapped[3])
    names = [name, "vocab.json", "encoder.json"] if is_merges else [name, "merges.txt", "vocab.bpe"]
    others = (path.with_name(each) for each in names if each != path.name)
    other = next((each for each in others if os.path.isfile(each)), None)  # Path.is_file may raise
    if other is None:
        what = "merge rules" if is_merges else "tokens"
        raise given.error(
            f"has only the {what} of a tokenizer, and there is no {names[1]} next to it",
            "Put both files into one folder.",
        )
    return (WholeFile(other, opening), given) if is_merges else (given, WholeFile(other, opening))


def _ids(file: WholeFile) -> dict[str, int]:
    """The id of each token.  Raises VocabError."""
    if file.data.count(b":") > 2 * MOST_TOKENS:
        raise file.error(f"has more than {MOST_TOKENS:,} tokens")
    return file.json_object(read_json)


def _merges(file: WholeFile) -> list[str]:
    """The lines: a version, then rules by rank, each two texts separated by a space.  Raises VocabError."""
    lines = file.text().replace("\r\n", "\n").split("\n")
    while lines and not lines[-1]:
        del lines[-1]
    return lines


def document_of(
    ids: dict[str, int], merges: list[str], family: Family, roles: dict[str, Token], sidecars: SidecarFiles
) -> dict[str, Any]:
    """The equivalent tokenizer.json."""
    added = added_tokens(sidecars, roles)
    prefixes = bool(sidecars.config.get("add_prefix_space")) and family.split is None
    split = part.byte_level(prefixes, family is not QWEN)
    unknown = roles.get("unk_token") if family.end_suffix else None
    return {
        "added_tokens": added,
        "normalizer": family.normalizer,
        "pre_tokenizer": part.pre_tokenizers(family.split, split) if family.split else split,
        "post_processor": _post_processor(family, roles, with_ids(added, ids), sidecars.config),
        "decoder": part.decoders(part.BYTE_LEVEL, *family.decoders) if family.decoders else part.BYTE_LEVEL,
        "model": {
            "type": "BPE",
            "vocab": ids,
            "merges": merges,
            "end_of_word_suffix": family.end_suffix,
            "continuing_subword_prefix": "",
            "fuse_unk": False,
            "unk_token": unknown["content"] if unknown else None,
        },
    }


def _post_processor(
    family: Family, roles: Mapping[str, Any], ids: Mapping[str, int], config: Mapping[str, Any]
) -> dict[str, Any] | None:
    if family.affixes:
        first, last = (roles[role]["content"] for role in family.affixes)
        return {"type": "BertProcessing", "cls": [first, ids[first]], "sep": [last, ids[last]]}
    first, last = (
        [roles[role]["content"]] if config.get(key) is True and role in roles else []
        for role, key in (("bos_token", "add_bos_token"), ("eos_token", "add_eos_token"))
    )
    return part.template([*first, None, *last], ids) if first or last else None
