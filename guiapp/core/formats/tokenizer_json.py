"""Hugging Face's tokenizer.json: tokens and merges, and all that its `tokenizers` library does with a text.

What equals that library is what it makes of this file alone.  Files beside it, which `transformers` reads,
say what tokens are for.
Source: https://github.com/huggingface/tokenizers, tokenizers/src/tokenizer/serialization.rs.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from guiapp.core.formats.json_texts import read_json_with_texts
from guiapp.core.formats.other_readings import other_readings
from guiapp.core.formats.tokenizer_config import read_beside
from guiapp.core.formats.whole_file import WholeFile
from guiapp.core.vocabulary.opening import METADATA, Opening
from guiapp.core.vocabulary.quoting import quoted
from guiapp.core.vocabulary.vocabulary import Vocabulary

MOST_BYTES = 1 << 26
MOST_LISTS = 1 << 22  # and objects: each takes memory, however short it is in the file
KNOWN_KEY = re.compile(
    rb'"(?:truncation|padding|normalizer|pre_tokenizer|post_processor|decoder)"\s*:\s*(?:null|\{)'
    rb'|"added_tokens"\s*:\s*\['
)


def sniff(head: bytes) -> bool:
    """Whether the first bytes are JSON with a key that only such files have."""
    return head.lstrip().startswith(b"{") and KNOWN_KEY.search(head) is not None


def read(path: Path, opening: Opening, pre: str | None) -> Vocabulary:
    """Raises VocabError for a file that is damaged, or has a part that is not known here.

    `pre` is the name of one of `other_readings`.
    """
    from guiapp.core.formats.tokenizer_document import checked_layout, vocabulary_of

    file = WholeFile(path, opening)
    opening.begin(METADATA)
    content = _sections(file)
    with checked_layout(file):
        readings = other_readings(content)
        if pre is not None and pre not in readings:
            names = (
                f"Open it without a name, or as {' or '.join(readings)}."
                if readings
                else "Open it without a name."
            )
            raise file.error(f"says itself how text is split, and not as “{quoted(pre)}”", names)
        if pre is not None:
            content |= readings[pre].sections
        vocabulary = vocabulary_of(file, content, read_beside(path), opening)
        reasons = {name: each.why for name, each in readings.items()}
        parts = replace(vocabulary.parts, readings=reasons) if vocabulary.parts else None
        return replace(vocabulary, parts=parts, chosen_pre=pre or "")


def _sections(file: WholeFile) -> dict[str, Any]:
    data = file.data
    if len(data) > MOST_BYTES:
        raise file.error(f"is {len(data):,} bytes long", f"At most {MOST_BYTES:,} are read of such a file.")
    if data.count(b"[") + data.count(b"{") > MOST_LISTS:
        raise file.error("holds more than four million lists and objects")
    try:
        content = read_json_with_texts(data)
    except ValueError as error:
        raise file.error(f"is broken JSON: {quoted(str(error))}") from error
    if not isinstance(content, dict):
        raise file.error("is no JSON object")
    if (version := content.get("version", "1.0")) != "1.0":
        raise file.error(f"has the version {quoted(repr(version))}, which is not known here")
    return content
