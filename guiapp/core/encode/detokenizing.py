"""From token ids back to bytes, with llama.cpp's rules for special tokens and spaces.

Source: llama_vocab::detokenize.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import index

import numpy as np
from numpy.typing import NDArray

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Vocabulary
from guiapp.errors import EncodeError
from guiapp.native import detokenizer as native

SPACE = 0x20
HIDDEN = np.uint16(Attribute.CONTROL | Attribute.UNKNOWN)  # where special tokens are not written
USUAL_BYTES = 8  # of a token, at most


def detokenize(
    vocabulary: Vocabulary,
    ids: Iterable[int],
    remove_special: bool,
    unparse_special: bool,
    is_text: bool = False,
) -> bytes:
    """The bytes that a sequence of token ids stands for.

    `remove_special` drops a BOS in front and an EOS at the end where the vocabulary adds them;
    `unparse_special` writes control tokens as their text instead of leaving them out.
    `is_text` writes what is no UTF-8 as the file's own library writes it in texts: U+FFFD, as often as there.
    Raises EncodeError for an id that the vocabulary does not have.
    """
    rules, special = vocabulary.rules, vocabulary.special_ids
    token_ids = checked_ids(vocabulary, ids)
    if vocabulary.parts is not None:
        from guiapp.core.encode.parts_decoding import decoding_of

        return decoding_of(vocabulary).decode(token_ids, remove_special, unparse_special, is_text)
    if vocabulary.pieces is not None:
        from guiapp.core.encode.piece_decoding import decode_pieces

        return decode_pieces(
            vocabulary, vocabulary.pieces, token_ids, remove_special, unparse_special, is_text
        )
    strip_first = rules.add_space_prefix
    if remove_special and rules.add_bos and len(token_ids) and token_ids[0] == special.bos:
        token_ids = token_ids[1:]
        strip_first = False
    if remove_special and rules.add_eos and len(token_ids) and token_ids[-1] == special.eos:
        token_ids = token_ids[:-1]
    shown = token_ids
    if not unparse_special:
        shown = token_ids[(vocabulary.attributes[token_ids] & HIDDEN) == 0]
        strip_first &= len(shown) > 0 and shown[0] == token_ids[0]
    data, offsets = vocabulary.token_bytes_table
    out = vocabulary.decoder.decode(shown, len(shown) * USUAL_BYTES)
    if strip_first and len(shown):
        first = offsets[shown[0]]
        if first < offsets[shown[0] + 1] and data[first] == SPACE:
            out = out[1:]
    if rules.clean_spaces:
        out = out[: native.clean_spaces(out)]
    return out.tobytes()


def checked_ids(vocabulary: Vocabulary, ids: Iterable[int]) -> NDArray[np.int32]:
    """The ids as an array; EncodeError names the first one that is not in the vocabulary."""
    try:
        if isinstance(ids, np.ndarray) and ids.dtype.kind in "iu":
            given = ids.reshape(-1)
        else:
            given = np.fromiter(map(index, ids), np.int64)
    except (OverflowError, TypeError) as error:
        raise EncodeError(f"Token ids are whole numbers below {len(vocabulary)}: {error}.") from error
    token_ids = given.astype(np.int64, copy=False)
    if len(token_ids) and token_ids.view(np.uint64).max() >= len(vocabulary):  # negative ones are the largest
        outside = np.flatnonzero((given < 0) | (given >= len(vocabulary)))
        raise EncodeError(
            f"Token id {given[outside[0]]} (number {outside[0] + 1} of {len(given)}) is not in this "
            f"vocabulary, whose ids go from 0 to {len(vocabulary) - 1}."
        )
    return token_ids.astype(np.int32)


def readable_clean_spaces(text: bytes) -> bytes:
    """Drop the spaces that some models' detokenisers drop, in three passes as llama.cpp does."""
    text = re.sub(rb" (?=[?!.,])", b"", text)
    text = re.sub(rb" ' ", b"'", text)
    return re.sub(rb" (?='(?:s|m|re|ve))", b"", text)
