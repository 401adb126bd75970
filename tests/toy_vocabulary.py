"""A vocabulary of a few tokens, small enough to merge by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from guiapp.core.split.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocab.attributes import Attribute
from guiapp.core.vocab.vocabulary import Rules, SpecialIds, VocabType, Vocabulary


def toy_vocabulary(
    tokens: Mapping[str | bytes, float | Attribute],
    vocab_type: VocabType = VocabType.SPM,
    merges: Iterable[str] = (),
    rules: Rules | None = None,
    special_ids: SpecialIds | None = None,
    eog: Iterable[int] = (),
) -> Vocabulary:
    """`tokens` maps raw texts to scores, or to attributes where they are not normal tokens."""
    is_special = [isinstance(value, Attribute) for value in tokens.values()]
    pairs = list(zip(is_special, tokens.values(), strict=True))
    token_data, token_offsets = _packed(tokens)
    merge_data, merge_offsets = _packed(merges)
    is_bpe = vocab_type is VocabType.BPE
    return Vocabulary(
        path=None,
        name="toy",
        architecture="",
        type=vocab_type,
        model="gpt2" if is_bpe else "llama",
        pre="llama-bpe" if is_bpe else "",
        patterns=PRE_TOKENIZERS["llama-bpe"].patterns if is_bpe else (),
        token_data=token_data,
        token_offsets=token_offsets,
        scores=np.array([0 if special else value for special, value in pairs], np.float32),
        attributes=np.array(
            [int(value) if special else Attribute.NORMAL for special, value in pairs], np.uint16
        ),
        stored_types=np.zeros(len(tokens), np.int32),
        merge_data=merge_data,
        merge_offsets=merge_offsets,
        charsmap=np.zeros(0, np.uint8),
        special_ids=special_ids or SpecialIds(),
        rules=rules or Rules(byte_encoding=is_bpe, escape_spaces=not is_bpe),
        eog=frozenset(eog),
    )


def _packed(texts: Iterable[str | bytes]) -> tuple[np.ndarray, np.ndarray]:
    data = [text.encode() if isinstance(text, str) else text for text in texts]
    offsets = np.cumsum([0, *map(len, data)], dtype=np.int64)
    return np.frombuffer(bytearray(b"".join(data)), np.uint8), offsets
