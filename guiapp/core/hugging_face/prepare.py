"""A fragment of text normalized and cut into pieces, aligned to the fragment."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.core.hugging_face.aligned import AlignedText, Offsets, aligned, with_whole_characters
from guiapp.core.hugging_face.normalizers import Normalizer
from guiapp.core.hugging_face.pieces import whole
from guiapp.core.hugging_face.pre_tokenizers import PreTokenizer
from guiapp.core.text.normalized import NormalizedText


class PreparedText(NamedTuple):
    """All pieces of a fragment side by side, and where each ends; what was removed is in none.

    ends  int64[n]; no piece is empty
    """

    normalized: NormalizedText
    ends: Offsets


def normalize(normalizer: Normalizer, fragment: bytes, is_first: bool) -> AlignedText:
    """A fragment, which must be UTF-8, normalized; `is_first`: it begins the whole text.

    Raises EncodeError where it would become far too long.
    """
    given = aligned(fragment, is_first)
    return with_whole_characters(normalizer.apply(given), given.data)


def pre_tokenize(pre_tokenizer: PreTokenizer, text: AlignedText) -> PreparedText:
    """A normalized text, or a part of one, cut into pieces.  Raises EncodeError likewise."""
    pieces = pre_tokenizer.cut(whole(text))
    return PreparedText(pieces.text.normalized, pieces.ends)


def prepare(
    normalizer: Normalizer, pre_tokenizer: PreTokenizer, fragment: bytes, is_first: bool
) -> PreparedText:
    """Both, one after the other."""
    return pre_tokenize(pre_tokenizer, normalize(normalizer, fragment, is_first))
