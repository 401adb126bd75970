"""Vocabularies in memory, small enough to merge by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from guiapp.core.pretokenize.pre_tokenizers import PRE_TOKENIZERS
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary
from guiapp.native.model_files import packed


def toy_vocabulary(
    tokens: Mapping[str | bytes, float | Attribute],
    vocab_type: VocabType = VocabType.SPM,
    merges: Iterable[str] = (),
    rules: Rules | None = None,
    special_ids: SpecialIds | None = None,
    eog: Iterable[int] = (),
) -> Vocabulary:
    """A vocabulary; `tokens` maps raw texts to scores, or to attributes of tokens that are not normal."""
    is_special = [isinstance(value, Attribute) for value in tokens.values()]
    pairs = list(zip(is_special, tokens.values(), strict=True))
    attributes = [int(value) if special else Attribute.NORMAL for special, value in pairs]
    is_bpe = vocab_type is VocabType.BPE
    return listed_vocabulary(
        tokens,
        merges,
        type=vocab_type,
        model="gpt2" if is_bpe else "llama",
        pre="llama-bpe" if is_bpe else "",
        patterns=PRE_TOKENIZERS["llama-bpe"].patterns if is_bpe else (),
        scores=np.array([0 if special else value for special, value in pairs], np.float32),
        attributes=np.array(attributes, np.uint16),
        special_ids=special_ids or SpecialIds(),
        rules=rules or Rules(byte_encoding=is_bpe, escape_spaces=not is_bpe),
        eog=frozenset(eog),
    )


def listed_vocabulary(
    tokens: Iterable[str | bytes], merges: Iterable[str] = (), **changes: object
) -> Vocabulary:
    """A vocabulary of normal BPE tokens without scores, rules and special ids, except for `changes`."""
    token_data, token_offsets = packed(list(map(_as_bytes, tokens)))
    merge_data, merge_offsets = packed(list(map(_as_bytes, merges)))
    n_tokens = len(token_offsets) - 1
    vocabulary = Vocabulary(
        path=None,
        name="toy",
        type=VocabType.BPE,
        model="gpt2",
        token_data=token_data,
        token_offsets=token_offsets,
        scores=np.zeros(n_tokens, np.float32),
        attributes=np.full(n_tokens, Attribute.NORMAL, np.uint16),
        stored_types=np.ones(n_tokens, np.int32),
        merge_data=merge_data,
        merge_offsets=merge_offsets,
        special_ids=SpecialIds(),
        rules=Rules(),
        eog=frozenset(),
    )
    return replace(vocabulary, **changes)  # type: ignore[arg-type]


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
