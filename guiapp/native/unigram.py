"""Unigram: the segmentation of a text with the highest sum of scores."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_bool, c_double, c_int32, c_uint64, c_void_p
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.errors import EncodeError
from guiapp.native.binding import (
    SPARE_IDS,
    Array,
    Bytes,
    Handle,
    Ints,
    Pool,
    TokenColumns,
    WideInts,
    arrays,
    cut,
    function,
    long_function,
    secret,
    tokens_by,
)
from guiapp.native.normalized import Normalized, normalized
from guiapp.native.strings import packed
from guiapp.native.token_matcher import TokenMatcher
from guiapp.native.token_tree import TokenTreeHandle


class _UnigramParts(ctypes.Structure):
    _fields_ = (
        *arrays("token_data", "token_offsets", "token_ids"),
        *arrays("units", "replacements", "kinds", "is_settled", "is_cut", "scores"),
        *((name, c_void_p) for name in ("user_defined", "tree", "matcher")),
        ("secret", c_uint64),
        ("unknown_score", c_double),
        ("unknown", c_int32),
        ("add_space_prefix", c_bool),
        ("removes_spaces", c_bool),
        ("is_single", c_bool),
    )


_unigram_new = long_function("unigram_new(structure) -> handle")
_unigram_normalize = function("unigram_normalize(handle, bytes) -> handle")
_unigram_explodes = function("unigram_explodes(handle, bytes)")
_unigram_segment = function("unigram_segment(handle, bytes, >doubles, >tokens)")
_unigram_segment_each = function("unigram_segment_each(handle, bytes, wide_ints, ints, >tokens)")


class Unigram(Handle, free="unigram_free"):
    """Finds the segmentation with the highest sum of scores."""

    def __init__(
        self,
        tables: dict[str, NDArray[Any]],
        user_defined: Sequence[bytes],
        matcher: TokenMatcher | None,
        unknown: tuple[int, float],
        spaces: tuple[bool, bool],
        is_single: bool = False,
    ) -> None:
        """A vocabulary; the arrays of a character map are of one that was checked.

        tables   token_data, token_offsets   all tokens
                 token_ids     int32[k]      those that text can become
                 scores        float64[n]    of each token
                 units, replacements         uint32[…] and uint8[…], of the character map
                 kinds         uint8[256]    what may begin with a byte; see `text.settled_characters`
                 is_settled    bool[65536]   characters that the map leaves alone
                 is_cut        bool[256]     bytes that become a space wherever they stand
        matcher  of the tokens; only where some are so long that to walk down their tree takes too long
        unknown  the token that stands for other characters, or -1, and the score of each
        spaces   whether one is put before the text, and whether those that do not separate words are removed
        is_single  sums of scores are rounded as SentencePiece's are
        """
        tokens = tables["token_data"], tables["token_offsets"], tables["token_ids"]
        tree = TokenTreeHandle(*tokens, np.ones(len(tables["scores"]), np.bool_))
        user_defined_tree = TokenTreeHandle.of(*packed(user_defined))
        parts = _UnigramParts(
            **{name: Array.of(table) for name, table in tables.items()},
            user_defined=user_defined_tree.address,
            tree=tree.address,
            matcher=None if matcher is None else matcher.address,
            secret=secret(),
            unknown=unknown[0],
            unknown_score=unknown[1],
            add_space_prefix=spaces[0],
            removes_spaces=spaces[1],
            is_single=is_single,
        )
        super().__init__(_unigram_new(parts), tables, tree, user_defined_tree, matcher)

    def normalize(self, text: Bytes) -> Normalized:
        """What the text becomes.  Raises EncodeError where that is more than 256 MB."""
        if (address := _unigram_normalize(self, text)) is None:
            raise EncodeError("The file's character map turns this text into more than 256 MB. Encode less.")
        return normalized(address)

    def check_growth(self, text: Bytes) -> None:
        """Raise EncodeError where a text becomes more than 128 times as long."""
        if _unigram_explodes(self, text):
            raise EncodeError(
                f"The file's character map turns this text of {len(text):,} bytes into more than 128 times "
                "as many. Such a map was made to do harm: choose another file."
            )

    def segment(self, text: Bytes, score: float) -> tuple[TokenColumns, float]:
        """The tokens of a normalised text, and the sum of scores behind it; `score` is that before it."""
        sums = np.array([score])
        return tokens_by(_unigram_segment, self, text, sums, room=len(text)), float(sums[0])

    def segment_each(self, text: Bytes, ends: WideInts, byte_ids: Ints) -> TokenColumns:
        """The tokens of pieces that end at `ends`, each by itself.

        What is unknown becomes the token that is its text, if any, else those of its bytes.

        byte_ids  int32[256]; -1 where a byte has none: then text that holds it stays unknown
        """
        return tokens_by(_unigram_segment_each, self, text, ends, byte_ids, room=len(text))


_part_encoder_new = function("part_encoder_new(handle, ints, ints) -> handle")
_part_encoder_encode = function("part_encoder_encode(handle, bytes, >ints)")


class PartEncoders:
    """Encodes text part by part as SentencePiece does; parts that were met before are looked up.

    ids       int32[…]   those that text can become
    byte_ids  int32[256] tokens for the bytes of what is unknown, or none
    Threads may share it.
    """

    def __init__(self, model: Unigram, ids: Ints, byte_ids: Ints) -> None:
        self._encoders = Pool(partial(_PartEncoder, model, ids, byte_ids))
        self._encoders.prepare()

    def encode(self, text: Bytes) -> Ints:
        """The ids of a normalised text."""
        encoder, ids = self._encoders.take(), np.empty(len(text) + SPARE_IDS, np.int32)
        count = _part_encoder_encode(encoder, text, ids)
        self._encoders.idle.append(encoder)
        return cut(ids, count)


class _PartEncoder(Handle, free="part_encoder_free"):
    """Encodes one text after the other, for one thread at a time."""

    def __init__(self, model: Unigram, ids: Ints, byte_ids: Ints) -> None:
        super().__init__(_part_encoder_new(model, ids, byte_ids), model, byte_ids)
