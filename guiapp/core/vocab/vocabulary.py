"""What a model knows about text: its tokens, their kinds and scores, and the rules of its tokenizer.

Loaded once, never changed.  Field names follow llama.cpp, whose behaviour they describe.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntFlag
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


class VocabType(Enum):
    """The tokenizer family; the value is the name that people know it by."""

    SPM = "SPM"
    BPE = "BPE"
    WPM = "WPM"
    UGM = "UGM"
    RWKV = "RWKV"
    PLAMO2 = "PLAMO2"
    TEST = "TEST"


class Attribute(IntFlag):
    """What a token is for, as bits that can combine."""

    UNKNOWN = 1
    UNUSED = 2
    NORMAL = 4
    CONTROL = 8
    USER_DEFINED = 16
    BYTE = 32
    NORMALIZED = 64
    LSTRIP = 128
    RSTRIP = 256
    SINGLE_WORD = 512


@dataclass(frozen=True)
class SpecialIds:
    """Token ids with a role, `None` where the vocabulary has none."""

    bos: int | None = None
    eos: int | None = None
    eot: int | None = None
    eom: int | None = None
    unk: int | None = None
    sep: int | None = None
    pad: int | None = None
    mask: int | None = None
    fim_pre: int | None = None
    fim_suf: int | None = None
    fim_mid: int | None = None
    fim_pad: int | None = None
    fim_rep: int | None = None
    fim_sep: int | None = None


@dataclass(frozen=True)
class Rules:
    """The switches of a tokenizer, after type, pre-tokenizer name and file have had their say."""

    add_bos: bool = False
    add_eos: bool = False
    add_sep: bool = False
    add_space_prefix: bool = False
    escape_spaces: bool = False  # replace every space by U+2581 before encoding
    clean_spaces: bool = False  # when detokenising
    ignore_merges: bool = False  # a piece that is a token is taken whole
    byte_encoding: bool = False  # token texts use GPT-2's printable stand-ins for bytes
    remove_extra_whitespaces: bool = False
    lowercase: bool = False
    strip_accents: bool = False


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The tokenizer part of one model file.

    token_data     uint8[…]     the raw texts of all tokens, one after another
    token_offsets  int64[n+1]   raw text of token i is token_data[token_offsets[i] : token_offsets[i+1]]
    scores         float32[n]   log-probabilities (SPM, UGM, PLAMO2), else 0
    attributes     uint16[n]    `Attribute` bits after all of llama.cpp's repairs
    stored_types   int32[n]     token_type as the file has it
    merge_data, merge_offsets   raw merge strings in rank order, laid out like the tokens (BPE only)
    charsmap       uint8[…]     precompiled_charsmap (UGM only), header included
    eog            ids that end a generation
    warnings       what was repaired or is odd, one sentence each
    metadata       scalar keys as Python values; arrays as a short description
    """

    path: Path | None
    name: str
    architecture: str
    type: VocabType
    model: str  # tokenizer.ggml.model
    pre: str  # tokenizer.ggml.pre, "" where missing
    pre_type: str  # e.g. "LLAMA3"; "" for types that have no pre-tokenizer
    token_data: NDArray[np.uint8]
    token_offsets: NDArray[np.int64]
    scores: NDArray[np.float32]
    attributes: NDArray[np.uint16]
    stored_types: NDArray[np.int32]
    merge_data: NDArray[np.uint8]
    merge_offsets: NDArray[np.int64]
    charsmap: NDArray[np.uint8]
    special_ids: SpecialIds
    rules: Rules
    eog: frozenset[int]
    warnings: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.token_offsets) - 1

    def raw_text(self, token_id: int) -> bytes:
        """The token's text as the file spells it (`Ġthe`, `▁the`, `<0x0A>`), as bytes."""
        start, end = self.token_offsets[token_id : token_id + 2]
        return self.token_data[start:end].tobytes()
