"""What a SentencePiece model asks for besides what vocabularies of other files have.

Source: sentencepiece_model.proto of https://github.com/google/sentencepiece.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SENTENCEPIECE = "sentencepiece"  # the library; its version 0.2.3 is the reference
EQUAL = (
    "Ids, spans and decoded text equal those of the library sentencepiece 0.2.3 for the same file; this is "
    "tested with random texts."
)


@dataclass(frozen=True, eq=False)
class TextRules:
    """How a text is changed before it is encoded, or when it was decoded.

    charsmap        uint8[…]  as the file has it; empty where there is none
    adds_space      around a text: in front of it, or behind it where `adds_at_end`
    removes_spaces  at both ends, and all but one of several
    marks_spaces    by U+2581
    """

    charsmap: NDArray[np.uint8]
    adds_space: bool = True
    removes_spaces: bool = True
    marks_spaces: bool = True
    adds_at_end: bool = False


@dataclass(frozen=True, eq=False)
class PieceRules:
    """The switches of a model.

    text                 what becomes of a text first
    merges               False where each character is encoded by itself
    has_byte_fallback    characters that no piece has become bytes; else unknown pieces, neighbours one
    unknown_surface      what the unknown piece is decoded to
    decoded              what becomes of decoded text, if anything
    equal_to             whose ids these are, and how that is known, as a sentence
    special_rule         who says whether BOS and EOS are added, as a sentence
    """

    text: TextRules
    merges: bool
    has_byte_fallback: bool
    unknown_surface: bytes = " ⁇ ".encode()
    decoded: TextRules | None = None
    equal_to: str = EQUAL
    special_rule: str = ""
