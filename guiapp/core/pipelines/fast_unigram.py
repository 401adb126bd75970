"""The encoder `fast` of Unigram vocabularies: words that were encoded before are looked up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp import native
from guiapp.core.encoding import FragmentTokens
from guiapp.core.kernels import fast_unigram, unigram_spans
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.piece_cache import PieceCache
from guiapp.core.kernels.unigram_words import UnigramTables
from guiapp.core.pipelines.fast_words import NO_ENDS, FastWords
from guiapp.core.text.pair_cuts import cuts_between
from guiapp.core.vocab.vocabulary import Vocabulary


class FastUnigram:
    """Encodes the words of texts that may be cut before spaces.  Threads may share it."""

    def __init__(self, tables: UnigramTables) -> None:
        self._tables = tables
        is_cut, removes_spaces = tables[:2]

        def encode_known(text: NDArray[np.uint8], short: NDArray[np.uint64], ids: NDArray[np.int32]) -> int:
            return fast_unigram.encode_known(text, is_cut, removes_spaces, short, ids)

        def encode_from(
            text: NDArray[np.uint8],
            position: int,
            cache: PieceCache,
            ids: NDArray[np.int32],
            count: int,
            text_ends: NDArray[np.int64] = NO_ENDS,
            counts: NDArray[np.int64] = NO_ENDS,
        ) -> int:
            return fast_unigram.encode(text, position, tables, cache, ids, count, text_ends, counts)

        self._words = FastWords(encode_known, encode_from)
        self.encode_each = self._words.encode_each

    def encode(self, fragment: NDArray[np.uint8]) -> FragmentTokens:
        """The tokens of a fragment; among the ids is -1 where the file has no unknown token and needs one."""
        ids = self._words.encode(fragment)

        def tell() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
            starts, ends = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
            unigram_spans.find_spans(fragment, self._tables, ids, starts, ends)
            return starts, ends

        return FragmentTokens.later(ids, tell)

    def n_unknown(self, fragment: NDArray[np.uint8], ids: NDArray[np.int32]) -> int:
        """How many bytes of the normalised fragment its unknown tokens hold: no fewer than characters."""
        if self._tables.unknown not in ids:
            return 0
        starts, ends = np.empty(len(ids), np.int64), np.empty(len(ids), np.int64)
        return unigram_spans.find_spans(fragment, self._tables, ids, starts, ends)


def token_rows(vocabulary: Vocabulary, token_ids: NDArray[np.int32]) -> NDArray[np.int32]:
    """The tree of these tokens, by their texts, as rows to walk down."""
    is_matched = np.ones(len(vocabulary), np.bool_)
    return native.TokenTree(vocabulary.token_data, vocabulary.token_offsets, token_ids, is_matched).rows()


def token_cuts(vocabulary: Vocabulary, token_ids: NDArray[np.int32]) -> PairCuts:
    """Where none of these tokens reaches across."""
    offsets = vocabulary.token_offsets
    sizes = np.zeros(len(vocabulary), np.int64)
    sizes[token_ids] = np.diff(offsets)[token_ids]
    data = vocabulary.token_data[np.repeat(sizes > 0, np.diff(offsets))]
    own_offsets = np.concatenate([[0], np.cumsum(sizes)])
    first_bytes = data[own_offsets[:-1][sizes > 0]]
    return cuts_between(data, own_offsets, -1, not _is_utf8(data) or bool((first_bytes & 0xC0 == 0x80).any()))


def _is_utf8(data: NDArray[np.uint8]) -> bool:
    try:
        data.tobytes().decode()
    except UnicodeDecodeError:
        return False
    return True
