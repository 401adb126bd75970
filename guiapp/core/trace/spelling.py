"""How the steps of a trace write a token."""

from __future__ import annotations

import re

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.vocab.vocabulary import VocabType, Vocabulary


def written(vocabulary: Vocabulary, token_id: int, limit: int = 200) -> str:
    """As the file spells it, `Ġthe` or `▁the`; files that escape every letter are read for people first."""
    is_escaped = vocabulary.type is VocabType.RWKV
    text = vocabulary.token_bytes(token_id) if is_escaped else vocabulary.raw_text(token_id)
    return visible_text(text, limit)


def unquoted(text: str) -> str:
    is_quoted = len(text) >= 2 and text[0] == text[-1] == '"'
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if is_quoted else text


def is_hexadecimal(text: str) -> bool:
    return re.fullmatch(r"(?:0x[0-9A-Fa-f]{2}\s*)+", text) is not None
