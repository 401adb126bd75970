"""What a file of Hugging Face's `tokenizers` says besides its tokens: how text becomes pieces, and tokens.

Source: https://github.com/huggingface/tokenizers, version 0.23.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from guiapp.core.hugging_face.decoders import Decoder
    from guiapp.core.hugging_face.normalizers import Normalizer
    from guiapp.core.hugging_face.pre_tokenizers import PreTokenizer


class AddedToken(NamedTuple):
    """A token that is cut out of a text before the model sees it.

    content      its text
    searched     the text that is looked for: normalised, where normalised text is searched
    single_word  only where neither neighbour is a letter, digit or underscore
    lstrip       takes the white space before it along; rstrip what is behind it
    normalized   searched for in the normalised text, as its own text is normalised
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
    unknown          the token for what the model does not know; None: such text has no token
    continuing_prefix, end_suffix   what tokens begin with that do not begin a piece, or end with that end one
    fuses_unknown    unknown characters side by side are one token
    byte_fallback    unknown characters are written as tokens such as <0x0A>, if their bytes all have one
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

    in_model  bool[n]: the model's tokens; the others are added ones, and ids that stand for nothing
    before, after  ids that `add_special` puts around a text
    spelling  how tokens are spelled, for looking at them: one of the numbers of `native.spell_out`
    merges_bytes  the model merges bytes, each spelled as a character, and all bytes of UTF-8 are tokens
    scores    float64[n]: as the file has them, 0 where the model has none
    readings  how else libraries read the file, by names to choose from: when they do, as a sentence
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
    readings: Mapping[str, str] = field(default_factory=dict)
