"""Small BPE and SPM vocabularies for tests, made from lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from guiapp.core.split.pre_tokenizers import GPT2, NEWLINES
from guiapp.core.vocab.byte_alphabet import spell
from guiapp.core.vocab.vocabulary import Rules, SpecialIds, VocabType, Vocabulary

BYTE_TOKENS = [spell(bytes([byte])) for byte in range(256)]
RULES_OF_GEMMA_4 = Rules(escape_spaces=True, ignore_newline_merges=True)
HEX_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]


def byte_level(merges: Sequence[str], tokens: Sequence[str] = BYTE_TOKENS, **changes: object) -> Vocabulary:
    """A GPT-2 vocabulary: 256 byte tokens and what the merges make, unless other tokens are given."""
    made = [merge.replace(" ", "") for merge in merges]
    texts = list(dict.fromkeys([*tokens, *made])) if tokens is BYTE_TOKENS else tokens
    return _vocabulary(texts, merges, **{"rules": Rules(byte_encoding=True), "patterns": (GPT2,), **changes})


def character_level(merges: Sequence[str], tokens: Sequence[str], **changes: object) -> Vocabulary:
    """A Gemma 4 vocabulary: merges start from characters, spaces are U+2581."""
    return _vocabulary(tokens, merges, **{"rules": RULES_OF_GEMMA_4, "patterns": (NEWLINES,), **changes})


def sentence_piece(scores: Mapping[str, float], **changes: object) -> Vocabulary:
    """An SPM vocabulary whose token 0 is the unknown token."""
    texts = list(scores)
    made = _vocabulary(
        texts, [], rules=Rules(escape_spaces=True, add_space_prefix=True), special_ids=SpecialIds(unk=0)
    )
    return replace(made, type=VocabType.SPM, scores=np.array([*scores.values()], np.float32), **changes)


def _vocabulary(texts: Sequence[str], merges: Sequence[str], **changes: object) -> Vocabulary:
    token_data, token_offsets = _packed(texts)
    merge_data, merge_offsets = _packed(merges)
    vocabulary = Vocabulary(
        path=None,
        name="toy",
        architecture="",
        type=VocabType.BPE,
        model="gpt2",
        pre="",
        patterns=(),
        token_data=token_data,
        token_offsets=token_offsets,
        scores=np.zeros(len(texts), np.float32),
        attributes=np.full(len(texts), 4, np.uint16),
        stored_types=np.ones(len(texts), np.int32),
        merge_data=merge_data,
        merge_offsets=merge_offsets,
        charsmap=np.empty(0, np.uint8),
        special_ids=SpecialIds(),
        rules=Rules(),
        eog=frozenset(),
    )
    return replace(vocabulary, **changes)  # type: ignore[arg-type]


def _packed(texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    encoded = [text.encode() for text in texts]
    data = np.frombuffer(bytearray(b"".join(encoded)), np.uint8)
    return data, np.cumsum([0, *map(len, encoded)], dtype=np.int64)
