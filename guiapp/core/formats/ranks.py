"""Vocabularies that are lists of byte strings by rank, merged as in tiktoken.

Two neighbours merge if their bytes together are a token, the lowest rank first; a piece that is a token
stays whole.  Source: https://github.com/openai/tiktoken, src/lib.rs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.formats import checks
from guiapp.core.formats.file_bytes import WholeFile
from guiapp.core.pretokenize.pre_tokenizers import (
    LINE_ENDS,
    LOWER_CATEGORIES,
    PRE_TOKENIZERS,
    SPACES,
    SYMBOLS,
    SYMBOLS_AND_SLASHES,
    UPPER_CATEGORIES,
    WORD,
    Pattern,
    cased,
)
from guiapp.core.pretokenize.splitter import splitter_of
from guiapp.core.pretokenize.unicode_patterns import PatternError
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.vocabulary.attributes import ATTRIBUTE_OF_TYPE, CONTROL_TYPE, NORMAL_TYPE, UNUSED_TYPE
from guiapp.core.vocabulary.opening import SPECIAL, TOKENS, FileNote, Opening
from guiapp.core.vocabulary.special_ids import RoleFinder
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds, VocabType, Vocabulary
from guiapp.native.model_files import Packed, StringTable, packed, spell_bytes, take_texts

MOST_TOKENS = 1 << 22
MOST_UNUSED = 1 << 16  # unused ids between tokens
TEXTS_OF_ROLE = {
    "eos": ("</s>", "<|end_of_text|>", "[EOS]"),
    "unk": ("<unk>", "[UNK]"),
    "pad": ("<pad>", "<|finetune_right_pad_id|>", "<|finetune_right_pad|>", "[PAD]"),
}
"""The texts by which the models' own code (mistral-common, Llama, Kimi) finds the token of each role."""


class RankFile(NamedTuple):
    """The contents of a file of ranks, and what is known about the file from elsewhere.

    texts     the bytes of each token, packed, in any order; an empty token never matches
    ids       int64[n]  their ids, in the order of their ranks
    special   ids of the tokens that take no part in merging, by text
    pre       the name of the pattern
    bos       the text of the token added before a text, "" for none
    roles     texts of the tokens of other roles, if known
    composes  whether the characters of a text are composed first (NFC)
    """

    texts: Packed
    ids: NDArray[np.int64]
    special: Mapping[str, int]
    pre: str
    patterns: tuple[Pattern, ...]
    name: str
    bos: str = ""
    chosen_pre: str = ""
    model: str = "tiktoken"
    warnings: tuple[FileNote, ...] = ()
    metadata: Mapping[str, object] = {}
    roles: Mapping[str, str] = {}
    composes: bool = False
    readings: Mapping[str, str] = {}


def vocabulary_of(file: WholeFile, ranks: RankFile, opening: Opening) -> Vocabulary:
    """Raises VocabError if ids collide or are too far apart, texts repeat, or the pattern is unsupported."""
    opening.begin(TOKENS)
    has_empty = bool((np.diff(ranks.texts[1]) == 0).any())
    if "" in ranks.special or (has_empty and ranks.model != "tiktoken"):  # Whisper's file has an empty token
        raise file.error("has an empty token")
    _check_patterns(file, ranks.patterns)
    special = np.array([*ranks.special.values()], np.int64)
    n_tokens = check_ids(file, np.concatenate([ranks.ids, special]))
    types = np.full(n_tokens, UNUSED_TYPE, np.int32)
    types[ranks.ids] = NORMAL_TYPE
    types[special] = CONTROL_TYPE
    table = StringTable(*_all_texts(ranks, n_tokens))
    checks.check_unique(file, table)
    attributes = ATTRIBUTE_OF_TYPE[types]
    opening.begin(SPECIAL)
    rules = Rules(
        add_bos=bool(ranks.bos),
        ignore_merges=True,
        merges_all_pairs=True,
        byte_encoding=True,
        composes=ranks.composes,
    )
    roles = RoleFinder(table, attributes.copy(), _special_ids(ranks))
    roles.detect()
    roles.collect_ends()
    return Vocabulary(
        path=file.path,
        name=ranks.name,
        type=VocabType.BPE,
        model=ranks.model,
        pre=ranks.pre,
        patterns=ranks.patterns,
        chosen_pre=ranks.chosen_pre,
        token_data=table.data,
        token_offsets=table.offsets,
        scores=np.zeros(n_tokens, np.float32),
        attributes=attributes,
        stored_types=types,
        special_ids=_outside_merging(roles.ids, ranks),
        rules=rules,
        eog=frozenset(roles.eog).intersection(ranks.special.values()),
        token_table=table,
        warnings=(*ranks.warnings, *checks.missing_byte_warnings(VocabType.BPE, rules, table)),
        metadata=ranks.metadata,
        readings=ranks.readings,
        library="tiktoken",
    )


def _special_ids(ranks: RankFile) -> SpecialIds:
    named = {role: (text,) for role, text in ranks.roles.items()}
    texts = {**TEXTS_OF_ROLE, **named, **({"bos": (ranks.bos,)} if ranks.bos else {})}
    matches = {
        role: [ranks.special[text] for text in given if text in ranks.special]
        for role, given in texts.items()
    }
    return SpecialIds(**{role: ids[0] for role, ids in matches.items() if ids})


def _outside_merging(ids: SpecialIds, ranks: RankFile) -> SpecialIds:
    """Remove the ids of normal tokens whose texts resemble those of special tokens."""
    special = set(ranks.special.values())
    return replace(ids, **{role: None for role, matches in asdict(ids).items() if matches not in special})


def _check_patterns(file: WholeFile, patterns: tuple[Pattern, ...]) -> None:
    try:
        splitter_of(patterns)
    except PatternError as error:
        raise file.error(
            f"splits text by an unsupported pattern: {quoted(str(error))}",
            "Choose another file, or update Tokenloupe.",
        ) from error


def check_ids(file: WholeFile, ids: NDArray[np.int64]) -> int:
    """One more than the highest id.  Raises VocabError if ids collide or are too far apart."""
    if not len(ids):
        raise file.error("has no tokens", code="tokens_missing")
    if (lowest := int(ids.min())) < 0:
        raise file.error(f"has a token with the id {lowest:,}")
    highest = int(ids.max())
    if highest >= min(MOST_TOKENS, len(ids) + MOST_UNUSED):
        raise file.error(f"has {counted(len(ids), 'token')}, but one has the id {highest:,}")
    counts = np.bincount(ids)
    if (counts > 1).any():
        raise file.error(f"has two tokens with the id {int(np.argmax(counts > 1)):,}")
    return highest + 1


def in_order(texts: Packed, ids: NDArray[np.int64]) -> Packed:
    """Packed texts, sorted by their ids."""
    return texts if (ids[:-1] < ids[1:]).all() else take_texts(texts, np.argsort(ids))


def _all_texts(ranks: RankFile, n_tokens: int) -> Packed:
    """The texts of all ids as in converted files: bytes in GPT-2's alphabet, names for all other ids."""
    is_named = np.ones(n_tokens, np.bool_)
    is_named[ranks.ids] = False
    named = {row: b"[PAD%d]" % row for row in np.flatnonzero(is_named).tolist()}
    named |= {token_id: text.encode("utf-8", "surrogatepass") for text, token_id in ranks.special.items()}
    (data, offsets), (names, name_offsets) = spell_bytes(ranks.texts), packed([*named.values()])
    texts = np.concatenate([data, names]), np.concatenate([offsets, offsets[-1] + name_offsets[1:]])
    return in_order(texts, np.concatenate([ranks.ids, np.fromiter(named, np.int64, len(named))]))


def _any_of(*options: str) -> Pattern:
    return Pattern("|".join(options), "unicode")


CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
R50K = _any_of(r"'(?:[sdmt]|ll|ve|re)", r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+", SPACES)
CL100K = _any_of(CONTRACTION, WORD, r"\p{N}{1,3}", SYMBOLS, LINE_ENDS, SPACES)
CASED_WORDS = cased(UPPER_CATEGORIES, LOWER_CATEGORIES, f"{CONTRACTION}?")
O200K = _any_of(*CASED_WORDS, r"\p{N}{1,3}", SYMBOLS_AND_SLASHES, LINE_ENDS, SPACES)
TEKKEN = _any_of(
    *cased(UPPER_CATEGORIES, LOWER_CATEGORIES, ""), r"\p{N}", SYMBOLS_AND_SLASHES, LINE_ENDS, SPACES
)
NOT_HAN = r"&&[^\p{Han}]]"
KIMI_WORDS = cased(UPPER_CATEGORIES[:-1] + NOT_HAN, LOWER_CATEGORIES[:-1] + NOT_HAN, f"{CONTRACTION}?")
KIMI = Pattern("|".join((r"\p{Han}+", *KIMI_WORDS, r"\p{N}{1,3}", SYMBOLS, LINE_ENDS, SPACES)), "oniguruma")
QWEN = _any_of(CONTRACTION, WORD, r"\p{N}", SYMBOLS, LINE_ENDS, SPACES)

RANK_PATTERNS = {
    "cl100k_base": CL100K,
    "kimi": KIMI,
    "llama-3": CL100K,
    "o200k_base": O200K,
    "qwen": QWEN,
    "r50k_base": R50K,
}
"""By the names of the vocabularies with which they were published."""


def patterns_of(name: str) -> tuple[Pattern, ...] | None:
    """The patterns of a published vocabulary, else llama.cpp's patterns of this name; None for neither."""
    if name in RANK_PATTERNS:
        return (RANK_PATTERNS[name],)
    return PRE_TOKENIZERS[name].patterns if name in PRE_TOKENIZERS else None
