"""The pipelines that files describe in addition to tokens, for `tokenizers` and SentencePiece.

Source: https://github.com/huggingface/tokenizers, version 0.23, and sentencepiece_model.proto of
https://github.com/google/sentencepiece.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from guiapp.core.hugging_face.decoders import Decoder
    from guiapp.core.hugging_face.normalizers import Normalizer
    from guiapp.core.hugging_face.pre_tokenizers import PreTokenizer

SENTENCEPIECE = "sentencepiece"  # the library; version 0.2.3 is the reference
EQUAL = (
    "Ids, spans and decoded text equal those of the library sentencepiece 0.2.3 for the same file; this is "
    "tested with random texts."
)


class AddedToken(NamedTuple):
    """A token that is cut out of a text before the model sees it.

    content      its text
    searched     the text to search for: normalised, if normalised text is searched
    single_word  only if neither neighbour is a letter, digit or underscore
    lstrip       includes the white space before it; rstrip the white space after it
    normalized   searched for in the normalised text, with its own text normalised
    special      not searched for without `parse_special`, not written without `unparse_special`
    """

    token_id: int
    content: str
    searched: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = False


class ModelOptions(NamedTuple):
    """The switches of a model.

    kind             "BPE", "WordPiece", "Unigram" or "WordLevel"
    unknown          the token for unknown text; None: such text has no token
    continuing_prefix, end_suffix   of tokens that do not begin a piece, and of tokens that end one
    fuses_unknown    adjacent unknown characters are one token
    byte_fallback    unknown characters become tokens such as <0x0A>, if their bytes all have one
    ignore_merges    a piece that is a token is taken whole
    most_characters  of a piece; a longer one is unknown (WordPiece)
    """

    kind: str
    unknown: int | None = None
    continuing_prefix: str = ""
    end_suffix: str = ""
    fuses_unknown: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False
    most_characters: int = 100


@dataclass(frozen=True, eq=False)
class Parts:
    """The pipeline that such a file asks for.

    in_model  bool[n]: the model's tokens; the others are added ones, and unused ids
    before, after  ids that `add_special` adds around a text
    spelling  how to decode tokens for display: one of the numbers of `native.spell_out`
    merges_bytes  the model merges bytes, each spelled as a character, and all bytes of UTF-8 are tokens
    scores    float64[n]: as in the file, 0 if the model has none
    """

    model: ModelOptions
    in_model: NDArray[np.bool_]
    normalizer: Normalizer
    pre_tokenizer: PreTokenizer
    decoder: Decoder
    added_tokens: tuple[AddedToken, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    spelling: int
    normalizes_nothing: bool
    merges_bytes: bool
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TextRules:
    """How a text is changed before it is encoded, or after it is decoded.

    charsmap        uint8[…]  as in the file; empty if there is none
    adds_space      before a text, or after it if `adds_at_end`
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

    text                 changes of a text before encoding
    merges               False if each character is encoded by itself
    has_byte_fallback    characters without a piece become bytes; else unknown pieces, neighbours one
    unknown_surface      the decoded text of the unknown piece
    decoded              changes of decoded text, if any
    equal_to             the library with the same ids, and how that is verified, as a sentence
    special_rule         what decides whether BOS and EOS are added, as a sentence
    """

    text: TextRules
    merges: bool
    has_byte_fallback: bool
    unknown_surface: bytes = " ⁇ ".encode()
    decoded: TextRules | None = None
    equal_to: str = EQUAL
    special_rule: str = ""
