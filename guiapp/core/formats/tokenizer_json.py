"""Hugging Face's tokenizer.json: tokens, merges, and every step that the library `tokenizers` applies.

Results equal those of that library with this file alone.  Sidecar files, which `transformers` reads, only
define roles of tokens.
Source: https://github.com/huggingface/tokenizers, tokenizers/src/tokenizer/serialization.rs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from guiapp.core.formats import json_parts as part
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.formats.model_sections import read_json_with_texts
from guiapp.core.formats.tokenizer_config import TRANSFORMERS, read_sidecars
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.vocabulary.opening import METADATA, Opening
from guiapp.core.vocabulary.vocabulary import Vocabulary

MISTRAL_TOKENS = {"[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[TOOL_CALLS]"}
MOST_BYTES = 1 << 26
MOST_LISTS = 1 << 22  # and objects: each takes memory, however short its text
KNOWN_KEY = re.compile(
    rb'"(?:truncation|padding|normalizer|pre_tokenizer|post_processor|decoder)"\s*:\s*(?:null|\{)'
    rb'|"added_tokens"\s*:\s*\['
)


def sniff(head: bytes) -> bool:
    """Whether the first bytes are JSON with a key that only such files have."""
    return head.lstrip().startswith(b"{") and KNOWN_KEY.search(head) is not None


def read(path: Path, opening: Opening, pre: str | None) -> Vocabulary:
    """Raises VocabError for a file that is damaged or has an unsupported component.

    `pre` is the name of one of `other_readings`.
    """
    from guiapp.core.formats.tokenizer_document import checked_layout, vocabulary_of

    file = WholeFile(path, opening)
    opening.begin(METADATA)
    content = _sections(file)
    with checked_layout(file):
        sidecars = read_sidecars(path)
        if pre == TRANSFORMERS:
            from guiapp.core.auto_tokenizer.vocabulary import of_tokenizer_json

            return of_tokenizer_json(file, content, sidecars, opening)
        readings = other_readings(content)
        if pre is not None and pre not in readings:
            names = (
                f"Open it without choosing one, or as {' or '.join(readings)}."
                if readings
                else "Open it without choosing one."
            )
            raise file.error(f"specifies how text is split, and not as “{quoted(pre)}”", names)
        if pre is not None:
            content |= readings[pre].sections
        vocabulary = vocabulary_of(file, content, sidecars, opening)
        reasons = {name: each.why for name, each in readings.items()}
        return replace(vocabulary, readings=sidecars.readings | reasons, chosen_pre=pre or "")


def _sections(file: WholeFile) -> dict[str, Any]:
    data = file.data
    if len(data) > MOST_BYTES:
        raise file.error(f"is {len(data):,} bytes long", f"The limit for such a file is {MOST_BYTES:,}.")
    if data.count(b"[") + data.count(b"{") > MOST_LISTS:
        raise file.error("has more than four million lists and objects")
    content = file.json_object(read_json_with_texts)
    if (version := content.get("version", "1.0")) != "1.0":
        raise file.error(f"has the unknown version {quoted(repr(version))}")
    return content


# Files that libraries read differently, depending on their version or settings


class Reading(NamedTuple):
    """An alternative reading of a file.

    sections  of tokenizer.json, which replace the file's own
    why       when a library reads the file like this, as a sentence
    """

    sections: Mapping[str, Any]
    why: str


def other_readings(content: Mapping[str, Any]) -> dict[str, Reading]:
    """The alternative readings of a file, by name."""
    return {**_tekken(content), **_prefix(content)}


def _tekken(content: Mapping[str, Any]) -> dict[str, Reading]:
    """The correct pattern for files converted from tekken.json, which used to get another model's pattern."""
    steps = _steps(content.get("pre_tokenizer"), "pretokenizers")
    contents = {
        token.get("content") for token in content.get("added_tokens") or [] if isinstance(token, dict)
    }
    kinds = [step.get("type") for step in steps]
    if not contents.issuperset(MISTRAL_TOKENS) or kinds != ["Split", "ByteLevel"]:
        return {}
    split = part.TEKKEN_SPLIT
    if steps[0].get("pattern") == split["pattern"]:
        return {}
    sections = {"pre_tokenizer": part.pre_tokenizers(split, steps[1])}
    why = "With fix_mistral_regex, transformers splits such text as Mistral's own tokenizer does."
    return {"tekken": Reading(sections, why)}


def _prefix(content: Mapping[str, Any]) -> dict[str, Reading]:
    """Llama's mark of a word start: at the start of each span between special tokens, or of the text only."""
    steps = _steps(content.get("normalizer"), "normalizers")
    pre_tokenizer = content.get("pre_tokenizer")
    mark_first = part.metaspace("first", False)
    if steps == [part.PREPENDS, part.MARKS] and pre_tokenizer is None:
        sections: dict[str, Any] = {"normalizer": None, "pre_tokenizer": mark_first}
        why = "Where a config turns “legacy” off, transformers gives only the start of a text a space."
        return {"llama-first": Reading(sections, why)}
    if not steps and pre_tokenizer == mark_first:
        sections = {"normalizer": part.normalizers(part.PREPENDS, part.MARKS), "pre_tokenizer": None}
        why = "With “legacy” on, transformers 4 gives text after special tokens a space, too."
        return {"llama-legacy": Reading(sections, why)}
    return {}


def _steps(spec: Any, key: str) -> list[Any]:
    """The components of a sequence, or a single component as a list."""
    if spec is None:
        return []
    steps = spec.get(key) if spec.get("type") == "Sequence" else [spec]
    return steps if isinstance(steps, list) and all(isinstance(step, dict) for step in steps) else []
