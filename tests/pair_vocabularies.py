"""Small BPE and SPM vocabularies for tests, made from lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from toy_vocabulary import listed_vocabulary

from guiapp.core.pretokenize.pre_tokenizers import GPT2, NEWLINES
from guiapp.core.vocabulary.byte_alphabet import spell
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary

BYTE_TOKENS = [spell(bytes([byte])) for byte in range(256)]
RULES_OF_GEMMA_4 = Rules(escape_spaces=True, ignore_newline_merges=True)
HOSTILE_BITS = [*map(str.encode, "aabc \né▁"), b"\xe2", b"\x96", b"\xc3", b"\xf0", b"\xff"]
HEX_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level(merges: Sequence[str], tokens: Sequence[str] = BYTE_TOKENS, **changes: object) -> Vocabulary:
    """A GPT-2 vocabulary: 256 byte tokens and the results of the merges, unless tokens are given."""
    made = [merge.replace(" ", "") for merge in merges]
    texts = list(dict.fromkeys([*tokens, *made])) if tokens is BYTE_TOKENS else tokens
    return listed_vocabulary(
        texts, merges, **{"rules": Rules(byte_encoding=True), "patterns": (GPT2,), **changes}
    )


def character_level(merges: Sequence[str], tokens: Sequence[str], **changes: object) -> Vocabulary:
    """A Gemma 4 vocabulary: merges start from characters, spaces are U+2581."""
    return listed_vocabulary(
        tokens, merges, **{"rules": RULES_OF_GEMMA_4, "patterns": (NEWLINES,), **changes}
    )


def sentence_piece(scores: Mapping[str, float], **changes: object) -> Vocabulary:
    """An SPM vocabulary whose token 0 is the unknown token."""
    texts = list(scores)
    made = listed_vocabulary(
        texts, [], rules=Rules(escape_spaces=True, add_space_prefix=True), special_ids=SpecialIds(unk=0)
    )
    return replace(made, type=VocabType.SPM, scores=np.array([*scores.values()], np.float32), **changes)
